"""What holds of attribution classes, citation amounts, positions and abstention whatever comes."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemeter.attribution import CAQA, Classification, attribution_micro_f1, class_scores
from citemeter.attribution import confusion as confusion_of
from citemeter.attribution.labels import parse_complexity
from citemeter.attribution.matrix import Confusion, outcome_of_row
from citemeter.attribution.relevance import LexicalRelevance
from citemeter.attribution.scores import count_attribution
from citemeter.errors import InputError
from citemeter.metrics.abstention import (
    ABSTENTION_RATIOS,
    count_abstention,
    is_uncited_refusal,
    leave_out_refusal,
)
from citemeter.metrics.amounts import STATEMENT_SHARES, citation_amounts, count_amounts
from citemeter.metrics.base import ready
from citemeter.metrics.positions import (
    CVCP,
    citation_positions,
    count_positions,
    variation_counts,
)
from citemeter.text.parse import parse
from citemeter.text.phrases.refusals import outcome_of

LABEL = st.sampled_from(CAQA.labels)
FAILED = Classification.failed("no answer")
PREDICTION = st.one_of(LABEL, st.none(), st.just(FAILED))
ROWS = st.lists(st.tuples(PREDICTION, LABEL), max_size=30)
ANSWER = st.lists(
    st.sampled_from(
        ["Cats purr", " [1]", "[2]", " [9]", ". ", "\n\n", "- ", "It is [1, 2] so", "é"]
    ),
    max_size=20,
).map("".join)


def recipe(predictions: list[Any], labels: list[str]) -> float:
    """Compute micro-F1 from pooled precision and recall."""
    right = sum(p == g for p, g in zip(predictions, labels, strict=True))
    total = len(labels)
    if not right:
        return 0.0
    precision = recall = right / total
    return 2 * precision * recall / (precision + recall)


@given(st.lists(st.tuples(st.one_of(LABEL, st.none()), LABEL), max_size=40))
def test_micro_f1_is_the_recipes(rows: list[tuple[str | None, str]]) -> None:
    said, gold = [p for p, _ in rows], [g for _, g in rows]
    value = attribution_micro_f1(said, gold, zero_division=0).value
    assert value == pytest.approx(recipe(said, gold), abs=1e-12)


@given(ROWS)
def test_counts_add_up_and_scores_are_in_range(rows: list[tuple[Any, str]]) -> None:
    said, gold = [p for p, _ in rows], [g for _, g in rows]
    matrix = confusion_of(said, gold)
    assert matrix.rows == len(rows)
    pooled: dict[str, int] = {}
    for p, g in rows:
        for name, number in count_attribution(outcome_of_row(g, p)).items():
            pooled[name] = pooled.get(name, 0) + number
    assert Confusion.of_counts(pooled) == matrix
    for mode in ("wrong", "exclude"):
        scores = class_scores(matrix, unlabelled=mode)  # type: ignore[arg-type]
        values = [scores.attribution_macro_f1, scores.attribution_micro_f1.value]
        values += [s.value for c in scores.classes for s in (c.precision, c.recall, c.f1)]
        assert all(value is None or 0 <= value <= 1 for value in values)
        assert (scores.bounds is None) == (not sum(matrix.failed))
        if scores.bounds is not None and scores.attribution_micro_f1.value is not None:
            assert scores.bounds.low <= scores.attribution_micro_f1.value <= scores.bounds.high


@given(ROWS, st.data())
def test_failed_rows_end_up_within_the_bounds(rows: list[tuple[Any, str]], data: Any) -> None:
    said, gold = [p for p, _ in rows], [g for _, g in rows]
    bounds = class_scores(confusion_of(said, gold)).bounds
    if bounds is None:
        return
    filled = [data.draw(LABEL) if p is FAILED else p for p in said]
    value = attribution_micro_f1(filled, gold).value
    assert value is not None
    assert bounds.low - 1e-12 <= value <= bounds.high + 1e-12


@given(ROWS, st.randoms(use_true_random=False))
def test_order_does_not_matter(rows: list[tuple[Any, str]], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert confusion_of([p for p, _ in rows], [g for _, g in rows]) == confusion_of(
        [p for p, _ in shuffled], [g for _, g in shuffled]
    )


@given(st.text())
def test_any_text_is_a_label_or_an_error(text: str) -> None:
    try:
        assert CAQA.parse(text) in CAQA.labels
    except InputError as error:
        str(error).encode("utf-8")
    parse_complexity(text)


@given(st.text(), st.text(), st.text())
def test_relevance_is_a_share_and_full_where_the_words_are_the_same(
    question: str, answer: str, citation: str
) -> None:
    share = LexicalRelevance().share
    assert 0 <= share(question, answer, citation) <= 1
    both = share(question, answer, f"{question}\n{answer}")
    assert both == pytest.approx(1.0) or both == 0.0
    assert (
        share(question, answer, citation)
        <= share(question, answer, f"{citation}\n{answer}") + 1e-12
        or not answer
    )


@given(st.lists(st.lists(st.sampled_from("1239"), max_size=5), max_size=8))
def test_amounts_add_up(cited: list[list[str]]) -> None:
    statements = [("A.", ids) for ids in cited]
    counts = count_amounts(ready({"statements": statements, "sources": ["", "", ""]}))
    if not cited:
        assert counts == {}
        return
    shares = [ratio.value(counts)[0] for ratio in STATEMENT_SHARES]
    assert sum(share for share in shares if share is not None) == pytest.approx(1.0)
    assert counts["citations_given"] == sum(len(set(ids)) for ids in cited)
    assert counts["statements_citing"] + counts["statements_citing_0"] == len(cited)
    assert counts["sources_used"] <= min(3, counts["citations_given"])


@given(st.lists(st.integers(0, 999_999), max_size=40))
def test_variation_is_that_of_the_definition(places: list[int]) -> None:
    value, reason = CVCP.value(variation_counts(places))
    if len(places) < 2 or not any(places):
        assert value is None
        assert reason
        return
    assert value is not None
    mean = math.fsum(places) / len(places)
    spread = math.sqrt(math.fsum((x - mean) ** 2 for x in places) / len(places))
    assert value == pytest.approx(spread / mean, abs=1e-9)
    assert 0 <= value <= math.sqrt(len(places) - 1) + 1e-12
    if len(set(places)) == 1:
        assert value == 0.0


@given(st.lists(st.integers(0, 999_999), min_size=2, max_size=20), st.integers(1, 5))
def test_variation_does_not_change_when_everything_is_repeated(
    places: list[int], times: int
) -> None:
    assert CVCP.value(variation_counts(places * times))[0] == pytest.approx(
        CVCP.value(variation_counts(places))[0]
    )


@given(ANSWER)
def test_positions_and_amounts_of_any_answer(answer: str) -> None:
    response = parse(answer, ["a", "b"])
    found = citation_positions(response)
    assert count_positions(response).get("positions", 0) == len(found.positions)
    assert all(0 <= place < 1 for place in found.positions)
    assert len(found.positions) + found.unplaced == len(response.citations)
    amounts = citation_amounts(response)
    assert sum(amounts.per_statement) + amounts.repeated + amounts.unattached == len(
        response.citations
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["abstained", "answered", "empty"]),
            st.sampled_from([True, False, None]),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_the_table_of_abstention_closes(answers: list[Any]) -> None:
    pooled: dict[str, int] = {}
    for outcome, answerable, cites in answers:
        counts = count_abstention(outcome, answerable, cites)
        assert bool(counts) == (answerable is not None)
        for name, number in counts.items():
            pooled[name] = pooled.get(name, 0) + number
    known = pooled.get("answerability_known", 0)
    assert known == pooled.get("answerable", 0) + pooled.get("unanswerable", 0)
    for side in ("answerable", "unanswerable"):
        cells = [pooled.get(f"{side}_{c}", 0) for c in ("abstained", "answered", "empty")]
        assert sum(cells) == pooled.get(side, 0)
    assert pooled.get("refusals", 0) == pooled.get("answerable_abstained", 0) + pooled.get(
        "unanswerable_abstained", 0
    )
    for ratio in ABSTENTION_RATIOS:
        value, reason = ratio.value(pooled)
        assert (value is None) == (reason is not None)
        assert value is None or 0 <= value <= 1


@given(st.text(), st.sampled_from([True, False, None]))
def test_conduct_of_any_text(text: str, known: bool | None) -> None:
    outcome = outcome_of(text, known)
    if known is not None:
        assert outcome == ("abstained" if known else "answered")
    assert outcome_of(text, known, lambda _: True) == ("abstained" if text.strip() else "empty")
    assert is_uncited_refusal(outcome, False) == (outcome == "abstained")
    assert not is_uncited_refusal(outcome, True)


@given(
    st.dictionaries(
        st.sampled_from(["statements", "uncited", "claims", "citations", "x"]), st.integers(0, 9)
    )
)
def test_leaving_out_keeps_what_is_not_about_statements(counts: dict[str, int]) -> None:
    left = leave_out_refusal(counts)
    assert left["left_out_statements"] == counts.get("statements", 0)
    assert {n: c for n, c in counts.items() if n in ("citations", "x")}.items() <= left.items()
    assert not left.keys() & {"statements", "uncited", "claims"}
