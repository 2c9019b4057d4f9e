"""Rules on an answer's text alone: length, words, bullets, headings, emoji.

Reasoning that stands in an answer, as in ``<think>…</think>``, is no part of what they look at.
"""

from __future__ import annotations

import re
from functools import partial

from citemeter.contract.answer import CheckedAnswer
from citemeter.contract.emoji import emoji_pattern
from citemeter.contract.rule import Finding, Outcome, Rule, shortened, whole_number
from citemeter.errors import InputError
from citemeter.models import Span
from citemeter.text.quotations.folding import SOLID
from citemeter.text.quotations.mentions import count_words

__all__ = ["has_section", "max_words", "min_bullets", "must_avoid", "must_include", "no_emoji"]

_BULLET = re.compile(
    r"^[^\S\n]*(?:[-*+•‣◦▪–]|\d{1,3}[.)])[^\S\n]+(?=[^\s*_-]|[*_-]+[^\s*_-])", re.M
)


def max_words(n: int) -> Rule:
    """Return the rule that an answer has at most ``n`` words.

    A word is what stands between white space, so markers and lists of sources count, but no
    reasoning; in scripts written without spaces two characters are taken for a word.

    Args:
        n: The most words allowed.

    Raises:
        InputError: If ``n`` is no whole number.

    >>> max_words(3)("It opened in May.").reason
    '4 words, more than 3'
    """
    whole_number("max_words", "n", n)
    return Rule("max_words", {"n": n}, partial(_max_words, n=n))


def _max_words(answer: CheckedAnswer, n: int) -> Outcome:
    words = answer.shown.split()
    count = len(words)
    if SOLID.search(answer.shown):
        count = sum(count_words(w) or 1 if SOLID.search(w) else 1 for w in words)
    return Outcome(passed=True) if count <= n else Outcome.failed(f"{count} words, more than {n}")


def must_include(*terms: str) -> Rule:
    """Return the rule that an answer holds all of some words or phrases, case aside.

    Args:
        terms: What to look for, anywhere, also inside words.

    Raises:
        InputError: If there is nothing to look for.

    >>> must_include("manager", "approval")("Ask your manager.").reason
    "does not say 'approval'"
    """
    _check_terms("must_include", terms)
    return Rule("must_include", {"terms": list(terms)}, partial(_must_include, terms=terms))


def _check_terms(rule: str, terms: tuple[object, ...]) -> None:
    for term in terms:
        if not isinstance(term, str) or not term.strip():
            raise InputError(
                f"rule {rule!r}: {shortened(term)} is nothing to look for.",
                fix="give words or phrases as strings.",
            )
    if not terms:
        raise InputError(f"rule {rule!r}: no terms are given.", fix="give one term or more.")


def _must_include(answer: CheckedAnswer, terms: tuple[str, ...]) -> Outcome:
    text = answer.shown.lower()
    missing = [term for term in terms if term.lower() not in text]
    findings = [Finding(problem=f"does not say {term!r}") for term in missing]
    return Outcome.of(findings, f"does not say {', '.join(map(repr, missing))}")


def must_avoid(*terms: str) -> Rule:
    """Return the rule that an answer holds none of some words or phrases, case aside.

    They are looked for as whole words, also such as ``C++`` or ``.NET``; white space in a phrase
    may be any. In scripts written without spaces a term is found wherever it stands.

    Args:
        terms: What must not be said.

    Raises:
        InputError: If there is nothing to look for.

    >>> found = must_avoid("Project Falcon", "net")("The internet knows project falcon.")
    >>> [(finding.text, finding.span.start) for finding in found.findings]
    [('project falcon', 19)]
    """
    _check_terms("must_avoid", terms)
    return Rule("must_avoid", {"terms": list(terms)}, partial(_must_avoid, terms=terms))


def _term_pattern(term: str) -> str:
    words = term.split()
    before = "" if SOLID.match(words[0]) else r"(?<!\w)"
    after = "" if SOLID.match(words[-1][-1]) else r"(?!\w)"
    return before + r"\s+".join(map(re.escape, words)) + after


def _must_avoid(answer: CheckedAnswer, terms: tuple[str, ...]) -> Outcome:
    findings = [
        _at(answer, f"says {term!r}", found)
        for term in terms
        for found in re.finditer(_term_pattern(term), answer.shown, re.IGNORECASE)
    ]
    findings.sort(key=lambda finding: finding.span or Span(0, 0))
    said = dict.fromkeys(finding.problem for finding in findings)
    return Outcome.of(findings, ", ".join(said))


def _at(answer: CheckedAnswer, problem: str, found: re.Match[str]) -> Finding:
    span = None if answer.given.answer is None else Span(*found.span())
    return Finding(problem=problem, text=found[0], span=span)


def min_bullets(n: int) -> Rule:
    r"""Return the rule that an answer has at least ``n`` lines that are list items.

    A line begins as an item does with ``-``, ``*``, ``+``, ``•``, ``1.`` or ``1)`` and a space.

    Args:
        n: The fewest allowed.

    Raises:
        InputError: If ``n`` is no whole number.

    >>> min_bullets(3)("Bring:\n- a map\n2. a lamp").reason
    '2 list items, fewer than 3'
    """
    whole_number("min_bullets", "n", n)
    return Rule("min_bullets", {"n": n}, partial(_min_bullets, n=n))


def _min_bullets(answer: CheckedAnswer, n: int) -> Outcome:
    count = sum(1 for _ in _BULLET.finditer(answer.shown))
    if count >= n:
        return Outcome(passed=True)
    return Outcome.failed(f"{count} list items, fewer than {n}")


def heading_pattern(title: str) -> re.Pattern[str]:
    """Return the pattern of a line that is a heading of one title.

    >>> lines = ["Sources", "Sources:", "## Sources", "**Sources:**", "**Sources**:"]
    >>> all(heading_pattern("sources").fullmatch(line) for line in lines)
    True
    >>> heading_pattern("sources").fullmatch("Sources of iron")
    """
    words = r"[^\S\n]+".join(map(re.escape, title.split()))
    return re.compile(
        rf"^[^\S\n]*(?:#+[^\S\n]*)?(?:\*\*|__)?{words}[:：]?(?:\*\*|__)?[:：]?[^\S\n]*$",
        re.MULTILINE | re.IGNORECASE,
    )


def has_section(title: str) -> Rule:
    r"""Return the rule that a line of the answer is the heading ``title``, however it is marked up.

    Args:
        title: The heading's words, case aside.

    Raises:
        InputError: If it is blank.

    >>> bool(has_section("Sources")("It is so [1].\n\n**Sources:**\n[1] a.pdf"))
    True
    """
    check_title("has_section", title, "give the heading's words.")
    return Rule("has_section", {"title": title}, partial(_has_section, title=title))


def check_title(rule: str, title: object, fix: str) -> None:
    """Refuse a heading without words."""
    if not isinstance(title, str) or not title.strip():
        raise InputError(f"rule {rule!r}: {title!r} is no title.", fix=fix)


def _has_section(answer: CheckedAnswer, title: str) -> Outcome:
    if heading_pattern(title).search(answer.shown):
        return Outcome(passed=True)
    return Outcome.failed(f"no line is the heading {title!r}")


def no_emoji() -> Rule:
    """Return the rule that an answer has no emoji.

    Flags, keycaps and symbols made emoji by U+FE0F are emoji; ``✓``, ``©`` and ``#`` are not.

    >>> found = no_emoji()("Done ✓ 🎉")
    >>> [finding.text for finding in found.findings]
    ['🎉']
    """
    return Rule("no_emoji", {}, _no_emoji)


def _no_emoji(answer: CheckedAnswer) -> Outcome:
    matches = emoji_pattern().finditer(answer.shown)
    findings = [_at(answer, "is an emoji", found) for found in matches]
    return Outcome.of(findings, f"{len(findings)} emoji")
