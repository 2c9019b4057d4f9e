"""Batches by token budget from length-sorted inputs, smaller ones after an out-of-memory error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citemeter.judges.nli.heads import Outcome
from citemeter.judges.nli.loading import is_out_of_memory

__all__ = ["Budget", "run_batches"]


@dataclass(slots=True)
class Budget:
    """How much goes into one batch, and what was learned about it.

    A batch ends where the next input would be so much shorter than the first that padding takes
    more than ``waste`` of it, unless it is smaller than ``least`` tokens.

    Args:
        tokens: Tokens of a batch, padding included.
        pairs: Inputs of a batch, whatever their length; overrides the others.
        waste: The share of padding that is put up with.
        least: Tokens up to which padding does not matter.
    """

    tokens: int
    pairs: int | None = None
    waste: float = 1.0
    least: int = 0

    def size(self, lengths: Sequence[int], longest: int) -> int:
        """Return how many inputs go together.

        Args:
            lengths: The inputs' tokens, the longest first.
            longest: What the first is padded to.
        """
        if self.pairs is not None:
            return min(self.pairs, len(lengths))
        most = min(max(1, self.tokens // max(longest, 1)), len(lengths))
        total = 0
        for size in range(1, most + 1):
            total += lengths[size - 1]
            padded = size * longest
            if size > 1 and padded > self.least and padded - total > self.waste * padded:
                return size - 1
        return most

    def lower(self, size: int, longest: int) -> None:
        """Remember that so many inputs of that length were too many."""
        half = max(1, size // 2)
        if self.pairs is not None:
            self.pairs = half
        else:
            self.tokens = min(self.tokens, half * longest)


def run_batches(
    lengths: Sequence[int],
    forward: Callable[[Sequence[int]], Any],
    read: Callable[[Any], list[Outcome]],
    budget: Budget,
    *,
    multiple: int = 1,
    overlap: bool = False,
    free: Callable[[], None] = lambda: None,
) -> Iterator[tuple[list[int], list[Outcome]]]:
    """Judge inputs in batches, the longest first, and yield each batch as it is done.

    After an out-of-memory error the batch is halved, and later ones are no larger. An input that
    does not fit alone is a failed outcome, and so is one that the model raises on.

    Args:
        lengths: The inputs' tokens.
        forward: Starts the batch of the inputs at some positions.
        read: Waits for what ``forward`` returned.
        budget: How large a batch may be; what is learned is kept in it.
        multiple: What a batch's length is padded to a multiple of.
        overlap: Whether the next batch is started before the last one is waited for.
        free: Called after an out-of-memory error.

    Yields:
        The positions of a batch and their outcomes.
    """
    order = sorted(range(len(lengths)), key=lambda k: -lengths[k])
    ordered = [lengths[k] for k in order]
    run = forward if overlap else (lambda batch: read(forward(batch)))
    waiting: tuple[list[int], Any] | None = None
    place = 0
    singly = 0  # up to here, one at a time: the batch raised
    while place < len(order):
        longest = ordered[place]
        longest += -longest % multiple
        size = 1 if place < singly else budget.size(ordered[place:], longest)
        batch = order[place : place + size]
        found, error = _attempt(run, batch)
        if error is None:
            place += size
            if not overlap:
                yield batch, found
                continue
            if waiting is not None:
                yield _finished(read, *waiting)
            waiting = (batch, found)
            continue
        if waiting is not None:
            yield _finished(read, *waiting)
            waiting = None
        memory, message = error
        if memory:
            free()
        if size > 1:
            if memory:
                budget.lower(size, longest)
            else:
                singly = place + size
            continue
        if memory:
            message = (
                f"out of memory on one input of {longest} tokens: use a smaller max_length, "
                "another device or a smaller dtype"
            )
        yield batch, [Outcome(error=message)]
        place += 1
    if waiting is not None:
        yield _finished(read, *waiting)


def _finished(
    read: Callable[[Any], list[Outcome]], batch: list[int], raw: Any
) -> tuple[list[int], list[Outcome]]:
    """Return a started batch's outcomes; an error on the device shows only now."""
    outcomes, error = _attempt(read, raw)
    if error is not None:
        outcomes = [Outcome(error=error[1])] * len(batch)
    return batch, outcomes


def _attempt(function: Callable[[Any], Any], argument: Any) -> tuple[Any, tuple[bool, str] | None]:
    """Call a function; return its result, or whether memory ran out and the error's text.

    The error itself is not kept: its frames hold the batch's tensors.
    """
    try:
        return function(argument), None
    except Exception as error:  # noqa: BLE001 - a model may raise anything; it fails its inputs
        text = " ".join(str(error).split())[:300]
        return None, (is_out_of_memory(error), f"{type(error).__name__}: {text}")
