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

LongRule: TypeAlias = Literal["chunk", "truncate", "error"]
"""What to do with a premise that does not fit."""

LEAST_ROOM = 8
"""Tokens that must be left for the premise beside the hypothesis."""

_T = TypeVar("_T")
_UNREAD = Outcome()
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
    """A pair that is judged in windows, its places among the pairs, and its inputs."""

    hypothesis: str
    positions: list[int]
    plan: Plan
    windows: list[Input]
    parts: list[Input]
    left: int
    joint: list[Input] = field(default_factory=list)
    joined: Window | None = None


@dataclass(slots=True, eq=False)
class Input:
    """What the model is given, what it said, and which pairs wait for it: whole, or in windows."""

    row: tuple[Ids, int]
    outcome: Outcome = _UNREAD
    whole: list[tuple[int, LongPremise | None]] = field(default_factory=list)
    long: list[_LongPair] = field(default_factory=list)

    @property
    def rank(self) -> float:
        """What decides which of several is best: the score, or else the answer."""
        score = self.outcome.score
        return float(bool(self.outcome.supported)) if score is None else score


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
        self.inputs: dict[Pair, Input] = {}
        self.windows = 0
        self.ready: list[tuple[int, Verdict]] = []
        self._run = 0
        self._spans = cache(writer.spans)
        self._taken = cache(lambda hypothesis: writer.tokens_taken([hypothesis])[0])
        self._read(pairs)

    def pending(self) -> list[Input]:
        """Return the inputs that have not been run yet."""
        fresh = list(self.inputs.values())[self._run :]
        self._run += len(fresh)
        return fresh

    def take(self, given: Input, outcome: Outcome) -> Iterator[tuple[int, Verdict]]:
        """Take an input's outcome, and yield the verdicts it completes."""
        given.outcome = outcome
        for position, long_premise in given.whole:
            yield position, self._verdict(outcome, long_premise)
        for long in given.long:
            long.left -= 1
            if not long.left and not self._add_joint(long):
                verdict = self._over_windows(long)
                yield from ((position, verdict) for position in long.positions)

    def _read(self, pairs: Sequence[Pair]) -> None:
        clean = self.writer.clean
        positions: dict[tuple[Pair, tuple[str, ...]], list[int]] = {}
        for position, (premise, hypothesis) in enumerate(pairs):
            # Windows depend on where passages begin; the text alone does not tell.
            pair = (clean(premise), clean(hypothesis))
            positions.setdefault((pair, passages_of(premise)), []).append(position)
        rows = self.writer.write([key for key, _ in positions])
        for ((key, passages), places), row in zip(positions.items(), rows, strict=True):
            if self._fits(key[1], len(row[0])):
                self._input(key, row).whole += [(position, None) for position in places]
            else:
                self._cut(key, passages, len(row[0]), places)

    def _fits(self, hypothesis: str, length: int) -> bool:
        window = self.limits.window
        if length > self.limits.length:
            return False
        if window is None or self.limits.rule != "chunk" or length <= window:
            return True
        return length - self._taken(hypothesis) <= window

    def _input(self, key: Pair, row: tuple[Ids, int]) -> Input:
        return self.inputs.setdefault(key, Input(row))

    def _cut(self, key: Pair, passages: Sequence[str], length: int, positions: list[int]) -> None:
        """Cut one pair's premise, or say why not."""
        taken = self._taken(key[1])
        left = self.limits.length - taken
        if left < LEAST_ROOM:
            error = (
                f"the statement takes {taken} of the {self.limits.length} tokens that the model "
                "reads, which leaves no room for evidence: split it, or raise max_length"
            )
        elif self.limits.rule == "error":
            error = (
                f"premise and statement take {length} tokens and the model reads "
                f"{self.limits.length}: use long_premise='chunk' or 'truncate'"
            )
        elif self.limits.rule == "truncate":
            error = self._truncate(key, left, positions)
        else:
            error = self._chunk(key[1], passages, left, positions)
        if error:
            self.ready += [(position, Verdict.failed(error)) for position in positions]

    def _write_within(
        self, tokens: int, hypothesis: str, build: Callable[[int], tuple[_T, list[str]]]
    ) -> tuple[_T, list[Input]] | None:
        """Build premises of at most so many tokens, fewer until the model can read them.

        Returns:
            What was built and its inputs; nothing if it cannot be made to fit.
        """
        for _ in range(_TRIES):
            if tokens < 1:
                break
            built, texts = build(tokens)
            keys = [(text, hypothesis) for text in texts]
            rows = self.writer.write(keys)
            over = max((len(ids) for ids, _ in rows), default=0) - self.limits.length
            if over <= 0:
                return built, [self._input(*found) for found in zip(keys, rows, strict=True)]
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
        written[1][0].whole += [(position, "truncated") for position in positions]
        return ""

    def _chunk(
        self, hypothesis: str, passages: Sequence[str], left: int, positions: list[int]
    ) -> str:
        passages = [self.writer.clean(passage) for passage in passages]

        def build(tokens: int) -> tuple[Plan, list[str]]:
            plan = plan_windows(passages, self._spans, tokens, self.limits.joint)
            return plan, [window.text for window in (*plan.windows, *plan.parts)]

        written = self._write_within(
            min(left - _SLACK, self.limits.window or left), hypothesis, build
        )
        if written is None:
            return "the premise could not be cut into windows that fit the model"
        plan, inputs = written
        if not plan.windows:
            return "the premise holds nothing that could be read"
        count, distinct = len(plan.windows), set(inputs)
        self.windows += len(distinct)
        long = _LongPair(hypothesis, positions, plan, inputs[:count], inputs[count:], len(distinct))
        for given in distinct:
            given.long.append(long)
        return ""

    def _add_joint(self, long: _LongPair) -> bool:
        """Add the joint window once the parts are judged; return whether one is waited for."""
        if long.joint or not long.parts or _failure(long):
            return False
        scores = [part.rank for part in long.parts]

        def build(tokens: int) -> tuple[Window | None, list[str]]:
            joined = join_best(replace(long.plan, capacity=tokens), scores)
            return joined, [] if joined is None else [joined.text]

        written = self._write_within(long.plan.capacity, long.hypothesis, build)
        if written is None or written[0] is None:
            return False
        long.joined, long.joint = written
        [given] = long.joint
        if given.outcome is not _UNREAD:
            return False
        long.left = 1
        self.windows += 1
        given.long.append(long)
        return True

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
        count = len(long.windows)
        if error := _failure(long):
            return Verdict.failed(f"in one of {count} windows: {error}")
        named = [
            (window, f"window {k} of {count}", "s")
            for k, window in enumerate(long.windows, start=1)
        ]
        if long.joined is not None:
            passages = dict.fromkeys(str(place[0] + 1) for place in long.joined.places)
            name = "its best parts together"
            if len(passages) > 1:
                name = f"the best parts of passages {' and '.join(passages)} together"
            named += [(joint, name, "") for joint in long.joint]
        named += [
            (given, f"a part of passage {part.places[0][0] + 1}", "s")
            for given, part in zip(long.parts, long.plan.parts, strict=True)
        ]
        best, name, s = max(named, key=lambda item: item[0].rank)
        verdict = self._verdict(best.outcome, "chunked")
        reason = f"none of {count} windows entails it; {name} come{s} closest"
        if verdict.supported:
            reason = f"{name} entail{s} it"
        return verdict.model_copy(update={"reason": reason})


def _failure(long: _LongPair) -> str | None:
    """Return why the model said nothing of one of a pair's inputs, if so."""
    inputs = (*long.windows, *long.parts, *long.joint)
    return next((given.outcome.error for given in inputs if given.outcome.error), None)
