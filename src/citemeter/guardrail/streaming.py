"""The guardrail for an answer that arrives token by token."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from citemeter.errors import InputError
from citemeter.guardrail.check import Guardrail, gravest
from citemeter.guardrail.chunking import FENCE, LIMIT, Chunker
from citemeter.guardrail.offsets import Edit
from citemeter.guardrail.policy import Action, Policy, graver
from citemeter.guardrail.sources import GivenSources
from citemeter.guardrail.verdict import Checked, Finding, StreamVerdict
from citemeter.models import Response, Span
from citemeter.text.markdown.blocks import split_blocks
from citemeter.text.markdown.lines import THINK_CLOSE, THINK_OPEN
from citemeter.text.parse import ParseOptions
from citemeter.text.phrases.refusals import outcome_of

__all__ = ["GuardrailStream"]

_SLICE = 4_096  # characters taken in at once, so that no more than these and a stretch are held
_HEAD = 4_000  # characters; a longer answer declines nothing
_TAG = 24  # characters that the tag behind reasoning takes at most
_FIRST_WORDS = "Aa. "
_LEADS_OFF = re.compile(r"[\s*_]*[\[【［(（^]")


class GuardrailStream:
    """Checks an answer sentence by sentence as its tokens arrive.

    ``feed`` and ``finish`` return what may be shown. However the text is cut into tokens, what
    comes out is the same, character for character and finding for finding; what came out is
    never taken back; and no part of a marker comes out before the whole of it is read. A block
    stops the stream at once: nothing more comes out, and the ``verdict`` says how much had.

    Held back is the sentence that is arriving and some sixty characters behind it (more while a
    marker is unfinished); a sentence of fewer than 40 characters goes with the next one; a block
    quote, a table, a list item with what is indented under it and a list of sources are
    held until they end. No more than about 13,000 characters are held ever: a stretch of 8,000
    characters without a sentence's end is cut at a blank.

    Args:
        sources: As in ``Guardrail``, or a ``Guardrail``, whose policy and parsing then hold.
        policy: What is done about each kind of finding.
        allowed: The ids of the sources that this caller may see; ``None`` for all.
        parsing: How answers are read.
        question: What was asked.

    Raises:
        InputError: If the sources that may be cited cannot be used.

    >>> stream = GuardrailStream({"1": "..."}, Policy(uncited_claim="allow"))
    >>> tokens = ["The gate opens at nine every day [", "1", ", 9]. The yar", "d stays shut [9]."]
    >>> [checked.text for token in tokens for checked in stream.feed(token)]
    []
    >>> [checked.text for checked in stream.finish()]
    ['The gate opens at nine every day [1]. ', 'The yard stays shut.']
    >>> stream.verdict.action, stream.verdict.emitted
    ('strip', 58)
    """

    def __init__(
        self,
        sources: GivenSources | Guardrail,
        policy: Policy | None = None,
        *,
        allowed: Collection[Any] | None = None,
        parsing: ParseOptions | None = None,
        question: str | None = None,
    ) -> None:
        if isinstance(sources, Guardrail):
            if any(given is not None for given in (policy, allowed, parsing, question)):
                raise InputError(
                    "a Guardrail has its policy and options already.",
                    fix="give them when the Guardrail is made.",
                )
            self.guardrail = sources
        else:
            self.guardrail = Guardrail(
                sources, policy, allowed=allowed, parsing=parsing, question=question
            )
        self._buffer = ""
        self._chunker = Chunker(self.guardrail.read, self._lead)
        self._fence = ""  # the marks that opened a code block
        self._opening = 0  # how much of the buffer opens it
        self._thinking = False
        self._goes_on = False  # whether the buffer starts inside a line
        self._in_list = False
        self._opener = ""  # the marker that the paragraph opens with
        self._action: Action = "pass"
        self._findings: list[Finding] = []
        self._edits: list[Edit] = []
        self._checked = self._emitted = 0
        self._claims = self._uncited = 0
        self._raws: list[str] = []
        self._raw_length = 0
        self._finished = False
        self._abstained: bool | None = None

    @property
    def blocked(self) -> bool:
        """Whether the stream was stopped."""
        return self._action == "block"

    @property
    def verdict(self) -> StreamVerdict:
        """What there is to say so far; all there is once the stream is finished."""
        return StreamVerdict(
            action=self._action,
            findings=tuple(self._findings),
            edits=tuple(self._edits),
            abstained=self._abstained,
            checked=self._checked,
            emitted=self._emitted,
            finished=self._finished,
        )

    def feed(self, text: str) -> list[Checked]:
        """Take in the next token, or any stretch of the answer.

        Args:
            text: What arrived.

        Returns:
            What is complete and checked by now; mostly nothing, and nothing after a block.

        Raises:
            InputError: If the stream is finished, or the text cannot be written down.
        """
        if self._finished:
            raise InputError("the stream is finished.", fix="make a new one for another answer.")
        out: list[Checked] = []
        for start in range(0, len(text), _SLICE):
            if self.blocked:
                break
            self._buffer += text[start : start + _SLICE]
            self._advance(out, ended=False)
        return out

    def finish(self) -> list[Checked]:
        """Say that the answer has come to its end.

        Returns:
            What was still held back, and, with an empty text, what there is about the whole.
        """
        out: list[Checked] = []
        if self._finished:
            return out
        if not self.blocked:
            self._advance(out, ended=True)
        self._finished = True
        if not self.blocked:
            self._conclude(out)
        return out

    def _advance(self, out: list[Checked], ended: bool) -> None:
        while self._buffer and not self.blocked:
            if self._fence or self._thinking:
                moved = self._verbatim(out, ended)
            else:
                fence = None if self._goes_on else FENCE.match(self._buffer)
                if fence and "\n" not in self._buffer and not ended and len(self._buffer) < LIMIT:
                    return  # it may open a code block
                moved = self._open_verbatim(fence) or self._next(out, ended)
            if not moved:
                return

    def _open_verbatim(self, fence: re.Match[str] | None) -> bool:
        """Enter a code block or reasoning, if one starts here; what is in it is not checked."""
        if fence:
            if fence[1][0] == "`" and "`" in fence[2]:
                return False
            self._fence = fence[1]
            self._opening = self._buffer.find("\n") + 1 or len(self._buffer)
            return True
        self._thinking = not self._goes_on and bool(THINK_OPEN.match(self._buffer.lstrip()))
        return self._thinking

    def _verbatim(self, out: list[Checked], ended: bool) -> bool:
        """Let code and reasoning through as they are."""
        buffer = self._buffer
        if self._thinking:
            closing = THINK_CLOSE.search(buffer)
            if closing:
                self._thinking = False
                end = closing.end()
            else:
                end = len(buffer) if ended else max(0, len(buffer) - _TAG)
        elif self._opening:
            end, self._opening = self._opening, 0
        else:
            end = position = 0
            while (newline := buffer.find("\n", position)) >= 0:
                line = buffer[position:newline].strip(" \t\r")
                position = end = newline + 1
                if self._closes(line):
                    self._fence = ""
                    break
            if self._fence and ended:
                end = len(buffer)
            elif self._fence and not end and len(buffer) > LIMIT:
                end = len(buffer) - _TAG
        if not end:
            return False
        self._emit(out, buffer[:end], end, [], ())
        self._goes_on = False
        return True

    def _closes(self, line: str) -> bool:
        return len(line) >= len(self._fence) and not line.strip(self._fence[0])

    def _next(self, out: list[Checked], ended: bool) -> bool:
        """Check the next stretch, if it is complete."""
        end = self._chunker.cut(self._buffer, ended)
        if end is None:
            return False
        stretch = self._buffer[:end]
        lead = self._chunker.lead(stretch)
        seen = self.guardrail.examine(lead + stretch)
        shift = self._checked - len(lead)
        findings = [_moved(f, shift, self._checked) for f in seen.findings if _inside(f, len(lead))]
        self._count(seen, lead)
        edits = tuple([Edit(e.start + shift, e.end + shift, e.text) for e in seen.edits])
        self._emit(out, seen.clean[len(lead) :], end, findings, edits)
        if not self._goes_on:
            self._opener = self._opening_marker(seen.response)
        last = stretch.rstrip(" \t")[-1:]
        self._goes_on = last not in ("\n", "")
        self._in_list = _ends_in_list(lead + stretch)
        return True

    def _lead(self, head: str) -> str:
        """Return words to read a stretch behind, so that it is not taken for a line's start."""
        if not self._goes_on or _LEADS_OFF.match(head):
            return ""
        if self._opener:
            return self._opener + " " + _FIRST_WORDS
        if self._in_list:
            return "- " + _FIRST_WORDS
        blocks = split_blocks(head.partition("\n")[0])
        if len(blocks) == 1 and blocks[0][:2] == ("sentence", 0):
            return ""
        return _FIRST_WORDS

    def _opening_marker(self, response: Response) -> str:
        """Return the valid marker that a paragraph opens with, if its sentences follow theirs."""
        citations = response.statements[0].citations if response.statements else ()
        first = [c for c in citations if c.span == citations[0].span]
        if not first or first[0].span is None or first[0].span.start:
            return ""
        return first[0].marker if all(c.source_id in self._known for c in first) else ""

    def _count(self, seen: Any, lead: str) -> None:
        """Add up what is said about the whole at the end."""
        for statement in seen.response.statements:
            start, end = statement.span
            if end <= len(lead):
                continue
            covered = any(c.source_id in self._known for c in statement.citations)
            self._claims += statement.needs_citation
            self._uncited += statement.needs_citation and not covered
            if self._raw_length <= _HEAD or self.guardrail.parsing.refusal_rule is not None:
                self._raws.append(statement.raw[max(0, len(lead) - start) :])
                self._raw_length += len(self._raws[-1]) + 1

    @property
    def _known(self) -> Any:
        return self.guardrail.sources.by_id

    def _emit(
        self,
        out: list[Checked],
        clean: str,
        length: int,
        findings: list[Finding],
        edits: tuple[Edit, ...],
    ) -> None:
        """Give a stretch out, unless it is blocked, and go on behind it."""
        start = self._checked
        self._findings += findings
        action = gravest(findings)
        self._action = graver(self._action, action)
        blocked = action == "block"
        text, span = "" if blocked else clean, Span(start, start + length)
        out.append(Checked(text=text, span=span, action=action, findings=tuple(findings)))
        self._buffer = "" if blocked else self._buffer[length:]
        if not blocked:
            self._edits += edits
            self._checked += length
            self._emitted += len(clean)
        self._chunker = Chunker(self.guardrail.read, self._lead)

    def _conclude(self, out: list[Checked]) -> None:
        """Say what there is about the whole answer."""
        if self._raws:
            outcome = outcome_of(" ".join(self._raws), None, self.guardrail.parsing.refusal_rule)
            self._abstained = outcome == "abstained"
        if self._abstained:
            self._findings = [f for f in self._findings if f.kind != "uncited_claim"]
        last = self.guardrail.about_all(self._abstained, self._claims, self._uncited)
        self._findings += last
        self._action = gravest(self._findings)
        if last:
            end = Span(self._checked, self._checked)
            out.append(Checked(text="", span=end, action=gravest(last), findings=tuple(last)))


def _inside(finding: Finding, lead: int) -> bool:
    """Whether a finding is about more than the words read before a stretch."""
    return finding.span is None or finding.span.end > lead


def _moved(finding: Finding, shift: int, start: int) -> Finding:
    """Return a finding of a stretch with its place in the answer."""
    if finding.span is None:
        return finding
    low, high = finding.span
    span = Span(max(low + shift, start), high + shift)
    return Finding.trusted({**finding.__dict__, "span": span})


def _ends_in_list(text: str) -> bool:
    last = text.rstrip("\n").rpartition("\n")[2]
    if last[:1] in (" ", "\t") and last.strip():
        return True
    blocks = split_blocks(text[-2_000:])
    return bool(blocks) and blocks[-1].kind == "list_item"
