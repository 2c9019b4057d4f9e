from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.guardrail import Guardrail, GuardrailStream, Policy
from citemeter.guardrail.chunking import LIMIT
from support import read_jsonl

QUIET = Policy(uncited_claim="allow", uncited_answer="allow")
SENTENCE = "The gate of the yard opens at nine every morning [1]. "


def streamed(guard: Guardrail, answer: str, step: int) -> tuple[list[Any], Any]:
    stream = GuardrailStream(guard)
    out = [x for n in range(0, len(answer), step) for x in stream.feed(answer[n : n + step])]
    return out + stream.finish(), stream.verdict


def shown(out: list[Any]) -> str:
    return "".join(checked.text for checked in out)


def test_a_sentence_comes_out_once_it_is_complete() -> None:
    stream = GuardrailStream({"1", "2"}, QUIET)
    out = stream.feed(SENTENCE)
    assert out == []  # another marker may follow
    out = stream.feed(SENTENCE + SENTENCE)
    assert shown(out) == SENTENCE * len(out) != ""
    assert [checked.span.of(SENTENCE * 3) for checked in out] == [SENTENCE] * len(out)


def test_no_part_of_a_marker_comes_out() -> None:
    guard = Guardrail({"doc-1": "", "doc-2": ""}, QUIET)
    answer = (
        "The gate of the yard opens at nine every morning. [doc-1, doc-9] It is shut at five in "
        "winter.[doc-2](https://a.example/very/long/address) Nobody knows why it is so [doc-9]."
    )
    stream = GuardrailStream(guard)
    so_far = ""
    for char in answer:
        so_far += shown(stream.feed(char))
        assert so_far.count("[") == so_far.count("]")
        assert so_far.count("(") == so_far.count(")")
    so_far += shown(stream.finish())
    assert so_far == guard.check(answer).clean


def test_a_block_stops_the_stream_at_once() -> None:
    answer = SENTENCE + "The price of the key is ninety euros a year [9]. " + SENTENCE * 3
    stream = GuardrailStream({"1": ""}, Policy(invalid_id="block"))
    out = [x for n in range(0, len(answer), 5) for x in stream.feed(answer[n : n + 5])]
    assert shown(out) == SENTENCE
    assert out[-1].action == "block"
    assert out[-1].text == ""
    assert out[-1].span.of(answer) == "The price of the key is ninety euros a year [9]. "
    assert stream.blocked
    assert stream.feed(SENTENCE) == stream.finish() == []
    verdict = stream.verdict
    assert (verdict.action, verdict.checked, verdict.emitted) == (
        "block",
        len(SENTENCE),
        len(SENTENCE),
    )
    assert not verdict.passed


def test_what_is_said_of_the_whole_comes_last() -> None:
    stream = GuardrailStream({"1": ""}, Policy(uncited_claim="allow", uncited_answer="block"))
    stream.feed("The gate opens at nine.")
    out = stream.finish()
    assert [checked.action for checked in out] == ["pass", "block"]
    assert out[-1].findings[0].kind == "uncited_answer"
    assert stream.verdict.finished
    assert stream.finish() == []
    with pytest.raises(InputError, match="finished"):
        stream.feed("more")


def test_a_refusal() -> None:
    answer = "The provided documents do not say when the depot opened."
    out, verdict = streamed(Guardrail({"1": ""}, Policy(refusal="flag")), answer, 3)
    assert shown(out) == answer
    assert [finding.kind for finding in verdict.findings] == ["refusal"]
    assert verdict.abstained is True


def test_offsets_map_across_stretches() -> None:
    answer = SENTENCE.replace("[1]", "[9]") * 3 + "The yard stays shut [1]."
    _, verdict = streamed(Guardrail({"1": ""}, QUIET), answer, 4)
    clean = Guardrail({"1": ""}, QUIET).check(answer).clean
    assert clean is not None
    assert verdict.emitted == len(clean)
    assert verdict.to_clean(answer.index("yard stays")) == clean.index("yard stays")
    assert verdict.to_original(clean.index("yard stays")) == answer.index("yard stays")


ANSWERS = [
    "```python\nx = a[9]  # [9]\n\nprint('a. b. c')\n```\nThe yard is shut in winter [9]. So is "
    "the gate of the lower yard [1].",
    "Here is how the gate of the yard is opened:\n```\nopen --gate [9]\n```\nIt opens slowly [1].",
    "~~~\n[9]\n\nnever closed [9]. And so on, for as long as it takes. Another sentence here.",
    "<think>Is it [9]? I think so. Let me see what the text says about it.</think>It opens [9].",
    "# The yard\n\n- The gate opens at nine every morning [1].\n  It is shut at five [9].\n\n    "
    "No code, but more of the item [9].\n- The key costs ten euros [9].\n\nAnd that is all [1].",
    "| gate | hours |\n|---|---|\n| upper | nine to five [9] |\n| lower | shut. For ever [1]. |\n\n"
    "The table says it all, does it not [9].",
    "The rules of the yard say [1]:\n\n> Whoever opens the gate. Shuts it [9].\n> And so on.\n\n"
    "That is clear [1].",
    "The gate opens at nine every morning [1][9].\n\nSources:\n\n[1] The rules of the yard\n[9] A "
    "book that nobody wrote\n",
    "Dr. Smith met Mr. Jones at 5 p.m. in the U.S. Embassy [9]. They spoke of J. R. Tolkien [1].",
    "[1] The gate opens at nine. [9] The yard is shut in the winter months. [1] The key is lost.",
    'He said "the gate is open. The yard is shut. Nobody knows why" [1]. She did not answer [9].',
    "院子的大门每天早上九点打开[1]。冬天五点关闭[9]。没有人知道为什么会这样[1]。钥匙每年九十欧元[9]。"
    * 3,
    "A" * 9_000 + " [9].",
    "word " * 3_000 + "[1, 9] " + "word " * 3_000,
    "",
    "\n\n\n",
    "Title\n=====\nThe gate opens at nine every morning [9].\nThe yard is shut [1].\n---\nEnd [9].",
]


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_however_it_is_cut_and_as_if_it_were_whole(answer: str) -> None:
    guard = Guardrail({"1": "", "2": ""})
    whole = guard.check(answer)
    expected = streamed(guard, answer, max(1, len(answer)))
    assert shown(expected[0]) == whole.clean
    assert [f.kind for f in expected[1].findings if f.kind == "invalid_id"] == [
        f.kind for f in whole.findings if f.kind == "invalid_id"
    ]
    for step in (1, 2, 7, 100):
        out, verdict = streamed(guard, answer, step)
        assert shown(out) == shown(expected[0])
        assert verdict == expected[1]


def test_memory_is_bounded() -> None:
    stream = GuardrailStream({"1": ""}, QUIET)
    for text in ("word " * 50, "x" * 250, "[[[[" * 60, "- \n" * 80, "```\n", "x" * 250):
        for _ in range(100):
            stream.feed(text)
            assert len(stream._buffer) < LIMIT + 5_000


def test_a_guardrail_has_its_options_already() -> None:
    with pytest.raises(InputError, match="already"):
        GuardrailStream(Guardrail({"1": ""}), QUIET)


def _equal(guard: Guardrail, answer: str) -> bool:
    whole = guard.check(answer)
    out, verdict = streamed(guard, answer, 11)
    assert (shown(out), verdict) == (
        shown(streamed(guard, answer, len(answer))[0]),
        streamed(guard, answer, 3)[1],
    )
    return (shown(out), verdict.findings, verdict.action, verdict.edits) == (
        whole.clean,
        whole.findings,
        whole.action,
        whole.edits,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "at_least"),
    [("hagrid", 1.0), ("expertqa", 0.98), ("scholarqa", 0.98), ("crowdrag25_llm", 0.98)],
)
def test_real_answers(name: str, at_least: float, shared: Path) -> None:
    records = read_jsonl(shared / "data" / "answers" / f"{name}.jsonl")[:150]
    equal = 0
    for record in records:
        sources = {p["id"]: str(p["text"]) for p in record["passages"][:3]}
        equal += _equal(Guardrail(sources), record["answer"])
    assert equal >= at_least * len(records)


HOSTILE = {
    "open": "[",
    "close": "]",
    "empty": "[]",
    "nested": "[[9]",
    "groups": "[1, 9] ",
    "invalid": "Foo bar [9]. ",
    "quotes": '"',
    "quoted": '"one two three four" ',
    "curly": "“",
    "backticks": "`",
    "fences": "```\n",
    "nul": "\0",
    "right to left": "\u202e[9]\u202c ",
    "combining": "e\u0301\u0302",
    "dots": ". ",
    "lines": "\n",
    "rounds": "(see [9]) ",
    "tags": '<cite id="9">',
    "pipes": "| a | [9] |\n",
    "bullets": "- [9]\n",
    "listed": "Sources:\n[9] a\n",
    "cjk": "猫[9]。",
    "abbreviations": "U.S. ",
    "thinking": "<think>",
    "latex": "\\cite{1,9} ",
    "letters": "a",
}


def _seconds(answer: str, stream: bool, runs: int = 1) -> float:
    """Return the processor time of the quickest run."""
    best = float("inf")
    gc.collect()
    gc.disable()  # its walks grow with all there is in memory
    try:
        for _ in range(runs):
            guard = Guardrail({"1": "one two three four five. " * 20, "2": "foo"})
            start = time.process_time()
            if stream:
                streamed(guard, answer, 50)
            else:
                guard.check(answer)
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_length(name: str, stream: bool) -> None:
    part = HOSTILE[name]
    size = 4_000
    _seconds(part * 100, stream)  # what is loaded when first used
    while True:
        first = _seconds((part * size)[:size], stream)
        if first > 0.1 or size >= 1_000_000:
            break
        size *= 2
    # Once more: what is slow by chance must not make twice as much look quick.
    first = min(first, _seconds((part * size)[:size], stream))
    second = _seconds((part * size * 2)[: size * 2], stream)
    for _ in range(3):
        if second / first <= 2.6:
            break
        # The quickest of three: the machine may have been busy.
        first = _seconds((part * size)[:size], stream, runs=3)
        second = _seconds((part * size * 2)[: size * 2], stream, runs=3)
    assert second / first <= 2.6 or second < 0.1
