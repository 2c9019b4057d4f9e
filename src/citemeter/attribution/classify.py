"""Classifiers of attributions: anything that names the class of a question, answer and citation."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from citemeter.attribution.labels import CAQA, LabelSet
from citemeter.attribution.matrix import AttributionOutcome, Classification, outcome_of_row
from citemeter.attribution.relevance import LexicalRelevance, Relevance, relevance_name
from citemeter.attribution.rows import AttributionRow, row_of_response
from citemeter.errors import InputError, JudgeError, callable_name, check_choice
from citemeter.judges import load_judge
from citemeter.judges.asking import PAIR_COUNTS, JudgeSession, VerdictRequests, gather, run
from citemeter.judges.base import Entails, Judge
from citemeter.models import Response
from citemeter.verdicts import JudgeIdentity

__all__ = [
    "CallableClassifier",
    "Classifier",
    "Classify",
    "Hypothesis",
    "NLIClassifier",
    "Relation",
    "as_classifier",
    "ask_attribution",
    "ask_class",
]

Classify: TypeAlias = Callable[[str, str, str], str | None]
"""From question, answer and citation to the name of a class, or ``None``."""

Hypothesis: TypeAlias = Literal["answer", "question_and_answer"]
"""What the judge is asked about: the answer, or question and answer in one, as CAQA does."""

Relation: TypeAlias = Literal["entailment", "neutral", "contradiction", "partial"]
"""What a judge's label says of an unsupported pair; of a supported one it does not matter."""

_CLASSES = {"contradiction": "contradictory", "partial": "insufficient"}
"""The class of an unsupported attribution, where the judge's label tells it."""
_PLAIN = re.compile(r"[\W_]+")
_NAMELESS = re.compile(r"label\d+")
_MEANINGS: dict[Relation, str] = {
    "contradiction": (
        "contradiction contradictory contradicts contradicted refutation refutes refuted refute"
    ),
    "partial": "partial partially partialsupport partiallysupported partlysupported",
}  # everything else is neutral
_KNOWN = {word: relation for relation, words in _MEANINGS.items() for word in words.split()}


class Classifier(ABC):
    """What names the class of an attribution.

    A subclass says who it is and classifies rows; ``as_classifier`` makes one of a plain function.
    """

    @property
    @abstractmethod
    def identity(self) -> JudgeIdentity:
        """What must be known of the classifier to repeat its classes."""

    @abstractmethod
    def classify(self, rows: Sequence[AttributionRow]) -> list[Classification]:
        """Return one classification for each row, in order.

        A row that it fails on gets ``Classification.failed``; an exception fails on all of them.
        """

    def usage(self) -> dict[str, float]:
        """Return what was used up or asked so far, such as tokens or pairs."""
        return {}

    def __call__(self, question: str, answer: str, citation: str) -> str | None:
        """Return the class of one attribution.

        Raises:
            JudgeError: If the classifier failed on it.
        """
        row = AttributionRow(question=question, answer=answer, citation=(citation,))
        [found] = classify_rows(self, [row])
        if found.error is not None:
            raise JudgeError(f"{self.identity}: {found.error}")
        return found.label


class CallableClassifier(Classifier):
    """A plain function ``(question, answer, citation) -> label`` as a classifier.

    A row on which it raises has failed; the others are classified.

    >>> echo = CallableClassifier(lambda question, answer, citation: "supportive")
    >>> echo.classify([AttributionRow(answer="Cats purr.", citation="Cats purr.")])[0].label
    'supportive'
    """

    def __init__(self, function: Classify, name: str | None = None) -> None:
        self._function = function
        self._name = name or f"callable:{callable_name(function)}"

    @property
    def identity(self) -> JudgeIdentity:
        """The function's name."""
        return JudgeIdentity(name=self._name)

    def classify(self, rows: Sequence[AttributionRow]) -> list[Classification]:
        """Call the function on each row; a missing question is an empty one."""
        return [self._classified(row) for row in rows]

    def _classified(self, row: AttributionRow) -> Classification:
        try:
            label = self._function(row.question or "", row.answer or "", row.premise)
        except Exception as error:  # noqa: BLE001 - whatever it raises, the row has failed
            return Classification.failed(f"{type(error).__name__}: {error}")
        if label is None or isinstance(label, str):
            return Classification(label=label)
        return Classification.failed(f"it returned {type(label).__name__}")


def as_classifier(classifier: Classifier | Classify) -> Classifier:
    """Return a classifier as it is, and a plain function as one.

    Raises:
        JudgeError: If it is neither.
    """
    if isinstance(classifier, Classifier):
        return classifier
    if callable(classifier):
        return CallableClassifier(classifier)
    raise JudgeError(
        f"{type(classifier).__name__} is no classifier: give a Classifier, or a callable "
        "(question, answer, citation) -> label"
    )


def classify_rows(classifier: Classifier, rows: Sequence[AttributionRow]) -> list[Classification]:
    """Return a classification for each row, failed where the classifier gives none.

    If it raises, what is left is halved until the rows at fault are found.
    """
    if not rows:
        return []
    try:
        found = list(classifier.classify(rows))
        message = f"it gave {len(found)} classifications for {len(rows)} rows"
    except Exception as error:  # noqa: BLE001 - whatever a classifier raises is a failed row
        found, message = [], f"{type(error).__name__}: {error}"
    if len(found) != len(rows):
        if len(rows) == 1:
            return [Classification.failed(message)]
        half = len(rows) // 2
        return classify_rows(classifier, rows[:half]) + classify_rows(classifier, rows[half:])
    return [
        one
        if isinstance(one, Classification)
        else Classification.failed(f"it gave {type(one).__name__}")
        for one in found
    ]


def ask_attribution(
    response: Response,
    relevant: Relevance,
    *,
    predicted: bool = False,
    label_set: LabelSet = CAQA,
    name: str | None = None,
) -> VerdictRequests[AttributionOutcome]:
    """Compare the class of a response's attribution with its ``attribution_label``.

    Args:
        response: The response, cut into statements.
        relevant: Whether a citation has to do with question and answer.
        predicted: Whether ``attribution_prediction`` is the class, rather than the judge's.
        label_set: The classes.
        name: What to call the response in an error.

    Yields:
        One pair, or none if a prediction is given.

    Raises:
        InputError: If a label is unknown; before that pair.
    """
    row = row_of_response(response)
    label = label_set.parse(row.label, record=name, field="attribution_label")
    label_set.parse_prediction(row.prediction, record=name, field="attribution_prediction")
    found = row.prediction if predicted else (yield from ask_class(row, relevant))
    return outcome_of_row(label, found, row.complexity, label_set=label_set)


def ask_class(
    row: AttributionRow,
    relevant: Relevance,
    hypothesis: Hypothesis = "answer",
    words: Mapping[str, Relation] | None = None,
) -> VerdictRequests[Classification]:
    """Ask a three-way judge about one attribution and name its class.

    - *entailment* (the verdict says supported): supportive;
    - *contradiction*: contradictory;
    - *neutral* and relevant: insufficient; *neutral* and not relevant: irrelevant.

    The verdict's ``supported`` decides on support, so a judge's threshold holds here too; below it
    only the label ``contradiction`` (or ``refutes``) makes a contradictory row, ``partial support``
    an insufficient one, and whatever else is said counts as neutral. A judge that only says yes or
    no therefore never names a contradiction. A label without a meaning, as ``LABEL_2``, fails
    unless ``words`` tells it. A citation without text is irrelevant and not asked about.

    Args:
        row: Question, answer and citation.
        relevant: Whether a citation has to do with question and answer.
        hypothesis: What the judge is asked about.
        words: What the judge's own labels mean: ``{"LABEL_0": "contradiction"}``.
    """
    premise, answer, question = row.premise, row.answer or "", row.question or ""
    if not premise:
        return Classification(label="irrelevant", reason="the citation has no text")
    asked = answer
    if hypothesis == "question_and_answer" and question:
        asked = f"{question} {answer}"
    [verdict] = yield [(premise, asked)]
    if verdict.supported is None:
        return Classification.failed(verdict.error or "the judge gave no verdict")
    reason = verdict.reason
    relation = "entailment" if verdict.supported else _relation(verdict.label, words or {})
    if relation is None:
        return Classification.failed(
            f"the judge's label {verdict.label!r} does not say whether it is a contradiction: "
            "tell with words={...}"
        )
    label = "supportive" if verdict.supported else _CLASSES.get(relation, "")
    if not label:
        try:
            about = relevant(question, answer, premise)
        except Exception as error:  # noqa: BLE001 - whatever a check raises, the row has failed
            return Classification.failed(f"relevance: {type(error).__name__}: {error}")
        label = "insufficient" if about else "irrelevant"
        why = "the citation has to do with the question" if about else "it is about something else"
        reason = f"{reason}; {why}" if reason else why
    return Classification(label=label, score=verdict.score, reason=reason, verdict=verdict)


def _relation(said: str | None, words: Mapping[str, Relation]) -> Relation | None:
    """Return what a label says; ``None`` if it has no meaning that is known."""
    plain = _PLAIN.sub("", (said or "").casefold())
    for word, relation in words.items():
        if _PLAIN.sub("", word.casefold()) == plain:
            return relation
    return None if _NAMELESS.fullmatch(plain) else _KNOWN.get(plain, "neutral")


class NLIClassifier(Classifier):
    """Maps a judge of entailment and a check of relevance onto CAQA's four classes.

    Args:
        judge: A judge whose verdicts say ``entailment``, ``neutral`` or ``contradiction`` in their
            ``label``, by name or as an object. One that only says yes or no works too, but never
            names a contradiction.
        relevance: ``(question, answer, citation) -> bool``; by default the words that they share.
        hypothesis: Whether the judge is asked about the ``answer`` or about
            ``question_and_answer`` in one, as CAQA does.
        words: What the judge's own labels mean, where they have other names than those above:
            ``{"LABEL_0": "contradiction", "LABEL_1": "neutral"}``.

    Raises:
        InputError: If ``relevance`` cannot be called, or ``hypothesis`` or a meaning is unknown.
        JudgeError: If the judge cannot be built.

    >>> classifier = NLIClassifier("lexical")
    >>> passage = "The harbour museum opened in 1904 and closes on Mondays."
    >>> classifier("When did the harbour museum open?", "It opened in 1904.", passage)
    'supportive'
    >>> classifier("When did the harbour museum open?", "It opened in 1902.", passage)
    'insufficient'
    >>> classifier("Who wrote Middlemarch?", "George Eliot wrote it.", passage)
    'irrelevant'
    """

    def __init__(
        self,
        judge: str | Judge | Entails,
        relevance: Relevance | None = None,
        hypothesis: Hypothesis = "answer",
        words: Mapping[str, Relation] | None = None,
    ) -> None:
        check_choice("hypothesis", hypothesis, ("answer", "question_and_answer"))
        for word, relation in (words or {}).items():
            check_choice(f"the meaning of {word!r}", relation, get_args(Relation))
        if relevance is not None and not callable(relevance):
            raise InputError(
                f"{type(relevance).__name__} is no relevance check.",
                fix="give a callable (question, answer, citation) -> bool, or None.",
            )
        self.relevance: Relevance = LexicalRelevance() if relevance is None else relevance
        self.hypothesis: Hypothesis = hypothesis
        self.words = dict(words or {})
        self._session = JudgeSession(load_judge(judge))

    @property
    def judge(self) -> Judge:
        """Who is asked about entailment."""
        return self._session.judge

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's identity, and what else decides."""
        own = self.judge.identity
        return own.model_copy(
            update={
                "name": f"nli:{own.name}",
                "parameters": {
                    **own.parameters,
                    "relevance": relevance_name(self.relevance),
                    "hypothesis": self.hypothesis,
                    **({"words": self.words} if self.words else {}),
                },
            }
        )

    def classify(self, rows: Sequence[AttributionRow]) -> list[Classification]:
        """Ask the judge about all rows in one batch, each distinct pair once."""
        return run(
            gather([ask_class(row, self.relevance, self.hypothesis, self.words) for row in rows]),
            self._session,
        )

    def usage(self) -> dict[str, float]:
        """Return what the judge used up, and the pairs that it was asked about."""
        pairs = {f"pairs_{name}": float(self._session.counts[name]) for name in PAIR_COUNTS}
        return {**self._session.usage(), **pairs}
