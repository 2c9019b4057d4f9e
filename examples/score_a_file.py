"""Score a file of answers and read the report.

python examples/score_a_file.py
"""

from __future__ import annotations

from pathlib import Path

import citemeter
from citemeter.io import read_records

ANSWERS = Path(__file__).parent / "hagrid.jsonl"


def main() -> None:
    """Print each metric's mean with the number of responses behind it."""
    report = citemeter.score(read_records([ANSWERS]))
    for name, metric in report.metrics.items():
        mean = "undefined" if metric.macro is None else f"{metric.macro:.3f}"
        print(f"{name:26} {mean:>9}   {metric.scored} scored, {metric.undefined} undefined")
    print(f"{report.record_counts['scored']} answers, {report.pair_counts['judged']} pairs judged")
    print(report.signature)


if __name__ == "__main__":
    main()
