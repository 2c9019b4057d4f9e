"""Turn the LaTeX that arithmatex marks into MathML, which browsers show without any script."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def _mathml(match: re.Match[str], display: str) -> str:
    latex = html.unescape(match[1]).strip()
    # Two signs that few fonts have, by ones that all have.
    mathml: str = convert(latex.replace(r"\not\models", r"\nvDash"), display=display)
    mathml = mathml.replace("<mi>&#x029F5;</mi>", "<mo>\\</mo>")
    return mathml.replace("<math ", f'<math alttext="{html.escape(latex, quote=True)}" ', 1)


def on_page_content(content: str, **_: Any) -> str:
    """Replace each formula of a rendered page."""
    content = _BLOCK.sub(lambda match: _mathml(match, "block"), content)
    return _INLINE.sub(lambda match: _mathml(match, "inline"), content)
