"""A verdict is read from the key of a JSON object, or not at all."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import Any

import pytest

from citemeter.judges.llm.reply import (
    VERDICTS,
    UnreadableError,
    read_choice,
    read_reply,
    shorten,
)

YES = '{"reason": "It says so.", "verdict": "supported"}'
NO = '{"reason": "It does not.", "verdict": "not_supported"}'


@pytest.mark.parametrize("word", VERDICTS)
def test_the_three_words(word: str) -> None:
    reply = read_reply(json.dumps({"reason": " Because. ", "verdict": word}))
    assert reply == (word, "Because.")


@pytest.mark.parametrize(
    ("spelling", "word"),
    [
        ("Supported", "supported"),
        (" NOT_SUPPORTED ", "not_supported"),
        ("not supported", "not_supported"),
        ("Partially-Supported", "partially_supported"),
    ],
)
def test_case_spaces_and_hyphens_do_not_matter(spelling: str, word: str) -> None:
    assert read_reply(json.dumps({"reason": "", "verdict": spelling})).verdict == word


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{NO}\n```",
        f"```\n{NO}\n```",
        f"~~~json\n{NO}\n~~~",
        f"Here is my verdict:\n\n{NO}",
        f"The claim is supported by nothing.\n```json\n{NO}\n```\n",
        f"{NO}\nI hope this helps!",
        f"```json\n{NO}\n```\nLet me know if you need more.",
        f"<think>\nIs it supported? {YES} No.\n</think>\n{NO}",
        f"<think>Hm.</think>\n\nMy verdict:\n```json\n{NO}\n```",
        f"<THINKING>Hm.</THINKING>{NO}",
        f"<reasoning>Hm.</reasoning>{NO}",
        f"[THINK]It may be supported.[/THINK]{NO}",
        f"It seems supported. Or not.\n</think>\n\n{NO}",  # the server dropped the opening tag
        f"<think>The passage says </think>{YES}, which is a trick.</think>{NO}",
        f"{NO}\n{NO}",
        f"\ufeff{NO}".lstrip("\ufeff"),
        '{"verdict": "not_supported", "reason": "It does not."}',
        '{"reason": "It\ndoes not.", "verdict": "not_supported"}',
        '{"reason": "It does not.", "verdict": "not_supported", "confidence": 0.9}',
        '{"reason": "It says {\\"verdict\\": \\"supported\\"}.", "verdict": "not_supported"}',
        '{"reason": "The passage has </think> in it.", "verdict": "not_supported"}',
        '{"reason": "x", "notes": {"verdict": "supported"}, "verdict": "not_supported"}',
    ],
)
def test_wrapping_is_forgiven(text: str) -> None:
    assert read_reply(text).verdict == "not_supported"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("supported", "no JSON object"),
        ("The claim is not fully supported.", "no JSON object"),
        ("Is it supported? No.", "no JSON object"),
        ("Verdict: supported", "no JSON object"),
        ('"supported"', "no JSON object"),
        ("verdict = supported", "no JSON object"),
        ("true", "no JSON object"),
        ('{"reason": "x", "verdict": "not fully supported"}', "none of the three words"),
        ('{"reason": "x", "verdict": "supported? no"}', "none of the three words"),
        ('{"reason": "x", "verdict": "supported."}', "none of the three words"),
        ('{"reason": "x", "verdict": "unsupported"}', "none of the three words"),
        ('{"reason": "x", "verdict": "yes"}', "none of the three words"),
        ('{"reason": "x", "verdict": "supported or not_supported"}', "none of the three words"),
        ('{"reason": "x", "verdict": ""}', "none of the three words"),
        ('{"reason": "x", "verdict": true}', "'verdict' is bool"),
        ('{"reason": "x", "verdict": null}', "'verdict' is NoneType"),
        ('{"reason": "x", "verdict": ["supported"]}', "'verdict' is list"),
        ('{"reason": 7, "verdict": "supported"}', "'reason' is int"),
        ('{"verdict": "supported"}', "no 'reason'"),
        ('{"reason": "x", "supported": true}', "no 'verdict'"),
        ('{"result": {"reason": "x", "verdict": "supported"}}', "no 'reason'"),
        ("{}", "no 'reason'"),
        (f"{YES}\n{NO}", "contradict"),
        (f"{NO}\n{YES}", "contradict"),
        ('{"reason": "x", "verdict": "supported", "verdict": "not_supported"}', "key twice"),
        ('{"reason": "x", "verdict": "supported"', "broken"),
        ('{"reason": "x", "verdict": "supported",}', "broken"),
        ("{'reason': 'x', 'verdict': 'supported'}", "broken"),
        ('{"reason": "he said "no"", "verdict": "supported"}', "broken"),
        (f"{YES}}}", "broken"),
        (f"[{YES}]", "broken"),
        (f"[{YES}, {NO}]", "broken"),
        (f"The passage says {YES}, but that is no evidence.", "midst of other text"),
        (f"The passage holds\n```json\n{YES}\n```\nwhich I ignore.", "midst of other text"),
        (f"Well: {NO} That is all.", "midst of other text"),
        (f'{{"broken: {YES}', "broken"),
        (f"The set {{1, 2}} is meant.\n{YES}", "broken"),
        (f"<think>It is {YES}", "without an end"),
        (f"<think>Hm.</think>{YES} which is a trick, so", "midst of other text"),
        (f"The passage says </think>{YES} but that is a trick.", "midst of other text"),
        (f"Hm.</think>So: {YES}", "midst of other text"),
        (f"I am to <think> about it.\n{YES}", "not closed off"),
        ("<think>not supported</think>", "no JSON object"),
        ("<think>Hm.</think>supported", "no JSON object"),
    ],
)
def test_doubt_is_a_failure(text: str, why: str) -> None:
    with pytest.raises(UnreadableError, match=why) as caught:
        read_reply(text)
    assert caught.value.again
    assert "'" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_the_error_quotes_a_long_reply_shortly_and_on_one_line() -> None:
    text = "It is not fully supported.\n" * 1000
    with pytest.raises(UnreadableError) as caught:
        read_reply(text)
    message = str(caught.value)
    assert len(message) < 250
    assert "\n" not in message
    assert "…" in message


MONSTROUS = [
    '{"a":' * 20_000,
    "{" * 100_000,
    "[" * 100_000 + YES,
    '{"reason": "x", "verdict": ' + "9" * 50_000 + "}",
    "x" * 10_000_000,
    "</think>" * 20_000 + YES + "x",
    "<think>" * 20_000 + YES,
    YES[:-1] + ', "more": ' + "[" * 50_000,
]


@pytest.mark.parametrize("text", MONSTROUS, ids=range(len(MONSTROUS)))
def test_monstrous_replies_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_reply(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", MONSTROUS, ids=range(len(MONSTROUS)))
def test_monstrous_replies_are_refused_quickly(text: str) -> None:
    start = time.process_time()
    with pytest.raises(UnreadableError):
        read_reply(text)
    assert time.process_time() - start < 1


def test_shorten_keeps_both_ends() -> None:
    assert shorten("a  b\n c") == "'a b c'"
    assert shorten("x" * 500 + "end", 20) == "'" + "x" * 10 + " … " + "x" * 7 + "end'"


def completion(content: Any = YES, finish: str | None = "stop", **message: Any) -> SimpleNamespace:
    spoken = SimpleNamespace(content=content, **{"refusal": None, **message})
    return SimpleNamespace(choices=[SimpleNamespace(message=spoken, finish_reason=finish)])


def test_the_content_of_a_choice() -> None:
    assert read_choice(completion()) == YES
    assert read_choice(completion(finish=None)) == YES
    parts = [{"type": "text", "text": YES[:9]}, {"type": "text", "text": YES[9:]}, {"type": "x"}]
    assert read_choice(completion(parts)) == YES


@pytest.mark.parametrize(
    ("given", "why", "again"),
    [
        (completion(""), "the reply is empty", True),
        (completion(" \n"), "the reply is empty", True),
        (completion(None), "the reply is empty", True),
        (completion(7), "the reply is empty", True),
        (completion(None, refusal="I cannot."), "refused to judge: 'I cannot.'", False),
        (completion(YES, refusal="I cannot."), "refused to judge", False),
        (completion(YES, "length"), "cut off", False),
        (completion("", "length"), "cut off", False),
        (completion(YES, "content_filter"), "content filter", False),
        (SimpleNamespace(choices=[]), "no chat completion", False),
        (SimpleNamespace(choices=None), "no chat completion", False),
        (SimpleNamespace(choices="abc"), "no chat completion", False),
        (SimpleNamespace(choices=[None]), "no chat completion", False),
        (SimpleNamespace(), "no chat completion", False),
        ("<html>It works!</html>", "no chat completion: '<html>It works!</html>'", False),
        (None, "no chat completion", False),
    ],
)
def test_what_is_no_reply(given: Any, why: str, again: bool) -> None:
    with pytest.raises(UnreadableError, match=why) as caught:
        read_choice(given)
    assert caught.value.again is again
