"""Look at every statement: its state, and each of its citations with its state.

python examples/every_statement.py
"""

from __future__ import annotations

from collections import Counter

import citemeter

RECORD = {
    "id": "leave",
    "question": "How many days can I carry over?",
    "answer": (
        "Up to 5 unused days may be carried over [hr-31][hr-12]. Requests go to your manager. "
        "They must be filed by 1 December [hr_31]. Carried days never expire [hr-40]."
    ),
    "sources": {
        "hr-12": "Employees accrue 25 days of paid leave a year.",
        "hr-31": "Up to 5 unused days may be carried over to the next year.",
        "hr-40": "Carried days expire on 31 March of the next year.",
    },
}


def main() -> None:
    """Print the states of one answer and how they add up."""
    report = citemeter.score([RECORD])
    [result] = report.results
    for item in result.statements:
        print(f"{item.state}: {item.statement.text}")
        for citation in item.citations:
            print(f"    [{citation.source_id}] {citation.state}")
    for invalid in result.invalid_citations:
        print(f"{invalid.marker} cites {invalid.source_id!r}: no source; near: {invalid.near_miss}")
    states = Counter(item.state for item in result.statements)
    print(dict(states), "of", result.counts["statements"], "statements")


if __name__ == "__main__":
    main()
