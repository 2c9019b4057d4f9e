"""Look for reported pairs among the pairs that training can be given.

Usage: ``python training/leakage.py [--data DATA]`` prints what the reported sets share with what
can be learnt from: pairs, which are left out of training, and claims with other evidence.

Texts are compared by their words alone (``hard_negatives.normalised``), as 64-bit digests.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from cross_encoder_data import NLI, raw_nli, read_human
from hard_negatives import Example, clean, normalised
from measures import DATA, DEVELOPMENT, REPORTED, markdown_table, reported_texts

ENTAILMENT = (*NLI, "fever_gold_evidence")


Evidence = dict[bytes, set[bytes]]
"""The evidence of each claim, both as digests."""


class Shared(NamedTuple):
    """What one reported set shares with one set that can be learnt from.

    Args:
        reported: The reported set.
        trained: The set learnt from.
        pairs: How many pairs to learn from equal one of its pairs.
        others: How many have one of its claims with other evidence.
        claims: How many of its claims these are.
    """

    reported: str
    trained: str
    pairs: int
    others: int
    claims: int


def digest(text: str) -> bytes:
    """Return a digest of a text's words."""
    return hashlib.blake2b(normalised(text).encode(), digest_size=8).digest()


def sources(data: Path) -> Iterator[Example]:
    """Yield every pair that the mixture and the held rows are made from, not yet cleaned."""
    yield from read_human(data)
    for name in ENTAILMENT:
        for label, premise, claim in raw_nli(data, name):
            yield Example(premise, claim, label == "e", name, "nli")


def reported_digests(data: Path) -> dict[str, Evidence]:
    """Return the evidence of each claim of the reported sets and of the development set."""
    sets: dict[str, Evidence] = {}
    for name in (DEVELOPMENT, *REPORTED):
        found: defaultdict[bytes, set[bytes]] = defaultdict(set)
        for evidence, claim in reported_texts(data, name):
            found[digest(claim)].add(digest(evidence))
        sets[name] = dict(found)
    return sets


def with_reported_claims(
    examples: Iterable[Example], sets: Mapping[str, Evidence]
) -> list[Example]:
    """Return the pairs to learn from that have a reported claim, cleaned."""
    known = {claim for evidence in sets.values() for claim in evidence}
    seen: dict[str, bool] = {}
    found = []
    for example in examples:
        claim = example.hypothesis
        if claim not in seen:
            seen[claim] = digest(claim) in known
        if seen[claim]:
            found.append(example._replace(premise=clean(example.premise), hypothesis=clean(claim)))
    return found


def collisions(examples: Iterable[Example], sets: Mapping[str, Evidence]) -> list[Shared]:
    """Count the pairs to learn from that equal a reported one, and those with its claim alone.

    Args:
        examples: The pairs to learn from.
        sets: What ``reported_digests`` returns.

    Returns:
        One entry for each reported set and set learnt from that share anything.
    """
    counts: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    claims: defaultdict[tuple[str, str], set[bytes]] = defaultdict(set)
    for example in examples:
        claim = digest(example.hypothesis)
        for name, evidence in sets.items():
            if claim in evidence:
                other = digest(example.premise) not in evidence[claim]
                counts[name, example.source][other] += 1
                claims[name, example.source].add(claim)
    return [
        Shared(*names, pairs, others, len(claims[names]))
        for names, (pairs, others) in counts.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="holds labelled/, answers/, nli/")
    options = parser.parse_args()
    sets = reported_digests(options.data)
    found = collisions(with_reported_claims(sources(options.data), sets), sets)
    table = [[f"`{one.reported}`", f"`{one.trained}`", *map(str, one[2:])] for one in found]
    head = ["reported set", "can be learnt from", "same pair", "same claim, other evidence"]
    print(markdown_table([*head, "claims of the reported set"], table))
    print(f"\n{len(sets)} sets with {sum(map(len, sets.values()))} claims were looked for.")


if __name__ == "__main__":
    main()
