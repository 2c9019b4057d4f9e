"""What the guardrail says about an answer."""

from __future__ import annotations

from functools import cached_property

from citemeter.guardrail.offsets import Edit, OffsetMap
from citemeter.guardrail.policy import Action, FindingKind
from citemeter.models import Model, Span
from citemeter.results import QuoteStatus

__all__ = ["Checked", "Finding", "GuardrailVerdict", "StreamVerdict"]

_LONGEST = 80


def shown(text: str) -> str:
    r"""Return foreign words as they may be shown: short, on one line, nothing invisible.

    >>> shown("a\u202eb\n")
    'a\\u202eb\\u000a'
    """
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    if text.isprintable():
        return text
    return "".join(
        [
            c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
            for c in text
        ]
    )


class Finding(Model):
    """One thing about an answer that the policy does not allow.

    Args:
        kind: What it is; see ``Policy``. ``"unclean"`` says that markers could not be taken out
            without others coming about.
        action: What the policy does about it: ``"flag"``, ``"strip"`` or ``"block"``.
        span: Where it stands in the answer; ``None`` when it is about the whole answer.
        message: One sentence that may be shown to the caller: it names nothing but what the answer
            says and what the caller may cite.
        source_id: The id as cited, for ids.
        near_miss: The id of a source that may be cited and differs from it only in its spelling.
        quote_status: What became of the quotation, as in ``QuoteCheck``.
    """

    kind: FindingKind
    action: Action
    span: Span | None
    message: str
    source_id: str | None = None
    near_miss: str | None = None
    quote_status: QuoteStatus | None = None


class _Judged(Model):
    """What all verdicts hold."""

    action: Action
    findings: tuple[Finding, ...] = ()
    edits: tuple[Edit, ...] = ()
    abstained: bool | None = None

    @property
    def passed(self) -> bool:
        """Whether there is an answer to show."""
        return self.action != "block"

    @property
    def message(self) -> str:
        """All findings in words that may be shown, one a line."""
        return "\n".join(finding.message for finding in self.findings)

    @cached_property
    def offsets(self) -> OffsetMap:
        """The way from the answer's offsets to those of the clean answer and back."""
        return OffsetMap(self.edits)

    def to_clean(self, offset: int) -> int:
        """Return where an offset in the answer is in the clean answer.

        Args:
            offset: An offset in characters. In what was taken out, it maps to where that was.
        """
        return self.offsets.to_clean(offset)

    def to_original(self, offset: int) -> int:
        """Return where an offset in the clean answer is in the answer.

        Args:
            offset: An offset in characters. Where something was taken out, it maps behind it.
        """
        return self.offsets.to_original(offset)


class GuardrailVerdict(_Judged):
    """What the guardrail says about an answer.

    Args:
        action: The gravest action of its findings: ``"pass"``, ``"flag"``, ``"strip"`` or
            ``"block"``.
        findings: What was found, in the order of the answer, then what is about all of it.
        edits: What was taken out of the answer, in order.
        abstained: Whether the answer declines to answer; ``None`` if it makes no statement.
        clean: The answer to show: as it was, or without what was stripped; ``None`` when blocked.
    """

    clean: str | None = None


class StreamVerdict(_Judged):
    """What the guardrail says about an answer that came piece by piece, as far as it came.

    Args:
        action: The gravest action so far.
        findings: What was found, in the order of the answer, then what is about all of it.
        edits: What was taken out of the answer, in order.
        abstained: Whether the answer declines to answer; ``None`` until it is finished.
        checked: How many characters of the answer were checked and let through.
        emitted: How many characters of clean answer were given out for them. After a block, this
            is what the caller has shown and may have to take back.
        finished: Whether the answer has come to its end.
    """

    checked: int = 0
    emitted: int = 0
    finished: bool = False


class Checked(Model):
    """A stretch of a streamed answer, complete and checked.

    Args:
        text: What to show for it; empty when it is blocked.
        span: Where it stands in the answer.
        action: The gravest action of its findings.
        findings: What was found in it; spans are the answer's.
    """

    text: str
    span: Span
    action: Action = "pass"
    findings: tuple[Finding, ...] = ()
