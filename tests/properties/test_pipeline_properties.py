"""What must hold of answers as they are written, through parsing and scoring."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import citemeter
from citemeter.results import Report, ResponseResult
from support import CITATION_STATES, EXAMPLE, HIGHER_IS_BETTER, STATEMENT_STATES, read_jsonl

INVALID = "99"


def entails(premise: str, hypothesis: str) -> bool:
    """A judge that knows nothing; every pattern of verdicts comes up."""
    return hashlib.sha1(f"{premise}|{hypothesis}".encode()).digest()[0] % 3 > 0


def gaps(answer: str) -> list[int]:
    """Places where a writer may put a marker: after a word, or before a stop or the end.

    Not inside brackets, where it would break another marker, nor after a list's bullet, nor between
    an initial or an abbreviation and its stop, which then reads as the end of the sentence.
    """
    found = []
    depth = 0
    for at in range(len(answer) + 1):
        before, after = answer[at - 1 : at], answer[at : at + 1]
        depth += (before == "[") - (before == "]")
        line = answer[answer.rfind("\n", 0, at) + 1 : at]
        if (
            depth == 0
            and re.fullmatch(r"[\w\]]", before)
            and re.fullmatch(r"[.,;:!?\s]?", after)
            and not re.fullmatch(r"\s*\w{1,3}", line)
            and not (after == "." and re.search(r"\b(?:\w|Dr)$", line))
        ):
            found.append(at)
    return found


def with_invalid(answer: str, at: int) -> str:
    return f"{answer[:at]} [{INVALID}]{answer[at:]}"


def never_better(before: Report, after: Report) -> None:
    for name in HIGHER_IS_BETTER:
        old, new = before[name], after[name]
        if old is not None:
            assert new is not None, name
            assert new <= old + 1e-12, name


def add_up(result: ResponseResult) -> None:
    counts = result.counts
    assert counts["statements"] == sum(counts[name] for name in STATEMENT_STATES)
    assert counts["citations"] == sum(counts[name] for name in CITATION_STATES)
    assert counts["statements"] == len(result.statements)
    assert counts["occurrences"] - counts["valid_occurrences"] == len(result.invalid_citations)
    for score in result.scores.values():
        value = score.value
        assert value is not None or score.reason
        assert value is None or 0 <= value <= 1


SENTENCES = st.sampled_from(
    [
        "The museum opened in 1904",
        "It holds 1,200 paintings",
        "Dr. Smith called it “the best museum in town”",
        "Visitors may not touch the exhibits",
        "Is it open on Mondays",
        "However, I could not find its prices",
        "The curator, J. R. Hale, said so",
        "博物馆于1904年开放",
    ]
)
MARKERS = st.sampled_from(
    ["", "", " [1]", " [2]", "[1][2]", " [1, 3]", " [1-3]", " [7]", " [1][1]"]
)
STOPS = st.sampled_from([". ", "? ", "! ", ".\n\n", ".\n- ", "; "])
ANSWERS = st.lists(st.tuples(SENTENCES, MARKERS, STOPS), min_size=1, max_size=6).map(
    lambda parts: "".join("".join(part) for part in parts).rstrip("- \n")
)
SOURCES = {
    "1": "The museum opened in 1904. It is the best museum in town.",
    "2": "It holds 1,200 paintings.",
    "3": "",
}
GOLD = st.sampled_from([None, [], ["1"], ["1", "2"], ["3"]])


@settings(max_examples=100, deadline=None)
@given(ANSWERS, GOLD, st.data())
def test_an_invalid_marker_never_raises_a_score(
    answer: str, gold: Any, data: st.DataObject
) -> None:
    places = gaps(answer)
    assume(places)
    at = data.draw(st.sampled_from(places))
    record = {"answer": answer, "sources": SOURCES, "gold_source_ids": gold}
    worse = {**record, "answer": with_invalid(answer, at)}
    before, after = (citemeter.score([r], judge=entails, strict=True) for r in (record, worse))
    cited = [
        Counter(c.source_id for c in citemeter.parse(r["answer"], SOURCES).citations)
        for r in (record, worse)
    ]
    assert cited[1] == cited[0] + Counter([INVALID])
    never_better(before, after)
    assert after["fabrication_rate"] == 1
    assert after.counts["occurrences"] == before.counts.get("occurrences", 0) + 1


@settings(max_examples=60, deadline=None)
@given(st.lists(ANSWERS, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_answers_and_sources_changes_nothing(answers: list[str], rng: Any) -> None:
    records = [{"id": str(n), "answer": a, "sources": SOURCES} for n, a in enumerate(answers)]
    shuffled = []
    for record in records:
        sources = list(SOURCES.items())
        rng.shuffle(sources)
        shuffled.append({**record, "sources": dict(sources)})
    rng.shuffle(shuffled)
    before, after = (citemeter.score(r, judge=entails) for r in (records, shuffled))
    assert before.metrics == after.metrics
    assert before.counts == after.counts
    # Each response's own result is the same but for its place.
    by_id = {r.id: r for r in after.results}
    for result in before.results:
        assert (
            by_id[result.id].model_copy(update={"index": result.index, "sources": result.sources})
            == result
        )


@settings(max_examples=100, deadline=None)
@given(st.lists(ANSWERS, max_size=4), st.sampled_from(["set", "occurrences"]), st.booleans())
def test_states_add_up_and_scores_are_in_range(
    answers: list[str], duplicates: Any, worthy: bool
) -> None:
    report = citemeter.score(
        [{"answer": a, "sources": SOURCES} for a in answers],
        judge=lambda p, h: None if len(h) % 5 == 0 else entails(p, h),  # type: ignore[arg-type,return-value]
        duplicates=duplicates,
        recall_over="worthy" if worthy else "all",
        strict=True,
    )
    for result in report.results:
        add_up(result)
    for summary in report.metrics.values():
        assert summary.scored + summary.undefined + summary.failed == len(answers)
    assert Report.model_validate_json(report.model_dump_json()) == report


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet="[]()<>{}|1, \n\x00\u202e“”\"'`*_#-.^¹【】†:/", max_size=80),
    ).filter(lambda text: not re.search("[\ud800-\udfff]", text))
)
def test_no_text_is_a_crash(answer: str) -> None:
    record = {"answer": answer, "sources": SOURCES}
    report = citemeter.score([record], judge=entails, strict=True)
    assert report.record_counts["scored"] == 1
    add_up(report.results[0])
    assert Report.model_validate_json(report.model_dump_json()) == report


FIELDS = (
    *("answer", "sources", "statements", "gold_source_ids", "id", "question", "metadata"),
    *("text", "source_id", "citations", "1", "docs"),
)


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(-5, 5),
            st.floats(),
            st.text(alphabet="ab1\ud800\x00", max_size=3),
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(list(FIELDS)),
                inner,
                max_size=4,
            ),
        ),
        max_leaves=12,
    )
)
def test_whatever_a_record_holds_it_is_scored_or_refused_and_the_next_is_scored(
    record: Any,
) -> None:
    good = {"answer": "It is so [1].", "sources": SOURCES}
    report = citemeter.score([record, good], judge=entails)
    assert report.record_counts["records"] == 2
    assert report.record_counts["scored"] + report.record_counts["failed"] == 2
    assert report.results[-1].index == 1
    assert all("Fix: " in error.message for error in report.errors)


# Real answers.


def inserted(rng: random.Random, answer: str, count: int) -> Iterator[str]:
    places = gaps(answer)
    for at in rng.sample(places, min(count, len(places))):
        yield with_invalid(answer, at)


def check_real(records: list[dict[str, Any]], count: int) -> tuple[int, int]:
    """Insert invalid markers at random places; return how many were tried and read as such."""
    rng = random.Random(7)
    tried = read = 0
    for record in records:
        base = citemeter.parse(record["answer"], record["sources"])
        cited = Counter(c.source_id for c in base.citations)
        gold = {"gold_source_ids": [list(record["sources"])[:2]]}
        before = citemeter.score([{**record, **gold}], judge=entails, strict=True)
        add_up(before.results[0])
        for answer in inserted(rng, record["answer"], count):
            worse = citemeter.parse(answer, record["sources"])
            tried += 1
            if Counter(c.source_id for c in worse.citations) != cited + Counter([INVALID]):
                continue  # it stands where a number in brackets is no citation
            if [s.text for s in worse.statements or ()] != [s.text for s in base.statements or ()]:
                continue  # it stands before the stop of an abbreviation
            read += 1
            after = citemeter.score(
                [{**record, **gold, "answer": answer}], judge=entails, strict=True
            )
            never_better(before, after)
            add_up(after.results[0])
            assert after["fabrication_rate"] == 1
    return tried, read


def test_an_invalid_marker_in_real_answers() -> None:
    records = []
    for record in read_jsonl(EXAMPLE):
        sources = {s["id"]: s["text"] for s in record["sources"]}
        records.append({"answer": record["answer"], "sources": sources})
    tried, read = check_real(records, 8)
    assert tried > 300
    assert read > 0.98 * tried


@pytest.mark.parametrize("name", ["hagrid", "expertqa", "scholarqa", "crowdrag25_llm"])
def test_an_invalid_marker_in_more_real_answers(shared: Path, name: str) -> None:
    records = []
    with (shared / "data" / "answers" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 3 or len(records) == 30:
                continue
            record = json.loads(line)
            sources = {p["id"]: str(p.get("text") or "") for p in record["passages"]}
            records.append({"answer": record["answer"], "sources": sources})
    tried, read = check_real(records, 3)
    assert read > 0.95 * tried > 50
