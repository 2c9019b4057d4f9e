"""Source overlap: whether the sources cited are the ones that ought to be."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from citemeter.metrics.base import Ratio, RecordLike, ready
from citemeter.models import Model, Response
from citemeter.results import Score

__all__ = ["SourceOverlap", "source_overlap"]

_ratio = partial(Ratio, needs="gold_sets", missing="no gold source ids are given")
SOURCE_RECALL = _ratio(
    "source_recall", "matched_sources", "gold_sources", empty="the gold set is empty"
)
SOURCE_PRECISION = _ratio(
    "source_precision", "matched_sources", "cited_sources", empty="no source is cited"
)
SOURCE_F1 = _ratio(
    "source_f1",
    "doubled_matches",
    "overlap_size",
    empty="nothing is cited and the gold set is empty",
)


class SourceOverlap(Model):
    """Overlap of the cited ids with the gold ids.

    Args:
        recall: The share of gold ids that are cited.
        precision: The share of cited ids that are gold.
        f1: Their harmonic mean.
        cited: The distinct ids cited, in order of appearance.
        gold: The gold set compared with: of several, the one that fits best.
    """

    recall: Score
    precision: Score
    f1: Score
    cited: tuple[str, ...]
    gold: tuple[str, ...]


def _best_gold(valid: set[str], gold_sets: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], int]:
    """Return the gold set with the highest F1 against the valid ids, and its matches.

    Of equals the first is taken. Fabricated ids have no say: one more of them must not tip the
    scales towards a set that suits the answer better.
    """

    def f1(gold: tuple[str, ...]) -> float:
        size = len(valid) + len(gold)
        return 2 * len(valid & set(gold)) / size if size else 1.0

    best = max((tuple(dict.fromkeys(gold)) for gold in gold_sets), key=f1, default=())
    return best, len(valid & set(best))


def _valid(cited: Collection[str], sources: Collection[str]) -> set[str]:
    """Return the ids that name a source; all of them where no sources are given."""
    return {source_id for source_id in cited if source_id in sources} if sources else set(cited)


def count_overlap(
    cited: Collection[str],
    gold_sets: Sequence[Sequence[str]] | None,
    sources: Collection[str] = (),
) -> dict[str, int]:
    """Count the distinct cited, gold and matched ids of a response.

    Args:
        cited: The distinct ids cited.
        gold_sets: The acceptable sets of gold ids; without any, nothing is counted.
        sources: The known ids. A cited id that is none of them matches nothing; without any, all
            are taken as known.
    """
    if not gold_sets:
        return {}
    gold, matched = _best_gold(_valid(cited, sources), gold_sets)
    return {
        "gold_sets": len(gold_sets),
        "gold_sources": len(gold),
        "cited_sources": len(cited),
        "matched_sources": matched,
        "doubled_matches": 2 * matched,
        "overlap_size": len(cited) + len(gold),
    }


def source_overlap(
    record: RecordLike,
    gold: Sequence[str] | Sequence[Sequence[str]] | None = None,
    *,
    zero_division: float | None = None,
) -> SourceOverlap:
    r"""Return recall, precision and F1 of the cited source ids against the gold ids.

    .. math:: R = \frac{|C \cap G|}{|G|}, \quad P = \frac{|C \cap G|}{|C|}, \quad
              F_1 = \frac{2|C \cap G|}{|C| + |G|}

    with :math:`C` the distinct ids that the answer cites, invalid ones included, and :math:`G` the
    gold ids; of several acceptable gold sets, the one with the highest :math:`F_1` against the
    valid ids. An id that names no source matches nothing, unless no sources are given at all.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        gold: A list of ids, or a list of such lists; the record's ``gold_source_ids`` by default.
        zero_division: The value to give at 0/0.

    Returns:
        Three scores in [0, 1], higher is better. Over a data set the macro mean averages them and
        the micro mean pools the counts.

    Undefined when:
        No gold ids are given; recall also when the gold set is empty, precision when nothing is
        cited, F1 when both are.

    >>> overlap = source_overlap({
    ...     "statements": [("A.", ["d1", "d4"])], "sources": {"d1": "", "d4": ""},
    ...     "gold_source_ids": ["d1"],
    ... })
    >>> overlap.recall.value, overlap.precision.value, round(overlap.f1.value, 3)
    (1.0, 0.5, 0.667)
    """
    response = ready(record)
    if gold is not None:
        response = Response.model_validate({**dict(response), "gold_source_ids": gold})
    cited = tuple(dict.fromkeys([c.source_id for c in response.citations]))
    counts = count_overlap(cited, response.gold_source_ids, response.by_id)
    chosen = _best_gold(_valid(cited, response.by_id), response.gold_source_ids or ())[0]
    return SourceOverlap(
        recall=SOURCE_RECALL.score(counts, zero_division),
        precision=SOURCE_PRECISION.score(counts, zero_division),
        f1=SOURCE_F1.score(counts, zero_division),
        cited=cited,
        gold=chosen,
    )
