"""Repair citations: which source would support a statement, and which citations can go.

python examples/repair.py
"""

from __future__ import annotations

import json
from pathlib import Path

import citemeter
from citemeter.repair import suggest_all, summarize_repairs

ANSWERS = Path(__file__).parent / "hagrid.jsonl"
SHOWN = ("0_1", "1414_1", "3914_1")


def main() -> None:
    """Repair the example answers, show two of them, and add up the rest."""
    records = [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]
    results = suggest_all(records, citemeter.load_judge("lexical"))
    for result in results:
        if result.id not in SHOWN:
            continue
        print(f"{result.id}\n  was: {result.original}\n  now: {result.answer}")
        for repair in result.broken:
            print(f"  {repair.problem} -> {repair.outcome}: {repair.note}")
    print(summarize_repairs(results))


if __name__ == "__main__":
    main()
