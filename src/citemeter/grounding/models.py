"""What is expected of an answer's citations, as cases of their own, and what is known of pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from citemeter.errors import InputError
from citemeter.grounding.boxes import PageSize
from citemeter.models import ClaimsExpected, Id, Model, OpenModel, PagesExpected, RegionsExpected

__all__ = ["GroundingCase", "PageInfo"]


class GroundingCase(OpenModel):
    """What is expected of one answer's citations. A field left out is not measured.

    Args:
        id: The case's name, by which it meets its answer (also read from ``case_id``).
        expected_citation_pages: Pages that should be cited.
        expected_citation_regions: Regions that should be cited.
        expected_claim_citations: What the claims about given targets should cite.
        metadata: The case's other fields, which belong to other evaluations.
    """

    id: Id | None = None
    expected_citation_pages: PagesExpected = None
    expected_citation_regions: RegionsExpected = None
    expected_claim_citations: ClaimsExpected = None

    aliases: ClassVar[Mapping[str, str]] = {"case_id": "id"}


class PageInfo(Model):
    """What is known of a page.

    Args:
        width: Its width before it is turned, in the unit of the boxes.
        height: Its height before it is turned.
        rotation: By how many degrees it is turned clockwise for display.
        image: A picture of it as displayed: a file's name.
    """

    width: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    height: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    rotation: Literal[0, 90, 180, 270] = 0
    image: str | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> PageInfo:
        if (self.width is None) is not (self.height is None):
            raise InputError("only one of width and height is given.", fix="give both, or neither.")
        return self

    @property
    def size(self) -> PageSize | None:
        """Its size, if that is known."""
        if self.width is None or self.height is None:
            return None
        return PageSize(self.width, self.height, self.rotation)
