"""Which statements of an answer need a citation, and why the others do not.

A statement needs a citation unless something shows that it makes no claim about the world: a
question, a greeting, a heading, a sentence about the answer itself. Structure decides first (the
last character, a heading's form), the phrase lists in ``citemeter/data/worthiness`` second, and a
figure or a name in what follows a phrase overrules it, because a claim wrongly left out makes
coverage look better than it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from citemeter.text.phrases.lists import script_of
from citemeter.text.phrases.non_latin import non_latin_label
from citemeter.text.phrases.opening_phrases import label_of, labels_heading
from citemeter.text.phrases.refusal_patterns import declines
from citemeter.text.sentences.boundaries import QUESTION_MARKS, SENTENCE_ENDS, STOPS
from citemeter.text.sentences.citemeter_segmenter import sentence_spans

WorthinessRule = Callable[[str], str | None]
"""Takes a statement's text; ``None`` means that it needs a citation, else why it does not."""

_LONGEST = 400  # characters; a longer statement makes a claim whatever it begins with
_LOOK = 800  # characters in which a claim before a question is looked for
_OPENING = " \"'(“«„¡¿-–—•>"
_DECORATION = " \t\r\n*_~`"
_MARKED_HEADING = re.compile(r"#{1,6}(?:\s|$)|={3,}|-{3,}")
_BOLD = re.compile(r"(\*\*|__)(?P<inner>[^*_\n]{1,80})\1")
_NUMBERING = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})*[.):]|[IVX]{1,4}\.|[A-H][.)]|(?i:step|part|section|chapter|phase|question"
    r"|schritt|teil|abschnitt|kapitel|étape|partie|paso|parte|capítulo|fase|stap|deel) "
    r"(?:\d{1,2}|one|two|three|four|five|[IVX]{1,4})[:.)–—-]?) ?"
)
_SYMBOLS = re.compile(rf"[^\w{STOPS}:：\"'”’»)\]%€$£¥+]+$")
_EVIDENCE = re.compile(
    r"\d{3,}|\d ?[%°€$£¥]|[€$£¥]|\d[.,]\d|\b\d+ (?:kg|km|cm|mm|m|l|g)\b|\bpercent\b"
)
_COLON = (":", "：")


def exemption(text: str) -> str | None:
    """Return why a statement needs no citation, or ``None`` when it needs one.

    Args:
        text: A statement without its markers. Block syntax may be there: ``## Prices`` is a
            heading.

    Returns:
        ``None`` for a statement that makes a claim, hedged or not; else ``"question"``,
        ``"heading"``, ``"lead_in"``, ``"refusal"``, ``"greeting"``, ``"transition"``, ``"meta"``,
        ``"instruction"``, ``"opinion"``, ``"hedge"``, ``"conclusion"`` or ``"fragment"``.

    >>> exemption("The permit costs 12 euros per week.")
    >>> exemption("Would you like me to compare the two plans?")
    'question'
    >>> exemption("There are three reasons:")
    'lead_in'
    """
    stripped = text.strip(_DECORATION)
    if not any(map(str.isalnum, stripped[:_LONGEST])):
        return "fragment" if len(stripped) <= _LONGEST else None
    if _MARKED_HEADING.match(stripped) or _MARKED_HEADING.match(text):
        return "heading"
    bold = _BOLD.fullmatch(text.strip()) if stripped != text else None
    if bold and bold["inner"][-1] not in SENTENCE_ENDS and not _EVIDENCE.search(bold["inner"]):
        return "heading"
    plain = stripped[-40:]
    if plain[-1] not in STOPS:
        plain = _SYMBOLS.sub("", plain)
    last = plain[-1:] or stripped[-1]
    if last in QUESTION_MARKS or (last == ")" and plain[-2:-1] in QUESTION_MARKS):
        return _unless_claim_before("question", stripped)
    if len(stripped) > _LONGEST:
        return None
    if last in _COLON:
        return None if _EVIDENCE.search(stripped) else "lead_in"
    script = script_of(stripped)
    if script != "latin":
        if declines(stripped):
            return _unless_claim_before("refusal", stripped)
        label = non_latin_label(stripped, script)
    else:
        if last not in SENTENCE_ENDS and _is_heading(stripped):
            return "heading"
        normal = " ".join(stripped.replace("’", "'").replace("İ", "I").split()).lstrip(_OPENING)
        if declines(normal):
            return _unless_claim_before("refusal", stripped)
        label = label_of(normal)
    return _unless_claim_before(label, stripped) if label else None


def _unless_claim_before(label: str, text: str) -> str | None:
    """A statement of several sentences is exempt when each of them is."""
    spans = sentence_spans(text[:_LOOK])
    if len(text) > _LOOK:
        del spans[-1:]  # it may be cut short
    if len(spans) > 1 and not all(exemption(text[start:end]) for start, end in spans):
        return None
    return label


def _is_heading(text: str) -> bool:
    title = _NUMBERING.sub("", text, count=1).strip(" *_#:–—-")
    return len(title) < 60 and (not title or labels_heading(title))


def _all_need_one(text: str) -> str | None:
    return None


def _questions_do_not(text: str) -> str | None:
    return "question" if text.rstrip(_DECORATION).endswith(QUESTION_MARKS) else None


WORTHINESS_RULES: dict[str, WorthinessRule] = {
    "default": exemption,
    "all": _all_need_one,
    "no_questions": _questions_do_not,
}
"""The rules by name. ``all`` is what the published ALCE evaluation does."""
