from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemeter.judges.lexical.features import FEATURES, Logistic, read_logistic


def test_probability_by_hand() -> None:
    fit = Logistic(("a", "b"), (2.0, -1.0), 0.5, 0.5, {})
    # 0.5 + 2 * 1 - 1 * 2 = 0.5; 1 / (1 + e^-0.5)
    assert fit.probability([1.0, 2.0]) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert fit.probability([0.0, 0.5]) == 0.5


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_it_rises_with_its_feature_and_never_overflows(low: float, high: float) -> None:
    fit = Logistic(("a",), (1.0,), 0.0, 0.5, {})
    first, second = fit.probability([min(low, high)]), fit.probability([max(low, high)])
    assert 0 <= first <= second <= 1


def test_features_must_be_as_many_as_weights() -> None:
    with pytest.raises(ValueError, match="zip"):
        Logistic(("a",), (1.0,), 0.0, 0.5, {}).probability([1.0, 2.0])


@pytest.mark.parametrize(
    ("name", "more"), [("lexical_parameters.txt", ()), ("embedded_parameters.txt", ("network",))]
)
def test_what_is_shipped(name: str, more: tuple[str, ...]) -> None:
    fit = read_logistic(name)
    assert fit.names == (*(feature.name for feature in FEATURES), *more)
    assert 0 < fit.threshold < 1
    for feature, weight in zip(FEATURES, fit.weights, strict=False):
        assert weight * feature.sign >= 0
    assert all(weight > 0 for weight in fit.weights[len(FEATURES) :])
