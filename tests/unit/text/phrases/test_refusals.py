import time

import pytest

from citemeter.text.phrases.refusal_patterns import declines, is_aside
from citemeter.text.phrases.refusals import abstains, is_refusal


@pytest.mark.parametrize(
    "text",
    [
        "The sources [1] and [2] do not say who built it.",
        "No information is given in the documents.",
        "I'm sorry, but the provided context does not say.",
        "While the files mention a fee, they do not say how much it is.",
        "Based on the given contexts, it is not possible to give an exact number.",
        "The first patent was not mentioned in the given context.",
    ],
)
def test_is_refusal(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "The policy does not cover flood damage.",
        "The documents do not state the price, but the warranty lasts two years.",
        "Windows XP is no longer supported.",
        "There is no evidence that the drug helps.",
        'The server answers "I cannot help with that".',
        "Why can't I find it in the documents?",
        "The study did not find any effect.",
        "",
    ],
)
def test_is_not_refusal(text: str) -> None:
    assert not is_refusal(text)


def test_a_citation_weakens_a_refusal() -> None:
    assert declines("It is unknown.")
    assert not declines("It is unknown.", cited=True)
    assert declines("The documents do not say who won.", cited=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("[1]", False),
        ("Hello! How can I help?", False),  # nothing refused
        ("I don't know. [1]", True),  # the marker is a sentence of its own
        ("I don't know. Sources: [1]", True),
        ("The documents do not say. They only mention the opening hours.", True),
        ("The documents do not say. They mention that it opened in 1920 [1].", False),
        ("I could not find it. The fee is 12 euros.", False),
        ("The depot opened in 1932 [1]. I could not find its height.", False),
        (
            "I'm sorry, Dr. Lee's dates are not given in the documents. Please ask the archive.",
            True,
        ),
        ("I don't know.\n\nWould you like me to search again?", True),
    ],
)
def test_abstains(text: str, expected: bool) -> None:
    assert abstains(text) is expected


def test_a_long_answer_answers() -> None:
    assert not abstains("I don't know. " * 1000)


def test_aside() -> None:
    assert is_aside("They only describe the opening hours.")
    assert not is_aside("The fee is 12 euros.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[1",
        '"',
        "“",
        "not ",
        "the documents do not ",
        "I do not ",
        "yet been ",
        ". ",
        "no. ",
        "\n",
        "sorry, ",
        "based on the context, ",
        "没有",
        "の資料",
        "문서 ",
        "в документах ",
        "не найдено ",
        "दस्तावेज़ में ",
        "belgelerde ",
        "i dokumenten ",
        "tài liệu ",
        "nie ",
        "tidak ",
        "i searched ",
        "is not stated ",
        "لا يوجد ",
        "A. ",
        "while it is ",
        "as there is ",
        "search search ",
        "<cite ",
        "¹",
    ],
)
def test_time_is_linear(unit: str) -> None:
    abstains("I don't know.")  # the lists are loaded
    start = time.process_time()
    for text in (
        unit * (1_000_000 // len(unit)),
        unit * (3_900 // len(unit)),
        unit * (350 // len(unit)),
    ):
        abstains(text)
        abstains(text + " say nothing.")
        is_refusal(text)
    assert time.process_time() - start < 2.0
