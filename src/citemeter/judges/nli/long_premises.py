"""One portion of pairs on its way through a model: what fits is judged whole, the rest in windows.

Every distinct input is judged once, also where two pairs share a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, TypeAlias, TypeVar

from citemeter.judges.base import Pair, passages_of
from citemeter.judges.nli.heads import Outcome
from citemeter.judges.nli.tokenization import Ids, InputWriter, cut_to
from citemeter.judges.nli.windows import Joint, Plan, Window, join_best, plan_windows
from citemeter.verdicts import LongPremise, Verdict

__all__ = ["Limits", "Portion"]

LongRule: TypeAlias = Literal["chunk", "truncate", "error"]
"""What to do with a premise that does not fit."""

LEAST_ROOM = 8
"""Tokens that must be left for the premise beside the hypothesis."""

_T = TypeVar("_T")
_SLACK = 2  # a piece cut out of a text may take a token or two more than it did inside
_TRIES = 6


@dataclass(frozen=True, slots=True)
class Limits:
    """What fits the model, and what becomes of what does not.

    Args:
        length: Tokens of an input, special ones included.
        window: Tokens of evidence at a time, if fewer than fit.
        rule: What becomes of a longer premise.
        joint: When the best parts are joined.
        threshold: The score at and above which a pair is supported; ``None`` where none is read.
    """

    length: int
    window: int | None
    rule: LongRule
    joint: Joint
    threshold: float | None


@dataclass(slots=True)
class _LongPair:
    """A pair that is judged in windows, and the numbers of its inputs."""

    hypothesis: str
    plan: Plan
    windows: list[int]
    parts: list[int]
    left: int
    joint: int | None = None
    joined: Window | None = None


@dataclass(slots=True)
class _Input:
    """What the model is given, what it said, and which pairs wait for it: whole, or in windows."""

    row: tuple[Ids, int]
    outcome: Outcome | None = None
    whole: list[tuple[int, LongPremise | None]] = field(default_factory=list)
    long: list[int] = field(default_factory=list)


class Portion:
    """Pairs being judged.

    ``pending`` gives the inputs to run; ``take`` is told each outcome and yields the verdicts that
    are complete. It goes on until nothing is pending: joint windows come in a second round.

    Args:
        pairs: The pairs.
        writer: What writes them as inputs.
        limits: What fits.
    """

    def __init__(self, pairs: Sequence[Pair], writer: InputWriter, limits: Limits) -> None:
        self.writer = writer
        self.limits = limits
        self.inputs: list[_Input] = []
        self.windows = 0
        self.ready: list[tuple[int, Verdict]] = []
        self._numbers: dict[Pair, int] = {}
        self._long: dict[int, _LongPair] = {}
        self._run = 0
        self._spans = cache(writer.spans)
        self._read(pairs)

    def pending(self) -> list[int]:
        """Return the inputs that have not been run yet."""
        fresh = list(range(self._run, len(self.inputs)))
        self._run = len(self.inputs)
        return fresh

    def take(self, number: int, outcome: Outcome) -> Iterator[tuple[int, Verdict]]:
        """Take an input's outcome, and yield the verdicts it completes."""
        waiting = self.inputs[number]
        waiting.outcome = outcome
        for position, long_premise in waiting.whole:
            yield position, self._verdict(outcome, long_premise)
        for position in waiting.long:
            long = self._long[position]
            long.left -= 1
            if not long.left and not self._add_joint(position, long):
                yield position, self._over_windows(long)

    def _read(self, pairs: Sequence[Pair]) -> None:
        clean = self.writer.clean
        positions: dict[Pair, list[int]] = {}
        originals: dict[Pair, str] = {}
        for position, (premise, hypothesis) in enumerate(pairs):
            key = (clean(premise), clean(hypothesis))
            # Windows depend on where passages begin; the text alone does not tell.
            found = positions.setdefault(key, [])
            if found and passages_of(originals[key]) != passages_of(premise):
                self._cut(key, premise, [position])
                continue
            originals.setdefault(key, premise)
            found.append(position)
        rows = self.writer.write(list(positions))
        taken = self._tokens_taken(list(positions), rows)
        for key, row in zip(positions, rows, strict=True):
            if self._fits(row, taken.get(key[1])):
                self._add(key, row).whole += [(position, None) for position in positions[key]]
            else:
                self._cut(key, originals[key], positions[key])

    def _tokens_taken(self, keys: list[Pair], rows: Sequence[tuple[Ids, int]]) -> dict[str, int]:
        """Return what the hypotheses take, where the evidence's own length counts."""
        window = self.limits.window
        if window is None or self.limits.rule != "chunk":
            return {}
        long = [key[1] for key, (ids, _) in zip(keys, rows, strict=True) if len(ids) > window]
        texts = list(dict.fromkeys(long))
        return dict(zip(texts, self.writer.tokens_taken(texts), strict=True))

    def _fits(self, row: tuple[Ids, int], taken: int | None) -> bool:
        length = len(row[0])
        if length > self.limits.length:
            return False
        return taken is None or length - taken <= (self.limits.window or length)

    def _number(self, key: Pair, row: tuple[Ids, int]) -> int:
        number = self._numbers.setdefault(key, len(self.inputs))
        if number == len(self.inputs):
            self.inputs.append(_Input(row))
        return number

    def _add(self, key: Pair, row: tuple[Ids, int]) -> _Input:
        return self.inputs[self._number(key, row)]

    def _cut(self, key: Pair, premise: str, positions: list[int]) -> None:
        """Cut one pair's premise, or say why not."""
        row = self.writer.write([key])[0]
        taken = self.writer.tokens_taken([key[1]])[0]
        if self._fits(row, taken if self.limits.window and self.limits.rule == "chunk" else None):
            self._add(key, row).whole += [(position, None) for position in positions]
            return
        left = self.limits.length - taken
        if left < LEAST_ROOM:
            error = (
                f"the statement takes {taken} of the {self.limits.length} tokens that the model "
                "reads, which leaves no room for evidence: split it, or raise max_length"
            )
        elif self.limits.rule == "error":
            error = (
                f"premise and statement take {len(row[0])} tokens and the model reads "
                f"{self.limits.length}: use long_premise='chunk' or 'truncate'"
            )
        elif self.limits.rule == "truncate":
            error = self._truncate(key, left, positions)
        else:
            error = self._chunk(key, premise, left, positions)
        if error:
            self.ready += [(position, Verdict.failed(error)) for position in positions]

    def _write_within(
        self, tokens: int, hypothesis: str, build: Callable[[int], tuple[_T, list[str]]]
    ) -> tuple[_T, list[int]] | None:
        """Build premises of at most so many tokens, fewer until the model can read them.

        Returns:
            What was built and the numbers of its inputs; nothing if it cannot be made to fit.
        """
        for _ in range(_TRIES):
            if tokens < 1:
                break
            built, texts = build(tokens)
            keys = [(text, hypothesis) for text in texts]
            rows = self.writer.write(keys)
            over = max((len(ids) for ids, _ in rows), default=0) - self.limits.length
            if over <= 0:
                return built, [self._number(*found) for found in zip(keys, rows, strict=True)]
            tokens -= over
        return None

    def _truncate(self, key: Pair, left: int, positions: list[int]) -> str:
        premise, hypothesis = key
        spans = self.writer.spans(premise)
        written = self._write_within(
            min(left, len(spans)),
            hypothesis,
            lambda tokens: (None, [cut_to(premise, spans, tokens)]),
        )
        if written is None:
            return "the premise could not be cut to fit the model"
        self.inputs[written[1][0]].whole += [(position, "truncated") for position in positions]
        return ""

    def _chunk(self, key: Pair, premise: str, left: int, positions: list[int]) -> str:
        passages = [self.writer.clean(passage) for passage in passages_of(premise)]

        def build(tokens: int) -> tuple[Plan, list[str]]:
            plan = plan_windows(passages, self._spans, tokens, self.limits.joint)
            return plan, [window.text for window in (*plan.windows, *plan.parts)]

        written = self._write_within(min(left - _SLACK, self.limits.window or left), key[1], build)
        if written is None:
            return "the premise could not be cut into windows that fit the model"
        plan, numbers = written
        if not plan.windows:
            return "the premise holds nothing that could be read"
        count, distinct = len(plan.windows), set(numbers)
        self.windows += len(distinct)
        for position in positions:
            self._long[position] = _LongPair(
                key[1], plan, numbers[:count], numbers[count:], len(distinct)
            )
            for number in distinct:
                self.inputs[number].long.append(position)
        return ""

    def _add_joint(self, position: int, long: _LongPair) -> bool:
        """Add the joint window once the parts are judged; return whether one is waited for."""
        if long.joined is not None or not long.parts or self._failure(long) is not None:
            return False
        scores = [self._rank(number) for number in long.parts]

        def build(tokens: int) -> tuple[Window | None, list[str]]:
            joined = join_best(replace(long.plan, capacity=tokens), scores)
            return joined, [] if joined is None else [joined.text]

        written = self._write_within(long.plan.capacity, long.hypothesis, build)
        if written is None or written[0] is None:
            return False
        joined, [number] = written
        if self.inputs[number].outcome is not None:
            return False  # a window already judged
        long.joined, long.joint, long.left = joined, number, 1
        self.windows += 1
        self.inputs[number].long.append(position)
        return True

    def _failure(self, long: _LongPair) -> Outcome | None:
        numbers = [*long.windows, *long.parts, *([] if long.joint is None else [long.joint])]
        outcomes = [self.inputs[number].outcome for number in numbers]
        return next((outcome for outcome in outcomes if outcome is None or outcome.error), None)

    def _verdict(self, outcome: Outcome, long_premise: LongPremise | None) -> Verdict:
        if outcome.error is not None:
            return Verdict.failed(outcome.error)
        if outcome.score is None or self.limits.threshold is None:
            supported = outcome.supported
        else:
            supported = outcome.score >= self.limits.threshold
        return Verdict(
            supported=supported,
            score=outcome.score,
            label=outcome.label,
            long_premise=long_premise,
            reason="the end of the premise was not read" if long_premise else None,
        )

    def _over_windows(self, long: _LongPair) -> Verdict:
        """Return the best window's verdict; if one failed, a better one may have been missed."""
        failed = self._failure(long)
        count = len(long.windows)
        if failed is not None:
            return Verdict.failed(f"in one of {count} windows: {failed.error}")
        named = [
            (number, f"window {k} of {count}", "s")
            for k, number in enumerate(long.windows, start=1)
        ]
        if long.joint is not None and long.joined is not None:
            passages = dict.fromkeys(str(place[0] + 1) for place in long.joined.places)
            name = (
                f"the best parts of passages {' and '.join(passages)} together"
                if len(passages) > 1
                else "its best parts together"
            )
            named.append((long.joint, name, ""))
        named += [
            (number, f"a part of passage {part.places[0][0] + 1}", "s")
            for number, part in zip(long.parts, long.plan.parts, strict=True)
        ]
        best, name, s = max(named, key=lambda item: self._rank(item[0]))
        outcome = self.inputs[best].outcome
        assert outcome is not None
        verdict = self._verdict(outcome, "chunked")
        reason = f"none of {count} windows entails it; {name} come{s} closest"
        if verdict.supported:
            reason = f"{name} entail{s} it"
        return verdict.model_copy(update={"reason": reason})

    def _rank(self, number: int) -> float:
        outcome = self.inputs[number].outcome
        assert outcome is not None
        return float(bool(outcome.supported)) if outcome.score is None else outcome.score
