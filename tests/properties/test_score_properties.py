"""What must hold of every score, whatever the answer, the sources and the judge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import citemeter
from citemeter.judges.asking import JudgeSession, VerdictRequests, gather, run
from citemeter.judges.base import CallableJudge
from citemeter.metrics.alce import Rules, count_support, judge_statements
from citemeter.results import Report, StatementResult
from support import CITATION_STATES, HIGHER_IS_BETTER, STATEMENT_STATES

IDS = ["a", "b", "c", "d"]
INVALID = ["x", "y"]


def judge_of(salt: int) -> Callable[[str, str], bool]:
    """A deterministic judge that knows nothing: any pattern of verdicts may come up."""

    def entails(premise: str, hypothesis: str) -> bool:
        return hashlib.sha1(f"{salt}|{premise}|{hypothesis}".encode()).digest()[0] % 3 > 0

    return entails


statements = st.lists(
    st.tuples(
        st.sampled_from(["Cats purr.", "Dogs bark.", "Fish swim.", "Birds sing."]),
        st.lists(st.sampled_from(IDS + INVALID), max_size=5),
    ),
    max_size=5,
)

records = st.builds(
    lambda s, blank, gold: {
        "statements": s,
        "sources": {i: "" if i == blank else f"text of {i}" for i in IDS},
        "gold_source_ids": gold,
    },
    statements,
    st.sampled_from([*IDS, None]),
    st.one_of(st.none(), st.lists(st.sampled_from(IDS), unique=True)),
)
judges = st.integers(0, 50).map(judge_of)


def asking(record: dict[str, Any], **rules: Any) -> VerdictRequests[list[StatementResult]]:
    """The questions that a record's citations raise."""
    response = citemeter.Response.from_record(record)
    return judge_statements(response.statements or (), response.by_id, Rules(**rules))


def brute_force(record: dict[str, Any], entails: Callable[[str, str], bool]) -> tuple[float, float]:
    """ALCE's definition read off the paper, over sets of ids."""
    supported = precise = cited = 0
    for text, ids in record["statements"]:
        ids = list(dict.fromkeys(ids))
        cited += len(ids)
        texts = {i: record["sources"].get(i) for i in ids}
        if not ids or None in texts.values():
            continue

        def support(chosen: list[str], texts: dict[str, str] = texts, text: str = text) -> bool:
            premise = "\n".join(texts[i] for i in chosen if texts[i])
            return bool(premise) and entails(premise, text)

        if not support(ids):
            continue
        supported += 1
        for i in ids:
            irrelevant = not support([i]) and support([j for j in ids if j != i])
            precise += len(ids) == 1 or not irrelevant
    n = len(record["statements"])
    return (supported / n if n else -1.0, precise / cited if cited else -1.0)


@given(records, judges)
def test_recall_and_precision_equal_the_definition(
    record: dict[str, Any], entails: Callable[[str, str], bool]
) -> None:
    recall, precision = brute_force(record, entails)
    assert citemeter.citation_recall(record, entails).value == (None if recall < 0 else recall)
    assert citemeter.citation_precision(record, entails).value == (
        None if precision < 0 else precision
    )


@given(records, judges)
def test_scores_are_in_range_or_explained_and_states_add_up(
    record: dict[str, Any], entails: Callable[[str, str], bool]
) -> None:
    report = citemeter.score([record], judge=entails, strict=True)
    (result,) = report.results
    for score in result.scores.values():
        assert score.value is None or 0 <= score.value <= 1
        assert score.value is not None or score.reason
    counts = result.counts
    assert counts["statements"] == sum(counts[state] for state in STATEMENT_STATES)
    assert counts["citations"] == sum(counts[state] for state in CITATION_STATES)
    assert counts["citations"] == sum(len(set(ids)) for _, ids in record["statements"])


@given(records, judges, st.data())
def test_an_invalid_citation_never_raises_a_score(
    record: dict[str, Any], entails: Callable[[str, str], bool], data: st.DataObject
) -> None:
    if not record["statements"]:
        return
    place = data.draw(st.integers(0, len(record["statements"]) - 1))
    at = data.draw(st.integers(0, len(record["statements"][place][1])))
    worse_statements = [(text, list(ids)) for text, ids in record["statements"]]
    worse_statements[place][1].insert(at, data.draw(st.sampled_from(["x", "z"])))
    before = citemeter.score([record], judge=entails)
    after = citemeter.score([{**record, "statements": worse_statements}], judge=entails)
    for name in HIGHER_IS_BETTER:
        old, new = before[name], after[name]
        if old is not None:
            assert new is not None
            assert new <= old + 1e-12, name
    assert after["fabrication_rate"] == 1


@given(st.lists(records, max_size=4), judges, st.randoms(use_true_random=False))
def test_order_of_responses_and_sources_changes_nothing(
    many: list[dict[str, Any]], entails: Callable[[str, str], bool], random: Any
) -> None:
    shuffled = [dict(r, sources=dict(_shuffled(list(r["sources"].items()), random))) for r in many]
    random.shuffle(shuffled)
    before, after = citemeter.score(many, judge=entails), citemeter.score(shuffled, judge=entails)
    assert before.metrics == after.metrics
    assert before.counts == after.counts


def _shuffled(items: list[Any], random: Any) -> list[Any]:
    random.shuffle(items)
    return items


@given(st.lists(records, max_size=6), judges)
def test_lock_step_equals_one_by_one_and_no_pair_is_judged_twice(
    many: list[dict[str, Any]], entails: Callable[[str, str], bool]
) -> None:
    asked: list[tuple[str, str]] = []

    def recording(premise: str, hypothesis: str) -> bool:
        asked.append((premise, hypothesis))
        return entails(premise, hypothesis)

    session = JudgeSession(CallableJudge(recording))
    together = run(gather(asking(r) for r in many), session)
    assert len(asked) == len(set(asked))
    assert together == [run(asking(r), entails) for r in many]


@given(st.lists(records, max_size=3), judges)
@settings(max_examples=30)
def test_reports_survive_json(
    many: list[dict[str, Any]], entails: Callable[[str, str], bool]
) -> None:
    report = citemeter.score(many, judge=entails)
    assert Report.model_validate_json(report.model_dump_json()) == report


@given(records, judges)
def test_occurrences_and_sets_agree_where_nothing_repeats(
    record: dict[str, Any], entails: Callable[[str, str], bool]
) -> None:
    record["statements"] = [(text, list(dict.fromkeys(ids))) for text, ids in record["statements"]]
    by_set = run(asking(record, duplicates="set"), entails)
    by_occurrence = run(asking(record, duplicates="occurrences"), entails)
    assert count_support(by_set) == count_support(by_occurrence)


def without_work(report: Report) -> dict[str, Any]:
    """A report but for what the judge was put to: a pair of two halves is judged twice."""
    found = report.model_dump(exclude={"usage"})
    del found["pair_counts"]["judged"], found["pair_counts"]["failed"]
    return found


MIXED = st.lists(
    st.one_of(records, st.just({"answer": 3}), st.just({"answer": "", "answerable": False})),
    max_size=6,
)


@given(MIXED, judges, st.data())
@settings(max_examples=60, deadline=None)
def test_reports_of_parts_merge_into_the_report_of_the_whole(
    many: list[dict[str, Any]], entails: Callable[[str, str], bool | None], data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(many)), min_size=2, max_size=2)))
    options = data.draw(
        st.sampled_from([{}, {"describe": True}, {"refusals": "leave_out"}, {"zero_division": 1.0}])
    )

    def report(some: list[dict[str, Any]]) -> Report:
        return citemeter.score(some, judge=entails, **options)

    whole = report([{"id": str(n), **record} for n, record in enumerate(many)])
    named = [{"id": str(n), **record} for n, record in enumerate(many)]
    a, b, c = (
        report(part) for part in (named[: cuts[0]], named[cuts[0] : cuts[1]], named[cuts[1] :])
    )
    expected = without_work(whole)
    left, right = a.merge(b).merge(c), a.merge(b.merge(c))
    for merged in (left, right, a.merge(b, c)):
        found = without_work(merged)
        for error in (*found["errors"], *expected["errors"]):
            error["record"] = error["message"] = ""  # they may name the position
        assert found == expected
    swapped = without_work(c.merge(a, b))
    assert swapped["metrics"] == expected["metrics"]
    assert swapped["counts"] == expected["counts"]
    again = Report.model_validate_json(a.model_dump_json())
    assert without_work(again.merge(b, c))["metrics"] == expected["metrics"]
