"""What became of each expected page and region, by code and reason."""

from __future__ import annotations

from typing import Literal, get_args

from citemeter.grounding.boxes import Box
from citemeter.models import Model

__all__ = [
    "GROUNDING_CODES",
    "CitedBox",
    "GroundingCode",
    "GroundingError",
    "GroundingReason",
    "PageCheck",
    "RegionCheck",
]

GroundingCode = Literal["page_missing", "page_mismatch", "region_unavailable", "region_misaligned"]
"""What is wrong with the citations of an expected page or region.

- ``page_missing``: no citation of its document has a page, so the page cannot be checked.
- ``page_mismatch``: they have pages, none of them expected.
- ``region_unavailable``: no citation of its document has a box on its page.
- ``region_misaligned``: they have boxes there, none of which overlaps enough.
"""

GROUNDING_CODES: tuple[GroundingCode, ...] = get_args(GroundingCode)

GroundingReason = Literal["document_not_cited", "text_only", "other_page", "no_box", "low_overlap"]
"""Why: the nearest that a citation came to what was expected.

- ``document_not_cited``: no citation is of the document.
- ``text_only``: those that are have neither page nor region.
- ``other_page``: they have pages, but not the one expected.
- ``no_box``: one reaches the page, without a box on it.
- ``low_overlap``: one has a box on the page.
"""

COVERAGE_REASONS: frozenset[GroundingReason] = frozenset(("text_only", "no_box"))
"""The reasons that say what the metadata lacks, not that the citation is wrong."""


class GroundingError(Model):
    """One expected page or region that no citation points at.

    Args:
        code: What is wrong; see ``GroundingCode``.
        reason: How near the nearest citation came; see ``GroundingReason``.
        kind: ``coverage`` if the metadata lacks what is needed, ``drift`` if the citation is wrong.
        doc_id: The document.
        pages: The page expected, or the pages one of which was.
        bbox: The box expected, for a region.
        min_iou: The overlap it needed.
        iou: The best overlap found.
        citation: The nearest citation's position among all of the answer's, from 0.
        message: The same in a sentence.
    """

    code: GroundingCode
    reason: GroundingReason
    kind: Literal["coverage", "drift"]
    doc_id: str
    pages: tuple[int, ...]
    bbox: Box | None = None
    min_iou: float | None = None
    iou: float | None = None
    citation: int | None = None
    message: str = ""


class PlaceCheck(Model):
    """What became of one expected place: the fields that pages and regions share."""

    doc_id: str
    hit: bool
    citation: int | None = None
    code: GroundingCode | None = None
    reason: GroundingReason | None = None
    counted: bool = True


class PageCheck(PlaceCheck):
    """One expected page (or entry) and the citation that comes nearest.

    Args:
        doc_id: The document.
        pages: The page, or the entry's pages.
        hit: Whether a citation of the document reaches it.
        citation: The nearest citation's position among all, from 0.
        code: What is wrong, if it is not hit.
        reason: Why.
        counted: Whether it is in the score.
    """

    pages: tuple[int, ...]


class CitedBox(Model):
    """A box that a citation points at, in the standard form.

    Args:
        citation: The citation's position among all, from 0.
        page_number: The page.
        bbox: The box, from the top left of the page as displayed.
        block_id: The parser's name for it.
        iou: Its overlap with the expected box; ``None`` on another page.
    """

    citation: int
    page_number: int
    bbox: Box
    block_id: str | None = None
    iou: float | None = None


class RegionCheck(PlaceCheck):
    """One expected region and the citation that comes nearest.

    Args:
        doc_id: The document.
        page_number: The page.
        bbox: The box expected, in the standard form.
        min_iou: The overlap it needs.
        hit: Whether a cited box reaches it.
        iou: The best overlap; ``None`` where no box on the page is cited.
        citation: The nearest citation's position among all, from 0.
        code: What is wrong, if it is not hit.
        reason: Why.
        counted: Whether it is in the score.
        cited: The nearest cited boxes on the page, at most 20; then the first ones on other pages
            of the document.
        cited_here: How many boxes on the page are cited.
        cited_elsewhere: How many on other pages of the document.
    """

    page_number: int
    bbox: Box
    min_iou: float
    iou: float | None = None
    cited: tuple[CitedBox, ...] = ()
    cited_here: int = 0
    cited_elsewhere: int = 0


_SHARED = {"code", "reason", "doc_id", "bbox", "min_iou", "iou", "citation"}
"""The fields that an error has from its check."""


def grounding_error(check: PageCheck | RegionCheck) -> GroundingError:
    """Return what is wrong with an expected page or region that is not hit."""
    pages = check.pages if isinstance(check, PageCheck) else (check.page_number,)
    what = f"page {', '.join(map(str, pages))} of {check.doc_id!r}"
    if isinstance(check, RegionCheck) and check.iou is not None:
        message = f"the best box on {what} overlaps {check.iou:.3f}, below {check.min_iou:g}"
    elif check.reason == "no_box":
        message = f"{what} is cited without a box on it"
    else:
        message = f"{what} is expected, and {_NOT_THERE[check.reason]}"
    return GroundingError(
        kind="coverage" if check.reason in COVERAGE_REASONS else "drift",
        pages=pages,
        message=message,
        **check.model_dump(include=_SHARED),
    )


_NOT_THERE: dict[GroundingReason | None, str] = {
    "document_not_cited": "the document is not cited",
    "text_only": "its citations have neither page nor region",
    "other_page": "its citations are on other pages",
}
