"""The default judge: the words compared, and a small network that reads the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from citemeter.judges.base import Judge, Pair
from citemeter.judges.embedded.encoder import Network
from citemeter.judges.embedded.evidence import Evidence
from citemeter.judges.lexical.judge import (
    Lexicon,
    Memory,
    Reading,
    losses,
    threshold_or,
    verdict_of,
)
from citemeter.judges.lexical.logistic import Logistic, read_logistic
from citemeter.judges.lexical.reasons import reason_against, reason_for
from citemeter.judges.lexical.terms import read_sections
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["CUT", "EmbeddedJudge", "is_english"]

CUT = 5.0
"""The network's logit counts up to this, either way; beyond it it is only surer of itself."""

_ROOM = 4_000_000  # characters of passages, and of evidence with its statement, remembered at least
_WORD = re.compile(r"[^\W\d_]+")
_ASCII = 0.7  # of the words
_FEW = 5  # words: too few to tell a language by


@cache
def _small_words(section: str) -> frozenset[str]:
    return frozenset(word for row in read_sections("small_words.txt")[section] for word in row)


def is_english(text: str) -> bool:
    """Tell whether a text is written as English is; the network has learnt nothing else.

    >>> german = "Die Brücke über den Fluss wurde 1905 gebaut."
    >>> is_english("The bridge over the river was built in 1905."), is_english(german)
    (True, False)
    """
    words = _WORD.findall(text.lower())
    if sum([word.isascii() for word in words]) < _ASCII * len(words):
        return False
    english, others = _small_words("english"), _small_words("other")
    small = sum([word in english for word in words])
    other = sum([word in others for word in words])
    return other <= small and (small > 0 or len(words) < _FEW)


class EmbeddedJudge(Judge):
    """Judges support with what the package brings: no download, no torch.

    The features of ``LexicalJudge`` and the logit of a small cross-encoder, which reads the
    statement beside the sentences of the premise that cover it best, go into one logistic. Its
    probability is the score. A statement that is not English is judged by the words alone, since
    the network has learnt nothing else; its reason says so.

    Which sets it was trained on, and how often it is wrong on others, stands in
    ``docs/judges/embedded.md`` and in the model card beside the weights.

    Args:
        threshold: The probability from which a pair is supported, in ``[0, 1]``; by default the one
            fitted on the development set.
        threads: How many pairs the network reads at once; by default as many as there are
            processors. Scores do not depend on it.

    Raises:
        JudgeError: If ``threshold`` is outside ``[0, 1]`` or ``threads`` is not a positive number.

    Undefined when: never. An empty premise supports nothing, and a hypothesis without an
    informative word or a number is not supported: there is nothing in it to check.

    >>> judge = EmbeddedJudge()
    >>> premise = "Unused PTO up to 5 days may be carried over to the next year."
    >>> judge(premise, "Up to 5 days of unused PTO may be carried over.")
    True
    >>> judge(premise, "Up to 10 days of unused PTO may be carried over.")
    False
    """

    def __init__(self, *, threshold: float | None = None, threads: int | None = None) -> None:
        self._fit = read_logistic("embedded_parameters.txt")
        self._words = read_logistic("lexical_parameters.txt")
        self._threshold = threshold_or(threshold, self._fit.threshold)
        # Without the network the other logistic's threshold has to stand for this one's.
        self._shift = self._words.threshold - self._fit.threshold
        self._lexicon = Lexicon(int(self._words.constants["width"]))
        self._room = int(self._fit.constants["words"])
        scale, shift = self._fit.constants["network_scale"], self._fit.constants["network_bias"]
        self._alone = Logistic(("network",), (scale,), shift, 0.5, {})
        self._network = Network(threads)
        self._evidence = Memory(Evidence, _ROOM)
        self._logits: dict[Pair, float] = {}
        self._older: dict[Pair, float] = {}
        self._size = 0

    @property
    def identity(self) -> JudgeIdentity:
        """Name, version of rules and weights, and threshold."""
        return JudgeIdentity(name="embedded", version="1", threshold=self._threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Judge each pair; of equal evidence and statement the network reads one."""
        readings = [self._lexicon.read(premise, hypothesis) for premise, hypothesis in pairs]
        asked = [
            self._shown(premise, reading)
            for (premise, _), reading in zip(pairs, readings, strict=True)
        ]
        logits = self._read([shown for shown in asked if shown is not None])
        return [
            self._verdict(reading, None if shown is None else logits[shown])
            for reading, shown in zip(readings, asked, strict=True)
        ]

    def _shown(self, premise: str, reading: Reading | str) -> Pair | None:
        """Return what the network is shown of a pair, or nothing where it cannot help."""
        if isinstance(reading, str):
            return None
        text = " ".join(reading.statement.text.split())
        evidence = self._evidence.get(premise).select(reading.statement, self._room)
        # Together: a statement that lists names has no small words of its own.
        return (evidence, text) if is_english(f"{text} {evidence}") else None

    def _read(self, asked: Sequence[Pair]) -> dict[Pair, float]:
        known = {
            pair: logit
            for pair in dict.fromkeys(asked)
            if (logit := self._logits.get(pair, self._older.get(pair))) is not None
        }
        new = [pair for pair in dict.fromkeys(asked) if pair not in known]
        found = dict(zip(new, map(float, self._network.logits(new)), strict=True))
        if self._size > _ROOM:
            self._older, self._logits, self._size = self._logits, {}, 0
        self._logits.update(found)
        self._size += sum([len(evidence) + len(text) for evidence, text in new])
        return known | found

    def _verdict(self, reading: Reading | str, logit: float | None) -> Verdict:
        if isinstance(reading, str):
            return verdict_of(self._threshold <= 0, 0.0, reading)
        statement, findings, features = reading
        if logit is None:
            score = min(max(self._words.probability(features) - self._shift, 0.0), 1.0)
            lost = losses(self._words, features)
        else:
            cut = min(max(logit, -CUT), CUT)
            score = self._fit.probability((*features, cut))
            lost = losses(self._fit, features)
        supported = score >= self._threshold
        reason = reason_for(statement, findings) if supported else reason_against(findings, lost)
        if logit is None:
            return verdict_of(supported, score, f"{reason}; by words alone: not read as English")
        told = f"the network reads {self._alone.probability([cut]):.2f}"
        if not supported and self._words.probability(features) >= self._words.threshold:
            return verdict_of(False, score, f"{told}, though {reason_for(statement, findings)}")
        return verdict_of(supported, score, f"{reason}; {told}")
