"""Compare the cited sources with the ones that ought to be cited.

python examples/gold_sources.py
"""

from __future__ import annotations

import citemeter

SOURCES = {f"d{number}": f"Passage {number}." for number in range(1, 6)}
ANSWERS = [
    {"answer": "One source, the right one [d1].", "gold_source_ids": ["d1"]},
    {"answer": "The right one and another [d1][d4].", "gold_source_ids": ["d1"]},
    {"answer": "One of the two that it takes [d2].", "gold_source_ids": ["d2", "d3"]},
    {"answer": "No source at all.", "gold_source_ids": ["d5"]},
]


def main() -> None:
    """Print the overlap of each answer, then the means over responses and over pooled counts."""
    records = [{**answer, "sources": SOURCES} for answer in ANSWERS]
    for record in records:
        overlap = citemeter.source_overlap(record)
        print(
            f"cited {list(overlap.cited)}, gold {list(overlap.gold)}: "
            f"recall {overlap.recall.value}, precision {overlap.precision.value}"
            + (f" ({overlap.precision.reason})" if overlap.precision.reason else "")
        )
    report = citemeter.score(records, judge=None)
    for name in ("source_recall", "source_precision", "source_f1"):
        metric = report.metrics[name]
        print(f"{name}: macro {metric.macro:.3f} over {metric.scored}, micro {metric.micro:.3f}")


if __name__ == "__main__":
    main()
