"""The rewriting: markers in the answer's own style and place, and nothing else touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from citemeter.guardrail.offsets import OffsetMap, applied
from citemeter.models import Response
from citemeter.repair.rewrite import Plan, Rewriter, Rewritten
from citemeter.text.parse import ParseOptions, parse_response
from support import CASES, read_jsonl

ONE_TO_NINE = tuple(str(n) for n in range(1, 10))


def rewritten(
    answer: str,
    wanted: Mapping[int, Sequence[str]],
    sources: Any = ONE_TO_NINE,
    respelled: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    **options: Any,
) -> Rewritten:
    reading = ParseOptions(**options)
    given = sources if isinstance(sources, dict) else dict.fromkeys(sources, "text")
    response = parse_response(Response.from_record({"answer": answer, "sources": given}), reading)
    plans = {place: Plan(tuple(ids), respelled or {}) for place, ids in wanted.items()}
    return Rewriter(response, reading).rewrite(plans, drop)


@pytest.mark.parametrize(
    ("answer", "wanted", "expected"),
    [
        # in place of what it was
        ("Cats purr [1].", {0: ["2"]}, "Cats purr [2]."),
        ("Cats purr. [1] Dogs bark. [2]", {0: ["3"]}, "Cats purr. [3] Dogs bark. [2]"),
        ("Cats purr.[1] Dogs bark.[2]", {1: ["3"]}, "Cats purr.[1] Dogs bark.[3]"),
        ("As [1] says, cats purr.", {0: ["2"]}, "As [2] says, cats purr."),
        # the last of several
        ("Cats purr [1][2].", {0: ["3"]}, "Cats purr [3]."),
        ("Cats purr [1, 2].", {0: ["3"]}, "Cats purr [3]."),
        ("Cats [1] purr [2].", {0: ["3"]}, "Cats purr [3]."),
        # one more
        ("Cats purr [1].", {0: ["1", "2"]}, "Cats purr [1][2]."),
        ("Cats purr [1]. Dogs bark [2, 3].", {0: ["1", "2"]},
         "Cats purr [1, 2]. Dogs bark [2, 3]."),
        ("Cats purr [1] [2]. Dogs bark [3].", {1: ["3", "4"]},
         "Cats purr [1] [2]. Dogs bark [3] [4]."),
        ("Cats purr [1], [2]. Dogs bark [3].", {1: ["3", "4"]},
         "Cats purr [1], [2]. Dogs bark [3], [4]."),
        # fewer
        ("Cats purr [1][2].", {0: ["2"]}, "Cats purr [2]."),
        ("Cats purr [1, 2, 3].", {0: ["1", "3"]}, "Cats purr [1, 3]."),
        ("Cats purr [1], [2].", {0: ["1"]}, "Cats purr [1]."),
        ("Cats purr [1][2][3].", {0: ["1", "3"]}, "Cats purr [1][3]."),
        ("Cats purr [1] [2] [3].", {0: ["1", "3"]}, "Cats purr [1] [3]."),
        ("Cats purr [1], [2], [3].", {0: ["1", "3"]}, "Cats purr [1], [3]."),
        ("Cats purr [1][2][3][4].", {0: ["3", "5"]}, "Cats purr [3][5]."),
        ("Cats purr [1] and [2].", {0: ["2"]}, "Cats purr [2]."),
        ("Cats purr [1] and [2].", {0: ["1"]}, "Cats purr [1]."),
        ("Cats purr [1].", {0: []}, "Cats purr."),
        ("Cats purr [1][2] . Dogs bark.", {0: []}, "Cats purr . Dogs bark."),
        ("Cats purr [1–3].", {0: ["2"]}, "Cats purr [2]."),
        # one kept, one exchanged
        ("Cats purr [1][2].", {0: ["1", "3"]}, "Cats purr [1][3]."),
        ("Cats purr [1][2].", {0: ["2", "3"]}, "Cats purr [2][3]."),
        ("Cats purr [1, 2].", {0: ["1", "3"]}, "Cats purr [1, 3]."),
        # none before
        ("Cats purr. Dogs bark [2].", {0: ["1"]}, "Cats purr [1]. Dogs bark [2]."),
        ("Cats purr. Dogs bark. [2]", {0: ["1"]}, "Cats purr. [1] Dogs bark. [2]"),
        ("Cats purr. Dogs bark.[2]", {0: ["1"]}, "Cats purr.[1] Dogs bark.[2]"),
        ("Cats purr. Dogs bark[2].", {0: ["1"]}, "Cats purr[1]. Dogs bark[2]."),
        ("Cats purr. Dogs bark.", {0: ["1"], 1: ["2", "3"]}, "Cats purr [1]. Dogs bark [2][3]."),
        ("Cats purr. Dogs bark [2, 3].", {0: ["1", "4"]}, "Cats purr [1, 4]. Dogs bark [2, 3]."),
        ("Cats purr", {0: ["1"]}, "Cats purr [1]"),
        ('It says "keep off."', {0: ["1"]}, 'It says "keep off." [1]'),
        ('It says "keep off".', {0: ["1"]}, 'It says "keep off" [1].'),
        ("**Cats purr.**", {0: ["1"]}, "**Cats purr.** [1]"),
        ("- Cats purr\n- Dogs bark [2]", {0: ["1"]}, "- Cats purr [1]\n- Dogs bark [2]"),
        ("| a | b |\n|---|---|\n| Cats | purr |", {0: ["1"]},
         "| a | b |\n|---|---|\n| Cats | purr [1] |"),
        ("Cats purr.¹ Dogs bark.", {1: ["2"]}, "Cats purr.¹ Dogs bark.²"),
        ("猫が鳴く[1]。犬が吠える。", {1: ["2"]}, "猫が鳴く[1]。犬が吠える[2]。"),
        ("[1] Cats purr. [2] Dogs bark. Birds sing.", {2: ["3"]},
         "[1] Cats purr. [2] Dogs bark. [3] Birds sing."),
        # other styles
        ("Cats purr[^1]. Dogs bark[^2].", {0: ["3"]}, "Cats purr[^3]. Dogs bark[^2]."),
        ("Cats purr【1†source】. Dogs bark.", {1: ["2"]},
         "Cats purr【1†source】. Dogs bark【2†source】."),
        ("Cats purr<sup>1</sup>. Dogs bark.", {1: ["2"]},
         "Cats purr<sup>1</sup>. Dogs bark<sup>2</sup>."),
        (r"Cats purr \cite{1}. Dogs bark.", {1: ["2"]}, r"Cats purr \cite{1}. Dogs bark \cite{2}."),
        # a page is its source's, not the next one's
        ("Cats purr [1, p. 4].", {0: ["2"]}, "Cats purr [2]."),
        # both copies of a repeated id go
        ("Cats [1] purr [1] [2].", {0: ["2"]}, "Cats purr [2]."),
        # equal markers, different changes
        ("Cats purr [1, 2]. Dogs bark [1, 2].", {0: ["1"], 1: ["2"]},
         "Cats purr [1]. Dogs bark [2]."),
    ],
)  # fmt: skip
def test_marker_by_marker(answer: str, wanted: dict[int, list[str]], expected: str) -> None:
    result = rewritten(answer, wanted)
    assert result.answer == expected
    assert result.written == frozenset(wanted)


@pytest.mark.parametrize(
    ("answer", "sources", "wanted", "expected"),
    [
        (
            "Cats purr [doc:hr-12]. Dogs bark.",
            ["hr-12", "hr-31"],
            {1: ["hr-31"]},
            "Cats purr [doc:hr-12]. Dogs bark [doc:hr-31].",
        ),
        ("Cats purr [hr-12].", ["hr-12", "hr-31"], {0: ["hr-31"]}, "Cats purr [hr-31]."),
        ("Cats purr (Source: a-1).", ["a-1", "b-2"], {0: ["b-2"]}, "Cats purr (Source: b-2)."),
        ("Cats purr [Source 1, Source 2].", ["1", "2", "3"], {0: ["3"]}, "Cats purr [Source 3]."),
        (
            "Cats purr (Smith, 2020). Dogs bark.",
            ["Smith, 2020", "Lee, 2021"],
            {1: ["Lee, 2021"]},
            "Cats purr (Smith, 2020). Dogs bark (Lee, 2021).",
        ),
        (
            "Cats purr [@a1; @b2]. Dogs bark.",
            ["a1", "b2", "c3"],
            {1: ["c3"]},
            "Cats purr [@a1; @b2]. Dogs bark [@c3].",
        ),
    ],
)
def test_ids_of_other_kinds(
    answer: str, sources: list[str], wanted: dict[int, list[str]], expected: str
) -> None:
    result = rewritten(answer, wanted, sources)
    assert result.answer == expected


def test_numbers_that_count_the_sources() -> None:
    result = rewritten("Cats purr [1]. Dogs bark.", {0: ["x"], 1: ["w"]}, ["w", "x"], numbering=1)
    assert result.answer == "Cats purr [2]. Dogs bark [1]."


def test_a_near_miss_is_respelled_in_place() -> None:
    result = rewritten(
        "Cats purr [hr_31] and sleep [hr-12].",
        {0: ["hr-31", "hr-12"]},
        ["hr-12", "hr-31"],
        {"hr_31": "hr-31"},
    )
    assert result.answer == "Cats purr [hr-31] and sleep [hr-12]."


def test_an_invalid_heading_citation_is_dropped() -> None:
    answer = "# Cats [99]\n\nCats purr [1]."
    result = rewritten(answer, {}, drop=["99"])
    assert result.answer == "# Cats\n\nCats purr [1]."
    assert result.dropped
    assert not rewritten(answer, {0: ["2"]}).dropped


def test_what_is_not_changed_stays_as_it_is() -> None:
    answer = "Intro\u200b text [7].\r\n\r\n  *  Cats   purr [1] .\n\n```\nx[1]\n```\nEnd."
    result = rewritten(answer, {1: ["2"]})
    assert result.answer == answer.replace("purr [1]", "purr [2]")


def test_offsets_map_both_ways() -> None:
    answer = "Cats purr [1, 2]. Dogs bark. Fish swim [3]."
    result = rewritten(answer, {0: ["1"], 1: ["2"], 2: ["4"]})
    assert result.answer == "Cats purr [1]. Dogs bark [2]. Fish swim [4]."
    offsets = OffsetMap(result.edits)
    for word in ("Cats", "Dogs", "bark", "Fish", "swim"):
        old, new = answer.index(word), result.answer.index(word)
        assert (offsets.to_clean(old), offsets.to_original(new)) == (new, old)
    assert applied(answer, result.edits) == result.answer


def test_what_cannot_be_written_is_left_and_the_rest_is_done() -> None:
    # No marker is read inside code, so the sentence that is all code can bear none that reads so,
    # except behind it; an id that no marker can hold is never written.
    sources = ["1", "a]b[c\nd"]
    result = rewritten("Cats purr. Dogs bark.", {0: ["a]b[c\nd"], 1: ["1"]}, sources)
    assert result.answer == "Cats purr. Dogs bark [1]."
    assert result.written == {1}


def test_an_answer_read_in_another_way_is_not_touched() -> None:
    response = parse_response(
        Response.from_record({"answer": "Cats purr. Dogs bark [1].", "sources": ["x", "y"]}),
        ParseOptions(segmenter="line"),
    )
    rewriter = Rewriter(response, ParseOptions())
    assert not rewriter.readable()
    assert rewriter.rewrite({0: Plan(("2",))}).answer == response.answer


def read_case(row: dict[str, Any]) -> tuple[Response, ParseOptions]:
    given = row.get("options") or {}
    options = ParseOptions(**{"style" if k == "format" else k: v for k, v in given.items()})
    sources = dict.fromkeys(row["source_ids"], "text")
    record = Response.from_record({"answer": row["answer"], "sources": sources})
    return parse_response(record, options), options


ROWS = read_jsonl(CASES / "parse.jsonl")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
@pytest.mark.parametrize("more", [False, True], ids=["instead", "more"])
def test_every_form_of_marker_can_be_rewritten(row: dict[str, Any], more: bool) -> None:
    response, options = read_case(row)
    plans: dict[int, Plan] = {}
    for place, statement in enumerate(response.statements or ()):
        cited = statement.source_ids
        other = [i for i in response.by_id if i not in cited]
        if other:
            plans[place] = Plan((*cited, other[0]) if more else (other[0],))
    result = Rewriter(response, options).rewrite(plans)
    assert result.written == frozenset(plans)
    again = parse_response(
        Response.from_record({"answer": result.answer, "sources": list(response.sources)}), options
    )
    for place, (new, old) in enumerate(
        zip(again.statements or (), response.statements or (), strict=True)
    ):
        assert new.text == old.text
        assert new.source_ids == (plans[place].wanted if place in plans else old.source_ids)


@pytest.mark.parametrize(
    "answer",
    [
        "[1]" * 3000,
        "Cats [1] " * 2000 + ".",
        "Cats purr. " * 1500,
        "<cite id=\"1\">" * 500 + "Cats purr." + "</cite>" * 500,
        "| a | [1] |\n" * 500,
        "Cats\u202e purr [1]\ufeff.",
        "[" * 5000,
    ],
    ids=["markers", "marked", "sentences", "tags", "rows", "controls", "brackets"],
)  # fmt: skip
def test_hostile_answers_take_bounded_time(answer: str) -> None:
    options = ParseOptions()
    record = {"answer": answer, "sources": dict.fromkeys(ONE_TO_NINE, "text")}
    response = parse_response(Response.from_record(record), options)
    plans = {
        place: Plan(("2", "3"))
        for place, statement in enumerate(response.statements or ())
        if statement.source_ids != ("2", "3")
    }
    result = Rewriter(response, options).rewrite(plans)
    for place in result.written:
        assert result.response.statements is not None
        assert result.response.statements[place].source_ids == ("2", "3")


def test_a_long_answer_in_which_nothing_can_be_written_takes_bounded_time() -> None:
    answer = "It rained in the harbour all day. " * 1500
    sources = ["1", "a]b[c\nd"]
    result = rewritten(answer, {n: ["a]b[c\nd"] for n in range(1500)}, sources)
    assert (result.answer, result.written) == (answer, frozenset())


def test_a_long_statement_takes_bounded_time() -> None:
    result = rewritten("It rained [1] " + "and rained " * 20_000 + "for days.", {0: ["1", "2"]})
    assert result.answer.startswith("It rained [1][2] and")
