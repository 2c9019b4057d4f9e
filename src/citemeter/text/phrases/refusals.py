"""Answers that decline to answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citemeter.text.phrases.citation_worthiness import exemption
from citemeter.text.phrases.lists import script_of
from citemeter.text.phrases.refusal_patterns import declines, is_aside, may_decline
from citemeter.text.sentences.citemeter_segmenter import sentence_spans

__all__ = ["abstains", "is_refusal"]

_HEAD = 160  # characters in which an answer that declines has begun to do so
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
    head = text[:_HEAD]
    if not may_decline(head, script_of(head)) or len(text) > _LONGEST:
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
