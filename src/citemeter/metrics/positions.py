"""Where in their statements citations stand, and how much that varies: ALiiCE's CVCP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isqrt

from citemeter.metrics.base import Counts, Ratio, RecordLike, check_zero_division, ready
from citemeter.models import Model, Response, Statement
from citemeter.results import Score

__all__ = [
    "CVCP",
    "CitationPositions",
    "PositionVariation",
    "citation_positions",
    "script_positions",
]

UNIT = 1_000_000
"""Positions are counted in millionths of their statement, so that sums are exact integers."""

_NUMBER_MARKER = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class PositionVariation:
    """A coefficient of variation as a metric on named counts, as ``Ratio`` is for a quotient.

    Args:
        name: The metric's name.
        number: The count of values.
        total: Their sum, in any unit.
        squares: The sum of their squares, in that unit squared.
        empty: Why it is undefined without a value.
        single: Why it is undefined with one.
        still: Why it is undefined when the mean is 0.
    """

    name: str
    number: str
    total: str
    squares: str
    empty: str
    single: str
    still: str
    lower_is_better: bool = False

    def value(
        self, counts: Counts, zero_division: float | None = None
    ) -> tuple[float | None, str | None]:
        """Return standard deviation over mean, and why it is undefined.

        Args:
            counts: The counts of one response, or pooled ones.
            zero_division: The value where it is undefined.
        """
        number, total = counts.get(self.number, 0), counts.get(self.total, 0)
        if not number:
            return zero_division, self.empty
        if number == 1:
            return zero_division, self.single
        if not total:
            return zero_division, self.still
        return _root(number * counts.get(self.squares, 0) - total * total) / total, None

    def pooled(self, counts: Counts, withheld: tuple[int, int] = (0, 0)) -> float | None:
        """Return the variation of all positions together."""
        return self.value(counts)[0]

    def withheld(self, counts: Counts) -> tuple[int, int]:
        """Return nothing: no judge is asked, so no verdict can be missing."""
        return 0, 0

    def score(self, counts: Counts, zero_division: float | None = None) -> Score:
        """Return the value with the standard deviation and the mean that it divides.

        Raises:
            InputError: If ``zero_division`` is no score.
        """
        check_zero_division(zero_division)
        value, reason = self.value(counts, zero_division)
        number, total = counts.get(self.number, 0), counts.get(self.total, 0)
        spread = number * counts.get(self.squares, 0) - total * total
        scale = (number or 1) * UNIT
        return Score(
            name=self.name,
            value=value,
            numerator=_root(spread) / scale,
            denominator=total / scale,
            reason=reason,
        )


def _root(square: int) -> float:
    """Return a square root, also of integers too large for a float; exact for exact squares."""
    whole = isqrt(max(0, square))
    return float(whole) if whole * whole == square else max(0, square) ** 0.5


CVCP = PositionVariation(
    "citation_position_variation",
    "positions",
    "position_sum",
    "position_square_sum",
    empty="no citation stands in a statement",
    single="one position does not vary",
    still="every citation stands at the start of its statement",
)
"""ALiiCE's coefficient of variation of citation positions, from counts: pooled counts give the
data set's value as ALiiCE has it."""

INSIDE_RATE = Ratio(
    "inside_citation_rate",
    "inside_citations",
    "positions",
    empty="no citation stands in a statement",
)
"""The share of citations that stand between words of their statement."""


class CitationPositions(Model):
    """Where the citations of one response stand.

    Args:
        variation: The coefficient of variation of the positions.
        inside_rate: The share of citations that stand between words of their statement, and not
            before the first or after the last.
        mean: The mean position, ``None`` without any.
        positions: The relative position of each citation's marker in its statement, in [0, 1) to
            six places, in order; ids of one marker share theirs.
        unplaced: How many citations have no place: they belong to no statement, or the statements
            came already split.
    """

    variation: Score
    inside_rate: Score
    mean: float | None
    positions: tuple[float, ...]
    unplaced: int


def _placed(statements: Iterable[Statement]) -> list[tuple[int, bool]]:
    """Return each citation's position in millionths, and whether it stands between words.

    A citation without offsets, or with some outside its statement, has no place and is left out.
    """
    placed = []
    for statement in statements:
        span, raw = statement.span, statement.raw
        if span is None or len(raw) != span.end - span.start:
            continue
        markers = [
            (c.span.start - span.start, c.span.end - span.start)
            for c in statement.citations
            if c.span is not None and span.start <= c.span.start < c.span.end <= span.end
        ]
        if markers:
            first, last = _words(raw, markers)
            placed += [
                (round(start * UNIT / len(raw)), first < start < last) for start, _ in markers
            ]
    return placed


def _words(text: str, markers: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return where the first and the last letter or digit outside markers stand.

    Without any, the first is at the text's end and the last at -1: nothing is between them.
    """
    characters = list(text)
    for start, end in markers:
        characters[start:end] = " " * (end - start)
    words = [place for place, character in enumerate(characters) if character.isalnum()]
    return (words[0], words[-1]) if words else (len(text), -1)


def variation_counts(positions: Iterable[int]) -> dict[str, int]:
    """Return the sums that a coefficient of variation is made of.

    Args:
        positions: Positions in millionths.

    >>> variation_counts([250_000, 750_000])
    {'positions': 2, 'position_sum': 1000000, 'position_square_sum': 625000000000}
    """
    values = list(positions)
    return {
        "positions": len(values),
        "position_sum": sum(values),
        "position_square_sum": sum([value * value for value in values]),
    }


def count_positions(response: Response) -> dict[str, int]:
    """Count one response's citations by place.

    Args:
        response: A response that is cut into statements.

    Returns:
        ``positions``, their sum and the sum of their squares in millionths, and
        ``inside_citations``; empty if no citation has a place.

    >>> count_positions(ready({"answer": "Cats [1] purr.", "sources": ["..."]}))["inside_citations"]
    1
    """
    placed = _placed(response.statements or ())
    if not placed:
        return {}
    counts = variation_counts([position for position, _ in placed])
    counts["inside_citations"] = sum([inside for _, inside in placed])
    return counts


def citation_positions(
    record: RecordLike, *, zero_division: float | None = None
) -> CitationPositions:
    r"""Return where the citations of a response stand, and how much their positions vary.

    .. math:: x_c = \frac{o_c}{|s|}, \quad
              \mathrm{CVCP} = \frac{\sigma}{\mu} =
              \frac{\sqrt{n \sum_c x_c^2 - (\sum_c x_c)^2}}{\sum_c x_c}

    with :math:`o_c` the offset in characters of citation :math:`c`'s marker in its statement and
    :math:`|s|` the statement's length in characters, markers included; :math:`\sigma` is the
    population's standard deviation. Where every citation ends its sentence the variation is near
    0; citations in the middle of sentences raise it.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        zero_division: The value to give where the variation is undefined.

    Returns:
        The variation, at least 0 and at most :math:`\sqrt{n - 1}`; it describes, and neither high
        nor low is better. Over a data set the micro mean is ALiiCE's value, which pools the
        positions of all answers.

    Undefined when:
        Fewer than two citations have a place in a statement, or all stand at its very start.

    >>> found = citation_positions({
    ...     "answer": "Cats [1] purr [2]. Dogs bark loud [1].", "sources": ["…", "…"],
    ... })
    >>> [round(x, 3) for x in found.positions], round(found.variation.value, 3)
    ([0.278, 0.778, 0.789], 0.388)
    >>> found.inside_rate.value == 1 / 3
    True

    Reference: Xu et al. (2025), https://arxiv.org/abs/2406.13375.
    """
    response = ready(record)
    placed = _placed(response.statements or ())
    counts = count_positions(response)
    positions = [position for position, _ in placed]
    return CitationPositions(
        variation=CVCP.score(counts, zero_division),
        inside_rate=INSIDE_RATE.score(counts, zero_division),
        mean=sum(positions) / len(positions) / UNIT if positions else None,
        positions=tuple(position / UNIT for position in positions),
        unplaced=len(response.citations) - len(positions),
    )


def script_positions(sentences: Iterable[str]) -> dict[str, int]:
    """Count positions as ALiiCE's published script does, from sentences with their markers.

    Only ``[n]`` is a marker, every one of them counts, and a sentence without one is passed over.
    Pooled over all answers, ``CVCP`` of these counts is the script's ``cv``, to six places.

    Args:
        sentences: The sentences as the script's splitter gives them: a marker that opens a
            sentence already moved to the end of the one before.

    >>> counts = script_positions(["Cats [1] purr [2].", "Dogs bark."])
    >>> counts["positions"], round(CVCP.value(counts)[0], 3)
    (2, 0.474)
    """
    return variation_counts(
        round(marker.start() * UNIT / len(sentence))
        for sentence in sentences
        for marker in _NUMBER_MARKER.finditer(sentence)
    )
