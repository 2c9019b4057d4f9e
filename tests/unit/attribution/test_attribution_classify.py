"""Classifiers: callables, three-way judges with a relevance check, failures."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citemeter.attribution.classify import (
    CallableClassifier,
    Classifier,
    NLIClassifier,
    as_classifier,
    ask_class,
    classify_rows,
)
from citemeter.attribution.matrix import Classification
from citemeter.attribution.relevance import LexicalRelevance
from citemeter.attribution.rows import AttributionRow
from citemeter.errors import InputError, JudgeError
from citemeter.judges.asking import run
from citemeter.judges.base import Judge, Pair, passages_of
from citemeter.verdicts import JudgeIdentity, Verdict


class Table(Judge):
    """Gives the verdict that the premise names."""

    def __init__(self, **verdicts: Verdict) -> None:
        self.verdicts = verdicts
        self.asked: list[Pair] = []

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="table", model="m", threshold=0.5)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += [(str(premise), hypothesis) for premise, hypothesis in pairs]
        return [self.verdicts[premise] for premise, _ in pairs]


THREE_WAY = {
    "yes": Verdict(supported=True, score=0.9, label="entailment"),
    "no": Verdict(supported=False, score=0.1, label="contradiction"),
    "well": Verdict(supported=False, score=0.2, label="neutral", reason="it does not say"),
    # Entailment is the likeliest label, but below the judge's threshold.
    "nearly": Verdict(supported=False, score=0.4, label="ENTAILMENT"),
    "binary": Verdict(supported=False, score=0.3),
    "refuted": Verdict(supported=False, label="Refutes"),
    "partly": Verdict(supported=False, label="partial support"),
    "odd": Verdict(supported=False, label="contradiction?"),
    "broken": Verdict.failed("out of memory"),
}


def row(citation: str | list[str], answer: str = "An answer.") -> AttributionRow:
    return AttributionRow(question="A question?", answer=answer, citation=citation)


@pytest.mark.parametrize(
    ("premise", "relevant", "irrelevant"),
    [
        ("yes", "supportive", "supportive"),
        ("no", "contradictory", "contradictory"),
        ("well", "insufficient", "irrelevant"),
        ("nearly", "insufficient", "irrelevant"),
        ("binary", "insufficient", "irrelevant"),
        ("refuted", "contradictory", "contradictory"),
        ("partly", "insufficient", "insufficient"),
        ("odd", "contradictory", "contradictory"),
    ],
)
def test_the_four_classes(premise: str, relevant: str, irrelevant: str) -> None:
    for answer, expected in ((True, relevant), (False, irrelevant)):
        found = run(ask_class(row(premise), lambda *_, said=answer: said), Table(**THREE_WAY))
        assert found.label == expected
        assert found.verdict == THREE_WAY[premise]
        assert found.error is None
    assert NLIClassifier(Table(**THREE_WAY), lambda *_: True)("q", "a", premise) == relevant


def test_a_label_without_a_meaning_fails_unless_it_is_told() -> None:
    judge = Table(
        x=Verdict(supported=False, score=0.1, label="LABEL_0"),
        yes=Verdict(supported=True, score=0.9, label="LABEL_2"),
    )
    [found] = NLIClassifier(judge).classify([row("x")])
    assert found.label is None
    assert "'LABEL_0' does not say whether it is a contradiction" in str(found.error)
    # A supported pair needs no word.
    assert NLIClassifier(judge)("q", "a", "yes") == "supportive"
    told = NLIClassifier(judge, words={"label 0": "contradiction"})
    assert told("q", "a", "x") == "contradictory"
    assert told.identity.parameters["words"] == {"label 0": "contradiction"}
    assert (
        NLIClassifier(judge, lambda *_: True, words={"LABEL_0": "neutral"})("q", "a", "x")
        == "insufficient"
    )
    with pytest.raises(InputError, match="the meaning of 'x' is 'against'"):
        NLIClassifier(judge, words={"x": "against"})  # type: ignore[dict-item]


def test_the_reason_says_what_decided() -> None:
    found = run(ask_class(row("well"), lambda *_: False), Table(**THREE_WAY))
    assert found.reason == "it does not say; it is about something else"
    assert found.score == 0.2


def test_a_failed_verdict_is_a_failed_row_and_no_class() -> None:
    [found] = NLIClassifier(Table(**THREE_WAY)).classify([row("broken")])
    assert (found.label, found.error) == (None, "out of memory")
    with pytest.raises(JudgeError, match="out of memory"):
        NLIClassifier(Table(**THREE_WAY))("q", "a", "broken")


def test_a_relevance_check_that_raises_fails_its_row_alone() -> None:
    def relevance(question: str, answer: str, citation: str) -> bool:
        if citation == "binary":
            raise ValueError("no language model")
        return True

    found = NLIClassifier(Table(**THREE_WAY), relevance).classify([row("binary"), row("well")])
    assert found[0].error == "relevance: ValueError: no language model"
    assert found[1].label == "insufficient"


def test_a_citation_without_text_is_irrelevant_and_not_asked_about() -> None:
    judge = Table(**THREE_WAY)
    for nothing in ("", " \n", [], ["", " "]):
        [found] = NLIClassifier(judge).classify([row(nothing)])
        assert found.label == "irrelevant"
        assert found.reason == "the citation has no text"
    assert judge.asked == []


def test_what_the_judge_is_asked() -> None:
    judge = Table(yes=THREE_WAY["yes"])
    NLIClassifier(judge).classify([row("yes"), row("yes")])
    assert judge.asked == [("yes", "An answer.")]  # each distinct pair once
    judge.asked.clear()
    NLIClassifier(judge, hypothesis="question_and_answer").classify(
        [row("yes"), AttributionRow(answer="An answer.", citation="yes")]
    )
    assert judge.asked == [("yes", "A question? An answer."), ("yes", "An answer.")]


def test_several_passages_are_joined_as_everywhere() -> None:
    seen = []

    def entails(premise: str, hypothesis: str) -> bool:
        seen.append(passages_of(premise))
        return True

    assert NLIClassifier(entails).classify([row(["one", " ", "two"])])[0].label == "supportive"
    assert seen == [("one", "two")]


def test_a_plain_callable_as_judge_knows_no_contradiction() -> None:
    classifier = NLIClassifier(lambda premise, hypothesis: False, lambda *_: True)
    assert classifier("q", "a", "c") == "insufficient"


def test_identity_and_usage() -> None:
    classifier = NLIClassifier(Table(**THREE_WAY), hypothesis="question_and_answer")
    assert classifier.identity == JudgeIdentity(
        name="nli:table",
        model="m",
        threshold=0.5,
        parameters={"relevance": "lexical@0.5", "hypothesis": "question_and_answer"},
    )
    classifier.classify([row("yes"), row("broken"), row("yes")])
    usage = classifier.usage()
    assert (usage["pairs_needed"], usage["pairs_judged"], usage["pairs_failed"]) == (3, 2, 1)


def test_bad_options() -> None:
    with pytest.raises(InputError, match="hypothesis is 'question'"):
        NLIClassifier("lexical", hypothesis="question")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="str is no relevance check"):
        NLIClassifier("lexical", "lexical")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="relevance threshold"):
        LexicalRelevance(float("nan"))


class TestRelevance:
    def test_the_share_by_hand(self) -> None:
        # "Zorbax" and "quuxite" are in no word list, so each weighs 1; the question adds "who" and
        # "of", which carry no content. One of two is there.
        relevance = LexicalRelevance()
        assert relevance.share("Who of Zorbax?", "Quuxite.", "A zorbax.") == 0.5
        assert relevance("Who of Zorbax?", "Quuxite.", "A zorbax.")
        assert not LexicalRelevance(0.51)("Who of Zorbax?", "Quuxite.", "A zorbax.")

    def test_without_content_words_nothing_is_shared(self) -> None:
        assert LexicalRelevance().share("Who is it?", "It is.", "It is.") == 0.0
        assert LexicalRelevance().share("", "", "") == 0.0
        assert LexicalRelevance().share("Zorbax?", "", "") == 0.0

    def test_scripts_without_spaces(self) -> None:
        share = LexicalRelevance().share
        assert share("", "東京は日本の首都です", "東京は日本の首都です") == 1.0
        assert share("", "東京は日本の首都です", "猫が好き") < 0.5


class TestCallables:
    def test_a_callable_gets_empty_text_for_what_is_missing(self) -> None:
        seen: list[tuple[str, str, str]] = []

        def classify(question: str, answer: str, citation: str) -> str | None:
            seen.append((question, answer, citation))
            return None

        [found] = as_classifier(classify).classify([AttributionRow()])
        assert seen == [("", "", "")]
        assert found == Classification(label=None)
        assert as_classifier(classify).identity.name.startswith("callable:")
        assert CallableClassifier(classify, "mine").identity.name == "mine"

    def test_what_is_no_word_or_raises_has_failed(self) -> None:
        def classify(question: str, answer: str, citation: str) -> str | None:
            if citation == "raise":
                raise RuntimeError("bad \udce9 bytes")
            return 3 if citation == "number" else "supportive"  # type: ignore[return-value]

        found = CallableClassifier(classify).classify([row("raise"), row("number"), row("x")])
        assert [one.error for one in found] == [
            "RuntimeError: bad ? bytes",
            "it returned int",
            None,
        ]

    def test_interrupts_pass_through(self) -> None:
        def classify(question: str, answer: str, citation: str) -> str:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            classify_rows(CallableClassifier(classify), [row("x")])

    def test_what_is_no_classifier(self) -> None:
        with pytest.raises(JudgeError, match="str is no classifier"):
            as_classifier("lexical")  # type: ignore[arg-type]
        classifier = CallableClassifier(lambda *_: "supportive")
        assert as_classifier(classifier) is classifier


class Fragile(Classifier):
    """Raises, gives too few, or gives something else, where a row says so."""

    def __init__(self) -> None:
        self.calls = 0

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="fragile")

    def classify(self, rows: Sequence[AttributionRow]) -> list[Classification]:
        self.calls += 1
        premises = [one.premise for one in rows]
        if "raise" in premises:
            raise OSError("connection lost")
        found = [Classification(label="supportive") for p in premises if p != "few"]
        return ["supportive" if p == "text" else one for p, one in zip(premises, found)]  # type: ignore[misc]  # noqa: B905


def test_a_fragile_classifier_fails_only_on_the_rows_at_fault() -> None:
    rows = [row("a"), row("raise"), row("b"), row("few"), row("c"), row("text"), row("d"), row("e")]
    found = classify_rows(Fragile(), rows)
    assert [one.label is None for one in found] == [p in (1, 3, 5) for p in range(8)]
    assert found[1].error == "OSError: connection lost"
    assert found[3].error == "it gave 0 classifications for 1 rows"
    assert found[5].error == "it gave str"
    assert classify_rows(Fragile(), []) == []
