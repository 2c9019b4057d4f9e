"""Reading a language model's reply: forgiving of its wrapping, strict about the verdict.

A verdict is the value of one key of a JSON object; no word of the surrounding text is ever read as
one. Whatever leaves a doubt is unreadable, since a failed verdict costs less than a false one.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

VERDICTS = {"supported": 1.0, "partially_supported": 0.5, "not_supported": 0.0}
"""The words of a verdict, and the support score that each stands for."""

RULES = "1"
"""The version of the rules below: two judges that read replies differently are two judges."""

_LONGEST = 200_000  # characters of a reply; no judge's reply is a book
_QUOTED = 160  # characters of a reply that an error quotes
_NAMES = "think|thinking|thought|reasoning"
_OPENING = re.compile(rf"\s*(?:<(?:{_NAMES})>|\[THINK\])", re.I)
_CLOSING = re.compile(rf"</(?:{_NAMES})>|\[/THINK\]", re.I)
_TAG = re.compile(rf"</?(?:{_NAMES})>|\[/?THINK\]", re.I)
_FENCE = re.compile(r"```[\w-]*|~~~[\w-]*")


class Reply(NamedTuple):
    """What a reply says.

    Args:
        verdict: ``supported``, ``partially_supported`` or ``not_supported``.
        reason: The model's reason; empty when it gave none.
    """

    verdict: str
    reason: str


class UnreadableError(Exception):
    """A reply that gives no verdict, or none beyond doubt.

    Args:
        why: What is wrong with it, in words that quote nothing of it.
        text: The reply; the message quotes its beginning.
        again: Whether the model may do better when it is asked again.
    """

    def __init__(self, why: str, text: str = "", *, again: bool = True) -> None:
        self.why = why
        self.text = text
        self.again = again
        super().__init__(f"{why}: {shorten(text)}" if text.strip() else why)


def shorten(text: str, limit: int = _QUOTED) -> str:
    """Return a quotation of a text on one line, cut in the middle where it is long.

    >>> shorten("It is not fully supported.")
    "'It is not fully supported.'"
    >>> shorten("ab" * 50, 11)
    "'ababab … babab'"
    """
    if len(text) > 20 * limit:  # squeezing the spaces out of a book takes its time
        text = f"{text[: 4 * limit]} … {text[-4 * limit :]}"
    quoted = repr(" ".join(text.split()))  # odd characters are longer when they are written out
    if len(quoted) > limit + 2:
        quoted = f"{quoted[: limit - limit // 2 + 1]} … {quoted[-(limit // 2) - 1 :]}"
    return quoted


def read_choice(completion: Any) -> str:
    """Return the text of a chat completion's only choice.

    Args:
        completion: What the endpoint gave, as the ``openai`` package presents it.

    Raises:
        UnreadableError: If it is no chat completion, was refused, filtered or cut off, or is empty.
    """
    choices = getattr(completion, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    if choice is None or message is None:
        text = completion if isinstance(completion, str) else _dumped(completion)
        raise UnreadableError("the endpoint's answer is no chat completion", text, again=False)
    content = _text(getattr(message, "content", None))
    refusal = getattr(message, "refusal", None)
    if refusal:
        raise UnreadableError("the model refused to judge", str(refusal), again=False)
    finish = getattr(choice, "finish_reason", None)
    if finish == "content_filter":
        raise UnreadableError("a content filter withheld the reply", content, again=False)
    if finish == "length":
        raise UnreadableError(
            "the reply was cut off at its longest length (raise max_tokens)", content, again=False
        )
    if not content.strip():
        raise UnreadableError("the reply is empty")
    return content


def _text(content: Any) -> str:
    """Return a message's content as text: some servers give it in parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "".join([part for part in parts if isinstance(part, str)])


def _dumped(completion: Any) -> str:
    dump = getattr(completion, "model_dump_json", None)
    try:
        return str(dump(exclude_none=True, warnings=False)) if dump else repr(completion)
    except Exception:  # noqa: BLE001 - a malformed answer may not be presentable either
        return repr(completion)


def read_reply(text: str) -> Reply:
    r"""Read the verdict of a reply.

    - A leading block of reasoning (``<think>…</think>``) is left out, if an object ends the rest.
    - In the rest, every brace belongs to a JSON object with a ``reason`` (text) and a ``verdict``
      (one of the three words, case and hyphens aside), each key once. Other keys are let pass.
    - The rest begins or ends with such an object, code fences aside; what stands in the midst of
      prose may be quoted from a passage.
    - Several such objects give the same verdict.

    Args:
        text: The reply, not empty.

    Raises:
        UnreadableError: If it breaks one of these rules.

    >>> read_reply('{"reason": "The passage says 5 days.", "verdict": "supported"}')
    Reply(verdict='supported', reason='The passage says 5 days.')
    >>> read_reply('```json\n{"reason": "No date.", "verdict": "Not supported"}\n```').verdict
    'not_supported'
    >>> read_reply("Not fully supported.")
    Traceback (most recent call last):
    citemeter.judges.llm.reply.UnreadableError: the reply has no JSON object: 'Not fully supported.'
    """
    if len(text) > _LONGEST:
        raise UnreadableError(f"the reply is longer than {_LONGEST} characters", text)
    rest, before, after = _without_reasoning(text)
    replies: list[Reply] = []
    outside: list[str] = []
    position = 0
    while (start := rest.find("{", position)) >= 0:
        outside.append(rest[position:start])
        found, position = _object(rest, start, text)
        replies.append(_shape(found, text))
    outside.append(rest[position:])
    outside = [_FENCE.sub("", piece).strip() for piece in outside]
    if not replies:
        raise UnreadableError("the reply has no JSON object", text)
    if any("}" in piece or piece.endswith("[") for piece in outside):
        raise UnreadableError("the reply's JSON is broken", text)
    if any(_TAG.search(piece) for piece in outside):
        raise UnreadableError("the reply's reasoning is not closed off from its verdict", text)
    first, last = outside[0], outside[-1]
    if (first and last) or (last and not after) or (any(outside) and not before):
        raise UnreadableError("the reply's JSON object stands in the midst of other text", text)
    if len({reply.verdict for reply in replies}) > 1:
        raise UnreadableError("the reply gives verdicts that contradict each other", text)
    return replies[-1]


def _without_reasoning(text: str) -> tuple[str, bool, bool]:
    """Return the reply after its reasoning, and whether prose may stand before and after an object.

    Reasoning may quote a closing tag and an object after it, and go on: so nothing may follow the
    object. Where the opening tag is missing, as some servers drop it, or more than one tag closes,
    nothing may precede it either.
    """
    opened = _OPENING.match(text)
    closings = list(_CLOSING.finditer(text))
    if opened and not closings:
        raise UnreadableError("the reply is reasoning without an end", text)
    if not closings:
        return text, True, True
    if not opened and text.lstrip().startswith(("{", "```")):
        return text, True, True  # the tag is quoted inside the object
    return text[closings[-1].end() :], bool(opened) and len(closings) == 1, False


class _TwiceError(ValueError):
    """A key that stands twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise _TwiceError
    return keys


# Raw line breaks inside strings are a frequent slip that leaves no doubt.
_DECODER = json.JSONDecoder(object_pairs_hook=_once, strict=False)


def _object(rest: str, start: int, text: str) -> tuple[dict[str, Any], int]:
    try:
        found, end = _DECODER.raw_decode(rest, start)
    except _TwiceError:
        raise UnreadableError("the reply's JSON has a key twice", text) from None
    except (ValueError, RecursionError):
        raise UnreadableError("the reply's JSON is broken", text) from None
    return found, end


def _shape(found: dict[str, Any], text: str) -> Reply:
    for key in ("reason", "verdict"):
        if key not in found:
            raise UnreadableError(f"the reply's JSON has no {key!r}", text)
        if not isinstance(found[key], str):
            raise UnreadableError(
                f"the reply's {key!r} is {type(found[key]).__name__}, no text", text
            )
    word = re.sub(r"[\s_-]+", "_", found["verdict"].strip().casefold())
    if word not in VERDICTS:
        raise UnreadableError("the reply's verdict is none of the three words", text)
    return Reply(word, found["reason"].strip())
