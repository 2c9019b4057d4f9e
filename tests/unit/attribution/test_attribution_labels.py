"""Label sets: spellings, prediction without a label, levels of reasoning."""

from __future__ import annotations

import copy
import pickle

import pytest

from citemeter.attribution.labels import (
    ATTRIBUTION_BENCH,
    CAQA,
    LabelSet,
    label_set_named,
    parse_complexity,
)
from citemeter.errors import InputError


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("supportive", "supportive"),
        ("Support", "supportive"),
        ("SUPPORTED ", "supportive"),
        ("Missing", "insufficient"),
        ("insufficient", "insufficient"),
        ("Contradictory", "contradictory"),
        ("contradiction", "contradictory"),
        ("refutes", "contradictory"),
        ("Irrelevant", "irrelevant"),
        ("not-relevant", "irrelevant"),
        ("Not_Relevant", "irrelevant"),
    ],
)
def test_spellings(written: str, label: str) -> None:
    assert CAQA.parse(written) == label


@pytest.mark.parametrize(
    "written",
    ["not supportive", "supportive.", "partial", "extrapolatory", "", "none", 1, True, None, ["x"]],
)
def test_what_is_no_label_is_an_error_that_names_the_record(written: object) -> None:
    with pytest.raises(InputError, match=r"record 'row 7', field 'label': .* is no label of caqa"):
        CAQA.parse(written, record="row 7")


def test_a_long_or_unwritable_value_is_shown_in_part() -> None:
    with pytest.raises(InputError) as caught:
        CAQA.parse("x" * 10_000 + "\udce9")
    assert len(str(caught.value)) < 300
    str(caught.value).encode("utf-8")


@pytest.mark.parametrize("written", [None, "", "  ", "None", "null", "NaN", "n/a"])
def test_a_prediction_may_say_that_it_names_no_class(written: object) -> None:
    assert CAQA.parse_prediction(written) is None


def test_a_set_may_have_a_label_called_none() -> None:
    own = LabelSet("own", ("full", "none"))
    assert own.parse_prediction("None") == "none"
    assert own.parse_prediction("") is None
    assert own.parse_prediction(None) is None


def test_a_prediction_of_another_word_is_an_error() -> None:
    with pytest.raises(InputError, match="field 'prediction'"):
        CAQA.parse_prediction("I think it is supportive")


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("Attributable", "attributable"),
        ("not attributable", "not attributable"),
        ("Not_Attributable", "not attributable"),
        ("extrapolatory", "not attributable"),
        # CAQA's four classes as these two.
        ("supportive", "attributable"),
        ("Missing", "not attributable"),
        ("contradictory", "not attributable"),
        ("irrelevant", "not attributable"),
        ("Unsupported", "not attributable"),
    ],
)
def test_two_classes(written: str, label: str) -> None:
    assert ATTRIBUTION_BENCH.parse(written) == label


def test_further_spellings() -> None:
    own = CAQA.with_spellings({"partially-support": "insufficient"})
    assert own.parse("Partially support") == "insufficient"
    assert own.parse("Missing") == "insufficient"
    with pytest.raises(InputError):
        CAQA.parse("Partially support")


def test_a_spelling_of_two_classes_or_of_none_is_an_error() -> None:
    with pytest.raises(InputError, match="stands for two labels"):
        CAQA.with_spellings({"support": "irrelevant"})
    with pytest.raises(InputError, match="label is 'bad'"):
        CAQA.with_spellings({"half": "bad"})


@pytest.mark.parametrize("labels", [(), ("one",), ("a", "A"), ("a b", "a_b")])
def test_a_label_set_needs_labels_that_differ(labels: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="at least two labels that differ"):
        LabelSet("own", labels)


def test_names() -> None:
    assert label_set_named("caqa") is CAQA
    assert label_set_named(ATTRIBUTION_BENCH) is ATTRIBUTION_BENCH
    with pytest.raises(InputError, match="use one of caqa, attributionbench"):
        label_set_named("fever")


def test_label_sets_can_be_copied_and_sent_to_other_processes() -> None:
    for again in (copy.deepcopy(CAQA), pickle.loads(pickle.dumps(CAQA))):
        assert again == CAQA
        assert hash(again) == hash(CAQA)
        assert again.parse("Missing") == "insufficient"


@pytest.mark.parametrize(
    ("written", "level"),
    [
        ("single", "single"),
        ("S", "single"),
        ("Union", "union"),
        ("i", "intersection"),
        ("concat", "concatenation"),
        ("Concatenation ", "concatenation"),
        ("Three_hops", "three hops"),
        ("", None),
        (None, None),
    ],
)
def test_levels_of_reasoning(written: str | None, level: str | None) -> None:
    assert parse_complexity(written) == level
