"""What each quirk of the published ALCE script costs: on small examples, and on real answers.

    python benchmarks/alce_script_quirks.py                    # the small examples
    python benchmarks/alce_script_quirks.py alce_real.jsonl    # and the macro means of a file

A file's records have ``output`` and ``docs`` (ALCE's own format) or citemeter's field names. Each
row of the second table undoes one quirk and leaves the others, by rewriting the answers or by
counting otherwise; the scorer is the ``alce-script`` protocol throughout. The cap of three
citations, which the script's command line sets by default, is off but in the last row. The judge is
a toy: yes iff at least 60 % of the statement's word forms are in the passages.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import citemeter
from citemeter.io import FieldMap, read_records
from citemeter.results import ResponseResult

EXAMPLES = Path(__file__).parents[1] / "examples" / "hagrid.jsonl"
_WORD = re.compile(r"[a-z0-9]+")
_GROUP = re.compile(r"\[(\d+(?:\s?[,;–-]\s?\d+)+)\]")
_AFTER_STOP = re.compile(r"([.!?][\"”’')]?) ?((?:\[\d+[^\]\n]{0,40}\] ?)+)(?=\s|$)")
_ZERO = re.compile(r"\[0+(?!\d)")
_PAST_THE_END = "[999999"

Record = dict[str, Any]


def sixty_percent(premise: str, hypothesis: str) -> bool:
    """Say yes iff at least 60 % of the hypothesis's word forms are in the premise."""
    words = _WORD.findall(hypothesis.lower())
    known = set(_WORD.findall(premise.lower()))
    return bool(words) and sum(word in known for word in words) >= 0.6 * len(words)


def without_empty_titles(premise: str, hypothesis: str) -> bool:
    """Judge as above, without the line that the script writes above a passage without a title."""
    return sixty_percent(premise.replace("Title: \n", ""), hypothesis)


class Means(NamedTuple):
    """The macro means of one run, in percent as the script prints them."""

    recall: float
    precision: float


def _mean(values: Iterable[float]) -> float:
    kept = list(values)
    return 100 * sum(kept) / len(kept)


def _results(
    records: list[Record], judge: Any = sixty_percent, at_most: int | None = None
) -> list[ResponseResult]:
    report = citemeter.score(
        records, judge=judge, protocol="alce-script", at_most_citations=at_most
    )
    return [result for result in report.results if result.counts["statements"]]


def _means(results: list[ResponseResult]) -> Means:
    return Means(
        _mean(result["citation_recall"] or 0.0 for result in results),
        _mean(result["citation_precision"] or 0.0 for result in results),
    )


def _rewritten(records: list[Record], rewrite: Callable[[str], str]) -> list[Record]:
    return [{**record, "answer": rewrite(record["answer"])} for record in records]


def _ungroup(match: re.Match[str]) -> str:
    ids: list[int] = []
    for part in re.split(r"\s?[,;]\s?", match[1]):
        first, _, last = re.sub(r"\s?[–-]\s?", "-", part).partition("-")
        ids += range(int(first), min(int(last or first), int(first) + 99) + 1)
    return "".join(f"[{number}]" for number in ids)


def _move_back(match: re.Match[str]) -> str:
    return f" {match[2].rstrip()}{match[1]}"


def _as_sets(records: list[Record]) -> list[Record]:
    """Return the same statements, each id once; the script counts what it is given."""
    by_place = {result.index: result for result in _results(records)}
    changed = []
    for place, record in enumerate(records):
        if place not in by_place:
            continue
        order = [source["id"] for source in record["sources"]]
        statements = []
        for item in by_place[place].statements:
            # "[0]" reads the last source here too; past the end there is no id to give.
            ids = [int(citation.source_id) for citation in item.statement.citations]
            names = [order[i - 1] if i <= len(order) else f"past the end {i}" for i in ids]
            statements.append(
                {"text": item.statement.text, "citations": list(dict.fromkeys(names))}
            )
        changed.append({"statements": statements, "sources": record["sources"]})
    return changed


def quirks_of_a_file(records: list[Record]) -> list[tuple[str, Means]]:
    """Return the macro means of the script, and with each quirk undone alone."""
    script = _results(records)
    base = _means(script)
    everything = len(records)
    return [
        ("the script", base),
        (
            "an id out of range leaves its sentence's citations in precision's denominator",
            base._replace(
                precision=_mean(
                    r.counts["precise"] / r.counts["citations"] if r.counts["citations"] else 0.0
                    for r in script
                )
            ),
        ),
        (
            "precision of an answer without citations is undefined, not 0",
            base._replace(
                precision=_mean(
                    r.counts["precise"] / r.counts["script_citations"]
                    for r in script
                    if r.counts["script_citations"]
                )
            ),
        ),
        (
            "`[0]` is an invalid id, not the last source",
            _means(_results(_rewritten(records, lambda a: _ZERO.sub(_PAST_THE_END, a)))),
        ),
        (
            "`[1, 2]` and `[1-3]` are read whole",
            _means(_results(_rewritten(records, lambda a: _GROUP.sub(_ungroup, a)))),
        ),
        (
            "a marker after the full stop belongs to the sentence before it",
            _means(_results(_rewritten(records, lambda a: _AFTER_STOP.sub(_move_back, a)))),
        ),
        ("an id counts once in a sentence", _means(_results(_as_sets(records)))),
        (
            "a passage without a title has no line `Title: `",
            _means(_results(records, without_empty_titles)),
        ),
        (
            "an answer without a sentence counts as 0, instead of being left out",
            Means(
                base.recall * len(script) / everything, base.precision * len(script) / everything
            ),
        ),
        ("`alce`: all of these, and this package's parser", _alce(records)),
        (
            "the script with its default cap of three citations a sentence",
            _means(_results(records, at_most=3)),
        ),
    ]


def _alce(records: list[Record]) -> Means:
    report = citemeter.score(records, judge=sixty_percent, style="numeric")
    return Means(100 * (report["citation_recall"] or 0), 100 * (report["citation_precision"] or 0))


SOURCES = ["Hens lay eggs.", "Geese lay eggs in spring.", "Ducks swim."]
SMALL: list[tuple[str, str]] = [
    ("an id out of range", "Hens lay eggs [1]. Ducks swim [3][7]."),
    ("the only id is out of range", "Ducks swim [7]."),
    ("`[0]` reads the last source", "Ducks swim [0]."),
    ("only the first id of a group is read", "Geese lay eggs in spring [1, 2]."),
    (
        "a marker after the full stop goes to the next sentence",
        "Hens lay eggs. [1] Ducks swim. [3]",
    ),
    ("an id repeated in a sentence counts twice", "Hens lay eggs [1], hens [1][3]."),
    (
        "a needed id that is repeated is called unnecessary",
        "Hens lay eggs and ducks swim [1][3][1].",
    ),
    ("no citation at all", "Hens lay eggs."),
    ("an empty answer", ""),
]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}"


def small_table() -> str:
    """Return the values of both protocols for each small example, as a Markdown table."""
    lines = [
        "| quirk | answer | recall: script | `alce` | precision: script | `alce` |",
        "|---|---|---|---|---|---|",
    ]
    for name, answer in SMALL:
        record = {"answer": answer, "sources": SOURCES}
        script, alce = (
            citemeter.score([record], judge=sixty_percent, protocol=protocol, style="numeric")
            for protocol in ("alce-script", "alce")
        )
        cells = [
            _percent(report[metric])
            for metric in ("citation_recall", "citation_precision")
            for report in (script, alce)
        ]
        shown = f"`{answer}`" if answer else "(empty)"
        lines.append(f"| {name} | {shown} | {' | '.join(cells)} |")
    return "\n".join(lines)


def file_table(records: list[Record]) -> str:
    """Return the means of a file with each quirk undone, as a Markdown table."""
    rows = quirks_of_a_file(records)
    base = rows[0][1]
    lines = ["| undone | recall | | precision | |", "|---|---|---|---|---|"]
    for name, means in rows:
        moved = [
            f"{now - was:+.2f}" if name != "the script" else ""
            for now, was in zip(means, base, strict=True)
        ]
        lines.append(
            f"| {name} | {means.recall:.2f} | {moved[0]} | {means.precision:.2f} | {moved[1]} |"
        )
    return "\n".join(lines)


def read(path: Path) -> list[Record]:
    """Read answers in ALCE's format, or in citemeter's."""
    with path.open(encoding="utf-8") as file:
        theirs = '"output"' in file.readline()
    names = {"answer": "output", "sources": "docs"} if theirs else {}
    return [
        {key: record[key] for key in ("id", "answer", "sources")}
        for record in read_records([path], FieldMap(names, extra="drop"))
        if isinstance(record, dict)
    ]


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "file", nargs="?", type=Path, help="answers in ALCE's or citemeter's format"
    )
    parser.add_argument("--smoke", action="store_true", help="run on the example answers")
    options = parser.parse_args()
    print(small_table())
    path = EXAMPLES if options.smoke else options.file
    if path is not None:
        records = read(path)
        print(f"\n{len(records)} answers of {path.name}\n")
        print(file_table(records))


if __name__ == "__main__":
    main()
