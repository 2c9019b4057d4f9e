"""What holds of the guardrail whatever the answer is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.guardrail import Guardrail, GuardrailStream, Policy, check_citations
from citemeter.guardrail.offsets import applied
from support import EXAMPLE, read_jsonl

REAL = read_jsonl(EXAMPLE)

SOURCES = {"1": "Cats purr when they are fed at night.", "2": "Dogs bark.", "hr-12": "Leave."}
PIECES = st.sampled_from(
    [
        *("Cats purr", "Dogs bark loudly", "the gate", "U.S.", "e.g.", "Dr. No", "It is 3.5 m"),
        *(
            "[1]",
            "[9]",
            "[1, 9]",
            "[1-4]",
            "[9][2]",
            "[hr-12]",
            "[hr-99]",
            "[doc:hr_12; 2]",
            "[[9]9]",
        ),
        *("¹", "⁹", "【9†source】", "[^9]", "(source: hr-99)", r"\cite{1,9}", '<cite id="9">'),
        *(
            "[[9]9]",
            "</cite>",
            "<sup>9</sup>",
            "[a](http://b.c)",
            "[9](http://b.c)",
            "{",
            "}",
            "<",
            ">",
        ),
        *(". ", ".", "? ", "! ", ", ", "; ", ": ", " ", "  ", "\n", "\n\n", "\n- ", "\n> ", "\n# "),
        *("\n| a | [9] |\n", "\n```\n", "`", '"', "“", "”", "*", "**", "_", "(", ")", "[", "]"),
        *("\nSources:\n", "\n[9] b.pdf\n", "\n[1]: http://b.c\n", " and ", "\r\n", "\t", "\u00a0"),
        *(
            "\0",
            "\u202e",
            "\u200b",
            "e\u0301",
            "猫叫。",
            "😀",
            "<think>",
            "</think>",
            "one two three four",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60)
QUIET = Policy(uncited_claim="allow", uncited_answer="allow", unverified_quote="allow")


@settings(deadline=None)
@given(TEXTS)
def test_stripping_leaves_nothing_to_strip(answer: str) -> None:
    verdict = check_citations(answer, SOURCES)
    if verdict.action == "block":
        assert verdict.findings[-1].kind in ("unclean", "uncited_answer")
        return
    assert verdict.clean is not None
    again = check_citations(verdict.clean, SOURCES)
    assert not [f for f in again.findings if f.action == "strip"]
    assert again.clean == verdict.clean
    assert check_citations(verdict.clean, SOURCES, QUIET).action == "pass"


@settings(deadline=None)
@given(TEXTS)
def test_only_markers_and_what_surrounds_them_go(answer: str) -> None:
    verdict = check_citations(answer, SOURCES)
    if verdict.clean is None:
        return
    assert applied(answer, verdict.edits) == verdict.clean
    if verdict.action in ("pass", "flag"):
        assert verdict.clean == answer
    for place in range(len(answer) + 1):
        assert 0 <= verdict.to_clean(place) <= len(verdict.clean)
    for place in range(len(verdict.clean) + 1):
        assert 0 <= verdict.to_original(place) <= len(answer)


@settings(deadline=None)
@given(TEXTS)
def test_no_word_is_lost_from_prose(answer: str) -> None:
    words = ("Cats", "purr", "Dogs", "bark", "loudly", "gate", "three", "four", "猫叫")
    verdict = check_citations(answer, SOURCES)
    if any(finding.kind == "listed_id" for finding in verdict.findings):
        return  # entries of lists go with their words
    clean = verdict.clean
    if clean is not None:
        for word in words:
            assert clean.count(word) == answer.count(word)


@settings(deadline=None)
@given(TEXTS, st.sampled_from(["hr-99", "9", "hr-13"]), st.integers(0, 3))
def test_what_is_hidden_changes_nothing(answer: str, hidden: str, place: int) -> None:
    absent = check_citations(answer, SOURCES, allowed=set(SOURCES))
    given_: list[tuple[str, str]] = list(SOURCES.items())
    given_.insert(place, (hidden, "Cats purr when they are fed. one two three four"))
    present = check_citations(answer, dict(given_), allowed=set(SOURCES))
    assert repr(present) == repr(absent)
    assert present == absent


def _stream(guard: Guardrail, answer: str, cuts: list[int]) -> tuple[str, object]:
    stream = GuardrailStream(guard)
    text = ""
    start = 0
    for cut in [*sorted(c for c in cuts if c < len(answer)), len(answer)]:
        text += "".join(checked.text for checked in stream.feed(answer[start:cut]))
        start = cut
    text += "".join(checked.text for checked in stream.finish())
    assert stream.verdict.emitted == len(text)
    return text, stream.verdict


@settings(deadline=None)
@given(TEXTS, st.lists(st.integers(0, 300), max_size=20))
def test_a_stream_does_not_depend_on_its_tokens(answer: str, cuts: list[int]) -> None:
    guard = Guardrail(SOURCES)
    assert _stream(guard, answer, cuts) == _stream(guard, answer, list(range(len(answer))))


@settings(deadline=None)
@given(TEXTS, st.sampled_from(["invalid_id", "uncited_claim", "unverified_quote"]))
def test_nothing_comes_out_behind_a_block(answer: str, kind: str) -> None:
    guard = Guardrail(SOURCES, Policy(**{kind: "block"}))  # type: ignore[arg-type]
    stream = GuardrailStream(guard)
    seen = False
    for char in answer:
        for checked in stream.feed(char):
            assert not seen
            seen = checked.action == "block"
            assert (checked.text == "") or not seen
    if seen:
        assert stream.finish() == []
        assert stream.verdict.action == "block"


@settings(deadline=None)
@given(st.sampled_from(REAL), st.lists(st.integers(0, 2_000), max_size=30), st.integers(1, 3))
def test_a_real_answer_streams_as_it_is_checked(
    record: dict[str, object], cuts: list[int], kept: int
) -> None:
    """The answers are prose: for them the stream and the whole agree in every finding."""
    sources: list[object] = list(record["sources"])[:kept]  # type: ignore[call-overload]
    guard = Guardrail(sources)
    answer = str(record["answer"])
    whole = guard.check(answer)
    text, verdict = _stream(guard, answer, cuts)
    assert text == whole.clean
    assert verdict.findings == whole.findings  # type: ignore[attr-defined]
    assert verdict.edits == whole.edits  # type: ignore[attr-defined]
    assert verdict.action == whole.action  # type: ignore[attr-defined]
