"""Settings: every choice checked where it is made, and shown in the signature."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import citemeter
from citemeter.errors import InputError
from citemeter.evaluation.score import Evaluator, score
from citemeter.evaluation.settings import Settings


@pytest.mark.parametrize(
    "options",
    [
        {"protocol": "alse"},
        {"style": "numric"},
        {"style": 3},
        {"segmenter": "nupunkt"},
        {"attach": "last"},
        {"numbering": 2},
        {"worthiness": "some"},
        {"refusal_rule": "no"},
        {"recall_over": "some"},
        {"duplicates": "bag"},
        {"at_most_citations": 0},
        {"at_most_citations": True},
        {"zero_division": 1.5},
        {"refusals": "drop"},
        {"claim_support": "people"},
        {"contract": [{"rule": "no_such_rule"}]},
    ],
    ids=str,
)
def test_a_wrong_choice_is_refused_with_what_to_write(options: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        Settings.of(options)
    assert caught.value.fix
    with pytest.raises(InputError):
        Evaluator("toy:contains", **options)


def test_a_name_that_is_none_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(InputError, match="write zero_division"):
        score([], judge=None, zero_divison=0.0)
    with pytest.raises(InputError, match="the options are protocol, style"):
        score([], judge=None, temperature=1)


def test_the_signature_shows_every_choice_and_what_differs_first() -> None:
    settings = Settings(duplicates="occurrences", attach="next", refusal_rule=str.isupper)
    signature = settings.signature(None)
    shown = [part.partition(":")[0] for part in str(signature).split("|")]
    assert shown[:6] == ["citemeter", "protocol", "judge", "attach", "refusal_rule", "duplicates"]
    # keep_sources changes no number; extensions are shown where there are some.
    expected = {choice.name for choice in Settings.choices()} - {"keep_sources", "extensions"}
    assert set(shown) == expected | {"citemeter", "judge"}
    assert signature.refusal_rule == "callable:str.isupper"
    assert "seed" in str(settings.signature(None, seed=7))
    assert Settings().signature(None).changed == ()


def test_settings_cannot_be_changed_and_can_be_copied() -> None:
    settings = Settings(repair=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.repair = False  # type: ignore[misc]
    assert dataclasses.replace(settings, describe=True).changed == ("repair", "describe")


@pytest.mark.parametrize("function", [score, Evaluator])
def test_help_shows_the_settings_by_name(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    for choice in Settings.choices():
        assert parameters[choice.name].default == choice.default


def test_settings_and_single_options_do_not_mix() -> None:
    with pytest.raises(InputError, match="both settings and single options"):
        Evaluator("toy:contains", settings=Settings(), repair=True)
    assert citemeter.Settings is Settings
