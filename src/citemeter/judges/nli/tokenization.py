"""From pairs of texts to token ids: the tokenizer's own way for two texts, or a template."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citemeter.errors import JudgeError, writable
from citemeter.judges.base import Pair
from citemeter.judges.nli.presets import Format

Ids = NDArray[np.int64]
"""The token ids of one text or input."""


def _ids(tokenizer: Any, texts: Sequence[str], *, special: bool) -> list[Ids]:
    """Return each text's token ids."""
    if not texts:
        return []
    # A tokenizer may have been saved to cut and pad; ours is cut and padded elsewhere.
    rows = tokenizer(
        list(texts), add_special_tokens=special, truncation=False, padding=False, verbose=False
    )["input_ids"]
    return [np.asarray(row, dtype=np.int64) for row in rows]


def _ascending(offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return offsets whose starts never fall: some normalizers report a token out of order."""
    highest = 0
    found = []
    for start, end in offsets:
        highest = max(highest, start)
        found.append((highest, max(end, highest)))
    return found


class InputWriter(ABC):
    """Writes pairs as a model's input."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        special = {str(token) for token in getattr(tokenizer, "all_special_tokens", ())}
        for added in getattr(tokenizer, "added_tokens_decoder", {}).values():
            if getattr(added, "special", False):
                special.add(str(added))
        # A word cannot be kept out of texts; control tokens have marks around them.
        marked = [t for t in special if len(t) > 2 and re.search(r"[^\w\s]", t)]
        found = "|".join(re.escape(t) for t in sorted(marked, key=len, reverse=True))
        self._control = re.compile(found, re.IGNORECASE) if found else None

    def clean(self, text: str) -> str:
        """Return a text that is safe to put before the tokenizer, changed only if need be.

        What is no Unicode text is replaced, and a special token that a passage or statement happens
        to hold (``</s>``, ``[SEP]``, ``<|im_end|>``) is broken by a space: it must not end a
        premise, nor open a chat turn.
        """
        text = writable(text)
        control = self._control
        while control is not None and control.search(text):
            broken = control.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)
            if broken == text:
                break
            text = broken
        return text

    @abstractmethod
    def write(self, pairs: Sequence[Pair]) -> list[tuple[Ids, int]]:
        """Return each pair's token ids, and where the second text starts among them."""

    def tokens_taken(self, hypotheses: Sequence[str]) -> list[int]:
        """Return the tokens that an input takes without any premise."""
        return [len(ids) for ids, _ in self.write([("", text) for text in hypotheses])]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the characters of each token; without a fast tokenizer, a fair estimate."""
        if self._tokenizer.is_fast:
            found = self._tokenizer(
                text,
                add_special_tokens=False,
                truncation=False,
                return_offsets_mapping=True,
                verbose=False,
            )
            return _ascending(found["offset_mapping"])
        words = [match.span() for match in re.finditer(r"\S+\s*", text)]
        rows = _ids(self._tokenizer, [text[start:end] for start, end in words], special=False)
        spans: list[tuple[int, int]] = []
        for (start, end), row in zip(words, rows, strict=True):
            count = max(len(row), 1)
            spans += pairwise([start + (end - start) * k // count for k in range(len(row) + 1)])
        return spans


class PairWriter(InputWriter):
    """Two texts as the tokenizer writes them."""

    def write(self, pairs: Sequence[Pair]) -> list[tuple[Ids, int]]:
        """Return each pair's token ids, and where the second text's type starts among them."""
        if not pairs:
            return []
        premises, hypotheses = zip(*pairs, strict=True)
        found = self._tokenizer(
            list(premises),
            list(hypotheses),
            truncation=False,
            padding=False,
            return_token_type_ids=True,
            verbose=False,
        )
        rows = found["input_ids"]
        types = found.get("token_type_ids") or [()] * len(rows)
        return [
            (np.asarray(ids, dtype=np.int64), kinds.index(1) if 1 in kinds else len(ids))
            for ids, kinds in zip(rows, types, strict=True)
        ]


class TemplateWriter(InputWriter):
    """Both texts put into a template, which is tokenised whole.

    Args:
        tokenizer: The tokenizer.
        template: The text with ``{premise}``, ``{hypothesis}`` and perhaps ``{eos}``.
        special: Whether the tokenizer adds its special tokens.
    """

    def __init__(self, tokenizer: Any, template: str, *, special: bool = True) -> None:
        super().__init__(tokenizer)
        eos = str(
            getattr(tokenizer, "eos_token", None) or getattr(tokenizer, "sep_token", None) or ""
        )
        parts = re.split(r"(\{premise\}|\{hypothesis\})", template)
        self._parts = [
            part if part in ("{premise}", "{hypothesis}") else part.replace("{eos}", eos)
            for part in parts
        ]
        self._special = special

    def text(self, premise: str, hypothesis: str) -> str:
        """Return what the model reads."""
        filled = {"{premise}": premise, "{hypothesis}": hypothesis}
        return "".join([filled.get(part, part) for part in self._parts])

    def write(self, pairs: Sequence[Pair]) -> list[tuple[Ids, int]]:
        """Return each pair's token ids; there is no second text of another type."""
        texts = [self.text(*pair) for pair in pairs]
        return [(ids, len(ids)) for ids in _ids(self._tokenizer, texts, special=self._special)]


def chat_writer(tokenizer: Any, asked: Format) -> TemplateWriter:
    """Return the writer of a decoder's prompt: its chat template, or plain text without one.

    The chat template is rendered once, around two place holders.

    Raises:
        JudgeError: If the chat template cannot be used.
    """
    template = asked.template or "{premise}\n{hypothesis}"
    if not getattr(tokenizer, "chat_template", None):
        text = f"{asked.system}\n\n{template}\n" if asked.system else template
        return TemplateWriter(tokenizer, text if text.endswith("\n") else f"{text}\n")
    marks = ("\ue000premise\ue001", "\ue000hypothesis\ue001")
    user = template.replace("{premise}", marks[0]).replace("{hypothesis}", marks[1])
    together = f"{asked.system}\n\n{user}" if asked.system else user
    tries = [[{"role": "user", "content": together}]]
    if asked.system:
        turns = [{"role": "system", "content": asked.system}, {"role": "user", "content": user}]
        tries.insert(0, turns)
    for messages in tries:  # some templates know no system's turn
        try:
            shown = tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
            )
        except Exception as error:  # noqa: BLE001 - a template raises whatever it likes
            problem: object = error
            continue
        if all(shown.count(mark) == 1 for mark in marks):
            if asked.system and asked.system not in shown:
                problem = "it leaves out the instruction"
                continue
            text = shown.replace(marks[0], "{premise}").replace(marks[1], "{hypothesis}")
            return TemplateWriter(tokenizer, text, special=False)
        problem = "it does not show the user's text once"
    raise JudgeError(f"the model's chat template cannot be used: {problem}")


def cut_to(text: str, spans: Sequence[tuple[int, int]], tokens: int) -> str:
    """Return the beginning of a text that takes at most so many tokens."""
    if tokens >= len(spans):
        return text
    return text[: spans[tokens][0]].rstrip() if tokens > 0 else ""


def answer_tokens(tokenizer: Any, answers: Iterable[str], *, variants: bool) -> list[list[int]]:
    """Return the tokens that each answer may start with.

    Args:
        tokenizer: The tokenizer.
        answers: The words.
        variants: Whether case and a space before it make no difference, as for a decoder.

    Raises:
        JudgeError: If two answers start with the same token, so that one step cannot tell them.
    """
    found: list[list[int]] = []
    written: list[int] = []
    for answer in answers:
        shapes = [answer]
        if variants:
            cases = dict.fromkeys((answer, answer.lower(), answer.upper(), answer.capitalize()))
            shapes = [lead + word for word in cases for lead in ("", " ")]
        rows = [row.tolist() for row in _ids(tokenizer, shapes, special=False)]
        single = [row[0] for row in rows if len(row) == 1]
        first = rows[0][:1]
        written += rows[0]
        found.append(list(dict.fromkeys(single if variants and single else first)))
    flat = [token for row in found for token in row]
    if not all(found) or len(set(flat)) < len(flat):
        raise JudgeError(
            f"the answers {', '.join(map(repr, answers))} do not start with different tokens of "
            "this tokenizer: pass others with answers=…"
        )
    unknown = getattr(tokenizer, "unk_token_id", None)
    if unknown is not None and unknown in written:
        raise JudgeError(
            f"the answers {', '.join(map(repr, answers))} are not in this tokenizer's vocabulary: "
            "pass others with answers=…"
        )
    return found
