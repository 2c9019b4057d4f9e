"""Page and region grounding of citations, and claims against what they cite."""

from citemeter.grounding.boxes import Box, BoxFormat, PageSize, iou
from citemeter.grounding.claims import (
    CLAIM_CODES,
    ClaimCheck,
    ClaimCode,
    ClaimError,
    matches_target,
)
from citemeter.grounding.figures import Figure, region_figures, region_svg, write_pictures
from citemeter.grounding.files import JoinedCases, join_cases, read_answers, read_cases
from citemeter.grounding.measure import (
    CITATION_PAGE_PRECISION,
    CITATION_REGION_PRECISION,
    CLAIM_CITATION_ALIGNMENT,
    GroundingResult,
    ask_grounding,
    citation_grounding,
)
from citemeter.grounding.models import GroundingCase, PageInfo
from citemeter.grounding.parser_report import (
    ParserLinkage,
    link_parser_report,
    read_parser_report,
)
from citemeter.grounding.place_results import (
    GROUNDING_CODES,
    GroundingCode,
    GroundingError,
    GroundingReason,
    PageCheck,
    RegionCheck,
)
from citemeter.grounding.reading import (
    case_of,
    read_answer,
    read_case,
    read_pages,
    read_record,
)
from citemeter.grounding.rules import GroundingRules
from citemeter.grounding.summary import GroundingSummary, summarize_grounding
from citemeter.grounding.text_check import TextSupport, holds_phrase, text_support
from citemeter.models import EXPECTATIONS, ExpectedClaim, ExpectedPages, ExpectedRegion, Region

__all__ = [
    "CITATION_PAGE_PRECISION",
    "CITATION_REGION_PRECISION",
    "CLAIM_CITATION_ALIGNMENT",
    "CLAIM_CODES",
    "EXPECTATIONS",
    "GROUNDING_CODES",
    "Box",
    "BoxFormat",
    "ClaimCheck",
    "ClaimCode",
    "ClaimError",
    "ExpectedClaim",
    "ExpectedPages",
    "ExpectedRegion",
    "Figure",
    "GroundingCase",
    "GroundingCode",
    "GroundingError",
    "GroundingReason",
    "GroundingResult",
    "GroundingRules",
    "GroundingSummary",
    "JoinedCases",
    "PageCheck",
    "PageInfo",
    "PageSize",
    "ParserLinkage",
    "Region",
    "RegionCheck",
    "TextSupport",
    "ask_grounding",
    "case_of",
    "citation_grounding",
    "holds_phrase",
    "iou",
    "join_cases",
    "link_parser_report",
    "matches_target",
    "read_answer",
    "read_answers",
    "read_case",
    "read_cases",
    "read_pages",
    "read_parser_report",
    "read_record",
    "region_figures",
    "region_svg",
    "summarize_grounding",
    "text_support",
    "write_pictures",
]
