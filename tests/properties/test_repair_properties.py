"""What must hold of every repair, whatever the answer, the sources and the judge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

import citemeter
from citemeter.judges import load_judge
from citemeter.judges.asking import JudgeSession
from citemeter.judges.base import CallableJudge
from citemeter.models import Response
from citemeter.repair import (
    PROBLEMS,
    Prefilter,
    RepairResult,
    suggest_all,
    suggest_citations,
)
from citemeter.repair.rewrite import Plan, Rewriter
from citemeter.text.parse import ParseOptions, parse_response
from support import EXAMPLE, read_jsonl

IDS = ["a", "b", "c", "d"]
INVALID = ["x", "A-"]


def judge_of(salt: int, share: int, fails: bool) -> Callable[[str, str], bool]:
    """A deterministic judge that knows nothing and contradicts itself."""

    def entails(premise: str, hypothesis: str) -> bool:
        byte = hashlib.sha1(f"{salt}|{premise}|{hypothesis}".encode()).digest()[0]
        if fails and byte % 7 == 0:
            raise TimeoutError("no answer")
        return byte % 5 < share

    return entails


records = st.builds(
    lambda statements, blank: {
        "statements": statements,
        "sources": {i: "" if i == blank else f"text of {i}" for i in IDS},
    },
    st.lists(
        st.tuples(
            st.sampled_from(["Cats purr.", "Dogs bark.", "Fish swim.", "Is it?"]),
            st.lists(st.sampled_from(IDS + INVALID), max_size=5),
        ),
        max_size=4,
    ),
    st.sampled_from([*IDS, None]),
)
judges = st.builds(judge_of, st.integers(0, 60), st.integers(0, 5), st.just(False))
failing = st.builds(judge_of, st.integers(0, 60), st.integers(0, 5), st.just(True))


def never_lower(result: RepairResult) -> None:
    for name in ("citation_recall", "citation_precision", "citation_coverage"):
        before, after = result.before[name].value, result.after[name].value
        if before is not None:
            assert after is None or after >= before - 1e-12, name
    assert result.after["citation_validity"].value in (None, 1.0)


@given(records, judges, st.integers(1, 5))
@settings(max_examples=120, deadline=None)
def test_scores_never_fall_whatever_the_judge(
    record: dict[str, Any], judge: Callable[[str, str], bool], candidates: int
) -> None:
    result = suggest_citations(record, judge, candidates=candidates)
    never_lower(result)
    again = suggest_citations(
        {"statements": [dict(s) for s in result.statements], "sources": record["sources"]}, judge
    )
    assert again.before == result.after  # the scores of the repaired answer are measured


@given(records, st.one_of(judges, failing), st.sets(st.sampled_from(PROBLEMS)))
@settings(max_examples=120, deadline=None)
def test_nothing_is_proposed_that_the_judge_does_not_support(
    record: dict[str, Any], judge: Callable[[str, str], bool], problems: set[Any]
) -> None:
    result = suggest_citations(record, judge, problems=problems)
    sources = record["sources"]
    for repair in result.repairs:
        assert repair.problem in (None, "unjudged", *problems)
        assert len(set(repair.proposed)) == len(repair.proposed)
        if repair.outcome == "repaired":
            assert repair.proposed
            premise = "\n".join(sources[i] for i in repair.proposed if sources[i])
            assert judge(premise, repair.statement.text)
        else:
            assert set(repair.proposed) <= set(repair.cited)
            assert not any(i in sources for i in repair.removed)
        assert {r.source_id for r in repair.removals} == set(repair.removed)
        for suggestion in repair.suggestions:
            assert suggestion.verdict.supported is True
    counts = result.counts
    for problem in PROBLEMS:
        parts = [counts[f"{kind}_{problem}"] for kind in ("repaired", "unrepaired", "unjudged")]
        assert sum(parts) == counts[f"broken_{problem}"]


@given(st.lists(records, max_size=6), failing)
@settings(max_examples=60, deadline=None)
def test_many_together_are_as_one_by_one(
    many: list[dict[str, Any]], judge: Callable[[str, str], bool]
) -> None:
    together = suggest_all(many, JudgeSession(CallableJudge(judge)))
    assert together == [suggest_citations(record, judge) for record in many]


RECORDS = read_jsonl(EXAMPLE)


def test_real_answers_are_repaired_as_intended() -> None:
    judge = load_judge("lexical")
    results = suggest_all(RECORDS, judge)
    assert sum(len(result.broken) for result in results) > 50
    for record, result in zip(RECORDS, results, strict=True):
        never_lower(result)
        assert result.answer is not None
        again = citemeter.parse(result.answer, record["sources"])
        for repair, statement in zip(result.repairs, again.statements or (), strict=True):
            assert statement.text == repair.statement.text
            assert repair.written is not False
            assert statement.source_ids == repair.proposed
        assert result.apply(record["answer"]) == result.answer
        scores = citemeter.score([{**record, "answer": result.answer}], judge).results[0].scores
        for name, score in result.after.items():
            assert scores[name].value == score.value


@given(st.integers(0, len(RECORDS) - 1), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_real_answers_read_back_as_what_was_wanted(number: int, rng: Any) -> None:
    record = RECORDS[number]
    options = ParseOptions()
    response = parse_response(Response.from_record(record), options)
    ids = list(response.by_id)
    plans = {}
    for place, statement in enumerate(response.statements or ()):
        kept = [i for i in statement.source_ids if rng.random() < 0.5]
        new = [i for i in ids if i not in statement.source_ids and rng.random() < 0.3]
        if rng.random() < 0.6 and tuple(kept + new) != statement.source_ids:
            plans[place] = Plan(tuple(kept + new))
    result = Rewriter(response, options).rewrite(plans)
    again = citemeter.parse(result.answer, record["sources"])
    assert len(result.written) >= len(plans) - 1  # nearly all can be written
    for place, (new_one, old) in enumerate(
        zip(again.statements or (), response.statements or (), strict=True)
    ):
        assert new_one.text == old.text
        expected = plans[place].wanted if place in result.written else old.source_ids
        assert new_one.source_ids == expected


PIECES = [
    *("Cats purr", " [1]", "[2]", " [9]", ". ", " Dogs bark", "\n\n- ", "**", " (see [3])"),
    *("[1, 2]", '<cite id="1">', "</cite>", "`x[1]`", "|", "\n", "¹", "[^2]", " 【3†s】", "# "),
    *(":", '"', "。", "\u200b", "Sources:\n[1] a", "[", "]", "```\n"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), judges)
@example("[1]\n# Cats [9]\n", judge_of(0, 5, False))
@settings(max_examples=150, deadline=None)
def test_any_text_is_repaired_or_left(answer: str, judge: Callable[[str, str], bool]) -> None:
    sources = {str(n): f"text {n}" for n in (1, 2, 3)}
    result = suggest_citations({"answer": answer, "sources": sources}, judge)
    assert result.answer is not None
    again = citemeter.parse(result.answer, sources)
    for repair, statement in zip(result.repairs, again.statements or (), strict=True):
        assert statement.text == repair.statement.text
        expected = repair.cited if repair.written is False else repair.proposed
        assert statement.source_ids == expected
    for name in ("citation_recall", "citation_precision", "citation_coverage"):
        before, after = result.before[name].value, result.after[name].value
        assert before is None or after is None or after >= before - 1e-12
    assert result.apply() == result.answer


@given(st.lists(st.text(max_size=60), max_size=6), st.text(max_size=60))
def test_the_prefilter_ranks_every_source_once(texts: list[str], statement: str) -> None:
    prefilter = Prefilter(texts)
    assert sorted(prefilter.rank(statement)) == list(range(len(texts)))
    scores = prefilter.scores(statement)
    assert all(score >= 0 for score in scores)
    assert prefilter.rank(statement) == sorted(range(len(texts)), key=lambda n: -scores[n])
    for pair in prefilter.complements(statement, range(len(texts))):
        assert pair[0] != pair[1]
