"""Page and region grounding and claim alignment of one answer, and of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import fsum
from typing import Literal

from citemeter.errors import InputError
from citemeter.grounding.boxes import STANDARD, BoxFormat
from citemeter.grounding.cited import cited_places
from citemeter.grounding.claims import (
    CLAIM_CODES,
    CLAIM_STATES,
    ClaimCheck,
    ClaimError,
    check_claims,
)
from citemeter.grounding.models import GroundingCase
from citemeter.grounding.pages_and_regions import check_pages, check_regions
from citemeter.grounding.place_results import (
    COVERAGE_REASONS,
    GROUNDING_CODES,
    GroundingError,
    PageCheck,
    RegionCheck,
    grounding_error,
)
from citemeter.grounding.reading import PageTable, own_names, read_answer, read_case, read_record
from citemeter.grounding.rules import GroundingRules
from citemeter.grounding.text_check import MIN_SHARE
from citemeter.judges.asking import VerdictRequests, result_of, run
from citemeter.judges.base import Entails, Judge
from citemeter.metrics.base import Derived, Ratio, Terms
from citemeter.models import Model, Response
from citemeter.results import Score

__all__ = [
    "CITATION_PAGE_PRECISION",
    "CITATION_REGION_PRECISION",
    "CLAIM_CITATION_ALIGNMENT",
    "GroundingResult",
    "ask_grounding",
    "citation_grounding",
]

_NONE_EXPECTED = "no expected page or region is given"
_TEXT_ONLY = "every expected document is cited by text alone"

CITATION_PAGE_PRECISION = Ratio(
    "citation_page_precision",
    "page_anchors_hit",
    "page_anchors",
    empty=_TEXT_ONLY,
    needs="expected_pages",
    missing="no expected page is given",
)
CITATION_REGION_PRECISION = Ratio(
    "citation_region_precision",
    "region_anchors_hit",
    "region_anchors",
    empty=_TEXT_ONLY,
    needs="expected_regions",
    missing="no expected region is given",
)
CLAIM_CITATION_ALIGNMENT = Ratio(
    "claim_citation_alignment",
    "aligned_claims",
    "checked_claims",
    empty="no claim is made or expected",
    blocked_by="unjudged_claims",
    needs="claims_measured",
    missing="the evidence is not given",
)


GROUNDING_RATIOS = (CITATION_PAGE_PRECISION, CITATION_REGION_PRECISION, CLAIM_CITATION_ALIGNMENT)
"""The metrics of counts, in report order."""


def _mean_terms(values: Sequence[float | None]) -> Terms:
    """Return the mean of the values that exist, with what it divides."""
    known = [value for value in values if value is not None]
    total = fsum(known)
    return total / len(known) if known else None, total, len(known)


CITATION_GROUNDING = Derived(
    "citation_grounding",
    (CITATION_PAGE_PRECISION.name, CITATION_REGION_PRECISION.name),
    _mean_terms,
)
"""The mean of those of the two that have a value."""


class GroundingResult(Model):
    """Where one answer's citations point, beside where they should, and whether they hold.

    Args:
        id: The record's name.
        citation_page_precision: The share of expected pages that a citation points at.
        citation_region_precision: The share of expected regions that a cited box covers.
        citation_grounding: The mean of those of the two that have a value.
        claim_citation_alignment: The share of claims whose own citations hold them up.
        citation_grounding_error_counts: How often each code is in ``citation_grounding_errors``;
            empty if no page and no region is expected.
        claim_citation_error_counts: How often each code is in ``claim_citation_errors``; empty if
            claims could not be checked.
        citation_grounding_errors: Every expected page and region that is not hit.
        claim_citation_errors: Everything wrong with the claims' citations.
        pages: Every expected page.
        regions: Every expected region.
        claims: Every claim, and every expected claim that was not made.
        counts: The named counts that the scores are made of.
    """

    id: str | None = None
    citation_page_precision: Score
    citation_region_precision: Score
    citation_grounding: Score
    claim_citation_alignment: Score
    citation_grounding_error_counts: dict[str, int]
    claim_citation_error_counts: dict[str, int]
    citation_grounding_errors: tuple[GroundingError, ...] = ()
    claim_citation_errors: tuple[ClaimError, ...] = ()
    pages: tuple[PageCheck, ...] = ()
    regions: tuple[RegionCheck, ...] = ()
    claims: tuple[ClaimCheck, ...] = ()
    counts: dict[str, int]


def ask_grounding(
    case: GroundingCase,
    response: Response,
    rules: GroundingRules,
    zero_division: float | None = None,
    *,
    name: str | None = None,
) -> VerdictRequests[GroundingResult]:
    """Measure one answer.

    Args:
        case: What is expected; see ``case_of``.
        response: The answer, cut into statements; without ``sources`` its claims are not checked.
        rules: What counts.
        zero_division: The value of a metric at 0/0. It never stands in for a missing expectation.
        name: What to call the response in an error when it has no id.

    Yields:
        Pairs, if the rules want a judge for claims.

    Raises:
        InputError: If a source's metadata is malformed, or a box is none; before the first pair.
    """
    cited, unattached = cited_places(response, rules.inherit, name)
    citations = [*chain.from_iterable(cited), *unattached]
    pages = check_pages(case, citations, rules)
    regions = check_regions(case, citations, rules, case.id or response.id or name)
    checks: list[PageCheck | RegionCheck] = [*pages, *regions]
    counts: dict[str, int] = {}
    if checks:
        counts = count_places(pages, regions)
        counts["located_citations"] = sum(not one.text_only for one in citations)
        counts["text_only_citations"] = len(citations) - counts["located_citations"]
    claims: tuple[ClaimCheck, ...] = ()
    if "sources" in response.model_fields_set:
        claims = yield from check_claims(case, response, cited, rules)
        counts |= count_claims(claims)
    page = CITATION_PAGE_PRECISION.score(counts, zero_division)
    region = CITATION_REGION_PRECISION.score(counts, zero_division)
    mean = CITATION_GROUNDING.score({page.name: page, region.name: region})
    if mean.value is None:
        reason = _TEXT_ONLY if checks else _NONE_EXPECTED
        mean = mean.model_copy(update={"reason": reason})
    return GroundingResult(
        id=case.id if case.id is not None else response.id,
        citation_page_precision=page,
        citation_region_precision=region,
        citation_grounding=mean,
        claim_citation_alignment=CLAIM_CITATION_ALIGNMENT.score(counts, zero_division),
        citation_grounding_error_counts=counted(counts, GROUNDING_CODES),
        claim_citation_error_counts=counted(counts, CLAIM_CODES),
        citation_grounding_errors=tuple(grounding_error(c) for c in checks if not c.hit),
        claim_citation_errors=tuple(error for check in claims for error in check.errors),
        pages=pages,
        regions=regions,
        claims=claims,
        counts=counts,
    )


def count_places(pages: Sequence[PageCheck], regions: Sequence[RegionCheck]) -> dict[str, int]:
    """Count expected pages and regions, and what is wrong, by code and by kind."""
    checks: list[PageCheck | RegionCheck] = [*pages, *regions]
    codes = [check.code for check in checks]
    missed = [check.reason for check in checks if check.reason is not None]
    limits = sum(reason in COVERAGE_REASONS for reason in missed)
    return {
        "expected_pages": len(pages),
        "page_anchors": sum(check.counted for check in pages),
        "page_anchors_hit": sum(check.hit for check in pages),
        "expected_regions": len(regions),
        "region_anchors": sum(check.counted for check in regions),
        "region_anchors_hit": sum(check.hit for check in regions),
        "grounding_coverage_limits": limits,
        "grounding_drifts": len(missed) - limits,
        **{code: codes.count(code) for code in GROUNDING_CODES},
    }


def count_claims(checks: Sequence[ClaimCheck]) -> dict[str, int]:
    """Count claims by state, and what is wrong with them by code."""
    states = [check.state for check in checks]
    codes = [error.code for check in checks for error in check.errors]
    return {
        "claims_measured": 1,
        "checked_claims": len(checks),
        **{f"{state}_claims": states.count(state) for state in CLAIM_STATES},
        **{code: codes.count(code) for code in CLAIM_CODES},
    }


def counted(counts: dict[str, int], codes: Sequence[str]) -> dict[str, int]:
    """Return the counts of the codes; empty if they were not counted."""
    return {code: counts[code] for code in codes if code in counts}


def citation_grounding(
    record: object,
    case: object = None,
    judge: Judge | Entails | None = None,
    *,
    page_anchors: Literal["pages", "entries"] = "pages",
    text_only: Literal["count", "leave_out"] = "count",
    inherit: bool = False,
    doc_ids: Literal["all", "any"] = "all",
    min_share: float = MIN_SHARE,
    gold_boxes: BoxFormat = STANDARD,
    cited_boxes: BoxFormat = STANDARD,
    pages: PageTable | None = None,
    zero_division: float | None = None,
) -> GroundingResult:
    r"""Measure where an answer's citations point, and whether they hold their claims up.

    .. math:: P_{page} = \frac{|\{a \in A : \exists c:\ d_c = d_a, p_a \in p_c\}|}{|A|}, \quad
              P_{region} = \frac{|\{b \in B : \max_c \mathrm{IoU}(b, c) \ge \theta_b\}|}{|B|}

    with :math:`A` the expected pages, :math:`B` the expected regions, :math:`c` the answer's
    citations (a box only of the same document and page), :math:`d` documents, :math:`p` pages.
    ``citation_grounding`` is the mean of those of the two that exist;
    ``claim_citation_alignment`` the share of claims without an error.

    Args:
        record: The answer: see ``read_answer``. Without ``case``, it holds what is expected too.
        case: What is expected: see ``read_case``.
        judge: Who says whether cited texts support a claim; by default ``text_support`` does.
        page_anchors: Whether each of the expected ``pages`` counts, or each of the ``entries`` of
            ``expected_citation_pages``, of which one page is enough.
        text_only: Whether what is expected of a document cited by text alone is a miss
            (``count``), or left out of the page and region scores (``leave_out``).
        inherit: Whether a citation without pages and regions takes those of the chunk it names.
        doc_ids: Whether ``all`` of a target's expected documents must be cited, or ``any``.
        min_share: The share of a claim's tokens that the cited text must hold.
        gold_boxes: How the expected boxes are written.
        cited_boxes: How the citations' boxes are written.
        pages: Sizes of pages, where the boxes' formats need them; see ``read_pages``.
        zero_division: The value of a metric at 0/0. It never stands in for a missing expectation.

    Returns:
        Four scores in [0, 1], higher is better, with the errors and every check.

    Raises:
        InputError: If a field is malformed, or a box is none.

    Undefined when:
        A page or region score, if none is expected; the mean, if both are undefined; the alignment,
        if the evidence is not given, no claim is made or expected, or the judge failed.

    >>> result = citation_grounding({
    ...     "citations": [{"doc_id": "d", "chunk_id": "d-3", "page_span": [2, 2]}],
    ...     "expected_citation_pages": [{"doc_id": "d", "pages": [1, 2]}],
    ... })
    >>> result.citation_page_precision.value, result.citation_grounding_errors[0].code
    (0.5, 'page_mismatch')
    """
    if case is None:
        expected, answer = read_record(record)
    else:
        expected, answer = read_case(case), read_answer(record)
    rules = GroundingRules(
        claim_support="tokens" if judge is None else "judge",
        doc_ids=doc_ids,
        min_share=min_share,
        page_anchors=page_anchors,
        text_only=text_only,
        inherit=inherit,
        gold_boxes=gold_boxes,
        cited_boxes=cited_boxes,
        pages=pages or {},
    )
    asking = ask_grounding(expected, answer, rules, zero_division)
    try:
        return result_of(asking) if judge is None else run(asking, judge)
    except InputError as error:
        raise own_names(error, record) from None
