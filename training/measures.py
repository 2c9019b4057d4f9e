"""Rows of the labelled sets, which of them are reported, and the baseline to compare with.

What is trained on, what the development set is and what is reported is said here alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import citemeter
from citemeter.judges.base import Premise
from citemeter.metrics.alce import premise_text
from hard_negatives import normalised

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DEVELOPMENT = "attributionbench_dev"
"""Thresholds are fitted on it; it is neither learnt from nor reported as a test."""
TRAINED = ("citation_integrity_biomed", "factcheckgpt_stance", "q2_wow", "faithdial_audit")
SPLIT = ("foolmetwice", "fever_symmetric")
"""A part of each is for training, the rest is reported."""
REPORTED = {
    "attributionbench_test500": "AttributionBench test (500 rows)",
    "wice_claim_dev_oracle": "WiCE dev, claims with oracle evidence",
    "wice_claim_dev_full": "WiCE dev, claims with whole pages",
    "hagrid": "HAGRID dev, sentences",
    "expertqa": "ExpertQA, claims",
    "scifact_rationale_nli": "SciFact, rationales",
    "foolmetwice": "FoolMeTwice, test part",
    "fever_symmetric": "FeverSymmetric, odd rows",
}
CONTRAST = ("scifact_rationale_nli", "foolmetwice", "fever_symmetric")
"""Careful edits and hard claims, where words overlap whether the claim holds or not."""

_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"\S+://\S+|www\.\S+")


class Row(NamedTuple):
    """One labelled pair: evidence, claim, whether it is fully supported, and whence it comes."""

    premise: str
    hypothesis: str
    supported: bool
    source: str


def records(path: Path) -> list[dict[str, Any]]:
    """Read a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def labelled(data: Path, name: str) -> list[dict[str, Any]]:
    """Read ``labelled/NAME.jsonl``."""
    return records(data / "labelled" / f"{name}.jsonl")


def is_for_training(name: str, place: int, record: Mapping[str, Any]) -> bool:
    """Whether a row of a set is for training; of a set that is split, by its place from 0."""
    if name == "foolmetwice":
        return bool(record["split"] == "dev")
    return name in TRAINED or (name == "fever_symmetric" and place % 2 == 0)


def _rows(found: Iterable[Mapping[str, Any]]) -> list[Row]:
    return [
        Row(record["evidence"], record["claim"], record["y"] == 1, record.get("src") or "")
        for record in found
        if record["y"] is not None
    ]


def read_rows(data: Path, name: str) -> list[Row]:
    """Read all of ``labelled/NAME.jsonl``; rows that people left undecided are left out."""
    return _rows(labelled(data, name))


def read_reported(data: Path, name: str) -> list[Row]:
    """Read the rows of a set that are reported and not learnt, or the development set.

    Undecided rows are left out, and of ``expertqa`` what AttributionBench has of it.
    """
    if name in _READERS:
        return _rows(_answers(data, name))
    if name in TRAINED:
        raise ValueError(f"{name} is learnt from")
    return _rows(_unlearnt(data, name))


def _unlearnt(data: Path, name: str) -> Iterator[dict[str, Any]]:
    for place, record in enumerate(labelled(data, name)):
        if not is_for_training(name, place, record):
            yield record


# ---------------------------------------------------------------------- answers that people judged


def _cited(text: str, passages: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """Return a statement without its markers, and the passages they cite, as a run reads them."""
    sources = [{"id": passage["id"], "text": passage["text"]} for passage in passages]
    response = citemeter.parse(text, sources)
    texts = {source.id: premise_text(source) for source in response.sources}
    statements = response.statements or ()
    ids = dict.fromkeys(i for statement in statements for i in statement.source_ids)
    said = " ".join(statement.text for statement in statements)
    return said, [texts[i] for i in ids if texts.get(i, "").strip()]


def _judged(
    answers: Iterable[Mapping[str, Any]],
    units: Callable[[Mapping[str, Any]], Iterable[tuple[str, int | None]]],
) -> Iterator[dict[str, Any]]:
    """Yield what people judged in answers and cites a passage, in the form of labelled rows.

    Where a passage is no more than a web address, people judged a page that is not there.
    """
    for answer in answers:
        for text, label in units(answer):
            claim, passages = _cited(text, answer["passages"])
            if claim and passages and not any(map(_ADDRESS.fullmatch, map(str.strip, passages))):
                evidence = Premise(passages) if len(passages) > 1 else passages[0]
                yield {
                    "evidence": evidence,
                    "claim": claim,
                    "y": label,
                    "src": answer.get("system"),
                }


def _hagrid(data: Path) -> Iterator[dict[str, Any]]:
    """Yield HAGRID's sentences: ``attributable`` 1 is supported, 0 is not, null is undecided.

    A sentence is what was labelled as one; some hold several. It counts for all it cites.
    """
    return _judged(
        records(data / "answers" / "hagrid.jsonl"),
        lambda answer: [(s["text"], s["attributable"]) for s in answer["human"]["sentences"]],
    )


_SUPPORT = {"Complete": 1, "Partial": 0, "Incomplete": 0}
"""ExpertQA: what cites nothing is ``Missing``; ``N/A`` and null are no judgment at all."""


def _expertqa(data: Path) -> Iterator[dict[str, Any]]:
    """Yield ExpertQA's claims but those that AttributionBench's two sets hold.

    Its development set fits the threshold, and what its test set has is reported there.
    """
    known = {
        normalised(_cited(record["claim"], ())[0] if "[" in record["claim"] else record["claim"])
        for name in (DEVELOPMENT, "attributionbench_test500")
        for record in labelled(data, name)
    }
    found = _judged(
        records(data / "answers" / "expertqa.jsonl"),
        lambda answer: [
            (claim["claim_string"], _SUPPORT.get(claim["support"]))
            for claim in answer["human"]["claims"]
        ],
    )
    return (record for record in found if normalised(record["claim"]) not in known)


_READERS = {"hagrid": _hagrid, "expertqa": _expertqa}


@cache
def _answers(data: Path, name: str) -> tuple[dict[str, Any], ...]:
    return tuple(_READERS[name](data))


# ---------------------------------------------------------------------- what must not be learnt


def reported_texts(data: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield evidence and claim of every row that is reported, undecided ones among them.

    A statement that cites several passages comes with all of them and with each.
    """
    found = _answers(data, name) if name in _READERS else _unlearnt(data, name)
    for record in found:
        evidence, claim = record["evidence"], record["claim"]
        yield evidence, claim
        if isinstance(evidence, Premise):
            for passage in evidence.passages:
                yield passage, claim


def reported_pairs(data: Path) -> tuple[set[tuple[str, str]], set[str]]:
    """Return the pairs of the reported sets and of the development set, and their claims.

    Both are normalised: only the words are left.
    """
    pairs = {
        (normalised(evidence), normalised(claim))
        for name in (DEVELOPMENT, *REPORTED)
        for evidence, claim in reported_texts(data, name)
    }
    return pairs, {claim for _, claim in pairs}


# ---------------------------------------------------------------------- the baseline, and tables


def token_overlap(premise: str, hypothesis: str) -> float:
    """Return the share of the hypothesis' distinct words that the premise has: the baseline."""
    words = set(_WORD.findall(hypothesis.lower()))
    return len(words & set(_WORD.findall(premise.lower()))) / len(words) if words else 0.0


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_between_markers(path: Path, name: str, text: str) -> None:
    """Replace what stands between the markers that bear a script's name."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    page = path.read_text(encoding="utf-8")
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{path} has no {begin} … {end}")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
