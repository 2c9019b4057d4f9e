import time

import pytest

from citemeter.text.phrases.citation_worthiness import WORTHINESS_RULES, exemption


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("## Opening hours", "heading"),
        ("**Opening hours**", "heading"),
        ("2. Results", "heading"),
        ("Is it open on Sundays? 😊", "question"),
        ("There are three reasons:", "lead_in"),
        ("The tower, built in 1932, has three floors:", None),
        ("I hope this helps! 😊", "conclusion"),
        ("**I hope this helps!**", "conclusion"),
        ("I’d start with the smaller kit.", "opinion"),
        ("Okay, so, first of all, let's look at the price.", "transition"),
        ("The documents do not mention the price.", "refusal"),
        ("Cost vs. equity: Should St. Mary's Hospital pay for it?", "question"),
        (
            "According to the context, it is not specified when St. Mary's opened.",
            "refusal",
        ),
        ("The crate weighs 12 kg. Did you know?", None),
        ("", "fragment"),
        ("—", "fragment"),
    ],
)
def test_structure(text: str, label: str | None) -> None:
    assert exemption(text) == label


@pytest.mark.parametrize(
    ("exempt", "claim"),
    [
        ("Thanks for waiting!", "Thanks for waiting, the office opens at nine on weekdays."),
        ("Here is a short overview.", "Here is where the treaty was signed in 1648."),
        ("I'd choose the small one.", "I'd say the tower is 40 m tall."),
        ("It depends on what you need.", "It depends on imports such as gas and oil."),
        ("To sum up, both have their merits.", "To sum up, both were built in 1932."),
        ("In my opinion, it is the better one.", "In my opinion, the Romans built it."),
        ("Hello! How are you?", "Hello! The permit costs 12 euros. Anything else?"),
    ],
)
def test_a_claim_behind_a_phrase_needs_a_citation(exempt: str, claim: str) -> None:
    assert exemption(exempt) is not None
    assert exemption(claim) is None


def test_length_makes_a_claim() -> None:
    assert exemption("Let me explain " + "how the old mill works, " * 20 + "in short.") is None


def test_rules() -> None:
    assert WORTHINESS_RULES["default"] is exemption
    assert WORTHINESS_RULES["all"]("Is it open?") is None
    assert WORTHINESS_RULES["no_questions"]("Is it open? ") == "question"
    assert WORTHINESS_RULES["no_questions"]("Hello!") is None
    assert WORTHINESS_RULES["no_questions"]("") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "(",
        '"',
        "“",
        "«",
        "#",
        "*",
        "?",
        ":",
        ". ",
        "! ",
        "a ",
        "the ",
        "I ",
        "yet been ",
        "not ",
        "if you have ",
        "所有",
        "資料に",
        "문서에 ",
        "я ",
        "в документах ",
        "मुझे ",
        "jag har ",
        "bu ",
        "tôi ",
        "welcome back after ",
        "لا ",
        "\n",
        "\x00",
        "so, ",
        "and and ",
        "1. ",
    ],
)
def test_time_is_linear(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    for tail in ("", ".", "?", ":", "!"):
        exemption("Hello." + tail)  # the lists are loaded
        start = time.process_time()
        exemption(text + tail)
        exemption(unit * (390 // len(unit)) + tail)
        assert time.process_time() - start < 1.0
