"""``alce``: citation recall and precision as the paper defines them."""

from __future__ import annotations

from citemeter.metrics.alce import CITATION_PRECISION, CITATION_RECALL
from citemeter.protocols.base import Protocol

__all__ = ["ALCE"]

ALCE = Protocol(
    name="alce",
    recall=CITATION_RECALL,
    precision=CITATION_PRECISION,
)
"""Gao et al. (2023), section 4, over statements and citations as parsed.

Invalid ids stay in the denominator of precision; 0/0 is undefined.
"""
