from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from citemeter.judges.lexical.features import FEATURES, read_logistic

NAMES = (
    "hard_negatives",
    "measures",
    "cross_encoder_data",
    "fitting",
    "fit_lexical",
    "fit_embedded",
    "model_card",
)


@pytest.fixture(scope="module")
def fitting(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["fitting"]


def test_a_logistic_is_found_again(fitting: ModuleType) -> None:
    draw = np.random.default_rng(0)
    features = draw.normal(size=(20_000, 2)) * [1.0, 5.0]
    chance = 1 / (1 + np.exp(-(1.5 * features[:, 0] - 0.2 * features[:, 1] + 0.5)))
    truth = draw.random(len(chance)) < chance
    found = fitting.constrained(features, truth, np.ones(len(truth)), [1, -1])
    assert found == pytest.approx([1.5, -0.2, 0.5], abs=0.08)


def test_a_weight_that_would_turn_its_sign_is_zero(fitting: ModuleType) -> None:
    draw = np.random.default_rng(1)
    features = draw.normal(size=(2_000, 2))
    truth = features[:, 0] + draw.normal(size=2_000) > 0
    found = fitting.constrained(features, truth, np.ones(2_000), [-1, 0])
    assert found[0] == 0
    assert abs(found[1]) < 0.2


def test_a_constant_feature_does_no_harm(fitting: ModuleType) -> None:
    features = np.array([[1.0, 0.0], [1.0, 1.0]] * 50)
    found = fitting.constrained(features, features[:, 1] > 0, np.ones(100), [0, 0])
    assert found[1] > 0
    assert np.isfinite(found).all()


def test_groups_and_answers_weigh_alike(fitting: ModuleType) -> None:
    truth = np.array([True, False, False, True, True, True, False])
    table = fitting.Table(np.zeros((7, 1)), truth, ["a", "a", "a", "b", "b", "b", "b"])
    weights = fitting.row_weights(table)
    # a: one yes and two no; b: three yes and one no; every group and answer sums to 7 / 4
    assert weights == pytest.approx([7 / 4, 7 / 8, 7 / 8, 7 / 12, 7 / 12, 7 / 12, 7 / 4])


def test_calibration_scales_and_shifts(fitting: ModuleType) -> None:
    draw = np.random.default_rng(2)
    logit = draw.normal(size=(20_000, 1)) * 2
    truth = draw.random(20_000) < 1 / (1 + np.exp(-(0.5 * logit[:, 0] + 1)))
    sure = fitting.calibrated(np.array([3.0, -2.0]), logit, truth)
    assert sure == pytest.approx([0.5, 1.0], abs=0.06)


def test_an_edit_is_of_something_that_the_premise_has(scripts: dict[str, ModuleType]) -> None:
    example = scripts["hard_negatives"].Example
    told = example("Ann Lee won in 1903, in Oslo.", "Ann Lee won in 1903.", True, "set")
    untold = example("A woman came first.", "Ann Lee won in 1903.", True, "set")
    against = example("Ann Lee won in 1903.", "Ann Lee won in 1904.", False, "set")
    found = scripts["fitting"].with_edits([told, untold, against], seed=3)
    assert found[:3] == [e._replace(kind="set") for e in (told, untold, against)]
    edits = found[3:]
    assert edits
    for changed, original in zip(edits[::2], edits[1::2], strict=True):
        assert changed.kind == original.kind
        assert changed.kind.startswith("edit: ")
        assert original.supported
        assert not changed.supported
        assert original.premise == told.premise


def test_what_is_finished_is_rounded_and_has_its_threshold(fitting: ModuleType) -> None:
    development = np.array([[0.0], [0.2], [0.6], [0.9]])
    truth = np.array([False, False, True, True])
    fit = fitting.finished(["x"], np.array([1.0, 0.0]), development, truth, {"width": 50})
    assert fit.names == ("x",)
    assert fit.probability([0.2]) < fit.threshold <= fit.probability([0.6])
    assert all(round(weight, 4) == weight for weight in (*fit.weights, fit.bias, fit.threshold))


def test_what_is_written_is_read(
    fitting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from citemeter.judges.lexical import features

    fit = features.Logistic(("a", "b"), (1.5, -0.25), 0.125, 0.5, {"width": 50.0})
    fitting.write(fit, tmp_path / "fit.txt", "a_script.py")
    rows = [
        tuple(line.split())
        for line in (tmp_path / "fit.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    monkeypatch.setattr(features, "read_table", lambda name: tuple(rows))
    assert features.read_logistic.__wrapped__("fit.txt") == fit


def test_lexical_features_of_nothing_are_zero(fitting: ModuleType) -> None:
    pairs = [("", "Ann won."), ("Ann won in 1903.", "Ann won in 1903.")]
    found = fitting.lexical_features(pairs, 50)
    assert found.shape == (2, len(FEATURES))
    assert not found[0].any()
    assert found[1].tolist() == [feature.best for feature in FEATURES]


def test_every_set_of_the_mixture_has_a_licence(scripts: dict[str, ModuleType]) -> None:
    card, data = scripts["model_card"], scripts["cross_encoder_data"]
    measures = scripts["measures"]
    learnt = {*measures.TRAINED, *measures.SPLIT, *data.NLI, "fever_gold_evidence"}
    assert learnt == set(card.SETS)
    table = card.data_table("q2_wow | labelled | 30 | 9\nq2_wow | number | 10 | 0\nall | | 40 | 9")
    assert "| MIT | 40 | 100.0% | as published 30, made from them 10 |" in table
    with pytest.raises(KeyError):
        card.data_table("unknown | labelled | 1 | 1")


@pytest.mark.slow
def test_fitting_the_network_in_again_gives_what_is_shipped(
    scripts: dict[str, ModuleType], shared: Path
) -> None:
    found = scripts["fit_embedded"].fitted(shared / "data").logistic
    shipped = read_logistic("embedded_parameters.txt")
    assert found.names == shipped.names
    # Processors round the network's sums differently by some thousandths.
    assert found.weights == pytest.approx(shipped.weights, abs=0.05)
    assert math.isclose(found.threshold, shipped.threshold, abs_tol=0.05)
