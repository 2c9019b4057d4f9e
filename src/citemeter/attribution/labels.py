"""The classes of an attribution, and the spellings under which data sets and models write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from citemeter.errors import InputError, check_choice

__all__ = ["ATTRIBUTION_BENCH", "CAQA", "LabelSet"]

_SEPARATORS = re.compile(r"[\s_-]+")
_SHOWN = 60  # characters of a foreign value that an error repeats
NO_LABEL = frozenset(("", "none", "null", "nan", "n/a"))
"""What stands for "no label" in files, folded: the CAQA script itself writes ``None``."""


def _folded(text: str) -> str:
    return _SEPARATORS.sub(" ", text.strip().casefold())


def _ambiguous(spelling: str, name: str) -> InputError:
    return InputError(
        f"{spelling!r} stands for two labels of {name!r}.", fix="give each spelling to one label."
    )


@dataclass(frozen=True)
class LabelSet:
    """The classes that attributions are sorted into.

    Args:
        name: What reports call it.
        labels: The classes, in the order of tables.
        spellings: Other ways to write them. Case, spaces, hyphens and underscores do not count;
            nothing is looked for inside a longer text, so ``not supportive`` is no label.

    >>> CAQA.parse("Missing"), CAQA.parse("CONTRADICTION")
    ('insufficient', 'contradictory')
    """

    name: str
    labels: tuple[str, ...]
    spellings: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Fold the spellings, and refuse those of no class or of two.

        Raises:
            InputError: If there are fewer than two classes, or a spelling is ambiguous.
        """
        if len(set(map(_folded, self.labels))) != len(self.labels) or len(self.labels) < 2:
            raise InputError(
                f"the label set {self.name!r} has the labels {', '.join(self.labels) or 'none'}.",
                fix="give at least two labels that differ.",
            )
        known = {_folded(label): label for label in self.labels}
        for spelling, label in self.spellings.items():
            check_choice("label", label, self.labels)
            if known.setdefault(_folded(spelling), label) != label:
                raise _ambiguous(spelling, self.name)
        object.__setattr__(self, "spellings", known)

    def with_spellings(self, spellings: Mapping[str, str]) -> LabelSet:
        """Return the same classes with further spellings.

        Raises:
            InputError: If one of them stands for another class already, or for none of these.

        >>> CAQA.with_spellings({"half": "insufficient"}).parse("half")
        'insufficient'
        """
        for spelling, label in spellings.items():
            if self.spellings.get(_folded(spelling), label) != label:
                raise _ambiguous(spelling, self.name)
        return replace(self, spellings={**self.spellings, **spellings})

    def parse(self, value: object, *, record: str | None = None, field: str = "label") -> str:
        """Return the class that a value names.

        Args:
            value: A label as written.
            record: What to call the record in an error.
            field: What to call the field.

        Raises:
            InputError: If it is none of the spellings.
        """
        label = self.spellings.get(_folded(value)) if isinstance(value, str) else None
        if label is None:
            shown = repr(value)
            raise InputError(
                f"{shown if len(shown) <= _SHOWN else f'{shown[:_SHOWN]}…'} is no label of "
                f"{self.name}.",
                record=record,
                field=field,
                fix=f"use {', '.join(self.labels)}, or a spelling listed in the documentation.",
            )
        return label

    def parse_prediction(
        self, value: object, *, record: str | None = None, field: str = "prediction"
    ) -> str | None:
        """Return the class that a prediction names; ``None`` if it says that there is none.

        Raises:
            InputError: If it is neither a spelling nor empty, ``none``, ``null``, ``nan``, ``n/a``.
        """
        nothing = NO_LABEL - self.spellings.keys()
        if value is None or (isinstance(value, str) and _folded(value) in nothing):
            return None
        return self.parse(value, record=record, field=field)


CAQA = LabelSet(
    "caqa",
    ("supportive", "insufficient", "contradictory", "irrelevant"),
    {
        **dict.fromkeys(("support", "supports", "supported", "supporting"), "supportive"),
        **dict.fromkeys(("missing", "insufficiently supportive"), "insufficient"),
        **dict.fromkeys(
            (
                "contradiction",
                "contradict",
                "contradicts",
                "contradicted",
                "contradicting",
                "refute",
                "refutes",
                "refuted",
            ),
            "contradictory",
        ),
        **dict.fromkeys(("not relevant", "unrelated"), "irrelevant"),
    },
)
"""CAQA's four classes; its files write ``Support`` and ``Missing`` for the first two."""

ATTRIBUTION_BENCH = LabelSet(
    "attributionbench",
    ("attributable", "not attributable"),
    {
        **{
            spelling: "attributable" if label == "supportive" else "not attributable"
            for spelling, label in CAQA.spellings.items()
        },
        **dict.fromkeys(
            ("unattributable", "unsupported", "not supported", "extrapolatory"),
            "not attributable",
        ),
    },
)
"""AttributionBench's two classes. CAQA's are read as these: supportive is attributable, and the
other three are not."""

LABEL_SETS = {known.name: known for known in (CAQA, ATTRIBUTION_BENCH)}
"""The label sets by name."""


def label_set_named(name: str | LabelSet) -> LabelSet:
    """Return a label set by its name; one of the caller's own is returned as it is.

    Raises:
        InputError: If there is none of that name.
    """
    if isinstance(name, LabelSet):
        return name
    check_choice("label_set", name, tuple(LABEL_SETS))
    return LABEL_SETS[name]


COMPLEXITIES = ("single", "union", "intersection", "concatenation")
"""CAQA's levels of reasoning: one fact, facts side by side, facts that meet, facts in a chain."""

_COMPLEXITY_SPELLINGS = {
    **{name[0]: name for name in COMPLEXITIES},
    "single triple": "single",
    "concat": "concatenation",
    "intersect": "intersection",
}


def parse_complexity(value: str | None) -> str | None:
    """Return the level of reasoning that a value names; other names stay, without case.

    Args:
        value: CAQA's names and initials, or any other grouping of rows; ``None`` or blank if the
            row belongs to no group.

    >>> parse_complexity("Concat"), parse_complexity("U"), parse_complexity("Three hops")
    ('concatenation', 'union', 'three hops')
    """
    folded = _folded(value or "")
    return _COMPLEXITY_SPELLINGS.get(folded, folded) or None
