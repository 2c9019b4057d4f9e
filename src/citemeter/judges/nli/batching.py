"""Batches by token budget from length-sorted inputs, smaller ones after an out-of-memory error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from citemeter.judges.nli.heads import Outcome
from citemeter.judges.nli.loading import is_out_of_memory


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

    def size(self, lengths: Sequence[int]) -> int:
        """Return how many inputs go together.

        Args:
            lengths: The inputs' tokens, the longest first.
        """
        if self.pairs is not None:
            return min(self.pairs, len(lengths))
        longest = max(lengths[0], 1)
        most = min(max(1, self.tokens // longest), len(lengths))
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
    run: Callable[[Sequence[int]], list[Outcome]],
    budget: Budget,
    free: Callable[[], None] = lambda: None,
) -> Iterator[tuple[list[int], list[Outcome]]]:
    """Judge inputs in batches, the longest first, and yield each batch as it is done.

    After an out-of-memory error the batch is halved, and later ones are no larger. An input that
    does not fit alone is a failed outcome, and so is one that the model raises on.

    Args:
        lengths: The inputs' tokens.
        run: Judges the inputs at some positions.
        budget: How large a batch may be; what is learned is kept in it.
        free: Called after an out-of-memory error.

    Yields:
        The positions of a batch and their outcomes.
    """
    order = sorted(range(len(lengths)), key=lambda k: -lengths[k])
    place = 0
    singly = 0  # up to here, one at a time: the batch raised
    while place < len(order):
        longest = lengths[order[place]]
        size = 1 if place < singly else budget.size([lengths[k] for k in order[place:]])
        batch = order[place : place + size]
        try:
            outcomes = run(batch)
        except Exception as error:  # noqa: BLE001 - a model may raise anything; it fails its inputs
            # The error itself is not kept: its frames hold the batch's tensors.
            memory = is_out_of_memory(error)
            message = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        else:
            yield batch, outcomes
            place += size
            continue
        if memory:
            free()
            message = (
                f"out of memory on one input of {longest} tokens: use a smaller max_length, "
                "another device or a smaller dtype"
            )
        if size == 1:
            yield batch, [Outcome(error=message)]
            place += 1
        elif memory:
            budget.lower(size, longest)
        else:
            singly = place + size
