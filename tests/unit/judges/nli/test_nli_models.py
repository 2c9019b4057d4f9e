"""What the table of known models and a config's labels say, and what they leave open."""

from __future__ import annotations

import pytest

from citemeter import JudgeError
from citemeter.judges.nli.presets import PRESETS, custom_format, entailment_label, known_model


@pytest.mark.parametrize(
    ("labels", "index"),
    [
        ({0: "contradiction", 1: "entailment", 2: "neutral"}, 1),
        ({0: "entailment", 1: "neutral", 2: "contradiction"}, 0),
        ({0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}, 2),
        ({0: "Refutes", 1: "Not enough info", 2: "Supports"}, 2),
        ({0: "entails", 1: "doesn't entail"}, 0),
        ({0: "not_entailment", 1: "entailment"}, 1),
        ({0: "entailment", 1: "not_entailment"}, 0),
        ({0: "non-entailment", 1: "Entailment "}, 1),
        ({0: "hallucinated", 1: "consistent"}, 1),
        ({0: "unsupported", 1: "supported"}, 1),
        ({0: "not supported", 1: "supported"}, 1),
    ],
)
def test_labels_that_say_which_is_entailment(labels: dict[int, str], index: int) -> None:
    assert entailment_label(labels, None, None, "m") == index


@pytest.mark.parametrize(
    "labels",
    [
        {0: "LABEL_0", 1: "LABEL_1"},
        {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"},
        {0: "0", 1: "1"},
        {0: "negative", 1: "positive"},
        {0: "entailment", 1: "supported"},
        {0: "not_entailment", 1: "unsupported"},
        {0: "entailment"},
        {0: "LABEL_0"},
        {},
    ],
)
def test_labels_that_do_not_say_are_an_error_that_names_what_to_pass(
    labels: dict[int, str],
) -> None:
    with pytest.raises(JudgeError, match="entailment=") as caught:
        entailment_label(labels, None, None, "my-model")
    assert "my-model" in str(caught.value)


@pytest.mark.parametrize("choice", [1, "LABEL_1", "label 1", "label-1"])
def test_the_callers_choice_of_label(choice: str | int) -> None:
    assert entailment_label({0: "LABEL_0", 1: "LABEL_1"}, choice, None, "m") == 1


@pytest.mark.parametrize("choice", [2, -1, "entailment", "", True])
def test_a_choice_that_is_no_label(choice: str | int) -> None:
    with pytest.raises(JudgeError, match="entailment="):
        entailment_label({0: "LABEL_0", 1: "LABEL_1"}, choice, None, "m")


def test_the_table_says_what_unnamed_labels_mean_but_never_against_names() -> None:
    known = known_model("cross-encoder/nli-roberta-base")
    assert entailment_label({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, None, known, "m") == 1
    assert entailment_label({0: "entailment", 1: "neutral", 2: "no"}, None, known, "m") == 0


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("google/t5_xxl_true_nli_mixture", "true"),
        ("google/t5_11b_trueteacher_and_anli", "true"),
        ("osunlp/attrscore-flan-t5-xl", "attrscore"),
        ("lytang/MiniCheck-Flan-T5-Large", "minicheck-flan-t5"),
        ("lytang/MiniCheck-RoBERTa-Large", "minicheck"),
        ("lytang/MiniCheck-DeBERTa-v3-Large", "minicheck"),
        ("bespokelabs/Bespoke-MiniCheck-7B", "bespoke-minicheck"),
        ("vectara/hallucination_evaluation_model", "hhem"),
        ("cross-encoder/nli-deberta-v3-base", "pair"),
    ],
)
def test_known_models(name: str, preset: str) -> None:
    known = known_model(name)
    assert known is not None
    assert known.format == preset
    assert known_model(None, "somewhere/else", name) == known


@pytest.mark.parametrize(
    "name",
    ["", "t5_xxl_true_nli_mixture", "google/t5-small", "evil/google/t5_xxl_true_nli_mixture"],
)
def test_other_names_are_not_known(name: str) -> None:
    assert known_model(name) is None


def test_a_template_of_ones_own() -> None:
    found = custom_format("Text: {premise} Q: {hypothesis}", ("True", "False"), "seq2seq")
    assert found.answers == ("True", "False")
    assert found.name.startswith("sha256:")
    other = custom_format("Text: {premise} Q: {hypothesis}", ("False", "True"), "seq2seq")
    assert other.name != found.name
    assert custom_format("{premise}{hypothesis}", None, "decoder").answers == ("Yes", "No")
    assert custom_format("true", None, "seq2seq") is PRESETS["true"]


@pytest.mark.parametrize(
    ("template", "answers", "kind", "said"),
    [
        ("no slots", None, "decoder", "no preset"),
        ("{premise} only", None, "decoder", "once each"),
        ("{premise} {premise} {hypothesis}", None, "decoder", "once each"),
        ("{premise} {hypothesis}", None, "seq2seq", "answers="),
        ("{premise} {hypothesis}", ("1",), "seq2seq", "two or more"),
        ("{premise} {hypothesis}", ("1", "1"), "seq2seq", "two or more"),
        ("{premise} {hypothesis}", ("1", " "), "seq2seq", "two or more"),
        ("pair", ("1", "0"), "classification", "classifier"),
        ("true", None, "classification", "seq2seq models"),
        ("pair", None, "decoder", "yes-no"),
    ],
)
def test_templates_that_cannot_be_used(
    template: str, answers: tuple[str, ...] | None, kind: str, said: str
) -> None:
    with pytest.raises(JudgeError, match=said):
        custom_format(template, answers, kind)  # type: ignore[arg-type]
