"""The default judge: the words compared, and a small network that reads the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from citemeter.judges.base import Judge, Pair
from citemeter.judges.embedded.encoder import Network
from citemeter.judges.embedded.evidence import Evidence
from citemeter.judges.lexical.features import Logistic, read_logistic
from citemeter.judges.lexical.judge import PairAnalysis, analyse_pair
from citemeter.judges.lexical.memory import Remembered
from citemeter.judges.lexical.word_lists import read_sections
from citemeter.judges.thresholded import checked_threshold
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["EmbeddedJudge"]

CUT = 5.0
"""The network's logit counts up to this, either way; beyond it it is only surer of itself."""

_WORD = re.compile(r"[^\W\d_]+")
_ASCII = 0.7  # of the words
_FEW = 5  # words: too few to tell a language by

_REMEMBERED = 4096  # logits

read_evidence = Remembered(Evidence, 512)


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
        fitted = self._fit.threshold
        self._threshold = fitted if threshold is None else checked_threshold(threshold)
        scale, shift = self._fit.constants["network_scale"], self._fit.constants["network_bias"]
        self._alone = Logistic(("network",), (scale,), shift, 0.5, {})
        self._network = Network(threads, remember=_REMEMBERED)

    @property
    def identity(self) -> JudgeIdentity:
        """Name, version of rules and weights, and threshold."""
        return JudgeIdentity(name="embedded", version="1", threshold=self._threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Judge each pair; of equal evidence and statement the network reads one."""
        width = int(self._words.constants["width"])
        analyses = [analyse_pair(premise, hypothesis, width) for premise, hypothesis in pairs]
        shown = [
            self._shown(premise, analysis)
            for (premise, _), analysis in zip(pairs, analyses, strict=True)
        ]
        distinct = list(dict.fromkeys(filter(None, shown)))
        logits = dict(zip(distinct, map(float, self._network.logits(distinct)), strict=True))
        return [
            self._verdict(analysis, None if pair is None else logits[pair])
            for analysis, pair in zip(analyses, shown, strict=True)
        ]

    def _shown(self, premise: str, analysis: PairAnalysis | str) -> Pair | None:
        """Return what the network is shown of a pair, or nothing where it cannot help."""
        if isinstance(analysis, str):
            return None
        statement = analysis.statement
        text = " ".join(statement.text.split())
        evidence = read_evidence(premise).select(statement, int(self._fit.constants["words"]))
        # Together: a statement that lists names has no small words of its own.
        return (evidence, text) if is_english(f"{text} {evidence}") else None

    def _verdict(self, analysis: PairAnalysis | str, logit: float | None) -> Verdict:
        if isinstance(analysis, str):
            return Verdict(supported=self._threshold <= 0, score=0.0, reason=analysis)
        by_words = self._words.probability(analysis.features)
        if logit is None:
            # The other logistic's threshold has to stand for this one's.
            score = by_words - self._words.threshold + self._fit.threshold
            score = min(max(score, 0.0), 1.0)
            lost = self._words.losses(analysis.features)
            told = "by words alone: not read as English"
        else:
            cut = min(max(logit, -CUT), CUT)
            score = self._fit.probability((*analysis.features, cut))
            lost = self._fit.losses(analysis.features)
            told = f"the network reads {self._alone.probability([cut]):.2f}"
        supported = score >= self._threshold
        if not supported and logit is not None and by_words >= self._words.threshold:
            reason = f"{told}, though {analysis.reason_for()}"
        else:
            reason = analysis.reason_for() if supported else analysis.reason_against(lost)
            reason = f"{reason}; {told}"
        return Verdict(supported=supported, score=score, reason=reason)
