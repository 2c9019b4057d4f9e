"""Read docstrings as the pages do: formulas, doctests as code, the fields of models."""

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

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Take the arguments of a class without ``__init__`` for its fields, types and all."""
        if cls.docstring is not None and "__init__" not in cls.members:
            cls.docstring.value = cls.docstring.value.replace("\nArgs:\n", "\nAttributes:\n", 1)
