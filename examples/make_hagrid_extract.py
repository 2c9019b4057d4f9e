"""Make ``hagrid.jsonl``: a fixed draw of real, human-labelled answers, as citemeter's records.

    python examples/make_hagrid_extract.py HAGRID.jsonl examples/hagrid.jsonl

``HAGRID.jsonl`` holds one answer of HAGRID's development split a line, with the fields ``id``,
``question``, ``answer``, ``passages`` (``id``, ``docid``, ``text``) and ``human``, the annotators'
labels. Answers are drawn by the hash of their id, one a question, so the draw is arbitrary but
always the same; nothing is selected for what it scores.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SIZE = 50
MOST_PASSAGES = 8


def to_record(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row under citemeter's field names, its labels in the metadata."""
    human = row["human"]
    return {
        "id": row["id"],
        "question": row["question"],
        "answer": row["answer"],
        "sources": [
            {"id": p["id"], "text": p["text"], "metadata": {"docid": p["docid"]}}
            for p in row["passages"]
        ],
        "metadata": {
            "human": {
                "attributable": human["attributable"],
                "informative": human["informative"],
                "sentences": [
                    {"text": s["text"], "attributable": s["attributable"]}
                    for s in human["sentences"]
                ],
            }
        },
    }


def draw(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ``SIZE`` answers to different questions, drawn by the hash of their ids."""
    drawn: list[dict[str, Any]] = []
    questions: set[str] = set()
    for row in sorted(rows, key=lambda row: hashlib.sha256(row["id"].encode()).hexdigest()):
        labelled = all(s["attributable"] is not None for s in row["human"]["sentences"])
        if labelled and row["question"] not in questions and len(row["passages"]) <= MOST_PASSAGES:
            questions.add(row["question"])
            drawn.append(to_record(row))
    return sorted(drawn[:SIZE], key=lambda record: str(record["id"]))


def main(source: str, target: str) -> None:
    """Read the answers, write the extract."""
    with Path(source).open(encoding="utf-8") as lines:
        records = draw(json.loads(line) for line in lines)
    with Path(target).open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(f"{len(records)} answers written to {target}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
