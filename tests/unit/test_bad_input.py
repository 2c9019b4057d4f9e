"""Bad input: each a clear error or a counted state, never a crash or a silent drop."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import pytest

import citemeter
from citemeter.results import Report
from support import Command, contains

SOURCES = {"1": "Cats purr.", "2": "Dogs bark."}
GOOD = {"id": "good", "answer": "Cats purr [1].", "sources": SOURCES}
LINEAR_SECONDS = 20.0
"""Far above what linear time needs here, far below what quadratic time would."""


def score(*records: Any, **options: Any) -> Report:
    options.setdefault("judge", contains)
    return citemeter.score(records, **options)


@pytest.fixture
def cli(citemeter: Command) -> Command:
    return citemeter


# Records that are read, whose emptiness is a counted state.

EMPTY = {
    "an empty answer": {"answer": ""},
    "an answer of white space": {"answer": " \n\t\r\n "},
    "an answer of only markers": {"answer": "[1][2] [1, 2]"},
    "an answer of only invalid markers": {"answer": "[7][8]"},
    "an answer of only punctuation": {"answer": "..."},
    "no statement": {"statements": []},
    "only a heading": {"answer": "# Cats [1]"},
    "only code": {"answer": "```\nx = a[1]\n```"},
    "only a reference list": {"answer": "Sources:\n[1] Cats\n[2] Dogs"},
}


@pytest.mark.parametrize("name", list(EMPTY))
def test_an_answer_without_a_statement_is_scored_and_undefined(name: str) -> None:
    report = score({**EMPTY[name], "sources": SOURCES}, GOOD)
    assert report.record_counts == {"records": 2, "scored": 2, "failed": 0}
    (empty, good) = report.results
    for metric in ("citation_recall", "citation_precision", "citation_f1", "citation_coverage"):
        assert empty[metric] is None
        assert empty.scores[metric].reason
        assert good[metric] == 1.0
        # It neither raises nor lowers the mean, and is counted.
        summary = report.metrics[metric if metric != "citation_f1" else "citation_f1_per_response"]
        assert (summary.macro, summary.scored, summary.undefined) == (1.0, 1, 1)


def test_markers_without_words_are_counted_all_the_same() -> None:
    # Valid 1, 2, 1, 2 and invalid 7: 4 of 5.
    (result,) = score({"answer": "[1][2] [1, 2] [7]", "sources": SOURCES}).results
    assert result["citation_validity"] == 0.8
    assert [c.source_id for c in result.invalid_citations] == ["7"]


@pytest.mark.parametrize("sources", [{}, [], ()])
def test_no_sources(sources: Any) -> None:
    (result,) = score({"answer": "Cats purr [1]. Dogs bark.", "sources": sources}).results
    assert [s.state for s in result.statements] == ["invalid", "uncited"]
    assert result["citation_recall"] == 0.0
    assert result["citation_precision"] == 0.0
    assert result["citation_validity"] == 0.0
    assert [c.source_id for c in result.invalid_citations] == ["1"]


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u00a0"])
def test_a_source_without_text_supports_nothing_and_is_still_a_source(text: str) -> None:
    asked: list[str] = []

    def yes(premise: str, hypothesis: str) -> bool:
        asked.append(premise)
        return True

    record = {"answer": "Cats purr [1]. Dogs bark [1][2].", "sources": {"1": text, "2": "Dogs."}}
    (result,) = score(record, judge=yes).results
    # Even for a judge that says yes to everything; it is asked about no empty premise.
    assert [s.state for s in result.statements] == ["unsupported", "supported"]
    assert asked == ["Dogs."]
    assert result["citation_validity"] == 1.0
    assert result.statements[0].verdict is not None
    assert result.statements[0].verdict.reason == "the cited passages have no text"


# Records that are refused, and what the refusal says.

DEEP: Any = []
for _ in range(50_000):
    DEEP = [DEEP]

REFUSED: dict[str, tuple[Any, str, str]] = {
    "two texts for one id": (
        {
            "answer": "Cats purr [1].",
            "sources": [{"id": "1", "text": "a"}, {"id": "1", "text": "b"}],
        },
        "sources",
        "source id '1' stands for two different texts",
    ),
    "two texts for one id, once a number": (
        {"answer": "Cats purr [1].", "sources": [{"id": "1", "text": "a"}, {"id": 1, "text": "b"}]},
        "sources",
        "source id '1' stands for two different texts",
    ),
    "null sources": ({"answer": "Yes.", "sources": None}, "sources", "null is no value here"),
    "null source": ({"answer": "Yes.", "sources": [None]}, "sources.0", "null is no value here"),
    "null text": (
        {"answer": "Yes.", "sources": {"1": None}},
        "sources.0.text",
        "null is no value here",
    ),
    "null source id": (
        {"answer": "Yes.", "sources": [{"id": None, "text": "a"}]},
        "sources.0.id",
        "null is no value here",
    ),
    "null metadata": ({"answer": "Yes.", "metadata": None}, "metadata", "null is no value here"),
    "null statement text": (
        {"statements": [(None, ["1"])]},
        "statements.0.text",
        "null is no value here",
    ),
    "null citations": (
        {"statements": [("Yes.", None)]},
        "statements.0.citations",
        "null is no value here",
    ),
    "null citation": (
        {"statements": [("Yes.", [None])]},
        "statements.0.citations.0.source_id",
        "null is no value here",
    ),
    "null gold id": (
        {"answer": "Yes.", "gold_source_ids": [None]},
        "gold_source_ids.0.0",
        "null is no value here",
    ),
    "null answer": ({"answer": None}, "", "neither 'answer' nor 'statements' is given"),
    "a float id": (
        {"answer": "Yes.", "sources": {1.0: "a"}},
        "sources.0.id",
        "expected a string, got float",
    ),
    "a truth value for an id": (
        {"answer": "Yes.", "sources": {True: "a"}},
        "sources.0.id",
        "expected a string",
    ),
    "a number for an answer": ({"answer": 5}, "answer", "expected a string"),
    "a text for sources": ({"answer": "Yes.", "sources": "text"}, "sources", "valid tuple"),
    "a text for gold ids": (
        {"answer": "Yes.", "gold_source_ids": "1"},
        "gold_source_ids",
        "valid tuple",
    ),
    "an unknown field": ({"answer": "Yes.", "docs": []}, "docs", "unknown field"),
    "a lone surrogate in the answer": ({"answer": "a\ud800"}, "answer", "lone surrogate"),
    "a lone surrogate in a source": (
        {"answer": "Yes.", "sources": {"1": "\udfff"}},
        "sources.0.text",
        "lone surrogate at offset 0",
    ),
    "a lone surrogate in a source id": (
        {"answer": "Yes.", "sources": [{"id": "a\udfff", "text": ""}]},
        "sources.0.id",
        "lone surrogate at offset 1",
    ),
    "a lone surrogate in a statement": (
        {"statements": [("a\ud800", [])]},
        "statements.0.text",
        "lone surrogate",
    ),
    "a lone surrogate in a cited id": (
        {"statements": [("a", ["\ud800"])]},
        "statements.0.citations.0.source_id",
        "lone surrogate",
    ),
    "a lone surrogate in the question": (
        {"answer": "Yes.", "question": "\ud800"},
        "question",
        "lone surrogate",
    ),
    "no mapping": (["Yes."], "", "expected an object, got list"),
    "nothing": (None, "", "expected an object, got NoneType"),
    "a text": ("Yes.", "", "expected an object, got str"),
    "statements nested without end": ({"statements": DEEP}, "statements.0", "expected (text, ["),
    "gold ids nested without end": (
        {"answer": "Yes.", "gold_source_ids": DEEP},
        "gold_source_ids.0.0",
        "expected a string",
    ),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_record_that_cannot_be_read_says_why_and_loses_no_other(name: str) -> None:
    record, field, problem = REFUSED[name]
    report = score(GOOD, record, GOOD)
    assert report.record_counts == {"records": 3, "scored": 2, "failed": 1}
    assert report["citation_recall"] == 1.0
    assert [r.index for r in report.results] == [0, 2]
    (error,) = report.errors
    assert error.index == 1
    assert problem in error.message
    assert "record 'number 1'" in error.message
    assert f"field '{field}'" in error.message if field else "field" not in error.message
    assert "Fix: " in error.message
    # Such a report is written and read like any other.
    assert Report.model_validate_json(report.model_dump_json()) == report
    with pytest.raises(citemeter.InputError) as raised:
        score(GOOD, record, GOOD, strict=True)
    assert str(raised.value) == error.message
    # A metric of one response refuses it in the same words, but for the record's position.
    with pytest.raises(citemeter.InputError) as raised:
        citemeter.citation_recall(record, contains)
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    "record",
    [
        {"answer": "Cats purr [1].", "sources": SOURCES, "question": None},
        {"answer": "Cats purr [1].", "sources": SOURCES, "id": None},
        {"answer": "Cats purr [1].", "sources": SOURCES, "gold_source_ids": None},
        {"answer": "Cats purr [1].", "sources": SOURCES, "statements": None},
        {"answer": "Cats purr [1].", "sources": SOURCES, "answerable": None},
        {"answer": "Cats purr [1].", "sources": [{"id": "1", "text": "Cats purr.", "title": None}]},
        {"answer": None, "statements": [("Cats purr.", ["1"])], "sources": SOURCES},
    ],
)
def test_null_where_a_field_may_be_absent_is_absent(record: Any) -> None:
    assert score(record, strict=True)["citation_recall"] == 1.0


@pytest.mark.parametrize(
    "record",
    [
        {"answer": "Cats purr [1].", "sources": {1: "Cats purr."}},
        {"answer": "Cats purr [1].", "sources": [{"id": 1, "text": "Cats purr."}]},
        {"statements": [("Cats purr.", [1])], "sources": {"1": "Cats purr."}},
        {"statements": [("Cats purr.", ["1"])], "sources": {1: "Cats purr."}},
        {
            "statements": [{"text": "Cats purr.", "citations": [{"source_id": 1}]}],
            "sources": {1: "Cats purr."},
        },
    ],
)
def test_ids_that_are_integers_are_read_as_their_digits(record: Any) -> None:
    (result,) = score({"id": 7, "gold_source_ids": [1], **record}, strict=True).results
    assert result.id == "7"
    for metric in ("citation_recall", "citation_precision", "citation_validity", "source_recall"):
        assert result[metric] == 1.0


def test_equal_repetitions_of_a_source_are_one_source() -> None:
    record = {"answer": "Cats purr [1].", "sources": [{"id": "1", "text": "Cats purr."}] * 2}
    assert score(record, strict=True)["citation_recall"] == 1.0


# Text that is odd and still text.


def test_nul_characters_are_text() -> None:
    answer = "Cats\x00 purr [1]. \x00Dogs bark [2]."
    sources = {"1": "Cats\x00 purr.", "2": "Dogs bark."}
    report = score({"answer": answer, "sources": sources}, strict=True)
    (result,) = report.results
    assert result.statements[0].state == "supported"
    for statement in result.statements:
        assert statement.statement.span is not None
        assert statement.statement.span.of(answer) == statement.statement.raw
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_right_to_left_text() -> None:
    answer = "הבניין נפתח בשנת 1904 [1]. افتتح المتحف عام ١٩٠٤ [٢]. \u202eסוף\u202c [9]."
    sources = {"1": "הבניין נפתח בשנת 1904", "2": "افتتح المتحف عام ١٩٠٤"}
    report = score({"answer": answer, "sources": sources}, strict=True)
    (result,) = report.results
    assert [s.state for s in result.statements] == ["supported", "supported", "invalid"]
    for statement in result.statements:
        assert statement.statement.span is not None
        assert statement.statement.span.of(answer) == statement.statement.raw
        for citation in statement.statement.citations:
            assert citation.span is not None
            assert citation.span.of(answer) == citation.marker
    assert result["citation_validity"] == pytest.approx(2 / 3)
    assert Report.model_validate_json(report.model_dump_json()) == report


# Size and nesting.


def test_ten_thousand_citations_of_one_source_in_one_sentence() -> None:
    record = {"answer": f"Cats purr {'[1]' * 10_000}.", "sources": SOURCES}
    (result,) = score(record).results
    assert [s.state for s in result.statements] == ["supported"]
    assert result.counts["occurrences"] == 10_000
    assert result.counts["citations"] == 1
    (result,) = score(record, duplicates="occurrences").results
    assert result.counts["citations"] == result.counts["precise"] == 10_000


def test_ten_thousand_sources_cited_in_one_sentence() -> None:
    sources = {str(n): "Cats purr." if n == 5 else f"{n}" for n in range(10_000)}
    markers = "".join(f"[{n}]" for n in range(10_000))
    # Wrong for each alone and for all: nothing but the joint verdict is needed.
    (result,) = score(
        {"answer": f"Dogs bark {markers}.", "sources": sources}, judge=contains
    ).results
    assert result.counts["unsupported_citations"] == 10_000
    # And ten thousand ids that name nothing (without sources, a year in brackets is no id).
    markers = "".join(f"[{n}]" for n in range(3_000, 13_000))
    (result,) = score({"answer": f"Dogs bark {markers}.", "sources": {}}).results
    assert result.counts["invalid_citations"] == len(result.invalid_citations) == 10_000
    assert result["citation_precision"] == 0.0


@pytest.mark.slow
def test_ten_thousand_citations_that_need_each_other_stay_in_memory() -> None:
    """Every "rest without it" is as long as all passages: together far more than memory has."""
    code = (
        "import resource, citemeter\n"
        "n = 10_000\n"
        "sources = {str(i): f'passage {i} ' * 8 for i in range(n)}\n"
        "markers = ''.join(f'[{i}]' for i in range(n))\n"
        "record = {'answer': f'Cats purr {markers}.', 'sources': sources}\n"
        "report = citemeter.score([record], judge=lambda p, h: len(p) > 1_000)\n"
        "assert report.counts['irrelevant'] == n, report.counts\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
    )
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30,) * 2)\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", limited], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) < 1000  # MiB


def nested(scale: int) -> dict[str, str]:
    """Return texts nested more deeply than a recursion may go, or repeated as often."""
    return {
        "opening": "[" * (20_000 * scale),
        "closing": "]" * (20_000 * scale),
        "nested": "[" * (10_000 * scale) + "1" + "]" * (10_000 * scale),
        "unclosed markers": "[1" * (10_000 * scale),
        "unclosed groups": "[1, 2" * (6_000 * scale),
        "footnotes": "[^" * (10_000 * scale),
        "lenticular": "【" * (15_000 * scale),
        "parentheses": "(" * (15_000 * scale) + ")" * (15_000 * scale),
        "links": "[a](" * (6_000 * scale),
        "tags": "<cite id=" * (3_000 * scale),
        "superscripts": "<sup>" * (4_000 * scale),
        "quotes": '"' * (20_000 * scale),
        "curly quotes": "“a " * (6_000 * scale),
        "backticks": "`" * (20_000 * scale),
        "block quotes": ">" * (15_000 * scale),
        "bullets": "- " * (10_000 * scale),
        "hashes": "#" * (20_000 * scale),
        "pipes": "|" * (20_000 * scale),
        "blank lines": "\n" * (20_000 * scale),
        "authors": "(Smith et al., " * (2_000 * scale),
        "addresses": "http://a.b/" * (2_000 * scale),
        "range": "[1-999999999]",
        "digits": "[" + "1" * (10_000 * scale) + "]",
    }


NESTED = nested(1)


@pytest.mark.parametrize("name", list(NESTED))
def test_nesting_loses_no_citation(name: str) -> None:
    # On lines of their own, so that what is nested cannot swallow what follows.
    answer = f"Cats purr [1].\n\n{NESTED[name]}\n\nDogs bark [2]."
    (result,) = score({"answer": answer, "sources": SOURCES}, strict=True).results
    assert result.statements[0].state == "supported"
    assert 0 <= result["citation_recall"] <= 1  # type: ignore[operator]


PARAGRAPH = (
    "The museum opened in 1904 [1]. Dr. Smith called it “the best museum in town” [2][7]. "
    "It closed.\n\n"
)
PAGES = 30_000 // len(PARAGRAPH)
LARGE = {
    **nested(10),
    "one source": "Cats purr " + "[1]" * 10_000 + ".",
    "many sources": "Dogs bark " + "".join(f"[{n}]" for n in range(3_000, 13_000)) + ".",
    "many pages": PARAGRAPH * (10 * PAGES),
    "one long word": "a" * 10_000_000 + " [1].",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(LARGE))
def test_size_and_nesting_take_linear_time(name: str) -> None:
    start = process_time()
    score({"answer": LARGE[name], "sources": SOURCES}, strict=True, keep_results=False)
    assert process_time() - start < LINEAR_SECONDS


def test_an_answer_of_many_pages() -> None:
    (result,) = score({"answer": PARAGRAPH * PAGES, "sources": SOURCES}).results
    assert result.counts["statements"] == 3 * PAGES
    assert result.counts["occurrences"] == 3 * PAGES
    assert len(result.invalid_citations) == len(result.quotes) == PAGES


@pytest.mark.slow
def test_an_answer_of_ten_megabytes() -> None:
    sentences = "It holds 1,200 paintings [1][7]. The barn, however, is damp [2]. "
    count = 10_000_000 // len(sentences) + 1
    report = score({"answer": sentences * count, "sources": SOURCES}, GOOD, keep_results=False)
    assert report.record_counts["scored"] == 2
    assert report.counts["statements"] == 2 * count + 1
    assert report.counts["invalid_citations"] == count


def test_an_answer_of_ten_megabytes_without_a_break_and_a_source_as_long() -> None:
    long = "a" * 10_000_000
    report = score(
        {"answer": f"{long} [1].", "sources": SOURCES},
        {"answer": "Cats purr [1].", "sources": {"1": f"{long} Cats purr."}},
        keep_results=False,
    )
    # The first is unsupported, the second supported.
    assert report["citation_recall"] == 0.5


def test_metadata_nested_without_end_is_kept_out_of_the_way() -> None:
    assert score({**GOOD, "metadata": {"a": DEEP}}, strict=True)["citation_recall"] == 1.0


# Judges.


def _raise(premise: str, hypothesis: str) -> bool:
    raise RuntimeError("out of memory")


JUDGES: dict[str, tuple[Any, str]] = {
    "raises": (_raise, "RuntimeError: out of memory"),
    "returns None": (lambda p, h: None, "returned NoneType"),
    "returns an int": (lambda p, h: 1, "returned int"),
    "returns a float": (lambda p, h: 0.99, "returned float"),
    "returns a word": (lambda p, h: "not supported", "returned str"),
    "returns a list": (lambda p, h: [True], "returned list"),
    "takes one argument": (lambda p: True, "TypeError"),
    "never ends": (lambda p, h: _raise_recursion(p), "RecursionError"),
}


def _raise_recursion(premise: str) -> bool:
    return _raise_recursion(premise)


@pytest.mark.parametrize("name", list(JUDGES))
def test_a_judge_that_gives_no_verdict_is_counted_and_never_scored(name: str) -> None:
    judge, error = JUDGES[name]
    report = score(GOOD, {"answer": "It rains.", "sources": SOURCES}, judge=judge)
    failed, uncited = report.results
    assert failed.statements[0].state == "unjudged"
    assert [c.state for c in failed.statements[0].citations] == ["unjudged"]
    assert failed.statements[0].verdict is not None
    assert error in str(failed.statements[0].verdict.error)
    for metric in ("citation_recall", "citation_precision", "support_rate", "overcitation"):
        assert (failed[metric], failed.scores[metric].reason) == (None, "the judge failed")
        assert report.metrics[metric].failed == 1
    # The response that needed no verdict has its score.
    assert uncited["citation_recall"] == report["citation_recall"] == 0.0
    counted = {"needed": 1, "judged": 1, "failed": 1, "chunked": 0, "truncated": 0}
    assert report.pair_counts == counted
    assert report.counts["unjudged_statements"] == report.counts["unjudged_citations"] == 1
    assert Report.model_validate_json(report.model_dump_json()) == report
    # The same for one metric of one response, whatever stands in for 0/0.
    for function in (
        citemeter.citation_recall,
        citemeter.citation_precision,
        citemeter.citation_f1,
        citemeter.support_rate,
        citemeter.overcitation,
    ):
        scored: Any = function(GOOD, judge, zero_division=1.0)  # type: ignore[operator]
        assert (scored.value, scored.reason) == (None, "the judge failed")


@pytest.mark.parametrize("judge", [5, [], {}])
def test_what_is_no_judge_is_refused(judge: Any) -> None:
    with pytest.raises(citemeter.JudgeError, match="is no judge"):
        citemeter.score([GOOD], judge=judge)
    with pytest.raises(citemeter.JudgeError, match="is no judge"):
        citemeter.citation_recall(GOOD, judge)


# Through the command line.


def test_one_bad_record_among_many_is_named_and_the_others_are_scored(
    tmp_path: Path, cli: Command
) -> None:
    lines = [json.dumps({**GOOD, "id": f"r{n}"}) for n in range(200)]
    lines[17] = '{"answer": "Cats purr [1].", "sources": {"1": null}}'
    lines[42] = '{"answer": "Cats \\ud800 purr [1].", "sources": {}}'
    lines[77] = "[" * 100_000
    lines[99] = '{"answer": "Cats purr'
    lines[120] = '{"id": "twins", "answer": "", "sources": [{"id": 1, "text": "a"}, ["1", "b"]]}'
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "report.json"
    done = cli("score", str(path), "--judge", "toy:contains", "--out", str(out))
    assert done.returncode == 0
    said = done.stderr.splitlines()
    assert len(said) == 5
    for line, number in zip(said, (18, 43, 78, 100, 121), strict=True):
        assert f"answers.jsonl:{number}" in line
        assert "Fix: " in line
    report = Report.model_validate_json(out.read_text(encoding="utf-8"))
    assert report.record_counts == {"records": 200, "scored": 195, "failed": 5}
    assert report["citation_recall"] == 1.0
    assert cli("score", str(path), "--judge", "toy:contains", "--strict").returncode == 2


def test_bytes_that_are_no_text_and_nul_on_standard_input(cli: Command) -> None:
    lines = (
        b'{"answer": "Cats purr [1].", "sources": ["Cats purr."]}\n'
        b'{"answer": "Cats \xff purr [1].", "sources": ["Cats purr."]}\n'
        b'{"answer": "Cats\\u0000 purr [1].", "sources": ["Cats\\u0000 purr."]}\n'
        b"\x00\x00\x00\n"
    )
    done = cli("score", "-", "--judge", "toy:contains", "--format", "json", stdin=lines)
    report = Report.model_validate_json(done.stdout)
    assert report.record_counts == {"records": 4, "scored": 2, "failed": 2}
    assert [error.record for error in report.errors] == ["stdin:2", "stdin:4"]
    assert report["citation_recall"] == 1.0
    assert done.returncode == 0


# What is not so yet.


@pytest.mark.parametrize("name", ["\ud800", "a\udcff"])
def test_an_id_with_a_lone_surrogate_still_leaves_a_report_that_can_be_written(name: str) -> None:
    report = score(GOOD, {**GOOD, "id": name})
    assert "lone surrogate" in report.errors[0].message
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_a_judge_that_fails_with_a_lone_surrogate_leaves_a_report_that_can_be_written() -> None:
    def judge(premise: str, hypothesis: str) -> bool:
        raise ValueError("\ud800")

    report = score(GOOD, judge=judge)
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_an_id_too_long_to_be_written_loses_no_other_record() -> None:
    assert score({**GOOD, "id": 10**5000}, GOOD).record_counts["scored"] == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 5.0, -1.0])
def test_a_value_for_0_by_0_outside_the_range_of_scores_is_refused(value: float) -> None:
    with pytest.raises(citemeter.InputError, match="zero_division"):
        score(GOOD, zero_division=value)


def test_unknown_options_of_metric_functions_are_refused() -> None:
    over: Any = "worhty"
    with pytest.raises(citemeter.InputError, match="over"):
        citemeter.citation_recall(GOOD, contains, over=over)
    with pytest.raises(citemeter.InputError, match="duplicates"):
        citemeter.citation_precision(GOOD, contains, duplicates=over)


def test_a_bar_that_is_no_number_is_refused(tmp_path: Path, cli: Command) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    done = cli("score", str(path), "--judge", "toy:contains", "--fail-under", "citation_recall=nan")
    assert done.returncode == 2


@pytest.mark.parametrize("responses", [5, None, b"abc"])
def test_what_is_no_list_of_responses_is_refused(responses: Any) -> None:
    with pytest.raises(citemeter.InputError):
        citemeter.score(responses, judge=None)
