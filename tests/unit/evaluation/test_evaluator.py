"""``Evaluator``: configured once, used on one record, many, a stream, a frame, from threads."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import citemeter
from citemeter.errors import InputError
from citemeter.evaluation.score import Evaluator, score
from citemeter.judges.registry import shared_judge
from support import ROOT, read_jsonl

SOURCES = ["Cats purr.", "Dogs bark."]
GOOD = {"id": "good", "answer": "Cats purr [1]. Dogs bark [2].", "sources": SOURCES}
BAD = {"id": "bad", "answer": "Cats purr [2].", "sources": SOURCES}


def test_one_record() -> None:
    evaluator = Evaluator("toy:contains")
    result = evaluator.score_one(GOOD)
    assert (result["citation_recall"], result["citation_f1"]) == (1.0, 1.0)
    assert result == score([GOOD], "toy:contains").results[0]
    with pytest.raises(InputError, match="record 'number 0'"):
        evaluator.score_one({"answer": 3})
    with pytest.raises(KeyError, match="this result has citation_recall"):
        result["recall"]


def test_many_records_equal_one_by_one_and_keep_nothing_between_runs() -> None:
    evaluator = Evaluator("toy:contains")
    first, second = evaluator.score([GOOD, BAD]), evaluator.score([GOOD, BAD])
    assert first == second
    assert first.pair_counts["judged"] == 3
    assert [evaluator.score_one(r)["citation_recall"] for r in (GOOD, BAD)] == [1.0, 0.0]


def test_a_stream_is_read_as_it_is_needed_and_passes_over_bad_records() -> None:
    taken = []

    def records() -> Any:
        for number in range(1000):
            taken.append(number)
            yield {"answer": 3} if number == 1 else GOOD

    results = Evaluator("toy:contains").run(records())
    assert next(results).index == 0
    assert len(taken) < 1000
    assert next(results).index == 2
    with pytest.raises(InputError):
        list(Evaluator("toy:contains").run([{"answer": 3}], strict=True))


def test_the_event_loop_goes_on_while_a_record_is_scored() -> None:
    turned = threading.Event()

    def judge(premise: str, hypothesis: str) -> bool:
        assert turned.wait(10), "the loop was blocked"
        return True

    async def both() -> citemeter.ResponseResult:
        scoring = asyncio.ensure_future(Evaluator(judge).ascore_one(GOOD))
        await asyncio.sleep(0.01)
        turned.set()
        return await scoring

    assert asyncio.run(both())["citation_recall"] == 1.0


def test_threads_share_an_evaluator() -> None:
    records = read_jsonl(ROOT / "examples" / "hagrid.jsonl")
    evaluator = Evaluator("lexical")
    alone = [evaluator.score_one(record) for record in records]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(evaluator.score_one, records * 3)) == alone * 3


def test_a_judge_given_by_name_is_loaded_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        judges = set(pool.map(lambda _: id(shared_judge("lexical")), range(16)))
    assert len(judges) == 1
    assert Evaluator("lexical").judge is Evaluator("lexical", repair=True).judge
    assert citemeter.load_judge("lexical") is not citemeter.load_judge("lexical")


def test_statements_are_counted_without_a_judge() -> None:
    assert score([GOOD], None).counts["statements"] == 2
    assert score([GOOD], None).results[0].statements == ()


def test_results_keep_the_question_the_metadata_and_the_sources() -> None:
    record = {
        **GOOD,
        "question": "Who purrs?",
        "metadata": {"model": "m"},
        "sources": [{"id": "1", "text": "Cats purr.", "title": "Cats"}],
    }
    result = Evaluator("toy:contains").score_one(record)
    assert (result.question, result.metadata) == ("Who purrs?", {"model": "m"})
    [source] = result.sources
    assert (source.id, source.title, source.text) == ("1", "Cats", None)
    [source] = Evaluator("toy:contains", keep_sources=True).score_one(record).sources
    assert source.text == "Cats purr."


class TestFrames:
    def test_a_frame_in_and_one_out(self) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(
            [
                {**GOOD, "gold_source_ids": ["1"]},
                {"id": "no", "answer": None, "sources": SOURCES},
                {**BAD, "gold_source_ids": float("nan")},
            ],
            index=[7, 8, 9],
        )
        scored = Evaluator("toy:contains").score_frame(frame)
        assert list(scored.index) == [7, 8, 9]
        assert list(scored["citation_recall"].fillna(-1)) == [1.0, -1.0, 0.0]
        assert list(scored["source_recall"].fillna(-1)) == [1.0, -1.0, -1.0]
        assert scored["citation_recall"].dtype == "float64"
        assert scored["error"][8]
        assert pandas.isna(scored["error"][7])
        assert "citation_recall" not in frame.columns
        with pytest.raises(InputError, match="a column 'citation_recall' already"):
            Evaluator("toy:contains").score_frame(scored)

    def test_reports_as_frames(self) -> None:
        pytest.importorskip("pandas")
        report = score([GOOD, {**BAD, "answer": "Cats purr [1][2]. So it is."}], "toy:contains")
        responses, statements = report.to_frame(), report.statements_frame()
        citations = report.citations_frame()
        assert list(responses["citation_recall"]) == [1.0, 0.5]
        assert responses["source_recall"].dtype == "float64"  # undefined throughout, yet numeric
        assert responses["statements"].dtype == "int64"
        assert list(statements["state"]) == ["supported", "supported", "supported", "uncited"]
        assert list(statements["score"].fillna(-1)) == [1.0, 1.0, 1.0, -1.0]
        assert list(citations["state"]) == ["precise", "precise", "precise", "irrelevant"]
        assert list(citations["alone"])[2:] == [True, False]
        empty = score([], "toy:contains")
        assert [len(f) for f in (empty.to_frame(), empty.statements_frame())] == [0, 0]


def test_a_report_is_shown_in_three_lines() -> None:
    report = score([GOOD, BAD, {"answer": 3}], "toy:contains")
    assert str(report) == repr(report)
    lines = repr(report).splitlines()
    assert lines[0].startswith("<Report: 2 responses scored, 1 not readable; judge toy:contains")
    assert "citation_recall 0.500" in lines[1]
    assert lines[2] == " 3 statements, 3 citations, 3 pairs judged, 0 failed>"
