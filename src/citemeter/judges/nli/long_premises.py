"""One portion of pairs on its way through a model: what fits is judged whole, the rest in windows.

Every distinct input is judged once, also where two pairs share a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from citemeter.judges.base import Pair, passages_of
from citemeter.judges.nli.heads import Outcome
from citemeter.judges.nli.tokenization import Ids, InputWriter, cut_to
from citemeter.judges.nli.windows import Joint, Plan, Window, join_best, plan_windows
from citemeter.verdicts import LongPremise, Verdict

__all__ = ["LEAST_ROOM", "Limits", "LongRule", "Portion"]

LongRule: TypeAlias = Literal["chunk", "truncate", "error"]
"""What to do with a premise that does not fit."""

LEAST_ROOM = 8
"""Tokens that must be left for the premise beside the hypothesis."""

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
class _Long:
    """A pair that is judged in windows."""

    hypothesis: str
    plan: Plan
    windows: list[int]
    parts: list[int]
    left: int
    joint: int | None = None
    joined: Window | None = None


@dataclass(slots=True)
class _Waiting:
    """Who waits for an input: positions of pairs judged whole, and pairs judged in windows."""

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
        self.rows: list[tuple[Ids, int]] = []
        self.windows = 0
        self.ready: list[tuple[int, Verdict]] = []
        self._inputs: dict[Pair, int] = {}
        self._waiting: list[_Waiting] = []
        self._outcomes: list[Outcome | None] = []
        self._long: dict[int, _Long] = {}
        self._run = 0
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._read(pairs)

    def pending(self) -> list[int]:
        """Return the inputs that have not been run yet."""
        fresh = list(range(self._run, len(self.rows)))
        self._run = len(self.rows)
        return fresh

    def take(self, number: int, outcome: Outcome) -> Iterator[tuple[int, Verdict]]:
        """Take an input's outcome, and yield the verdicts it completes."""
        self._outcomes[number] = outcome
        waiting = self._waiting[number]
        for position, long_premise in waiting.whole:
            yield position, self._verdict(outcome, long_premise)
        for position in waiting.long:
            long = self._long[position]
            long.left -= 1
            if not long.left and not self._joined(position, long):
                yield position, self._over_windows(long)

    def _read(self, pairs: Sequence[Pair]) -> None:
        clean = self.writer.clean
        places: dict[Pair, list[int]] = {}
        originals: dict[Pair, str] = {}
        for position, (premise, hypothesis) in enumerate(pairs):
            key = (clean(premise), clean(hypothesis))
            # Windows depend on where passages begin; the text alone does not tell.
            found = places.setdefault(key, [])
            if found and passages_of(originals[key]) != passages_of(premise):
                self._one(key, premise, [position])
                continue
            originals.setdefault(key, premise)
            found.append(position)
        keys = list(places)
        rows = self.writer.write(keys)
        room = self._room(keys, rows)
        for key, row in zip(keys, rows, strict=True):
            if self._fits(row, room.get(key[1])):
                number = self._input(key, row)
                self._waiting[number].whole += [(position, None) for position in places[key]]
            else:
                self._one(key, originals[key], places[key])

    def _room(self, keys: Sequence[Pair], rows: Sequence[tuple[Ids, int]]) -> dict[str, int]:
        """Return what the hypotheses take, where the evidence's own length counts."""
        window = self.limits.window
        if window is None or self.limits.rule != "chunk":
            return {}
        long = [key[1] for key, (ids, _) in zip(keys, rows, strict=True) if len(ids) > window]
        texts = list(dict.fromkeys(long))
        return dict(zip(texts, self.writer.room_taken(texts), strict=True))

    def _fits(self, row: tuple[Ids, int], taken: int | None) -> bool:
        length = len(row[0])
        if length > self.limits.length:
            return False
        return taken is None or length - taken <= (self.limits.window or length)

    def _input(self, key: Pair, row: tuple[Ids, int]) -> int:
        number = self._inputs.get(key)
        if number is None:
            number = self._inputs[key] = len(self.rows)
            self.rows.append(row)
            self._waiting.append(_Waiting())
            self._outcomes.append(None)
        return number

    def _one(self, key: Pair, premise: str, positions: list[int]) -> None:
        """Cut one pair's premise, or say why not."""
        row = self.writer.write([key])[0]
        taken = self.writer.room_taken([key[1]])[0]
        if self._fits(row, taken if self.limits.window and self.limits.rule == "chunk" else None):
            number = self._input(key, row)
            self._waiting[number].whole += [(position, None) for position in positions]
            return
        room = self.limits.length - taken
        if room < LEAST_ROOM:
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
            error = self._truncated(key, room, positions)
        else:
            error = self._chunked(key, premise, room, positions)
        if error:
            self.ready += [(position, Verdict.failed(error)) for position in positions]

    def _truncated(self, key: Pair, room: int, positions: list[int]) -> str:
        premise, hypothesis = key
        spans = self.writer.spans(premise)
        room = min(room, len(spans))
        for _ in range(_TRIES):
            cut = cut_to(premise, spans, room)
            row = self.writer.write([(cut, hypothesis)])[0]
            over = len(row[0]) - self.limits.length
            if over <= 0:
                number = self._input((cut, hypothesis), row)
                self._waiting[number].whole += [(p, "truncated") for p in positions]
                return ""
            room -= over
        return "the premise could not be cut to fit the model"

    def _measure(self, text: str) -> list[tuple[int, int]]:
        found = self._spans.get(text)
        if found is None:
            found = self._spans[text] = self.writer.spans(text)
        return found

    def _chunked(self, key: Pair, premise: str, room: int, positions: list[int]) -> str:
        hypothesis = key[1]
        passages = [self.writer.clean(passage) for passage in passages_of(premise)]
        capacity = min(room - _SLACK, self.limits.window or room)
        for _ in range(_TRIES):
            if capacity < 1:
                break
            plan = plan_windows(passages, self._measure, capacity, self.limits.joint)
            if not plan.windows:
                return "the premise holds nothing that could be read"
            texts = [window.text for window in (*plan.windows, *plan.parts)]
            rows = self.writer.write([(text, hypothesis) for text in texts])
            over = max(len(ids) for ids, _ in rows) - self.limits.length
            if over <= 0:
                numbers = [
                    self._input((text, hypothesis), row)
                    for text, row in zip(texts, rows, strict=True)
                ]
                count = len(plan.windows)
                self.windows += len(set(numbers))
                for position in positions:
                    distinct = set(numbers)
                    self._long[position] = _Long(
                        hypothesis, plan, numbers[:count], numbers[count:], len(distinct)
                    )
                    for number in distinct:
                        self._waiting[number].long.append(position)
                return ""
            capacity -= over
        return "the premise could not be cut into windows that fit the model"

    def _joined(self, position: int, long: _Long) -> bool:
        """Add the joint window once the parts are judged; return whether one is waited for."""
        if long.joined is not None or not long.parts or self._failure(long) is not None:
            return False
        scores = []
        for number in long.parts:
            outcome = self._outcomes[number]
            assert outcome is not None
            scores.append(
                float(bool(outcome.supported)) if outcome.score is None else outcome.score
            )
        plan = long.plan
        for _ in range(_TRIES):
            joined = join_best(plan, scores)
            if joined is None:
                return False
            key = (joined.text, long.hypothesis)
            row = self.writer.write([key])[0]
            over = len(row[0]) - self.limits.length
            if over <= 0:
                break
            plan = replace(plan, capacity=max(plan.capacity - over, 1))
        else:
            return False
        if key in self._inputs and self._outcomes[self._inputs[key]] is not None:
            return False  # a window already judged
        long.joined = joined
        long.joint = self._input(key, row)
        long.left = 1
        self.windows += 1
        self._waiting[long.joint].long.append(position)
        return True

    def _failure(self, long: _Long) -> Outcome | None:
        numbers = [*long.windows, *long.parts, *([] if long.joint is None else [long.joint])]
        return next((o for n in numbers if (o := self._outcomes[n]) is None or o.error), None)

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

    def _over_windows(self, long: _Long) -> Verdict:
        """Return the best window's verdict; if one failed, a better one may have been missed."""
        failed = self._failure(long)
        if failed is not None:
            return Verdict.failed(f"in one of {len(long.windows)} windows: {failed.error}")
        where = [(number, "window", k) for k, number in enumerate(long.windows, start=1)]
        if long.joint is not None:
            where.append((long.joint, "joint", 0))
        where += [(number, "part", k) for k, number in enumerate(long.parts)]
        best, kind, k = max(where, key=lambda item: self._rank(item[0]))
        outcome = self._outcomes[best]
        assert outcome is not None
        verdict = self._verdict(outcome, "chunked")
        count = len(long.windows)
        if kind == "window":
            name = f"window {k} of {count}"
        elif kind == "part":
            name = f"a part of passage {long.plan.parts[k].places[0][0] + 1}"
        else:
            assert long.joined is not None
            numbers = dict.fromkeys(place[0] + 1 for place in long.joined.places)
            name = (
                f"the best parts of passages {' and '.join(map(str, numbers))} together"
                if len(numbers) > 1
                else "its best parts together"
            )
        if verdict.supported:
            verb = "entail" if kind == "joint" else "entails"
            reason = f"{name} {verb} it"
        else:
            verb = "come" if kind == "joint" else "comes"
            reason = f"none of {count} windows entails it; {name} {verb} closest"
        return verdict.model_copy(update={"reason": reason})

    def _rank(self, number: int) -> float:
        outcome = self._outcomes[number]
        assert outcome is not None
        return float(bool(outcome.supported)) if outcome.score is None else outcome.score
