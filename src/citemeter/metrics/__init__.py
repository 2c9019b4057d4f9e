"""The metrics, one file each; every function takes one response."""

from __future__ import annotations

from citemeter.metrics.citation_coverage import citation_coverage
from citemeter.metrics.citation_f1 import citation_f1
from citemeter.metrics.citation_precision import citation_precision
from citemeter.metrics.citation_recall import citation_recall
from citemeter.metrics.citation_validity import citation_validity
from citemeter.metrics.overcitation import overcitation
from citemeter.metrics.quote_verification import quote_verification
from citemeter.metrics.source_overlap import source_overlap
from citemeter.metrics.support import support
from citemeter.metrics.support_rate import support_rate

__all__ = [
    "citation_coverage",
    "citation_f1",
    "citation_precision",
    "citation_recall",
    "citation_validity",
    "overcitation",
    "quote_verification",
    "source_overlap",
    "support",
    "support_rate",
]
