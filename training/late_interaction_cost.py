"""Count and time what late interaction encodes in a run, beside a cross-encoder of the same size.

Usage: ``python training/late_interaction_cost.py MODEL [--answers FILE] [--sample 120]``

The pairs are those that the ALCE rules ask for: joint, single and leave-one-out, with plain overlap
deciding which of them the rules go on to. Both forms run the same encoder; a sample of each kind of
work is timed, in processor time, and counted up. Run it with OPENBLAS_NUM_THREADS=1: threads that
wait count too.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

import citemeter
from citemeter.judges.base import Pair, passages_of
from citemeter.judges.embedded.evidence import Evidence
from citemeter.judges.lexical.hypothesis import Statement
from late_interaction import ROOM, Claim, Text, covering, features
from late_interaction_encoder import Encoder
from measures import DATA, markdown_table, records, token_overlap

ENOUGH = 0.6  # overlap that stands for support


def pairs_of(path: Path) -> tuple[int, list[Pair]]:
    """Return how many answers there are, and the distinct pairs that a run asks for."""
    asked: dict[tuple[tuple[str, ...], str], Pair] = {}

    def entails(premise: str, hypothesis: str) -> bool:
        asked.setdefault((passages_of(premise), hypothesis), (premise, hypothesis))
        return token_overlap(premise, hypothesis) >= ENOUGH

    answers = [
        {
            "id": row["id"],
            "answer": row["answer"],
            "sources": [{"id": p["id"], "text": p["text"]} for p in row["passages"]],
        }
        for row in records(path)
    ]
    citemeter.score(answers, judge=entails, keep_results=False, strict=True)
    return len(answers), list(asked.values())


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of some work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--answers", type=Path, default=DATA / "answers" / "hagrid.jsonl")
    parser.add_argument("--sample", type=int, default=120)
    options = parser.parse_args()
    answers, pairs = pairs_of(options.answers)
    passages = list(dict.fromkeys(p for premise, _ in pairs for p in passages_of(premise)))
    statements = list(dict.fromkeys(hypothesis for _, hypothesis in pairs))
    print(
        f"{answers} answers: {len(pairs)} distinct pairs of {len(passages)} passages and "
        f"{len(statements)} statements"
    )
    encoder = Encoder(options.model)
    draw = random.Random(0)
    encoder.encode([[100] * 100])  # what the first run sets up is not timed

    some = draw.sample(passages, min(options.sample, len(passages)))
    texts = [Text(text, encoder) for text in some]
    before = encoder.tokens

    def encode_passages() -> None:
        for text in texts:
            text.encode(range(len(text.windows)), encoder)

    for_passages = seconds(encode_passages) / len(some)
    passage_tokens = (encoder.tokens - before) / len(some)

    asked = draw.sample(statements, min(options.sample, len(statements)))
    claims = [Claim(text, encoder) for text in asked]
    before = encoder.tokens
    for_statements = seconds(lambda: encoder.encode([c.ids for c in claims if c.ids])) / len(asked)
    statement_tokens = (encoder.tokens - before) / len(asked)

    chosen = draw.sample(pairs, min(options.sample, len(pairs)))
    prepared = []
    for premise, hypothesis in chosen:
        claim = Claim(hypothesis, encoder)
        claim.encoded = encoder.encode([claim.ids])[0] if claim.ids else None
        mine = [Text(text, encoder) for text in passages_of(premise)]
        plan = covering(claim, mine)
        for at, text in enumerate(mine):
            text.encode([window for place, window in plan if place == at], encoder)
        prepared.append((claim, mine, plan, Evidence(premise)))
    for_pairs = seconds(lambda: [features(*one) for one in prepared]) / len(chosen)

    joint = []
    for premise, hypothesis in chosen:
        statement = Statement(hypothesis)
        shown = Evidence(premise).select(statement, ROOM)
        ids = [*encoder.tokenize(shown)[0], 102, *encoder.tokenize(statement.text)[0]]
        joint.append(ids[:510])
    before = encoder.tokens
    for_joint = seconds(lambda: encoder.encode(joint)) / len(chosen)
    joint_tokens = (encoder.tokens - before) / len(chosen)

    late = [
        ("a passage encoded", len(passages), for_passages, passage_tokens),
        ("a statement encoded", len(statements), for_statements, statement_tokens),
        ("a pair's similarities", len(pairs), for_pairs, 0.0),
    ]
    cross = [("a pair through the cross-encoder", len(pairs), for_joint, joint_tokens)]
    lines = [
        [what, str(count), f"{tokens:.0f}", f"{1000 * each:.1f}", f"{count * each:.0f}"]
        for what, count, each, tokens in (*late, *cross)
    ]
    print(markdown_table(["work", "times", "tokens", "ms", "s in all"], lines))
    whole = [sum(count * each for _, count, each, _ in kind) for kind in (late, cross)]
    print(f"late interaction {whole[0]:.0f} s, cross-encoder {whole[1]:.0f} s")


if __name__ == "__main__":
    main()
