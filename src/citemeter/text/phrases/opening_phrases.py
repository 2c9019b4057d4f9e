"""Finding the phrase that begins a statement, and judging whether a claim follows it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from citemeter.text.phrases.lists import LATIN, expand, load, read_phrase

_DEPTH = 4  # openings taken off one after another: "Okay, so, first of all, let's …"
_MOST_WORDS = 25
_LONGEST = 200  # characters in which a phrase is looked for
_WORD = re.compile(r"[^\W\d_]+")
_GAP = " ,.;:!-–—…、，。！؛،"
_FIGURE = re.compile(
    r"\d{3,}|\d[.,:/]\d|\d ?[%°€$£¥]|[€$£¥]|\d ?(?:k?[gm]|[cm]m|m?l|km|kWh?|[GM]B)\b"
    r"|\b\d+ (?:percent|per cent|euros?|dollars?|pounds?|years?|days?|weeks?|months?|hours?"
    r"|minutes?|seconds?|met(?:er|re)s?|miles?|kilo\w*|lit(?:er|re)s?|degrees?|people|times|Prozent|Jahren?"
    r"|Tagen?|Stunden?|Minuten?|Liter|ans|jours|heures|minutos|días|años|horas|anni|giorni|jaar)\b"
    r"|\b(?:percent|million|billion|thousand|hundred|Prozent|pour cent|por ciento)\b"
    r"|[０-９]{2,}|[0-9]+[年月日元円人個名]"
)
_NAME = re.compile(
    r"(?<=[a-z,;)] )(?!(?:I|AI|PDFs?|FAQs?|HR|URLs?|GP|OK|IT|LLM|API|CSV|ID|TV|JSON|TL|Q|A|B|C"
    r"|VAT|UK|US|EU|UN|TLDR|DIY|AC|DC|GPS|USB|SIM|WLAN|Wi|II)\b|I')"
    r"[A-Z][A-Za-z]"
)
_EXAMPLE = re.compile(
    r"\b(?:such as|including|for example|e\.g|namely|because|since|due to)\b|[:;] *\w"
)
_THAT = re.compile(r"\b(?:that|which|dass|que|che|dat)\b")
_CLAUSE = re.compile(
    r"[,;:] (?:but |and |so )?(?=(?:the|an?|it|this|these|those|they|he|she|there|each|"
    r"all|in|on|at|its|most|many|both|der|die|das|ein|eine|es|le|la|les|l'|il|elle|"
    r"un|une|el|los|las|lo|o|os|as|de|het|een)\b)"
)


class _Rule(NamedTuple):
    language: str
    label: str
    opener: bool
    pattern: str
    tail: str


@cache
def _rules() -> dict[str, list[_Rule]]:
    """The phrases of all languages by their first word, openings last."""
    rules: dict[str, list[_Rule]] = {}
    for opener, room in ((False, "exempt"), (True, "openers")):
        for language in LATIN:
            data = load("worthiness", language)
            for label, phrases in data[room].items():
                for text in phrases:
                    for first, pattern, tail in read_phrase(text + " ~" * opener, data["words"]):
                        rule = _Rule(language, label, opener, pattern, tail)
                        rules.setdefault(first, []).append(rule)
    return rules


# Each when first tried: all of them together take long.
_compiled = cache(re.compile)


@cache
def _begins(word: str) -> re.Pattern[str]:
    """Return what follows ``word`` in any phrase that begins with it."""
    return re.compile("|".join(f"(?:{rule.pattern})" for rule in _rules().get(word, ())) or "(?!)")


@cache
def _words(language: str, name: str) -> re.Pattern[str]:
    words = load("worthiness", language)["words"]
    return re.compile(expand(f"\\b(?:{words[name]})\\b", words) if name in words else "(?!)")


@cache
def _headings() -> re.Pattern[str]:
    return re.compile("|".join([load("worthiness", language)["headings"] for language in LATIN]))


def labels_heading(text: str) -> bool:
    """Whether a short text is one of the usual headings ("Key points", "Opening hours")."""
    return bool(_headings().fullmatch(text.lower()))


def label_of(text: str, depth: int = 0) -> str | None:
    """Return the label of the phrase a statement begins with, unless a claim follows it.

    Args:
        text: A statement with single spaces and straight apostrophes.
        depth: How many openings have been taken off already.
    """
    word = _WORD.match(text)
    if not word:
        return None
    lower = text[:_LONGEST].lower()
    if len(text) > _LONGEST:
        lower += "\0x"  # the statement does not end here
    elif len(lower) != len(text):
        return None
    first = word[0].lower()
    if not _begins(first).match(lower, word.end()):
        return None
    for rule in _rules()[first]:
        found = _compiled(rule.pattern).match(lower, word.end())
        if not found:
            continue
        if not rule.opener:
            if _goes_on_without_claim(text, found.end(), rule, depth):
                return rule.label
            continue
        rest = text[found.end() :].lstrip(_GAP)
        if not any(map(str.isalnum, rest)):
            return rule.label
        label = _after_opening(rule, text, rest, depth)
        if label:
            return label
    return None


def _after_opening(rule: _Rule, text: str, rest: str, depth: int) -> str | None:
    if depth < _DEPTH:
        label = label_of(rest, depth + 1)
        if label:
            return label
    if rule.label == "opinion" and not _claims(rest, rule.language, _MOST_WORDS):
        return "opinion"
    if rule.label == "conclusion":
        vague = _words(rule.language, "vac").search(rest.lower())
        if vague and not _claims(rest, rule.language, _MOST_WORDS):
            return "conclusion"
    if rule.label == "greeting" and rest.count(" ") < 2 and rest[-1] in "!,":
        return "greeting"  # "Hi Anna!"
    return None


def _goes_on_without_claim(text: str, end: int, rule: _Rule, depth: int) -> bool:
    if not rule.tail:
        return True
    rest = text[end:]
    clause = _CLAUSE.search(rest) if depth < _DEPTH else None
    if clause and rest.count(" ", clause.end()) >= 3:
        following = rest[clause.end() :]
        if not label_of(following, _DEPTH):
            return False
    if rule.tail == "...":
        return True
    name = rule.tail[1:]
    if name.isdigit():
        return not _claims(rest, rule.language, int(name))
    if _claims(rest, rule.language, _MOST_WORDS):
        return False
    if name == "target":
        return bool(_words(rule.language, "target").search(rest.lower()))
    return not _THAT.search(rest.lower())


def _claims(rest: str, language: str, most_words: int) -> bool:
    """Whether what follows a phrase looks like a claim: figures, names, examples, or length."""
    if rest.count(" ") > most_words or _FIGURE.search(rest) or _EXAMPLE.search(rest):
        return True
    return language == "en" and bool(_NAME.search(rest))
