"""How often repair puts the right source first, on answers whose citations people have checked.

Statements of HAGRID that annotators call attributable and that cite one source have that citation
(a) removed or (b) swapped for another source of the same answer. The right answer is then the
source they cited. It is looked for by the pre-filter alone, which ranks all sources that the
statement does not cite, and by the whole search with the lexical judge, which suggests only what it
calls supporting. The last rows put the answer's sources among those of other questions.

Each interval is a 95 % bootstrap interval that resamples questions, since answers to one question
share sources. Chance is the mean of one over the number of sources ranked.

Usage: python benchmarks/repair.py [--smoke] [--data FILE] [--resamples 2000]
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import citemeter
from citemeter.judges import load_judge
from citemeter.judges.asking import JudgeSession
from citemeter.models import Response, Source
from citemeter.repair import Prefilter, suggest_all, summarize_repairs

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "answers" / "hagrid.jsonl"
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "hagrid.jsonl"
POOL = 20
SEED = 20


class Case(NamedTuple):
    """A statement, its answer's sources, the one it cited, and what people said of it."""

    question: str
    text: str
    sources: tuple[Source, ...]
    right: str
    attributable: bool


class Tally(NamedTuple):
    """What came of one case: the place of the right source, if it has one, and chance."""

    question: str
    rank: int | None
    ranked: int
    flagged: bool = True
    suggested: bool = True


def load(file: Path) -> list[dict[str, Any]]:
    """Return HAGRID's answers as records, or the example's where the file is not at hand."""
    whole = file.is_file()
    with (file if whole else EXAMPLE).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if not whole:
        return rows
    return [
        {
            "id": row["id"],
            "question": row["question"],
            "answer": row["answer"],
            "sources": [{"id": p["id"], "text": p["text"]} for p in row["passages"]],
            "metadata": {"human": row["human"]},
        }
        for row in rows
    ]


def cases_of(records: Iterable[dict[str, Any]]) -> list[Case]:
    """Return the statements that people labelled, cite one source, and could cite another."""
    cases = []
    for record in records:
        response = citemeter.parse(record["answer"], record["sources"])
        labels = {
            sentence["text"].strip(): sentence["attributable"]
            for sentence in record["metadata"]["human"]["sentences"]
        }
        for statement in response.statements or ():
            label = labels.get(statement.raw.strip())
            ids = statement.source_ids
            if label is None or len(ids) != 1 or len(response.sources) < 2:
                continue
            if response.has_source(ids[0]):
                cases.append(
                    Case(record["question"], statement.text, response.sources, ids[0], label == 1)
                )
    return cases


def pooled(cases: Sequence[Case]) -> list[Case]:
    """Put sources of other questions among those of each case, up to ``POOL`` sources."""
    everything = [(case.question, source.text) for case in cases for source in case.sources]
    random.Random(SEED).shuffle(everything)
    result = []
    for number, case in enumerate(cases):
        seen = {source.text for source in case.sources}
        sources = list(case.sources)
        for step in range(len(everything)):
            if len(sources) >= POOL:
                break
            question, text = everything[(number * 31 + step) % len(everything)]
            if question != case.question and text not in seen:
                seen.add(text)
                sources.append(Source(id=f"other-{len(sources)}", text=text))
        random.Random(f"{SEED}{number}").shuffle(sources)
        result.append(case._replace(sources=tuple(sources)))
    return result


def wrong(case: Case, number: int) -> str:
    """Return the source that a citation is swapped for: any other, the same in every run."""
    others = [source.id for source in case.sources if source.id != case.right]
    return random.Random(f"{SEED}/{number}").choice(others)


def by_prefilter(cases: Sequence[Case], cited: Sequence[tuple[str, ...]]) -> list[Tally]:
    """Rank the sources not cited by the pre-filter alone."""
    tallies = []
    for case, ids in zip(cases, cited, strict=True):
        prefilter = Prefilter([source.text for source in case.sources])
        ranked = [case.sources[place].id for place in prefilter.rank(case.text)]
        ranked = [source_id for source_id in ranked if source_id not in ids]
        tallies.append(Tally(case.question, ranked.index(case.right) + 1, len(ranked)))
    return tallies


def by_judge(
    cases: Sequence[Case], cited: Sequence[tuple[str, ...]], session: JudgeSession
) -> list[Tally]:
    """Repair each statement by itself and look the right source up among the suggestions."""
    records = [
        Response.from_record({"statements": [(case.text, ids)], "sources": case.sources})
        for case, ids in zip(cases, cited, strict=True)
    ]
    tallies = []
    for case, ids, result in zip(cases, cited, suggest_all(records, session), strict=True):
        [repair] = result.repairs
        offered = [s.source_ids for s in repair.suggestions]
        rank = next((n for n, some in enumerate(offered, 1) if some == (case.right,)), None)
        ranked = len(case.sources) - len(ids)
        flagged = repair.problem is not None
        tallies.append(Tally(case.question, rank, ranked, flagged, bool(offered)))
    return tallies


def interval(
    tallies: Sequence[Tally], value: Callable[[Tally], float], resamples: int
) -> tuple[float, float, float]:
    """Return the mean of a value over cases, and its interval over questions."""
    sums: dict[str, list[float]] = {}
    for tally in tallies:
        entry = sums.setdefault(tally.question, [0.0, 0.0])
        entry[0] += value(tally)
        entry[1] += 1
    table = np.array(list(sums.values()))
    generator = np.random.default_rng(SEED)
    drawn = table[generator.integers(0, len(table), (resamples, len(table)))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], (0.025, 0.975))
    return float(table[:, 0].sum() / table[:, 1].sum()), float(low), float(high)


def percent(mean: float, low: float, high: float) -> str:
    """Write a share with its interval."""
    return f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def line(name: str, tallies: Sequence[Tally], resamples: int) -> str:
    """Return a row of the table: right first, right among three, and what chance gives."""

    def within(k: int) -> Callable[[Tally], float]:
        return lambda tally: float(tally.rank is not None and tally.rank <= k)

    first = percent(*interval(tallies, within(1), resamples))
    third = percent(*interval(tallies, within(3), resamples))
    chance = statistics.fmean(1 / tally.ranked for tally in tallies)
    chances = statistics.fmean(min(3, tally.ranked) / tally.ranked for tally in tallies)
    sources = statistics.fmean(tally.ranked for tally in tallies)
    return (
        f"| {name} | {len(tallies)} | {sources:.1f} | {first} | {100 * chance:.1f}"
        f" | {third} | {100 * chances:.1f} |"
    )


def show_search(cases: list[Case], session: JudgeSession, resamples: int) -> None:
    """Print the table of what is found, and how often nothing is."""
    right = [case for case in cases if case.attributable]
    print("| | statements | sources | right first, % | chance | right in three, % | chance |")
    print("|---|---|---|---|---|---|---|")
    notes = []
    for label, some in (("", right), (f", among {POOL}", pooled(right))):
        removed: list[tuple[str, ...]] = [()] * len(some)
        swapped = [(wrong(case, number),) for number, case in enumerate(some)]
        for what, cited in (("removed", removed), ("swapped", swapped)):
            print(line(f"{what}{label}: pre-filter", by_prefilter(some, cited), resamples))
            tallies = by_judge(some, cited, session)
            print(line(f"{what}{label}: with the judge", tallies, resamples))
            flagged = [tally for tally in tallies if tally.flagged]
            found = [tally for tally in flagged if tally.suggested]
            best = sum(tally.rank == 1 for tally in found)
            notes.append(
                f"{what}{label}: {len(tallies) - len(flagged)} not flagged, since the judge says "
                f"that the source put in supports them; {len(flagged) - len(found)} without a "
                f"suggestion; of {len(found)} first suggestions {best} are right "
                f"({best / max(1, len(found)):.1%})"
            )
    print("\n".join(["", *notes]))
    others = [case for case in cases if not case.attributable]
    for name, some in (("attributable", right), ("not attributable", others)):
        tallies = by_judge(some, [()] * len(some), session)
        share = percent(*interval(tallies, lambda tally: tally.suggested, resamples))
        print(f"{name}, {len(some)} statements without their citation: {share} % get a suggestion")


def show_answers(records: Sequence[dict[str, Any]], session: JudgeSession) -> None:
    """Print what repairing the answers as they are comes to."""
    start = time.perf_counter()
    results = suggest_all(records, session)
    seconds = time.perf_counter() - start
    summary = summarize_repairs(results)
    print(f"\n{len(results)} answers as they are, {seconds:.1f} s\n{summary}")
    fell = sum(summary.lower.values())
    print(f"not written: {summary.counts['unwritten_repairs']}; scores lower than before: {fell}")


def show_speed(cases: Sequence[Case], rounds: int) -> None:
    """Print how much processor time the pre-filter takes, at best of several rounds."""
    made, ranked = [], []
    for _ in range(rounds):
        start = time.process_time()
        prefilters = [Prefilter([source.text for source in case.sources]) for case in cases]
        made.append(time.process_time() - start)
        start = time.process_time()
        for prefilter, case in zip(prefilters, cases, strict=True):
            prefilter.rank(case.text)
        ranked.append(time.process_time() - start)
    sources = sum(len(case.sources) for case in cases)
    print(
        f"\npre-filter: {min(made) / sources * 1e6:.0f} µs to read a source, "
        f"{min(ranked) / len(cases) * 1e6:.0f} µs to rank a statement's sources"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="The example, to see that it runs.")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--judge", default="lexical")
    arguments = parser.parse_args()
    records = load(EXAMPLE.parent / "none" if arguments.smoke else arguments.data)
    cases = cases_of(records)
    if not cases:
        sys.exit("no labelled statement with one citation")
    session = JudgeSession(load_judge(arguments.judge))
    print(
        f"{len(records)} answers, judge {session.judge.identity}; "
        f"Python {platform.python_version()}, {platform.machine()}\n"
    )
    show_search(cases, session, 100 if arguments.smoke else arguments.resamples)
    show_answers(records, JudgeSession(load_judge(arguments.judge)))
    show_speed(cases, 1 if arguments.smoke else 5)


if __name__ == "__main__":
    main()
