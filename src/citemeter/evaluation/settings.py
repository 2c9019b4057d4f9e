"""Every choice of an evaluation in one frozen object, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from citemeter._version import __version__
from citemeter.errors import InputError, callable_name, check_choice
from citemeter.metrics.alce import Rules
from citemeter.metrics.base import check_zero_division
from citemeter.protocols import Protocol, get_protocol
from citemeter.results import Signature
from citemeter.text.parse import ParseOptions
from citemeter.text.phrases.refusals import RefusalRule
from citemeter.verdicts import JudgeIdentity

if TYPE_CHECKING:
    from citemeter.evaluation.extensions.base import Extension

__all__ = ["Settings"]

Group = Literal["parsing", "counting", "extensions", "results"]


def _about(
    group: Group, text: str, command_line: Any = None, default_name: Any = None
) -> Mapping[str, Any]:
    """Describe a choice.

    Args:
        group: What it is about; the command line's commands take groups.
        text: What it is, in one sentence.
        command_line: The type of its option, if it has one.
        default_name: What a signature calls the default, if not by its value.
    """
    return {
        "group": group,
        "text": text,
        "command_line": command_line,
        "default_name": default_name,
    }


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Every choice of an evaluation but the judge.

    ``score``, ``Evaluator`` and the command line take these by name. A signature shows all of them.

    Args:
        protocol: The rule set of citation recall and precision: ``"alce"`` or ``"alce-script"``.
        style: Which markers are citations; ``"auto"`` decides for each answer. See
            ``citemeter.text.parse.ParseOptions``.
        segmenter: What cuts sentences: ``"citemeter"``, ``"punkt"``, ``"line"``, or a callable.
        attach: Whether a marker after a full stop belongs to the ``"previous"`` or the ``"next"``
            sentence.
        numbering: ``None`` if numbers in markers are source ids; 0 or 1 if they count the sources.
        worthiness: The rule that says which statements need a citation.
        refusal_rule: What decides whether an answer declines: a callable from the answer to true
            or false; by default ``citemeter.text.phrases.refusals.abstains``.
        recall_over: Count ``"all"`` statements in citation recall, or only those ``"worthy"`` of a
            citation.
        duplicates: Count an id repeated in one statement once (``"set"``), or by its
            ``"occurrences"``.
        at_most_citations: Judge only the first so many citations of a statement.
        zero_division: The value of a metric at 0/0; undefined by default.
        refusals: ``"count"`` answers that decline and cite nothing in recall and coverage, or
            ``"leave_out"``.
        claim_support: Who says whether cited texts hold a claim, where ``expected_…`` fields ask
            for it: their ``"tokens"``, or the ``"judge"``.
        contract: The prompt's instructions: a contract, a file that holds one, or what is in it;
            see ``citemeter.contract.read_contract``.
        repair: Look for what would fix each answer's citations: see
            ``citemeter.repair.suggest_citations``.
        describe: Compute the amounts and positions of citations too.
        extensions: Extensions of your own; see ``citemeter.evaluation.extensions.base.Extension``.
        keep_sources: Keep the sources' texts in the results.

    Raises:
        InputError: If a choice is none of those there are.

    >>> Settings(recall_over="worthy", attach="previous").changed
    ('recall_over',)
    """

    protocol: str = field(
        default="alce", metadata=_about("counting", "The rule set: alce or alce-script.", str)
    )
    style: Any = field(
        default="auto",
        metadata=_about(
            "parsing", "Which markers are citations, such as numeric or numeric+url.", str
        ),
    )
    segmenter: Any = field(
        default="citemeter",
        metadata=_about("parsing", "What cuts sentences: citemeter, punkt or line.", str),
    )
    attach: Literal["previous", "next"] = field(
        default="previous",
        metadata=_about(
            "parsing", "Where a marker after a full stop belongs: previous or next.", str
        ),
    )
    numbering: Literal[0, 1] | None = field(
        default=None,
        metadata=_about(
            "parsing", "0 or 1 if numbers count the sources; left out, numbers are ids.", int
        ),
    )
    worthiness: Any = field(
        default="default",
        metadata=_about("parsing", "The rule that says which statements need a citation.", str),
    )
    refusal_rule: RefusalRule | None = field(
        default=None,
        metadata=_about("parsing", "What decides whether an answer declines.", None, "default"),
    )
    recall_over: Literal["all", "worthy"] = field(
        default="all",
        metadata=_about("counting", "Count all statements in recall, or worthy ones only.", str),
    )
    duplicates: Literal["set", "occurrences"] = field(
        default="set",
        metadata=_about("counting", "Count a repeated id once (set) or by its occurrences.", str),
    )
    at_most_citations: int | None = field(
        default=None,
        metadata=_about("counting", "Judge only the first so many citations of a statement.", int),
    )
    zero_division: float | None = field(
        default=None, metadata=_about("counting", "The value at 0/0; undefined by default.", float)
    )
    refusals: Literal["count", "leave_out"] = field(
        default="count",
        metadata=_about(
            "counting", "Count uncited refusals in recall and coverage (count), or leave_out.", str
        ),
    )
    claim_support: Literal["tokens", "judge"] = field(
        default="tokens",
        metadata=_about(
            "extensions", "Who checks expected claims against cited texts: tokens or judge.", str
        ),
    )
    contract: Any = field(
        default=None,
        metadata=_about("extensions", "The prompt's instructions, as checks (YAML or JSON).", Path),
    )
    repair: bool = field(
        default=False,
        metadata=_about("extensions", "Look for what would fix the answers' citations.", bool),
    )
    describe: bool = field(
        default=False,
        metadata=_about("extensions", "Print amounts and positions of citations too.", bool),
    )
    extensions: tuple[Extension, ...] = field(
        default=(), metadata=_about("extensions", "Extensions of your own.")
    )
    keep_sources: bool = field(
        default=False, metadata=_about("results", "Keep the sources' texts in the report.", bool)
    )

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        check_choice("recall_over", self.recall_over, ("all", "worthy"))
        check_choice("refusals", self.refusals, ("count", "leave_out"))
        check_choice("claim_support", self.claim_support, ("tokens", "judge"))
        check_zero_division(self.zero_division)
        most = self.at_most_citations
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            raise InputError(f"at_most_citations is {most!r}.", fix="give 1 or more, or None.")
        self.rule_set, self.parsing, self.rules  # noqa: B018 - each raises if a name is unknown
        if self.contract is not None:
            from citemeter.contract import read_contract

            object.__setattr__(self, "contract", read_contract(self.contract))

    @classmethod
    def choices(cls, *groups: Group) -> tuple[Field[Any], ...]:
        """Return the declarations of the choices in the given groups, or of all."""
        return tuple(f for f in fields(cls) if not groups or f.metadata["group"] in groups)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Settings:
        """Return the settings with these choices.

        Args:
            options: Choices by name.

        Raises:
            InputError: If a name is none; the message says which was meant.

        >>> Settings.of({"recal_over": "worthy"})
        Traceback (most recent call last):
        ...
        citemeter.errors.InputError: there is no option 'recal_over'. Fix: write recall_over.
        """
        known = [choice.name for choice in cls.choices()]
        for name in options:
            if name not in known:
                near = get_close_matches(name, known, 1)
                raise InputError(
                    f"there is no option {name!r}.",
                    fix=f"write {near[0]}." if near else f"the options are {', '.join(known)}.",
                )
        return cls(**options)

    @cached_property
    def rule_set(self) -> Protocol:
        """The protocol."""
        return get_protocol(self.protocol)

    @cached_property
    def parsing(self) -> ParseOptions:
        """How answers are read."""
        return ParseOptions(
            style=self.style,
            segmenter=self.segmenter,
            attach=self.attach,
            numbering=self.numbering,
            worthiness=self.worthiness,
            refusal_rule=self.refusal_rule,
        )

    @cached_property
    def rules(self) -> Rules:
        """How citations are judged."""
        return Rules(
            duplicates=self.rule_set.duplicates or self.duplicates,
            at_most=self.at_most_citations,
            premise=self.rule_set.premise,
        )

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the choices that are not the default."""
        return tuple(f.name for f in self.choices() if getattr(self, f.name) != f.default)

    def signature(self, judge: JudgeIdentity | None, seed: int | None = None) -> Signature:
        """Return how numbers are made under these settings.

        Args:
            judge: What decides entailment.
            seed: What random numbers begin with, if any are drawn.
        """
        values = self._labels
        changed = tuple(name for name, label in values.items() if label != _defaults()[name])
        return Signature(
            version=__version__,
            protocol=self.protocol,
            judge=judge,
            seed=seed,
            changed=changed,
            **values,
        )

    @cached_property
    def _labels(self) -> dict[str, Any]:
        """What a signature calls each choice that can change a number."""
        plan = self.parsing.plan
        labels = {
            choice.name: _label(getattr(self, choice.name), choice)
            for choice in self.choices("parsing", "counting", "extensions")
            if choice.name not in ("protocol", "extensions")
        }
        labels |= {
            "style": plan.label,
            "segmenter": "punkt" if self.rule_set.cut else plan.segmenter_name,
            "worthiness": plan.worthiness_name,
            "duplicates": self.rules.duplicates,
        }
        if self.extensions:
            labels["extensions"] = "+".join(extension.label for extension in self.extensions)
        return labels


@cache
def _defaults() -> dict[str, Any]:
    return {"extensions": None, **Settings()._labels}


def _label(value: Any, choice: Field[Any]) -> Any:
    """Return what a signature calls a value."""
    if value is None:
        return choice.metadata["default_name"]
    if choice.name == "contract":
        return value.label
    return f"callable:{callable_name(value)}" if callable(value) else value
