"""The metrics, one file each; every function takes one response."""

from __future__ import annotations

from citemeter.metrics.alce import citation_f1, citation_precision, citation_recall, support
from citemeter.metrics.coverage import citation_coverage
from citemeter.metrics.quotations import quote_verification
from citemeter.metrics.rates import overcitation, support_rate
from citemeter.metrics.sources import source_overlap
from citemeter.metrics.validity import citation_validity

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
