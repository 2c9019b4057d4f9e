"""The eight readings of an answer under which IFEval's loose score looks for a pass."""

from __future__ import annotations

__all__ = ["LOOSE_VARIANTS", "loose_variants"]

LOOSE_VARIANTS = (
    "original",
    "no_asterisks",
    "no_first_line",
    "no_last_line",
    "no_first_and_last_line",
    "no_asterisks_and_first_line",
    "no_asterisks_and_last_line",
    "no_asterisks_and_first_and_last_line",
)
"""The variants' names, in the order in which they are tried."""


def loose_variants(answer: str) -> dict[str, str]:
    r"""Return the eight variants of an answer, by name.

    The answer; without ``*``; without its first line, its last line, or both; and these three
    without ``*``. Lines end at ``\n``; what is left of an answer without a line is stripped.
    Variants may be blank or alike: a blank one follows no instruction.

    Args:
        answer: The answer as written.

    >>> variants = loose_variants("Sure:\n**Yes** [1].\nBye!")
    >>> variants["no_first_and_last_line"], variants["no_asterisks_and_first_and_last_line"]
    ('**Yes** [1].', 'Yes [1].')

    Reference: Zhou et al. (2023), https://arxiv.org/abs/2311.07911, and the code published with it.
    """
    lines = answer.split("\n")
    cut = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    texts = [answer, answer.replace("*", ""), *cut, *(text.replace("*", "") for text in cut)]
    return dict(zip(LOOSE_VARIANTS, texts, strict=True))
