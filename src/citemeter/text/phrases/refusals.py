"""Answers that decline to answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from citemeter.errors import InputError
from citemeter.models import Response
from citemeter.text.phrases.citation_worthiness import exemption
from citemeter.text.phrases.refusal_patterns import declines, is_aside
from citemeter.text.sentences.citemeter_segmenter import sentence_spans

__all__ = ["AnswerOutcome", "RefusalRule"]

RefusalRule: TypeAlias = Callable[[str], bool]
"""From an answer as written, markers and all, to whether it declines to answer."""

AnswerOutcome: TypeAlias = Literal["abstained", "answered", "empty"]
"""What an answer does.

- ``abstained``: it declines to answer.
- ``answered``: it does not.
- ``empty``: it says nothing: no answer, or one without a statement.
"""

_LONGEST = 4000  # characters; an answer that declines is shorter
_MARKER = re.compile(
    r"\[\^?[^\[\]\n]{1,60}\](?!\()|【[^【】\n]{1,60}】|[¹²³⁰⁴-⁹]+|<sup>[^<>]{1,20}</sup>|</?cite[^<>]{0,80}>"
    r"|[\uff3b][^\uff3d\n]{1,40}[\uff3d]"
)
_SOURCE_LABEL = re.compile(
    r"\W*(?:references?|sources?|citations?|quellen?|références?|fuentes?|referencias?|来源|出典)\W*",
    re.IGNORECASE,
)
_NOT_IN_CITED = frozenset({"meta", "opinion", "hedge", "lead_in", "transition", "conclusion"})


def is_refusal(sentence: str) -> bool:
    """Whether one sentence declines to answer.

    Args:
        sentence: A sentence, with or without markers.

    >>> is_refusal("The provided documents do not say when the depot opened.")
    True
    >>> is_refusal("The policy does not cover flood damage.")
    False
    """
    bare = _MARKER.sub("", sentence)
    return declines(bare, cited=len(bare) < len(sentence))


def abstains(text: str) -> bool:
    """Whether a whole answer declines to answer.

    Every sentence must be a refusal or say nothing about the question (a greeting, an offer, where
    else to look), and one at least must be a refusal. A partial answer does not abstain.

    Args:
        text: The answer as it was written, markers and all.

    >>> abstains("I'm sorry, but I could not find this in the documents. Please ask the office.")
    True
    >>> abstains("The documents do not state the price, but the warranty lasts two years [1].")
    False
    """
    if len(text) > _LONGEST:
        return False
    refused = False
    for sentence in _sentences(text):
        bare = _MARKER.sub("", sentence).strip()
        cited = len(bare) < len(sentence.strip())
        if not any(map(str.isalnum, bare)) or _SOURCE_LABEL.fullmatch(bare):
            continue
        if declines(bare, cited=cited):
            refused = True
            continue
        label = exemption(bare)
        if label and not (cited and label in _NOT_IN_CITED):
            continue
        if refused and is_aside(bare) and not cited:
            continue
        return False
    return refused


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for start, end in sentence_spans(line):
            yield line[start:end]


def outcome_of(
    text: str, abstained: bool | None = None, rule: RefusalRule | None = None
) -> AnswerOutcome:
    """Return whether an answer abstains, answers, or says nothing.

    Args:
        text: The answer's statements as written, markers included; headings, code and lists of
            references are none of them.
        abstained: What is known already: it came with the record, or the parser found it.
        rule: What decides whether an answer declines. By default ``abstained`` if it is known, and
            else ``abstains``; a rule of the caller's own overrules both.

    Raises:
        InputError: If the rule returns anything but true or false.

    >>> outcome_of("The documents do not say when it opened."), outcome_of("In 1904 [1].")
    ('abstained', 'answered')
    >>> outcome_of("NOT_FOUND", rule=lambda text: text == "NOT_FOUND")
    'abstained'
    """
    if rule is None:
        if abstained is None and text.strip():
            abstained = abstains(text)
    elif text.strip():
        abstained = rule(text)
        if not isinstance(abstained, bool):
            raise InputError(
                f"the refusal rule returned {type(abstained).__name__}.",
                fix="return True if the answer declines to answer, else False.",
            )
    else:
        abstained = None
    if abstained is None:
        return "empty"
    return "abstained" if abstained else "answered"


def answer_outcome(response: Response, rule: RefusalRule | None = None) -> AnswerOutcome:
    """Return whether the answer of a parsed response abstains, answers, or says nothing.

    Args:
        response: A response that is cut into statements.
        rule: See ``outcome_of``.
    """
    # As written, markers included: what cites a source is an answer.
    raws = [statement.raw or statement.text for statement in response.statements or ()]
    return outcome_of(" ".join(raws), response.abstained, rule)


def with_outcome(response: Response, rule: RefusalRule | None = None) -> Response:
    """Return a parsed response with ``abstained`` as a rule has it; unknown if it says nothing.

    Args:
        response: A response that is cut into statements.
        rule: See ``outcome_of``.
    """
    outcome = answer_outcome(response, rule)
    abstained = None if outcome == "empty" else outcome == "abstained"
    if abstained is response.abstained:
        return response
    return response.model_copy(update={"abstained": abstained})
