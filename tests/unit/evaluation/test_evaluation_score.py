"""The pipeline from records to a report: options, order, streaming, what is kept."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import citemeter
from citemeter.evaluation.engine import METRICS
from citemeter.judges.base import Judge, Pair
from citemeter.results import Report, ResponseResult
from citemeter.verdicts import JudgeIdentity, Verdict
from support import NEED_A_JUDGE, contains

SOURCES = {"1": "Cats purr.", "2": "Dogs bark.", "doc-3": "Fish swim."}
ANSWER = (
    'Hello! Cats purr [1]. Dogs bark [2][1]. "Dogs bark at night" [2]. Fish swim [DOC_3]. '
    "Birds sing. Cats purr [1][1]. Do fish swim?"
)

RECORD = {"id": "r", "question": "What?", "answer": ANSWER, "sources": SOURCES}


class Recording(Judge):
    """Keeps the batches it is given."""

    def __init__(self) -> None:
        self.batches: list[list[Pair]] = []

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="recording", version="7", threshold=0.5)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.batches.append(list(pairs))
        return [Verdict(supported=contains(*pair), score=0.25) for pair in pairs]

    @property
    def pairs(self) -> list[Pair]:
        return [pair for batch in self.batches for pair in batch]


def simple(number: int) -> dict[str, Any]:
    return {"id": f"r{number}", "answer": "Cats purr [1]. Dogs bark [1].", "sources": SOURCES}


# What goes in.


def test_records_responses_and_generators_are_one() -> None:
    as_dicts = citemeter.score([RECORD, simple(1)], judge=contains)
    as_objects = citemeter.score(
        [citemeter.Response.from_record(r) for r in (RECORD, simple(1))], judge=contains
    )
    parsed = citemeter.score(
        [citemeter.parse(ANSWER, SOURCES, id="r", question="What?"), simple(1)], judge=contains
    )
    generated = citemeter.score((r for r in (RECORD, simple(1))), judge=contains)
    assert as_dicts == as_objects == parsed == generated
    assert as_dicts.record_counts == {"records": 2, "scored": 2, "failed": 0}


@pytest.mark.parametrize("one", [RECORD, citemeter.Response.from_record(RECORD), ANSWER])
def test_one_response_instead_of_a_list_is_refused(one: Any) -> None:
    with pytest.raises(
        citemeter.InputError, match=r"expected a list of responses.*put the response in a list"
    ):
        citemeter.score(one)


def test_results_keep_the_order_and_the_place_of_their_records() -> None:
    records: list[Any] = [simple(n) for n in range(600)]
    records[3] = {"answer": "a\ud800"}
    records[550] = "no record"
    report = citemeter.score(records, judge=contains)
    assert [r.index for r in report.results] == [n for n in range(600) if n not in (3, 550)]
    assert [r.id for r in report.results[:3]] == ["r0", "r1", "r2"]
    assert [(e.index, e.record) for e in report.errors] == [(3, "3"), (550, "550")]


def test_a_record_without_an_id_is_called_by_its_position() -> None:
    report = citemeter.score([RECORD, {"answer": "Yes."}], judge=None)
    assert [r.id for r in report.results] == ["r", "1"]


def test_strict_stops_at_the_first_bad_record() -> None:
    with pytest.raises(citemeter.InputError, match=r"record 'number 1 \(id bad\)', field 'answer'"):
        citemeter.score(
            [simple(0), {"id": "bad", "answer": 5}, {"id": "worse"}],
            judge=contains,
            strict=True,
        )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("protocol", "rouge"),
        ("recall_over", "some"),
        ("duplicates", "bag"),
        ("at_most_citations", 0),
        ("style", "roman"),
        ("segmenter", "spacy"),
        ("attach", "both"),
        ("numbering", 2),
        ("worthiness", "strict"),
    ],
)
def test_unknown_options_are_errors_before_any_record_is_read(option: str, value: Any) -> None:
    def records() -> Iterator[dict[str, Any]]:
        raise AssertionError("read")
        yield RECORD

    options: Any = {option: value}
    with pytest.raises(citemeter.InputError, match="Fix: "):
        citemeter.score(records(), **options)


def test_an_unknown_judge_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(citemeter.JudgeError, match="lexical, toy:contains"):
        citemeter.score([RECORD], judge="gpt")


# What the judge is asked.


def test_no_pair_is_judged_twice_in_a_run() -> None:
    judge = Recording()
    # 1000 responses, of 2 distinct pairs; and a response with the same passage and claim again.
    report = citemeter.score([*(simple(n) for n in range(1000)), RECORD], judge=judge)
    assert max(Counter(judge.pairs).values()) == 1
    assert report.pair_counts["judged"] == len(judge.pairs)
    assert report.pair_counts["needed"] > 2000
    # A second run asks again: nothing is carried over.
    citemeter.score([simple(0)], judge=judge)
    assert Counter(judge.pairs)["Cats purr.", "Cats purr."] == 2


def test_the_judge_is_given_batches_over_many_responses() -> None:
    judge = Recording()
    records = [
        {"statements": [(f"Claim {n}.", ["1", "2"])], "sources": SOURCES} for n in range(512)
    ]
    citemeter.score(records, judge=judge)
    assert len(judge.pairs) == 512  # all unsupported: one joint verdict each
    assert len(judge.batches) <= 8


def test_without_a_judge_the_metrics_that_need_none_remain() -> None:
    report = citemeter.score([RECORD], judge=None)
    assert set(report.metrics) == set(METRICS) - NEED_A_JUDGE
    assert report.signature.judge is None
    assert set(report.pair_counts.values()) == {0}
    # Occurrences: 1; 2, 1; 2; DOC_3; 1, 1: 6 of 7 valid.
    assert report["citation_validity"] == pytest.approx(6 / 7)
    judged = citemeter.score([RECORD], judge=contains)
    for name, summary in report.metrics.items():
        assert judged.metrics[name] == summary
    with pytest.raises(KeyError, match="'citation_recall': this report has citation_coverage"):
        report["citation_recall"]


# What comes out.


def test_a_results_scores_stand_in_the_order_of_the_report() -> None:
    record = {"answer": "Cats purr [1].", "sources": ["Cats purr."], "answerable": True}
    report = citemeter.score([record], judge="toy:contains")
    names = [name for name in report.metrics if name != "citation_f1_per_response"]
    assert list(report.results[0].scores) == names
    assert names[2] == "citation_f1"
    assert "refusal_recall" in names


def test_every_statement_and_citation_has_its_state() -> None:
    (result,) = citemeter.score([RECORD], judge=contains).results
    assert [s.state for s in result.statements] == [
        "uncited",
        "supported",
        "supported",
        "unsupported",
        "invalid",
        "uncited",
        "supported",
        "uncited",
    ]
    assert [[c.state for c in s.citations] for s in result.statements] == [
        [],
        ["precise"],
        ["precise", "irrelevant"],
        ["unsupported"],
        ["invalid"],
        [],
        ["precise"],
        [],
    ]
    # 3 of 8 statements; 3 of 6 citations (the repeated [1] once).
    assert result["citation_recall"] == 3 / 8
    assert result["citation_precision"] == 3 / 6
    # The greeting and the question need no citation: of 6 claims, 4 have a valid one.
    assert result["citation_coverage"] == pytest.approx(4 / 6)
    assert [(c.source_id, c.near_miss) for c in result.invalid_citations] == [("DOC_3", "doc-3")]
    # "Dogs bark at night" is in no source.
    assert [q.status for q in result.quotes] in (["altered"], ["fabricated"])
    assert result["quote_verification"] == 0.0


def test_recall_over_worthy_statements() -> None:
    # The greeting and the question are left out: 3 of 6.
    report = citemeter.score([RECORD], judge=contains, recall_over="worthy")
    assert report["citation_recall"] == 3 / 6
    assert report["citation_precision"] == 3 / 6
    # Precision by occurrences: the repeated [1] counts twice and supports alone: 4 of 7.
    report = citemeter.score([RECORD], judge=contains, duplicates="occurrences")
    assert report["citation_precision"] == pytest.approx(4 / 7)


def test_keeping_no_results_changes_no_aggregate() -> None:
    records = [RECORD, simple(1), {"answer": ""}, "bad", {"statements": [], "gold_source_ids": []}]
    kept = citemeter.score(records, judge=contains)
    lean = citemeter.score(records, judge=contains, keep_results=False)
    assert lean.results == ()
    assert len(kept.results) == 4
    assert kept.model_copy(update={"results": ()}) == lean


def test_on_result_sees_every_result_in_order_kept_or_not() -> None:
    records = [simple(n) for n in range(300)]
    for keep in (True, False):
        seen: list[ResponseResult] = []
        report = citemeter.score(records, judge=contains, keep_results=keep, on_result=seen.append)
        assert [r.id for r in seen] == [f"r{n}" for n in range(300)]
        assert all(r["citation_recall"] == 0.5 for r in seen)
        if keep:
            assert report.results == tuple(seen)


def test_input_is_read_as_results_come() -> None:
    read = 0

    def records() -> Iterator[dict[str, Any]]:
        nonlocal read
        for number in range(2000):
            read += 1
            yield simple(number)

    read_when_result_came: list[int] = []
    citemeter.score(
        records(),
        judge=contains,
        keep_results=False,
        on_result=lambda result: read_when_result_came.append(read),
    )
    assert len(read_when_result_came) == 2000
    # The first result comes before a quarter is read, and no result waits for much more.
    assert read_when_result_came[0] <= 500
    assert all(at - number <= 500 for number, at in enumerate(read_when_result_came, start=1))


def test_what_a_generator_raises_is_not_swallowed() -> None:
    def records() -> Iterator[dict[str, Any]]:
        yield RECORD
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        citemeter.score(records(), judge=contains)


# The signature.


def test_equal_input_gives_equal_reports() -> None:
    records = [RECORD, simple(1), {"answer": 5}]
    first, second = citemeter.score(records), citemeter.score(records)
    assert first == second
    assert first.model_dump_json() == second.model_dump_json()


def test_the_signature_says_how_it_was_made() -> None:
    signature = citemeter.score([RECORD], judge=Recording()).signature
    assert signature.version == citemeter.__version__
    assert str(signature) == (
        f"citemeter:{citemeter.__version__}|protocol:alce|judge:recording-7,threshold=0.5|"
        "style:auto|segmenter:citemeter|attach:previous|numbering:none|worthiness:default|"
        "refusal_rule:default|recall_over:all|duplicates:set|at_most_citations:none|"
        "zero_division:none|refusals:count|claim_support:tokens|contract:none|repair:False|"
        "describe:False"
    )


OPTIONS: list[dict[str, Any]] = [
    {"judge": "toy:keyword=purr"},
    {"judge": "lexical"},
    {"judge": "lexical:threshold=0.9"},
    {"judge": None},
    {"protocol": "alce-script"},
    {"style": "numeric"},
    {"segmenter": "line"},
    {"attach": "next"},
    {"numbering": 0},
    {"numbering": 1},
    {"worthiness": "all"},
    {"recall_over": "worthy"},
    {"duplicates": "occurrences"},
    {"at_most_citations": 1},
    {"zero_division": 0.0},
    {"zero_division": 1.0},
]


def test_every_option_changes_the_signature() -> None:
    pytest.importorskip("punkt")
    signatures = {str(citemeter.score([], judge="toy:contains").signature)}
    for options in OPTIONS:
        signatures.add(str(citemeter.score([], **{"judge": "toy:contains", **options}).signature))
    assert len(signatures) == len(OPTIONS) + 1


# Reports as data.


def full_report() -> Report:
    """A report with everything in it: quotations, invalid, unjudged, refused, undefined."""

    def judge(premise: str, hypothesis: str) -> bool:
        if "swim" in hypothesis:
            raise RuntimeError("no «verdict»\x00")
        return contains(premise, hypothesis)

    sources = {**SOURCES, "4": "Fish swim in the sea, and dogs do not bark at night."}
    records = [
        {
            "id": "all",
            "question": "Was ist los? 什么",
            "answer": f"# Animals [9]\n\n{ANSWER} Fish swim [4]. It says “dogs do … bark at night” "
            "[4]. He wrote “fish swim in the sky” [4].\n\n```\ncode\n```\n\nSources:\n[1] Cats",
            "sources": sources,
            "gold_source_ids": [["1"], ["1", "2"]],
        },
        {"statements": [("Cats purr.", ["1"])], "sources": SOURCES},
        {"answer": ""},
        {"answer": None},
        {"id": "surrogate", "answer": "\ud800"},
    ]
    return citemeter.score(records, judge=judge)


def test_reports_survive_json() -> None:
    report = full_report()
    full = report.results[0]
    # The report holds what it is meant to hold.
    assert {"invalid", "unjudged", "supported", "uncited"} <= {s.state for s in full.statements}
    assert len(full.quotes) >= 3
    assert any(q.changes for q in full.quotes)
    assert any(q.warnings for q in full.quotes)
    assert len(full.invalid_citations) == 2
    assert full.parsing is not None
    assert full.parsing.skipped
    assert any(score.reason for score in full.scores.values())
    assert len(report.errors) == 2
    for indent in (None, 1):
        again = Report.model_validate_json(report.model_dump_json(indent=indent))
        assert again == report
        assert again.model_dump_json() == report.model_dump_json()
    assert Report.model_validate(report.model_dump()) == report


def test_states_and_counts_add_up() -> None:
    report = full_report()
    for result in report.results:
        counts, states = result.counts, Counter(s.state for s in result.statements)
        cited = Counter(c.state for s in result.statements for c in s.citations)
        assert counts["statements"] == len(result.statements)
        assert {
            "supported": counts["supported"],
            "unsupported": counts["unsupported"],
            "uncited": counts["uncited"],
            "invalid": counts["invalid_statements"],
            "unjudged": counts["unjudged_statements"],
        } == {
            state: states[state]
            for state in ("supported", "unsupported", "uncited", "invalid", "unjudged")
        }
        assert counts["citations"] == sum(cited.values())
        assert counts["cited_statements"] == counts["statements"] - counts["uncited"]
        assert counts["unjudged_citations"] == cited["unjudged"]
        assert counts["occurrences"] - counts["valid_occurrences"] == len(result.invalid_citations)
    assert (
        report.record_counts["records"]
        == report.record_counts["scored"] + report.record_counts["failed"]
    )
    assert report.record_counts["scored"] == len(report.results)
    assert report.record_counts["failed"] == len(report.errors)


def test_to_frame() -> None:
    pandas = pytest.importorskip("pandas")
    report = full_report()
    frame = report.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["id"]) == ["all", "1", "2"]
    for name in report.metrics:
        if name in frame.columns:
            for value, result in zip(frame[name], report.results, strict=True):
                own = result[name]
                assert pandas.isna(value) if own is None else value == own
    assert list(frame["statements"]) == [len(r.statements) for r in report.results]
    # The column's mean, undefined left out, is the macro mean.
    assert frame["citation_coverage"].astype(float).mean() == report["citation_coverage"]
    assert len(citemeter.score([], judge=None).to_frame()) == 0


def test_to_frame_without_pandas_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'citemeter\[frames\]'"):
        full_report().to_frame()
