"""What a repair is: what was wrong with a statement, what is suggested, and what comes of it."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field

from citemeter.errors import InputError
from citemeter.guardrail.offsets import Edit, OffsetMap, applied
from citemeter.models import Citation, Model, Statement
from citemeter.results import Score, StatementState
from citemeter.verdicts import Verdict

__all__ = [
    "PROBLEMS",
    "SCORES",
    "Outcome",
    "Problem",
    "Removal",
    "RepairResult",
    "RepairSummary",
    "StatementRepair",
    "Suggestion",
    "Way",
]

Problem = Literal["unsupported", "uncited", "invalid", "irrelevant", "unjudged"]
"""What is wrong with a statement's citations.

- ``unsupported``: its passages together do not support it.
- ``uncited``: it needs a citation and has none.
- ``invalid``: it cites an id that names no source.
- ``irrelevant``: it is supported, and some of its citations do nothing for it.
- ``unjudged``: the judge failed on it, so nothing is known.
"""

PROBLEMS: tuple[Problem, ...] = ("unsupported", "uncited", "invalid", "irrelevant")
"""The problems that can be looked into."""

Outcome = Literal["repaired", "unrepaired", "unjudged"]
"""What came of a problem.

- ``repaired``: the proposed citations support the statement.
- ``unrepaired``: no source that was asked about supports it; or no irrelevant citation can go.
- ``unjudged``: none was found, and the judge failed on some that might.
"""

OUTCOMES: tuple[Outcome, ...] = ("repaired", "unrepaired", "unjudged")

Way = Literal["respelled", "rest", "alone", "extended", "pair"]
"""How a suggestion came about.

- ``respelled``: invalid ids spelled as the sources they nearly name.
- ``rest``: the valid ids that the statement cites already.
- ``alone``: one source.
- ``extended``: the valid ids that it cites already, and one source more.
- ``pair``: two sources together.
"""

SCORES = ("citation_recall", "citation_precision", "citation_coverage", "citation_validity")
"""The scores of an answer before and after its repair."""


class Suggestion(Model):
    """Citations that the judge says support a statement.

    Args:
        source_ids: What the statement would cite.
        way: How they were found; see ``Way``.
        verdict: The judge's verdict on them together: its score and reason are kept.
        rank: The place of the source that is new to the statement in the pre-filter's order, from
            1; of two, the worse. ``None`` if none is new.
    """

    source_ids: tuple[str, ...]
    way: Way
    verdict: Verdict
    rank: int | None = None


class Removal(Model):
    """A citation that can go, and why.

    Args:
        source_id: The id as cited.
        reason: ``irrelevant``: it does not support alone, and what stays does so without it.
            ``unsupported``: its statement was not supported, and what is proposed does so without
            it. ``invalid``: it names no source.
        alone: The verdict on its passage alone, if that was asked.
        rest: The verdict on what was left when it went, if that was asked.
    """

    source_id: str
    reason: Literal["irrelevant", "unsupported", "invalid"]
    alone: Verdict | None = None
    rest: Verdict | None = None


class StatementRepair(Model):
    """What was wrong with one statement's citations, and what would fix it.

    Args:
        index: The statement's place in the answer, from 0.
        statement: The statement as it was.
        state: Its state before; see ``StatementState``.
        problem: What is wrong; ``None`` if nothing is.
        outcome: What came of it; ``None`` if nothing is wrong.
        cited: The distinct ids it cites.
        proposed: The distinct ids it should cite; those it cites where nothing better is known.
        suggestions: What supports it, best first; the first is what is proposed.
        removals: The citations that can go.
        near_misses: The invalid ids that differ from a source's only in spelling, with that id,
            whether or not the judge says that it supports the statement.
        asked: How many sets of sources the judge was asked about in the search.
        note: All this in words.
        written: Whether the repaired answer says so; ``False`` where the markers could not be
            written, ``None`` where there was nothing to write.
    """

    index: int
    statement: Statement
    state: StatementState
    problem: Problem | None = None
    outcome: Outcome | None = None
    cited: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    removals: tuple[Removal, ...] = ()
    near_misses: dict[str, str] = Field(default_factory=dict)
    asked: int = 0
    note: str = ""
    written: bool | None = None

    @property
    def added(self) -> tuple[str, ...]:
        """The ids proposed that it does not cite."""
        return tuple(i for i in self.proposed if i not in self.cited)

    @property
    def removed(self) -> tuple[str, ...]:
        """The ids it cites that are not proposed."""
        return tuple(i for i in self.cited if i not in self.proposed)

    @property
    def respelled(self) -> tuple[str, ...]:
        """The invalid ids that are proposed under the spelling of the source they nearly name."""
        return tuple(i for i, j in self.near_misses.items() if j in self.added)

    @property
    def changed(self) -> bool:
        """Whether it should cite anything else than it does."""
        return self.proposed != self.cited


class RepairResult(Model):
    """An answer's repair: statement by statement, the repaired answer, and its scores.

    Args:
        id: The record's id.
        original: The answer as it was; ``None`` when its statements came already split.
        answer: The repaired answer; ``None`` when its statements came already split.
        repairs: One for each statement, in order.
        statements: The statements of the repaired answer, with the citations they have there.
        edits: What was changed in the answer, in order: offsets in it, and the new text.
        dropped: The invalid citations outside statements that were taken out.
        before: The answer's scores, by name; see ``SCORES``.
        after: The same of the repaired answer, by the same judge.
        counts: The named counts of the repair; see ``count_repairs``.
    """

    id: str | None = None
    original: str | None = None
    answer: str | None = None
    repairs: tuple[StatementRepair, ...] = ()
    statements: tuple[Statement, ...] = ()
    edits: tuple[Edit, ...] = ()
    dropped: tuple[Citation, ...] = ()
    before: dict[str, Score]
    after: dict[str, Score]
    counts: dict[str, int]

    @property
    def broken(self) -> tuple[StatementRepair, ...]:
        """The statements with something wrong."""
        return tuple(repair for repair in self.repairs if repair.problem is not None)

    @cached_property
    def offsets(self) -> OffsetMap:
        """The way between the offsets of the answer and those of the repaired one."""
        return OffsetMap(self.edits)

    def to_repaired(self, offset: int) -> int:
        """Return where an offset in the answer is in the repaired answer.

        Args:
            offset: An offset in characters. In what was taken out, it maps to where that was.
        """
        return self.offsets.to_clean(offset)

    def to_original(self, offset: int) -> int:
        """Return where an offset in the repaired answer is in the answer.

        Args:
            offset: An offset in characters. In what was put in, it maps to what stood there.
        """
        return self.offsets.to_original(offset)

    def apply(self, answer: str | None = None) -> str:
        """Return the repaired text of the answer.

        Args:
            answer: The answer that was looked into, if the result was kept without it.

        Raises:
            InputError: If it is another text, or the statements came already split.
        """
        if self.answer is None or self.original is None:
            raise InputError(
                "the statements came already split, so there is no text to repair.",
                record=self.id,
                fix="read 'statements', which has them with their new citations.",
            )
        if answer is not None and answer != self.original:
            raise InputError(
                "this is not the answer that was looked into.",
                record=self.id,
                fix="give that answer, or run suggest_citations on this one.",
            )
        return applied(self.original, self.edits)


class RepairSummary(Model):
    """The repairs of a data set.

    Args:
        responses: How many answers there are.
        problems: The number of statements by problem and outcome.
        counts: Every named count, summed over the answers; see ``count_repairs``.
        before: Each score's mean over the answers where it is defined.
        after: The same of the repaired answers.
        lower: In how many answers each score is lower than before.
    """

    responses: int
    problems: dict[Problem, dict[Outcome, int]]
    counts: dict[str, int]
    before: dict[str, float | None]
    after: dict[str, float | None]
    lower: dict[str, int]

    def __str__(self) -> str:
        lines = []
        for problem, outcomes in self.problems.items():
            total = sum(outcomes.values())
            line = f"{problem}: {outcomes['repaired']} of {total} repaired"
            if outcomes["unjudged"]:
                line += f", {outcomes['unjudged']} unjudged"
            lines.append(line)
        for name, before in self.before.items():
            lines.append(f"{name}: {_shown(before)} -> {_shown(self.after[name])}")
        return "\n".join(lines)


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
