"""What may be chosen in measuring where citations point, and whether they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from citemeter.errors import check_choice
from citemeter.grounding.boxes import STANDARD, BoxFormat
from citemeter.grounding.reading import PageTable, read_pages
from citemeter.grounding.text_check import MIN_SHARE, check_min_share

__all__ = ["GroundingRules"]


@dataclass(frozen=True, kw_only=True)
class GroundingRules:
    """The choices of ``citemeter.grounding.citation_grounding``, and who is asked about claims.

    Args:
        claim_support: Who says whether cited texts hold a claim: ``tokens``: ``text_support``.
            ``judge``: whoever answers the pairs that ``ask_grounding`` yields.
        doc_ids: Whether ``all`` of a target's expected documents must be cited, or ``any``.
        min_share: The share of tokens that ``tokens`` asks for.
        page_anchors: ``pages``: each expected page counts. ``entries``: each entry of
            ``expected_citation_pages`` counts once, and one of its pages is enough.
        text_only: ``count``: an expected page or region whose document is cited by text alone is
            not hit. ``leave_out``: it is left out of the score; its error stays.
        inherit: Whether a citation without pages and regions takes those of the chunk it names.
        gold_boxes: How the expected boxes are written.
        cited_boxes: How the citations' boxes are written.
        pages: What is known of the pages: sizes, where the boxes' formats need them.

    Raises:
        InputError: If a choice is none of those there are.
    """

    claim_support: Literal["tokens", "judge"] = "tokens"
    doc_ids: Literal["all", "any"] = "all"
    min_share: float = MIN_SHARE
    page_anchors: Literal["pages", "entries"] = "pages"
    text_only: Literal["count", "leave_out"] = "count"
    inherit: bool = False
    gold_boxes: BoxFormat = STANDARD
    cited_boxes: BoxFormat = STANDARD
    pages: PageTable = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        check_choice("claim_support", self.claim_support, ("tokens", "judge"))
        check_choice("doc_ids", self.doc_ids, ("all", "any"))
        check_min_share(self.min_share)
        check_choice("page_anchors", self.page_anchors, ("pages", "entries"))
        check_choice("text_only", self.text_only, ("count", "leave_out"))
        object.__setattr__(self, "pages", read_pages(self.pages))
