"""The phrases with which statements begin."""

from __future__ import annotations

import pytest

from citemeter.text.phrases.opening_phrases import label_of


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Hello!", "greeting"),
        ("Bonjour !", "greeting"),
        ("Okay, so, let's look at the options.", "transition"),
        ("Aqueducts carry water.", None),
        ("Hello Kitty was designed in 1974 by Yuko Shimizu.", None),
    ],
)
def test_label(text: str, label: str | None) -> None:
    assert label_of(text) == label
