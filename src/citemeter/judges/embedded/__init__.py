"""The default judge: words compared, and a small network."""

from __future__ import annotations

from citemeter.judges.embedded.judge import EmbeddedJudge

__all__ = ["EmbeddedJudge"]
