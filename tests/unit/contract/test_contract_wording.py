"""Rules on an answer's text alone."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.contract import (
    has_section,
    max_words,
    min_bullets,
    must_avoid,
    must_include,
    no_emoji,
)
from citemeter.contract.emoji import emoji_pattern
from citemeter.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one two\nthree", 3),
        ("So it is [doc:hr-12].", 4),
        ("- one\n- two", 4),  # what stands between white space, bullets too
        ("café au lait", 3),
        ("员工每年享有年假", 4),  # 8 characters
        ("年假 25 天。", 3),  # 1 + 1 + 1
    ],
)
def test_max_words(text: str, words: int) -> None:
    assert max_words(words)(text).passed is True
    found = max_words(words - 1)(text)
    assert found.reason == f"{words} words, more than {words - 1}"


def test_must_include() -> None:
    rule = must_include("Manager", "approval")
    assert rule("Ask the MANAGER for approval.").passed is True
    found = rule("Ask.")
    assert [f.problem for f in found.findings] == [
        "does not say 'Manager'",
        "does not say 'approval'",
    ]


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("BLUEJAY", "The bluejay sings.", ["bluejay"]),
        ("BLUEJAY", "The bluejays sing.", []),
        ("Project Falcon", "project\nfalcon and Project  Falcon", None),
        ("C++", "C++ and C+++", ["C++", "C++"]),
        (".NET", "Use .NET; not internet.", [".NET"]),
        (".NET", "ASP.NET", []),
        ("机密", "这是机密文件。", ["机密"]),
        ("a.c", "abc", []),
    ],
)
def test_must_avoid(term: str, text: str, found: list[str] | None) -> None:
    outcome = must_avoid(term)(text)
    if found is None:
        found = ["project\nfalcon", "Project  Falcon"]
    assert [f.text for f in outcome.findings] == found
    assert all(f.span is not None and f.span.of(text) == f.text for f in outcome.findings)


def test_findings_are_in_the_order_of_the_answer() -> None:
    outcome = must_avoid("two", "one")("one two one")
    assert [f.text for f in outcome.findings] == ["one", "two", "one"]
    assert outcome.reason == "says 'one', says 'two'"


@pytest.mark.parametrize(
    ("text", "bullets"),
    [
        ("- a\n* b\n• c\n1. d\n2) e", 5),
        ("  - a\n\t- b", 2),
        ("-a\n1.5 litres\n---\n- - -\n*emphasis*", 0),
        ("- **a**: b", 1),
        ("text - a", 0),
        ("-\n- ", 0),
    ],
)
def test_min_bullets(text: str, bullets: int) -> None:
    assert min_bullets(bullets)(text).passed is True
    assert min_bullets(bullets + 1)(text).passed is False


def test_has_section() -> None:
    assert has_section("Further reading")("A.\r\n## further  READING:\r\nB.").passed is True
    assert has_section("Sources")("Sources of iron vary.").passed is False
    assert has_section("Sources")("The sources").passed is False
    assert has_section("Q&A (short)")("**Q&A (short)**").passed is True


@pytest.mark.parametrize(
    "text",
    [
        "😀",
        "👍🏽",
        "👩‍💻",
        "❤️",
        "☺️",
        "🇩🇪",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "1️⃣",
        "*️⃣",
        "#⃣",
        "©️",
        "⌚",
        "✅",
        "👁‍🗨",
    ],
)
def test_emoji(text: str) -> None:
    assert not no_emoji()(f"a{text}b")


@pytest.mark.parametrize(
    "text",
    [
        "✓",
        "✔",
        "©",
        "™",
        "#1",
        "*",
        "1",
        "→",
        "§",
        "❤",
        "⌚\ufe0e",
        "½",
        "①",
        "漢字",
        "“”",
        "a\ufe0f",
        "☎",
    ],
)
def test_no_emoji(text: str) -> None:
    assert no_emoji()(f"a {text} b")


def test_emoji_are_those_of_the_unicode_properties() -> None:
    regex = pytest.importorskip("regex")
    reference = regex.compile(
        r"\p{Emoji_Presentation}(?!\uFE0E)|\p{Extended_Pictographic}\uFE0F|[0-9#*]\uFE0F?\u20E3"
    )
    differ: list[str] = []
    points = [point for point in range(0x20000) if not 0xD800 <= point < 0xE000]
    for tail in ("", "\ufe0e", "\ufe0f", "\u20e3"):
        text = "\n".join([chr(point) + tail for point in points])
        spans = [{m.span() for m in p.finditer(text)} for p in (emoji_pattern(), reference)]
        differ += [ascii(text[start:end]) for start, end in spans[0] ^ spans[1]]
    # Either side may know characters that the other's version of Unicode does not have yet.
    assert len(differ) < 60, differ[:100]


def test_every_emoji_breaks_the_rule() -> None:
    text = "\n".join([chr(p) for p in range(0x20000) if not 0xD800 <= p < 0xE000])
    for found in emoji_pattern().finditer(text):
        assert no_emoji()(found[0]).passed is False, ascii(found[0])


@pytest.mark.parametrize("make", [must_include, must_avoid])
@pytest.mark.parametrize("terms", [(), ("",), (" ",), (3,), (None,)])
def test_nothing_to_look_for(make: Any, terms: tuple[Any, ...]) -> None:
    with pytest.raises(InputError, match=f"rule '{make.__name__}'"):
        make(*terms)


def test_a_blank_answer_breaks_all_of_them() -> None:
    for rule in (max_words(5), must_include("a"), must_avoid("a"), min_bullets(0), no_emoji()):
        assert rule(" \n").reason == "the answer is empty"


def test_reasoning_is_no_part_of_the_answer() -> None:
    text = "<think>Maybe Project Falcon 🎉?\n\nSources\n</think>\nIt opened in May [1]."
    assert max_words(5)(text).passed is True
    assert no_emoji()(text).passed is True
    assert must_include("maybe")(text).passed is False
    assert has_section("Sources")(text).passed is False
    [finding] = must_avoid("May")(text).findings
    assert finding.span is not None
    assert finding.span.of(text) == "May"
    assert max_words(5)("<think>Nothing more came").reason == "the answer is empty"


def test_split_statements_are_joined() -> None:
    record = {"statements": [("Project", []), ("Falcon flies.", [])]}
    assert max_words(2)(record).passed is False
    [finding] = must_avoid("Project Falcon")(record).findings
    assert finding.span is None
