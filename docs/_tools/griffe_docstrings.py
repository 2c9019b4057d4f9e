"""Read docstrings as the pages do: formulas, and doctests as code."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import griffe

_BLOCK = re.compile(r"^\.\. math:: *(.+(?:\n(?!\n).+)*)", re.MULTILINE)
_INLINE = re.compile(r":math:`([^`]+)`")
_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\n).+)*", re.MULTILINE)


def _block(match: re.Match[str]) -> str:
    return f"$$\n{textwrap.dedent(match[1])}\n$$"


class DocstringNotation(griffe.Extension):
    """Rewrites ``.. math::``, ``:math:`` and ``>>>`` in every docstring."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one object's docstring."""
        if obj.docstring is not None:
            text = _BLOCK.sub(_block, obj.docstring.value)
            text = _INLINE.sub(r"$\1$", text)
            obj.docstring.value = _DOCTEST.sub(r"```pycon\n\g<0>\n```", text)
