"""Several judges as one: majority, all, any, or the mean of their scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from citemeter.errors import JudgeError
from citemeter.judges.base import Entails, Judge, Pair, as_judge, every_verdict, in_order
from citemeter.judges.thresholded import checked_threshold
from citemeter.verdicts import JudgeIdentity, LongPremise, Verdict

__all__ = ["EnsembleJudge"]

Rule: TypeAlias = Literal["majority", "all", "any", "mean"]

_RULES = ("majority", "all", "any", "mean")
_MEAN_THRESHOLD = 0.5


class EnsembleJudge(Judge):
    r"""Several judges asked about every pair, and one verdict made of theirs.

    With $y$ yes votes of $n$ judges, a pair is supported

    - ``majority``: iff $y > n/2$. A tie is not: half the judges do not make a majority. The score
      of 0.5 and the reason show it; an odd number of judges has none.
    - ``all``: iff $y = n$.
    - ``any``: iff $y \geq 1$.
    - ``mean``: iff $\sum_i w_i s_i / \sum_i w_i \geq t$, with scores $s_i$, weights $w_i$ and
      threshold $t$; the members' votes do not count.

    The score is $y/n$, or the mean score. When a member fails, the verdict stands if no answer of
    its could change it (two of three say yes; one says no under ``all``), and has no score, since
    that would not be known. Otherwise it is a failed verdict that names the member. A mean of
    which a member gives no score in $[0, 1]$ is a failed verdict in any case.

    Args:
        judges: The members: judges or callables.
        rule: How their verdicts become one.
        threshold: The mean from which a pair is supported, for ``mean`` alone; 0.5 by default.
        weights: The members' weights, for ``mean`` alone; equal by default.

    Attributes:
        members: The judges.

    Raises:
        JudgeError: If there is no member, the rule is unknown, or an option does not go with it.

    >>> from citemeter.judges import load_judge
    >>> judge = EnsembleJudge([load_judge("toy:contains"), load_judge("toy:keyword=purr")], "all")
    >>> judge.judge([("Cats purr.", "Cats sleep.")])[0].reason
    '1 of 2 yes: toy:contains no (0.00), toy:keyword yes'
    """

    def __init__(
        self,
        judges: Sequence[Judge | Entails],
        rule: Rule = "majority",
        *,
        threshold: float | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        if rule not in _RULES:
            raise JudgeError(f"there is no rule {rule!r}: use one of {', '.join(_RULES)}")
        if isinstance(judges, (str, bytes, Judge)) or not isinstance(judges, Sequence):
            raise JudgeError("an ensemble needs several judges: give a list of them")
        if not judges:
            raise JudgeError("an ensemble needs judges: give at least one")
        if rule != "mean" and not (threshold is None and weights is None):
            raise JudgeError(
                f"threshold and weights belong to the rule 'mean', not to {rule!r}: leave them out"
            )
        self.members = tuple(as_judge(judge) for judge in judges)
        self.rule: Rule = rule
        self.threshold: float | None = None
        if rule == "mean":
            self.threshold = checked_threshold(_MEAN_THRESHOLD if threshold is None else threshold)
        self.weights = _checked_weights(weights, len(self.members))
        self._names = _names(self.members)

    @property
    def identity(self) -> JudgeIdentity:
        """The rule and every member's identity; its threshold too where its vote counts."""
        members = [
            member.identity.model_dump(
                mode="json",
                exclude_none=True,
                exclude={"threshold"} if self.rule == "mean" else None,
            )
            for member in self.members
        ]
        parameters: dict[str, Any] = {"rule": self.rule, "members": members}
        if self.rule == "mean":
            parameters["weights"] = list(self.weights)
        return JudgeIdentity(
            name="ensemble", version="1", threshold=self.threshold, parameters=parameters
        )

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        return in_order(self.stream(pairs), len(pairs))

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        """Yield a pair's verdict as soon as every member has given its own.

        The members advance by turns, one verdict each, so that those of one pair come together
        where they decide in about the same order.
        """
        votes: dict[int, dict[int, Verdict]] = {}
        count = len(self.members)
        turns = {n: every_verdict(member, pairs) for n, member in enumerate(self.members)}
        try:
            while turns:
                for n in list(turns):
                    given = next(turns[n], None)
                    if given is None:
                        del turns[n]
                        continue
                    position, verdict = given
                    cast = votes.setdefault(position, {})
                    cast[n] = verdict
                    if len(cast) == count:
                        del votes[position]
                        yield position, self._decide([cast[n] for n in range(count)])
        finally:
            for turn in turns.values():
                turn.close()

    def usage(self) -> dict[str, float]:
        """Return the members' usage, summed by name, and each member's under its own name."""
        total: dict[str, float] = {}
        each: dict[str, float] = {}
        for name, member in zip(self._names, self.members, strict=True):
            for what, amount in member.usage().items():
                total[what] = total.get(what, 0) + amount
                each[f"{name}.{what}"] = amount
        return {**total, **each}

    def close(self) -> None:
        """Close every member."""
        errors = []
        for member in self.members:
            try:
                member.close()
            except Exception as error:  # noqa: BLE001 - the others are closed all the same
                errors.append(error)
        if errors:
            raise errors[0]

    def _decide(self, verdicts: list[Verdict]) -> Verdict:
        yes = sum(verdict.supported is True for verdict in verdicts)
        failed = [n for n, verdict in enumerate(verdicts) if verdict.supported is None]
        score: float | None
        if self.rule == "mean":
            scoreless = [n for n, v in enumerate(verdicts) if n not in failed and not _scored(v)]
            if scoreless:
                names = ", ".join(self._names[n] for n in scoreless)
                return Verdict.failed(f"a mean needs scores in [0, 1], and {names} gave none")
            supported, score = self._mean(verdicts)
            said = "no mean" if score is None else f"mean {score:.2f}"
        else:
            supported = self._vote(yes, len(failed))
            score = None if failed else yes / len(verdicts)
            tie = self.rule == "majority" and not failed and 2 * yes == len(verdicts)
            said = f"{yes} of {len(verdicts)} yes{' (a tie)' if tie else ''}"
        if supported is None:
            names = ", ".join(
                f"{self._names[n]} ({verdicts[n].error or 'no reason given'})" for n in failed
            )
            return Verdict.failed(f"it depends on what failed: {names}")
        votes = zip(self._names, verdicts, strict=True)
        return Verdict(
            supported=supported,
            score=score,
            reason=f"{said}: {', '.join(f'{name} {_shown(verdict)}' for name, verdict in votes)}",
            long_premise=_long_premise(verdicts),
        )

    def _vote(self, yes: int, failed: int) -> bool | None:
        """Return what the rule says, if the missing votes cannot change it."""
        count = len(self.members)
        needed = {"majority": count // 2 + 1, "all": count, "any": 1}[self.rule]
        if yes >= needed:
            return True
        return False if yes + failed < needed else None

    def _mean(self, verdicts: list[Verdict]) -> tuple[bool | None, float | None]:
        """Return what the mean says, if the missing scores cannot change it, and the mean."""
        assert self.threshold is not None
        total = math.fsum(self.weights)
        # A missing score is anything from 0 to 1.
        bounds = [
            math.fsum(
                weight * (missing if v.supported is None or v.score is None else v.score)
                for weight, v in zip(self.weights, verdicts, strict=True)
            )
            / total
            for missing in (0.0, 1.0)
        ]
        whole = all(verdict.supported is not None for verdict in verdicts)
        if bounds[0] >= self.threshold:
            return True, bounds[0] if whole else None
        return (None if bounds[1] >= self.threshold else False), bounds[0] if whole else None


def _scored(verdict: Verdict) -> bool:
    return verdict.score is not None and 0 <= verdict.score <= 1


def _shown(verdict: Verdict) -> str:
    if verdict.supported is None:
        return f"failed ({verdict.error or 'no reason given'})"
    word = "yes" if verdict.supported else "no"
    return word if verdict.score is None else f"{word} ({verdict.score:.2f})"


def _long_premise(verdicts: Sequence[Verdict]) -> LongPremise | None:
    """Say what became of the premise at worst."""
    found = {verdict.long_premise for verdict in verdicts}
    return "truncated" if "truncated" in found else "chunked" if "chunked" in found else None


def _names(members: Sequence[Judge]) -> tuple[str, ...]:
    """Name the members, with a number where a name comes again."""
    names = [member.identity.name for member in members]
    return tuple(
        f"{name}#{names[: n + 1].count(name)}" if names.count(name) > 1 else name
        for n, name in enumerate(names)
    )


def _checked_weights(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    if weights is None:
        return (1.0,) * count
    values = tuple(float(weight) for weight in weights)
    if len(values) != count:
        raise JudgeError(f"{len(values)} weights for {count} judges: give one for each")
    if not all(0 <= value < math.inf for value in values) or not sum(values):
        raise JudgeError(
            f"the weights {', '.join(f'{value:g}' for value in values)} cannot be used: "
            "give numbers from 0 on, not all 0"
        )
    return values
