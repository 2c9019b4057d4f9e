"""Batches: what goes together, and what an error does to them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citemeter.judges.nli.batching import Budget, run_batches
from citemeter.judges.nli.heads import Outcome
from citemeter.judges.nli.loading import is_out_of_memory


class OutOfMemoryError(RuntimeError):
    """Named as torch's."""


class Model:
    """Records its batches; runs out of memory above a number of padded tokens."""

    def __init__(
        self, lengths: Sequence[int], memory: int = 10**9, bad: Sequence[int] = ()
    ) -> None:
        self.lengths = lengths
        self.memory = memory
        self.bad = bad
        self.batches: list[list[int]] = []
        self.freed = 0

    def judge(self, places: Sequence[int]) -> list[Outcome]:
        self.batches.append(list(places))
        if len(places) * max(self.lengths[k] for k in places) > self.memory:
            raise OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        if set(places) & set(self.bad):
            raise IndexError("index out of range in self")
        return [Outcome(score=k / 1000) for k in places]

    def free(self) -> None:
        self.freed += 1

    def run(self, budget: Budget) -> dict[int, Outcome]:
        found: dict[int, Outcome] = {}
        for places, outcomes in run_batches(self.lengths, self.judge, budget, self.free):
            for place, outcome in zip(places, outcomes, strict=True):
                assert place not in found
                found[place] = outcome
        return found


LENGTHS = [5, 80, 7, 79, 6, 3, 78, 5, 40, 41]


def test_batches_are_sorted_and_within_the_budget() -> None:
    model = Model(LENGTHS)
    found = model.run(Budget(160))
    assert found == {k: Outcome(score=k / 1000) for k in range(len(LENGTHS))}
    sizes = [[LENGTHS[k] for k in batch] for batch in model.batches]
    assert sizes[0] == [80, 79]
    assert all(len(size) * size[0] <= 160 or len(size) == 1 for size in sizes)
    flat = [length for size in sizes for length in size]
    assert flat == sorted(LENGTHS, reverse=True)


def test_a_number_of_pairs_overrides_the_budget() -> None:
    model = Model(LENGTHS)
    model.run(Budget(1, 4, waste=0.0))
    assert [len(batch) for batch in model.batches] == [4, 4, 2]


def test_padding_is_kept_low() -> None:
    model = Model([100] * 3 + [10] * 5)
    model.run(Budget(10_000, waste=0.1))
    assert [len(batch) for batch in model.batches] == [3, 5]
    model = Model([100] * 3 + [10] * 5)
    model.run(Budget(10_000, waste=0.1, least=10_000))
    assert [len(batch) for batch in model.batches] == [8]


def test_out_of_memory_halves_the_batch_and_is_remembered() -> None:
    model = Model([10] * 32, memory=100)
    budget = Budget(320)
    found = model.run(budget)
    assert len(found) == 32
    assert all(outcome.error is None for outcome in found.values())
    assert [len(batch) for batch in model.batches][:4] == [32, 16, 8, 8]
    assert model.freed == 2
    assert budget.tokens == 80
    model.batches.clear()
    model.run(budget)
    assert [len(batch) for batch in model.batches] == [8, 8, 8, 8]


def test_out_of_memory_with_a_number_of_pairs() -> None:
    model = Model([10] * 8, memory=30)
    budget = Budget(1, 8)
    assert all(outcome.error is None for outcome in model.run(budget).values())
    assert budget.pairs == 2


def test_one_input_that_does_not_fit_fails_alone() -> None:
    model = Model([10, 500, 10, 10], memory=100)
    found = model.run(Budget(100))
    assert "out of memory on one input of 500 tokens" in (found[1].error or "")
    assert [k for k, outcome in found.items() if outcome.error] == [1]


def test_an_input_that_the_model_raises_on_fails_alone() -> None:
    model = Model([10] * 6, bad=[3])
    found = model.run(Budget(60))
    assert "IndexError: index out of range" in (found[3].error or "")
    assert [k for k, outcome in found.items() if outcome.error] == [3]
    assert len(found) == 6


def test_an_interrupt_passes_through() -> None:
    def interrupted(places: Sequence[int]) -> list[Outcome]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_batches([1], interrupted, Budget(10)))


def test_nothing_to_do() -> None:
    assert list(run_batches([], lambda places: [], Budget(10))) == []


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (OutOfMemoryError("x"), True),
        (MemoryError(), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 8 bytes"), True),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 8"), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: 8 GB)"), True),
        (RuntimeError("size mismatch"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_which_errors_are_of_memory(error: BaseException, memory: bool) -> None:
    assert is_out_of_memory(error) is memory
