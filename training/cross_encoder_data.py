"""Pairs to train a cross-encoder on: people's labels, hard negatives made from them, and NLI."""

from __future__ import annotations

import gzip
import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from citemeter.judges.embedded.evidence import Evidence
from citemeter.judges.lexical.hypothesis import Statement
from hard_negatives import (
    Example,
    Neighbours,
    altered,
    among,
    clean,
    composed,
    covered,
    names_in,
    negated,
    normalised,
    sentences,
    window,
    without_needed,
)
from measures import SPLIT, TRAINED, is_for_training, labelled, reported_pairs

Pair: TypeAlias = tuple[str, str]


def read_human(data: Path) -> list[Example]:
    """Read the rows that people labelled and that are for training; undecided ones are left out."""
    rows = []
    for name in (*TRAINED, *SPLIT):
        for place, record in enumerate(labelled(data, name)):
            if record["y"] is None or not is_for_training(name, place, record):
                continue
            claim, evidence = clean(record["claim"]), clean(record["evidence"])
            rows.append(Example(evidence, claim, record["y"] == 1, name))
    return rows


def is_held(example: Example) -> bool:
    """Whether a labelled pair's claim is one of those that the network does not learn from."""
    return zlib.crc32(normalised(example.hypothesis).encode()) % HELD == 0


def held_rows(data: Path) -> list[Example]:
    """Read the labelled rows for training that the network does not learn from."""
    return [example for example in read_human(data) if is_held(example)]


def seen(example: Example, words: int) -> Example:
    """Return a pair as the judge shows it to the network: chosen evidence, the bare statement."""
    statement = Statement(example.hypothesis)
    premise = Evidence(example.premise).select(statement, words)
    return example._replace(premise=premise, hypothesis=" ".join(statement.text.split()))


def raw_nli(data: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield label (e, n, c or ne), premise and hypothesis of ``nli/NAME.tsv.gz`` as they stand."""
    with gzip.open(data / "nli" / f"{name}.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            row = line.rstrip("\n").split("\t")
            if len(row) == 3:
                yield row[0], row[1], row[2]


def read_nli(data: Path, name: str) -> list[tuple[str, str, str]]:
    """Read ``nli/NAME.tsv.gz``: label, premise and hypothesis of each row, both cleaned."""
    return [(label, clean(premise), clean(claim)) for label, premise, claim in raw_nli(data, name)]


def kept(examples: Iterable[Example], pairs: set[Pair], claims: set[str]) -> list[Example]:
    """Leave out what equals a reported pair, and of sets people did not label, reported claims.

    FeverSymmetric gives each claim two passages, one of them in a training row: there the pair
    decides. A generic entailment set has no such reason to hold a reported claim.
    """
    left = []
    for example in examples:
        claim = normalised(example.hypothesis)
        if example.source not in (*TRAINED, *SPLIT) and claim in claims:
            continue
        if claim in claims and (normalised(example.premise), claim) in pairs:
            continue
        left.append(example)
    return left


# ---------------------------------------------------------------------- the mixture

NLI = {  # set: rows taken; sets without a licence of their own (RTE, SciTail, QNLI) are left out
    "mnli_dev_all": 2000,
    "docnli_fever_retrieved": 2000,
    "new_protocols_nli": 1500,
    "snli_dev_test": 500,
    "conjnli": 400,
    "negation_nli": 400,
    "cad_nli": 300,
}
FEVER = 8000  # claims of FEVER that the mixture draws from
WINDOW = 100  # words; half of the longer passages are cut to their best stretch of so many
EVIDENCE_WORDS = (60, 80, 100, 100)  # words of evidence that the network is given
HELD = 5  # one labelled claim in so many is left out of training, to fit on and to watch
MATCHING = 4500  # claims
LONG = 2500  # pairs that are set among distractors
LONGEST = 250  # words of a premise; longer ones are left out of FEVER, their evidence is a page


def _groups(examples: Sequence[Example]) -> list[tuple[Example, Example]]:
    """Pair supported claims that start with the same two words, with different evidence."""
    groups: defaultdict[tuple[str, ...], list[Example]] = defaultdict(list)
    for example in examples:
        if example.supported:
            groups[tuple(example.hypothesis.split()[:2])].append(example)
    found = []
    for group in groups.values():
        for first, second in zip(group[::2], group[1::2], strict=False):
            apart = covered(second.hypothesis, first.premise) <= 0.7
            if apart and normalised(first.hypothesis) != normalised(second.hypothesis):
                found.append((first, second))
    return found


def fever(data: Path, count: int, draw: random.Random) -> list[Example]:
    """Read FEVER's claims with their gold evidence, as many supported as refuted."""
    rows = [
        Example(premise, claim, label == "e", "fever_gold_evidence", "gold")
        for label, premise, claim in read_nli(data, "fever_gold_evidence")
        if len(premise.split()) <= LONGEST
    ]
    unique = list({(normalised(r.premise), normalised(r.hypothesis)): r for r in rows}.values())
    draw.shuffle(unique)
    supported = [row for row in unique if row.supported][: count * 2 // 3]
    return supported + [row for row in unique if not row.supported][: count - len(supported)]


def nli(data: Path, draw: random.Random) -> list[Example]:
    """Read the generic entailment sets, a share of each, entailment against the rest."""
    found = []
    for name, count in NLI.items():
        rows = read_nli(data, name)
        draw.shuffle(rows)
        taken = {True: 0, False: 0}
        for label, premise, claim in rows:
            if len(premise.split()) <= LONGEST and taken[label == "e"] < count // 2:
                taken[label == "e"] += 1
                found.append(Example(premise, claim, label == "e", name, "nli"))
    return found


def matching(examples: Sequence[Example], near: Neighbours, draw: random.Random) -> list[Example]:
    """Return each supported claim twice, with its evidence and with other evidence.

    Half of the claims are sentences of the evidence itself. A claim tells nothing here; whether
    the evidence speaks of the same thing tells all.
    """
    made: list[Example] = []
    for example in draw.sample(examples, len(examples)):
        if len(made) >= 2 * MATCHING:
            break
        pair = window(example, 40)
        said = sentences(pair.premise)
        if draw.random() < 0.5:
            pair = pair._replace(hypothesis=draw.choice(said or [""]), supported=True)
        if not pair.supported or not 4 <= len(pair.hypothesis.split()) <= 30:
            continue
        if len(pair.premise.split()) > 70:
            continue
        others = near.of(pair.hypothesis, 3, draw, most=0.5)
        if draw.random() < 0.3:
            others = [draw.choice(near.texts)]
        others = [text for text in others if covered(pair.hypothesis, text) <= 0.5]
        if others:
            wrong = window(pair._replace(premise=others[0]), 40)
            if len(wrong.premise.split()) <= 70:
                made += [pair._replace(kind="match"), wrong._replace(supported=False, kind="match")]
    return made


def mixture(data: Path, seed: int = 0) -> list[Example]:
    """Return all pairs to train on, shuffled; the same for the same data and seed."""
    draw = random.Random(seed)
    pairs, claims = reported_pairs(data)
    human = [
        window(example, WINDOW) if draw.random() < 0.5 else example
        for example in kept(read_human(data), pairs, claims)
        if not is_held(example)
    ]
    gold = kept(fever(data, FEVER, draw), pairs, claims)
    names = sorted(
        {
            match.group()
            for example in (*human, *gold)
            for match in names_in(example.hypothesis)
            if len(match.group().split()) <= 4
        }
    )
    near = Neighbours([e.premise for e in (*human, *gold) if len(e.premise.split()) <= LONGEST])
    short = [e for e in (*human, *gold) if len(e.premise.split()) <= 120]

    def negatives(examples: Iterable[Example], chance: float) -> list[Example]:
        found = (
            altered(window(example, WINDOW), names, draw)
            for example in examples
            if example.supported and draw.random() < chance
        )
        return [example for example in found if example is not None]

    changed = negatives(human, 0.7) + negatives(gold, 0.7)
    # Else "not" alone would give a negative away: what is refuted holds when negated.
    turned = [
        example._replace(hypothesis=claim, supported=True, kind="refuted, negated")
        for example in gold
        if not example.supported
        and len(example.hypothesis.split()) <= 12
        and draw.random() < 0.3
        and (claim := negated(example.hypothesis)) is not None
    ]
    removed = [
        cut
        for example in (*human, *gold)
        if example.supported and draw.random() < 0.5 and (cut := without_needed(example))
    ]
    elsewhere = [
        example._replace(premise=other[0], supported=False, kind="other evidence")
        for example in draw.sample([e for e in (*human, *gold) if e.supported], 1000)
        if (other := near.of(example.hypothesis, 1, draw))
    ]
    joined = []
    for first, second in _groups([*human, *gold]):
        joined.append(composed(first, second, None))
        if other := near.of(second.hypothesis, 1, draw, most=0.5):
            joined.append(composed(first, second, other[0]))
    pool = [*(e for e in changed if len(e.premise.split()) <= 120), *short]
    long = []
    for example in draw.sample(pool, min(LONG, len(pool))):
        others = near.of(example.hypothesis, 8, draw)
        long.append(among(example, others, draw.randrange(130, 290), draw))
    match = matching([*human, *gold], near, draw)
    everything = kept(
        [
            *match,
            *human,
            *gold,
            *changed,
            *turned,
            *removed,
            *elsewhere,
            *joined,
            *long,
            *nli(data, draw),
        ],
        pairs,
        claims,
    )
    draw.shuffle(everything)
    return [seen(example, draw.choice(EVIDENCE_WORDS)) for example in everything]


def summary(examples: Sequence[Example]) -> str:
    """Return how many pairs there are of each set and kind, and how many of them are supported."""
    total: Counter[tuple[str, str]] = Counter((e.source, e.kind) for e in examples)
    good = Counter((e.source, e.kind) for e in examples if e.supported)
    lines = [f"{s} | {k} | {n} | {good[s, k]}" for (s, k), n in sorted(total.items())]
    return "\n".join([*lines, f"all | | {len(examples)} | {sum(good.values())}"])


# ---------------------------------------------------------------------- a bridge
# For scripts that take pairs and labels; ``measures`` is where the rows are read.
