"""Markers: the words in an answer that say which source supports it."""

from __future__ import annotations

from citemeter.text.markers.marker import DEFAULT_STYLES, STYLES, Marker
from citemeter.text.markers.scan import find_markers, unfinished
from citemeter.text.markers.sources import SourceIndex, index_of, near_miss

__all__ = [
    "DEFAULT_STYLES",
    "STYLES",
    "Marker",
    "SourceIndex",
    "find_markers",
    "index_of",
    "near_miss",
    "unfinished",
]
