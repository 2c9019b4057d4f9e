"""A marker found in an answer, and the names of the styles it may be written in."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEFAULT_STYLES", "STYLES", "Marker"]


class Marker(NamedTuple):
    """One marker: where it stands and what it cites.

    Args:
        start: Its first character in the answer.
        end: One past its last character.
        ids: The ids cited; none for leftovers such as ``[cite_start]``, which only leave the text.
        style: The style it is written in, one of ``STYLES``.
        reach: For an opening tag, where its closing tag ends: what lies between is what it
            supports. 0 for all other markers.
    """

    start: int
    end: int
    ids: tuple[str, ...]
    style: str
    reach: int = 0


STYLES: dict[str, str] = {
    "numeric": "[1], [1][2], [1, 2], [1-3], [[1]], [1](link)",
    "footnote": "[^1], [^1^], ^[1]",
    "lenticular": "【1†source】, 【4:0†file.pdf】",
    "id": "[hr-12], [doc:hr-12], [Source 1], (Source: fleet-guide), (pqac-0a1b2c3d)",
    "superscript": "¹ ², ¹⁻³, <sup>1</sup>",
    "tag": '<cite id="a,b">…</cite>, <co: 0,1>…</co>, <ref>1</ref>',
    "pandoc": "[@key, p. 3; @other], @key",
    "latex": r"\cite{a,b}, \citep[12]{a}",
    "leftover": "products' private marks: turn0search0, oaicite, ##0$$, [cite: 4], :cite[1]",
    "graphrag": "[Data: Reports (2, 7, +more)]",
    "link": "[text](url) where the sources have URLs",
    "url": "https://… where the sources have URLs",
    "author_year": "(Smith et al., 2020), Smith (2020)",
    "section": "(see § 4.2), Art. 5",
    "paren_numeric": "(1), (2, 3)",
    "circled": "① ②",
}
"""Every style by name, in the order in which reports list them."""

DEFAULT_STYLES = frozenset(STYLES) - {"paren_numeric", "circled"}
"""What ``style="auto"`` looks for; round-bracket and circled numbers are list numbers too often."""
