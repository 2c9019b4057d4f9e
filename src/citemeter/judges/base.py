"""The one seam between metrics and models: ``Entails`` and ``Judge``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from citemeter.errors import JudgeError, callable_name
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["CallableJudge", "Entails", "Judge", "Pair", "Premise", "as_judge", "passages_of"]

Pair: TypeAlias = tuple[str, str]
"""``(premise, hypothesis)``: the cited passages' text and the statement's."""

Entails: TypeAlias = Callable[[str, str], bool]
"""Any callable that says whether a premise entails a hypothesis."""

_PORTION = 256
"""Pairs that a judge without a rhythm of its own is given at a time."""

_YES = Verdict(supported=True)
_NO = Verdict(supported=False)


class Premise(str):
    r"""Several passages joined by line breaks, which remembers where each begins.

    To most judges it is plain text, and it equals that text. A judge that has to cut a long
    premise can keep the passages apart.

    Args:
        passages: The passages, none empty.

    >>> premise = Premise(["Cats purr.", "Dogs bark."])
    >>> premise == "Cats purr.\nDogs bark.", premise.passages
    (True, ('Cats purr.', 'Dogs bark.'))
    """

    __slots__ = ("passages",)
    passages: tuple[str, ...]

    def __new__(cls, passages: Sequence[str]) -> Premise:
        """Join the passages."""
        premise = super().__new__(cls, "\n".join(passages))
        premise.passages = tuple(passages)
        return premise

    def __getnewargs__(self) -> tuple[tuple[str, ...]]:  # type: ignore[override]
        """Say how a copy is made."""
        return (self.passages,)


def passages_of(premise: str) -> tuple[str, ...]:
    """Return the passages that a premise is joined of; plain text is one."""
    return premise.passages if isinstance(premise, Premise) else (premise,)


class Judge(ABC):
    """Decides for a batch of pairs whether each premise entails its hypothesis.

    A subclass defines ``identity`` and ``judge``. A pair it cannot decide gets a failed verdict;
    raising is for when it cannot work at all. Every judge is also an ``Entails`` callable.

    A judge that decides in batches or concurrently should define ``stream`` too, so that what is
    decided is kept and counted as it comes.
    """

    @property
    @abstractmethod
    def identity(self) -> JudgeIdentity:
        """What must be known to repeat this judge's verdicts."""

    @abstractmethod
    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each ``(premise, hypothesis)``, in order."""

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        """Yield each pair's position and verdict as soon as it is decided, in any order.

        By default ``judge`` is given a few hundred pairs at a time.
        """
        for start in range(0, len(pairs), _PORTION):
            portion = pairs[start : start + _PORTION]
            verdicts = self.judge(portion)
            if len(verdicts) != len(portion):
                message = f"the judge gave {len(verdicts)} verdicts for {len(portion)} pairs"
                verdicts = [Verdict.failed(message)] * len(portion)
            yield from enumerate(verdicts, start)

    def usage(self) -> dict[str, float]:
        """Return what this judge has used up or saved since it was made, by name.

        Empty unless there is something to count: tokens, cost, pairs found in a cache.
        """
        return {}

    def close(self) -> None:  # noqa: B027 - most judges hold nothing open
        """Let go of files and connections; a judge that has none does nothing."""

    def __call__(self, premise: str, hypothesis: str) -> bool:
        """Judge one pair.

        Raises:
            JudgeError: If the judge failed on it: a failure has no truth value.
        """
        verdict = self.judge([(premise, hypothesis)])[0]
        if verdict.supported is None:
            raise JudgeError(verdict.error or "the judge gave no verdict")
        return verdict.supported


def in_order(stream: Iterable[tuple[int, Verdict]], count: int) -> list[Verdict]:
    """Return the verdicts of a stream in the order of their pairs, failed where one is missing."""
    verdicts = dict(stream)
    missing = Verdict.failed("the judge gave no verdict for this pair")
    return [verdicts.get(position, missing) for position in range(count)]


def every_verdict(
    judge: Judge, pairs: Sequence[Pair], fatal: tuple[type[Exception], ...] = ()
) -> Generator[tuple[int, Verdict], None, None]:
    """Yield each pair's position and verdict, failed where the judge raises or leaves one out.

    When it raises, what is left is halved to find the culprit; what came before is kept.

    Args:
        judge: The judge.
        pairs: The pairs.
        fatal: Errors that are raised: the judge cannot work at all.
    """
    batches = [list(range(len(pairs)))]
    while batches:
        places = batches.pop()
        left = dict.fromkeys(places)
        message = "the judge gave no verdict for this pair"
        try:
            for position, verdict in judge.stream([pairs[place] for place in places]):
                place = places[position]
                if place in left:
                    del left[place]
                    if not isinstance(verdict, Verdict):
                        verdict = Verdict.failed(f"the judge gave {type(verdict).__name__}")
                    yield place, verdict
        except fatal:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a judge raises is a failed verdict
            rest = list(left)
            if len(rest) > 1:
                half = len(rest) // 2 if len(rest) == len(places) else len(rest)
                batches += [part for part in (rest[half:], rest[:half]) if part]
                continue
            message = f"{type(error).__name__}: {error}"
        for place in left:
            yield place, Verdict.failed(message)


class CallableJudge(Judge):
    """Any ``(premise, hypothesis) -> bool`` callable as a judge.

    A call that raises, or returns anything but ``True`` or ``False``, is a failed verdict: a
    number or a word is not read as a yes. Interrupts and exits pass through.

    Args:
        entails: The callable.
        name: What to call it; its qualified name by default.
        version: What is changed whenever it gives other verdicts. Only with a name and a version
            can its verdicts be kept in a cache.

    Raises:
        JudgeError: If there is a version but no name.

    >>> judge = CallableJudge(lambda premise, hypothesis: hypothesis in premise)
    >>> [v.supported for v in judge.judge([("a cat sat", "cat"), ("a cat sat", "dog")])]
    [True, False]
    >>> CallableJudge(lambda p, h: 0.9).judge([("p", "h")])[0].error
    'the judge returned float, not True or False'
    """

    def __init__(
        self, entails: Entails, name: str | None = None, version: str | None = None
    ) -> None:
        if version is not None and not name:
            raise JudgeError("a version says nothing without a name: give name=... as well")
        self._entails = entails
        self._version = version
        self._name = name or callable_name(entails)

    @property
    def identity(self) -> JudgeIdentity:
        """The callable's name and version; nothing more is known about it."""
        return JudgeIdentity(name=f"callable:{self._name}", version=self._version)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Call the function once for each pair."""
        return [self._one(premise, hypothesis) for premise, hypothesis in pairs]

    def _one(self, premise: str, hypothesis: str) -> Verdict:
        try:
            answer: Any = self._entails(premise, hypothesis)
        except Exception as error:  # noqa: BLE001 - a judge may raise anything; it is kept
            return Verdict.failed(f"{type(error).__name__}: {error}")
        if answer is True:
            return _YES
        if answer is False:
            return _NO
        if type(answer).__module__ == "numpy" and type(answer).__name__ in ("bool", "bool_"):
            return _YES if answer else _NO
        return Verdict.failed(f"the judge returned {type(answer).__name__}, not True or False")


def as_judge(judge: Judge | Entails) -> Judge:
    """Return ``judge`` itself, or a plain callable wrapped as one.

    Raises:
        JudgeError: If it is neither.
    """
    if isinstance(judge, Judge):
        return judge
    if callable(judge):
        return CallableJudge(judge)
    raise JudgeError(
        f"{type(judge).__name__} is no judge: give a name, a Judge, or a callable "
        "(premise, hypothesis) -> bool"
    )
