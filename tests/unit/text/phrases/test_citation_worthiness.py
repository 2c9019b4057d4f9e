import time

import pytest

from citemeter.text.phrases.citation_worthiness import WORTHINESS_RULES, exemption
from citemeter.text.phrases.lists import LATIN, load, next_words, read_phrase, script_of
from citemeter.text.phrases.opening_phrases import first_words, label_of, may_begin_phrase
from support import CASES, read_jsonl

LANGUAGES = (*LATIN, "zh", "ja", "ko", "ar", "ru", "uk", "hi")


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


@pytest.mark.parametrize("language", LATIN)
def test_every_phrase_can_be_read(language: str) -> None:
    import re

    lists = load("worthiness", language)
    for room in ("openers", "exempt"):
        for phrases in lists[room].values():
            for text in phrases:
                for phrase in read_phrase(text, lists["words"]):
                    re.compile(phrase.pattern)
                    assert phrase.tail in ("", "...") or phrase.tail[1:].isalnum(), text


def test_a_phrase_must_begin_with_a_letter() -> None:
    with pytest.raises(ValueError, match="must begin with a letter"):
        list(read_phrase("(hello|hi) there", {}))


def test_the_look_up_never_hides_a_phrase() -> None:
    """Where the two-word look-up says no, no pattern may match."""
    for text in (row["text"] for row in read_jsonl(CASES / "worthiness_more.jsonl")):
        if script_of(text) != "latin" or not text[0].isalpha():
            continue
        word, _, rest = text.partition(" ")
        if word.isalpha() and not may_begin_phrase(word.lower(), rest.partition(" ")[0].lower()):
            assert label_of(text) is None, text


def test_next_words() -> None:
    assert next_words(r",? (?:a|bc)? (?:d|e)") == {"a", "bc"} or next_words(r"(?:x)") == {"x"}
    assert next_words(r",? (?:summari[sz]e|it)(?!\w)") == {"summarise", "summarize", "it"}
    assert next_words(r"[^.]{0,9} end") is None
    assert next_words(r"(?!\w)") is None


def test_first_words_hold_both_cases() -> None:
    assert {"hello", "Hello", "bonjour", "Bonjour"} <= first_words().keys()
    assert "Aqueducts" not in first_words()


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("naïve café “quoted”", "latin"),
        ("该水库可蓄水四千万升。", "zh"),
        ("PDF文件很大。", "zh"),
        ("図書館です。", "ja"),
        ("도서관입니다.", "ko"),
        ("مكتبة", "ar"),
        ("Библиотека", "ru"),
        ("Бібліотека", "uk"),
        ("पुस्तकालय", "hi"),
        ("Βιβλιοθήκη", "latin"),
    ],
)
def test_script(text: str, script: str) -> None:
    assert script_of(text) == script


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
