"""Statements a second through the whole pipeline, beside the published script's rules.

Both read the same answers in one process, turn by turn, with a judge that costs nothing. The loop
that stands in for the script follows its rules sentence by sentence: split with Punkt, find
markers, strip them, format the documents, ask, count. The pipeline parses every answer, asks, and
computes and aggregates every metric; ``kept`` also builds the result of every statement. The bar
is half the script's statements a second in the same run (``--at-least 0.5``).

Usage: python benchmarks/pipeline.py [--rounds 15] [--smoke] [--data FOLDER]
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import logging
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from citemeter import Response, Verdict
from citemeter.evaluation.score import Evaluator
from citemeter.judges.base import Judge, Pair
from citemeter.verdicts import JudgeIdentity

DATA = Path(__file__).resolve().parents[2] / "shared" / "reference"
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "hagrid.jsonl"
LOGGER = logging.getLogger("script")
YES = Verdict(supported=True)


class FreeJudge(Judge):
    """Says yes at no cost."""

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's name."""
        return JudgeIdentity(name="free")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Say yes to every pair."""
        return [YES] * len(pairs)


def load(folder: Path) -> list[dict[str, Any]]:
    """Return the reference answers, or the example's where those are not at hand."""
    files = [folder / "alce_generated.jsonl", folder / "alce_real.jsonl"]
    if all(file.is_file() for file in files):
        rows = [json.loads(line) for file in files for line in file.open(encoding="utf-8")]
        return [{"output": row["output"], "docs": row["docs"]} for row in rows]
    rows = [json.loads(line) for line in EXAMPLE.open(encoding="utf-8")]
    return [
        {
            "output": row["answer"],
            "docs": [{"title": "", "text": source["text"]} for source in row["sources"]],
        }
        for row in rows
    ]


def script_loop(rows: list[dict[str, Any]], nli: Callable[[str, str], int]) -> int:
    """Score by the published script's rules; return the number of sentences."""
    from punkt import sent_tokenize

    def format_document(doc: dict[str, str]) -> str:
        return f"Title: {doc['title']}\n{doc['text']}"

    def remove_citations(sent: str) -> str:
        sent = re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", sent))
        return sent.replace(" |", "").replace("]", "")

    sentences = 0
    recalls, precisions, log = [], [], []
    for row in rows:
        sents = sent_tokenize(row["output"])
        if not sents:
            continue
        targets = [remove_citations(sent).strip() for sent in sents]
        entailed = precise = citations = 0
        for sent, target in zip(sents, targets, strict=True):
            refs = [int(found[1:]) - 1 for found in re.findall(r"\[\d+", sent)]
            LOGGER.debug(f"For `{sent}`, find citations {refs}")
            if not refs or any(ref >= len(row["docs"]) for ref in refs):
                continue
            refs = refs[:3]
            citations += len(refs)
            passage = "\n".join([format_document(row["docs"][ref]) for ref in refs])
            joint = nli(passage, target)
            log.append({"output": row["output"], "claim": sent, "passage": passage, "nli": joint})
            entailed += joint
            if joint and len(refs) > 1:
                for ref in refs:
                    if not nli(format_document(row["docs"][ref]), target):
                        rest = copy.deepcopy(refs)
                        rest.remove(ref)
                        kept = "\n".join([format_document(row["docs"][r]) for r in rest])
                        precise += not nli(kept, target)
                    else:
                        precise += 1
            else:
                precise += joint
        sentences += len(sents)
        recalls.append(entailed / len(sents))
        precisions.append(precise / citations if citations else 0)
    statistics.fmean(recalls)
    statistics.fmean(precisions)
    return sentences


def to_records(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows as plain records."""
    return [
        {
            "answer": row["output"],
            "sources": [
                {"id": str(n), "title": doc["title"], "text": doc["text"]}
                for n, doc in enumerate(row["docs"], start=1)
            ],
        }
        for row in rows
    ]


def run(records: Sequence[Any], *, keep: bool) -> int:
    """Run the whole pipeline; return the number of statements."""
    report = Evaluator(FreeJudge()).score(records, strict=True, keep_results=keep)
    return report.counts["statements"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--smoke", action="store_true", help="One round, to see that it runs.")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument(
        "--at-least", type=float, help="Fail if the ratio is below this; 0.5 is the bar."
    )
    arguments = parser.parse_args()
    rows = load(arguments.data)
    records = to_records(rows)
    responses = [Response.from_record(record) for record in records]
    contenders: dict[str, Callable[[], int]] = {
        "published script's rules": lambda: script_loop(rows, lambda premise, hypothesis: 1),
        "citemeter": lambda: run(responses, keep=False),
        "citemeter, results kept": lambda: run(responses, keep=True),
        "citemeter, from plain dicts": lambda: run(records, keep=False),
    }
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(1 if arguments.smoke else arguments.rounds):
        for name, contender in contenders.items():
            gc.collect()
            start = time.perf_counter()
            units = contender()
            rates[name].append(units / (time.perf_counter() - start))
    print(f"{len(rows)} answers; Python {platform.python_version()}, {platform.machine()}")
    base = statistics.median(rates["published script's rules"])
    print(f"{'':28} {'per second':>11} {'min':>9} {'max':>9} {'ratio':>6}")
    for name, values in rates.items():
        middle = statistics.median(values)
        print(
            f"{name:28} {middle:11,.0f} {min(values):9,.0f} {max(values):9,.0f}"
            f" {middle / base:6.2f}"
        )
    ratio = statistics.median(rates["citemeter"]) / base
    if arguments.at_least and ratio < arguments.at_least:
        sys.exit(f"the ratio {ratio:.2f} is below {arguments.at_least}")


if __name__ == "__main__":
    main()
