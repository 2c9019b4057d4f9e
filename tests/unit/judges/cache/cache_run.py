"""A run over real answers with a slow judge, for tests to kill: ``cache_run.py FILE CACHE LOG ID``.

The judge writes each batch to the log before it works on it, in one write, so that the log says
exactly what was put to it. The report goes to standard output.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence

import citemeter
from citemeter.judges import CachedJudge, Judge, LexicalJudge, Pair
from citemeter.judges.cache.store import pair_digest
from citemeter.verdicts import JudgeIdentity, Verdict

BATCH = 16


class SlowJudge(Judge):
    """The lexical judge, as slow as a model, with a log of what it is asked."""

    def __init__(self, log: str, run: str, seconds: float) -> None:
        self.rules = LexicalJudge()
        self.log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.run = run
        self.seconds = seconds
        self.batches = 0

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="slow", version="1")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [verdict for _, verdict in sorted(self.stream(pairs))]

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        # As a model's batches are: by length, not in the order asked.
        order = sorted(range(len(pairs)), key=lambda place: -len(pairs[place][0]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            lines = [
                f"{self.run} {self.batches} {pair_digest(*pairs[place]).hex()}\n"
                for place in places
            ]
            self.batches += 1
            os.write(self.log, "".join(lines).encode())
            os.fsync(self.log)
            time.sleep(self.seconds)
            yield from zip(places, self.rules.judge([pairs[p] for p in places]), strict=True)


def main(file: str, cache: str, log: str, run: str, seconds: str) -> None:
    with open(file, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    judge = CachedJudge(SlowJudge(log, run, float(seconds)), cache)
    report = citemeter.score(
        [
            {
                "id": str(number),
                "answer": record["answer"],
                "sources": record.get("sources")
                or [{"id": p["id"], "text": p["text"]} for p in record["passages"]],
            }
            for number, record in enumerate(records)
        ],
        judge=judge,
    )
    judge.close()
    print(json.dumps(report.model_dump(mode="json", exclude={"usage"}), sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
