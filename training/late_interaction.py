"""Late interaction with a frozen sentence encoder: what a judge without a pass per pair could see.

Usage:
    python training/late_interaction.py export ENCODER MODEL
    python training/late_interaction.py features MODEL OUT [SET ...] [--data DATA]

ENCODER is a folder with a BERT encoder (config.json, model.safetensors, tokenizer.json), MODEL the
folder for its 8-bit ONNX form. ``features`` writes OUT/features_SET.npz for each set: ``names``,
``x`` (rows, features), ``y`` and ``source``, in the order of the set's rows. Needs onnxruntime and
tokenizers, the export also torch, transformers, onnx and onnxscript.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from citemeter.judges.base import passages_of
from citemeter.judges.embedded.evidence import GAP, Evidence
from citemeter.judges.lexical.hypothesis import Statement
from citemeter.judges.lexical.terms import WORD, term_of
from cross_encoder_data import held_rows
from late_interaction_encoder import Encoded, Encoder, Ints, Vectors, export, unit
from measures import DATA, DEVELOPMENT, REPORTED, Row, read_reported

Floats = npt.NDArray[np.float64]

WIDTH, STEP = 126, 96  # tokens of a window, and from the start of one to the start of the next
MOST = 8  # windows of a premise that a statement is compared with, those that cover it best
ROOM = 100  # words of selected evidence
ALIKE = 0.7
NEAR = 8  # tokens between the matches of two neighbouring words that still stand together
FEATURES = {
    "pooled_window": "cosine of the statement's mean vector and that of the best window",
    "pooled_sentence": "… and that of the best sentence of the selected evidence",
    "pooled_evidence": "… and that of all selected evidence",
    "mean_4": "best match of each informative word in the premise, weighted mean, layer 4",
    "mean_6": "the same, layer 6",
    "low_4": "mean of the three worst of these matches, layer 4",
    "low_6": "the same, layer 6",
    "least_6": "the worst of these matches, layer 6",
    "share_6": f"weight of the words whose best match is above {ALIKE}, layer 6",
    "window_4": "weighted mean of the best matches within the best window, layer 4",
    "window_6": "the same, layer 6",
    "evidence_4": "weighted mean of the best matches within the selected evidence, layer 4",
    "evidence_6": "the same, layer 6",
    "evidence_low_6": "mean of the three worst matches within the selected evidence, layer 6",
    "sentence_6": "weighted mean of the best matches within one sentence, the best, layer 6",
    "missing_6": "weight of the words that the premise lacks × what their best match lacks of 1",
    "same_6": "best match among the same token, mean over the tokens that the premise has, layer 6",
    "numbers_6": "the worst of the best matches of numbers, 1 without numbers, layer 6",
    "names_6": "the worst of the best matches of names, 1 without names, layer 6",
    "together_6": f"share of neighbouring words whose best matches are at most {NEAR} tokens apart",
}
_WORD = re.compile(WORD)


class Groups:
    """Tokens that belong together, as those of a word."""

    def __init__(self, groups: Sequence[Ints]) -> None:
        self.count = len(groups)
        self.tokens = np.concatenate([*groups, np.zeros(0, np.int64)]).astype(np.int64)
        self._sizes = np.array([len(group) for group in groups])
        self._starts = np.cumsum([0, *self._sizes[:-1]])
        self.firsts = np.array([group[0] for group in groups], dtype=np.int64)

    def means(self, values: Vectors) -> Floats:
        """Return the mean of each group's tokens, of each column."""
        if not self.count:
            return np.zeros((0, *values.shape[1:]))
        sums = np.add.reduceat(values[self.tokens].astype(np.float64), self._starts, axis=0)
        return np.asarray((sums.T / self._sizes).T)


class Claim:
    """A statement: its tokens, and which of them make up its words, numbers and names.

    Attributes:
        statement: As the lexical judge reads it.
        ids: Its token ids.
        words: The tokens of each informative word.
        weights: The weight of each.
        terms: The stem of each.
        numbers: The tokens of each number.
        names: The tokens of each name.
    """

    def __init__(self, text: str, encoder: Encoder) -> None:
        self.statement = Statement(text)
        bare = " ".join(self.statement.text.split())
        self.ids, offsets = encoder.tokenize(bare)
        self.ids, offsets = self.ids[:510], offsets[:510]
        weights = {term.term: term.weight for term in self.statement.terms}
        named = {self.statement.terms[at].term for run in self.statement.names for at in run}
        words: list[Ints] = []
        numbers: list[Ints] = []
        names: list[Ints] = []
        self.terms: list[str] = []
        starts = np.array([start for start, _ in offsets], dtype=np.int64)
        for match in _WORD.finditer(bare):
            low, high = np.searchsorted(starts, match.span())
            if low == high:
                continue
            tokens = np.arange(low, high)
            term = term_of(match.group())
            if any(character.isdigit() for character in match.group()):
                numbers.append(tokens)
            elif term in weights:
                words.append(tokens)
                self.terms.append(term)
                if term in named:
                    names.append(tokens)
        self.weights = np.array([weights[term] for term in self.terms])
        self.words, self.numbers, self.names = Groups(words), Groups(numbers), Groups(names)
        self.encoded: Encoded | None = None


class Text:
    """A passage: its tokens, cut into windows that are encoded when first asked for."""

    def __init__(self, text: str, encoder: Encoder) -> None:
        self.text = " ".join(text.split())
        self.ids, self.offsets = encoder.tokenize(self.text)
        self.windows = windows(len(self.ids))
        self.encoded: dict[int, Encoded] = {}
        self.terms = [
            {term_of(word) for word in _WORD.findall(self.text[low:high])}
            for low, high in [
                (self.offsets[first][0], self.offsets[last - 1][1]) for first, last in self.windows
            ]
        ]

    def encode(self, chosen: Iterable[int], encoder: Encoder) -> None:
        """Encode those of the chosen windows that are not yet."""
        new = [at for at in chosen if at not in self.encoded]
        stretches = [self.ids[slice(*self.windows[at])] for at in new]
        self.encoded.update(zip(new, encoder.encode(stretches), strict=True))


def windows(size: int) -> list[tuple[int, int]]:
    """Return where the windows of a text of ``size`` tokens begin and end.

    >>> windows(100), windows(130), windows(0)
    ([(0, 100)], [(0, 126), (96, 130)], [])
    """
    found = [(0, min(WIDTH, size))] if size else []
    while found and found[-1][1] < size:
        start = found[-1][0] + STEP
        found.append((start, min(start + WIDTH, size)))
    return found


def covering(claim: Claim, texts: Sequence[Text]) -> list[tuple[int, int]]:
    """Return the windows, as text and place in it, that a statement is compared with.

    These are the ``MOST`` that hold most of the weight of its words.
    """
    places = [(at, window) for at, text in enumerate(texts) for window in range(len(text.windows))]
    if len(places) <= MOST:
        return places
    weights = dict(zip(claim.terms, claim.weights, strict=True))

    def held(place: tuple[int, int]) -> float:
        terms = texts[place[0]].terms[place[1]]
        return -float(sum([weight for term, weight in weights.items() if term in terms]))

    return sorted(sorted(places, key=held)[:MOST])


def sentence_spans(premise: str, statement: Statement, evidence: Evidence) -> list[tuple[int, int]]:
    """Return where the selected sentences stand in the premise with its white space made even."""
    even = " ".join(premise.split())
    parts = evidence.select(statement, ROOM).split(GAP)
    spans, at = [], 0
    for piece in evidence.pieces:
        text = " ".join(piece.text.split())
        start = even.find(text, at)
        if start < 0 or not text:
            continue
        at = start + len(text)
        if any(text in part for part in parts):
            spans.append((start, at))
    return spans


def weighted(claim: Claim, best: Vectors) -> Floats:
    """Return the weighted mean over a statement's words, of each column of its tokens' matches."""
    if not claim.words.count:
        return np.zeros(best.shape[1:])
    return np.asarray(claim.weights @ claim.words.means(best) / claim.weights.sum())


def low(words: Floats) -> float:
    """Return the mean of the three worst."""
    return float(np.sort(words)[:3].mean()) if len(words) else 0.0


def features(
    claim: Claim, texts: Sequence[Text], chosen: Sequence[tuple[int, int]], evidence: Evidence
) -> list[float]:
    """Return the features of a pair, in the order of ``FEATURES``; the windows are encoded."""
    mine = claim.encoded
    if mine is None or not chosen or not len(mine.ids):
        return [0.0] * len(FEATURES)
    stretches = [texts[at].encoded[window] for at, window in chosen]
    ids = np.concatenate([stretch.ids for stretch in stretches])
    middle, last = (
        mine.layers[at] @ np.concatenate([s.layers[at] for s in stretches]).T for at in (0, 1)
    )
    starts = np.cumsum([0, *[len(text.text) + 1 for text in texts]])  # of texts in the premise
    begins = np.concatenate(
        [
            starts[at] + np.array([a for a, _ in texts[at].offsets[slice(*texts[at].windows[w])]])
            for at, w in chosen
        ]
    )
    bounds = np.cumsum([0, *[len(stretch.ids) for stretch in stretches[:-1]]])
    spans = sentence_spans(evidence.text, claim.statement, evidence)
    inside = [(begins >= low) & (begins < high) for low, high in spans]
    inside = [part for part in inside if part.any()]
    selected = np.any(inside, axis=0) if inside else np.ones(len(ids), dtype=bool)
    inside = inside or [selected]

    vectors = np.concatenate([stretch.layers[1] for stretch in stretches])
    pooled = [vectors[part].mean(0) for part in (selected, *inside)]
    best, places = last.max(1), last.argmax(1)
    weights, words = claim.weights, claim.words.means(best)
    chosen_words = claim.words.means(last[:, selected].max(1))
    total = float(weights.sum()) or 1.0
    has = set().union(*[texts[at].terms[w] for at, w in chosen])
    missing = np.array([term not in has for term in claim.terms], dtype=bool)
    same = np.where(mine.ids[:, None] == ids[None], last, -1.0).max(1)
    known = same[np.concatenate([claim.words.tokens, claim.numbers.tokens])]
    known = known[known > -1.0]
    ends = places[claim.words.firsts]
    apart = np.abs(np.diff(ends)) <= NEAR
    return [
        float(max(stretch.pooled @ mine.pooled for stretch in stretches)),
        float((unit(np.array(pooled[1:])) @ mine.pooled).max()),
        float(unit(pooled[0]) @ mine.pooled),
        float(weighted(claim, middle.max(1))),
        float(weighted(claim, best)),
        low(claim.words.means(middle.max(1))),
        low(words),
        float(words.min()) if len(words) else 0.0,
        float(weights[words > ALIKE].sum()) / total if len(words) else 0.0,
        float(weighted(claim, np.maximum.reduceat(middle, bounds, axis=1)).max()),
        float(weighted(claim, np.maximum.reduceat(last, bounds, axis=1)).max()),
        float(weighted(claim, middle[:, selected].max(1))),
        float(weighted(claim, last[:, selected].max(1))),
        low(chosen_words),
        float(weighted(claim, np.array([last[:, part].max(1) for part in inside]).T).max()),
        float((weights * (1 - words))[missing].sum()) / total if missing.any() else 0.0,
        float(known.mean()) if len(known) else 0.0,
        float(claim.numbers.means(best).min()) if claim.numbers.count else 1.0,
        float(claim.names.means(best).min()) if claim.names.count else 1.0,
        float(apart.mean()) if len(apart) else 1.0,
    ]


def measured(pairs: Sequence[tuple[str, str]], encoder: Encoder) -> Vectors:
    """Return the features of pairs; each distinct passage and statement is encoded once."""
    claims = {text: Claim(text, encoder) for text in dict.fromkeys(h for _, h in pairs)}
    waiting = [claim for claim in claims.values() if claim.ids]
    for claim, encoded in zip(waiting, encoder.encode([c.ids for c in waiting]), strict=True):
        claim.encoded = encoded
    texts: dict[str, Text] = {}
    rows = np.zeros((len(pairs), len(FEATURES)), dtype=np.float32)
    # Pairs with one premise follow each other, so that its vectors can be dropped after them.
    groups: dict[tuple[str, ...], list[int]] = {}
    last_use: dict[str, tuple[str, ...]] = {}
    for at, (premise, _) in enumerate(pairs):
        groups.setdefault(tuple(passages_of(premise)), []).append(at)
    for passages in groups:
        last_use.update(dict.fromkeys(passages, passages))
    for passages, members in groups.items():
        for passage in passages:
            if passage not in texts:
                texts[passage] = Text(passage, encoder)
        mine = [texts[passage] for passage in passages]
        evidence = Evidence("\n".join(passages))
        plans = [covering(claims[pairs[at][1]], mine) for at in members]
        for number, text in enumerate(mine):
            wanted = {window for plan in plans for place, window in plan if place == number}
            text.encode(sorted(wanted), encoder)
        for at, plan in zip(members, plans, strict=True):
            rows[at] = features(claims[pairs[at][1]], mine, plan, evidence)
        for passage in passages:
            if last_use[passage] is passages:
                texts.pop(passage, None)
    return rows


# ---------------------------------------------------------------------- the sets


def rows_of(data: Path, name: str) -> list[Row]:
    """Read a set: ``held``, the development set or a reported one."""
    if name != HELD:
        return read_reported(data, name)
    return [Row(e.premise, e.hypothesis, e.supported, e.source) for e in held_rows(data)]


HELD = "held"
SETS = (HELD, DEVELOPMENT, *REPORTED)


def write_features(options: argparse.Namespace) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder(options.model, options.threads)
    for name in options.sets or SETS:
        begun, before = time.perf_counter(), encoder.tokens
        rows = rows_of(options.data, name)
        np.savez_compressed(
            options.out / f"features_{name}.npz",
            names=np.array(list(FEATURES)),
            x=measured([(row.premise, row.hypothesis) for row in rows], encoder),
            y=np.array([row.supported for row in rows]),
            source=np.array([row.source for row in rows]),
        )
        taken = time.perf_counter() - begun
        print(
            f"{name}: {len(rows)} pairs, {encoder.tokens - before} tokens, {taken:.0f} s",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("export")
    write.add_argument("encoder", type=Path)
    write.add_argument("model", type=Path)
    write.add_argument("--float", action="store_true", help="32-bit weights")
    compute = commands.add_parser("features")
    compute.add_argument("model", type=Path)
    compute.add_argument("out", type=Path)
    compute.add_argument("sets", nargs="*")
    compute.add_argument("--threads", type=int, default=1)
    compute.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    run: dict[str, Callable[[argparse.Namespace], None]] = {
        "export": lambda o: export(o.encoder, o.model, eight_bit=not o.float),
        "features": write_features,
    }
    run[options.command](options)


if __name__ == "__main__":
    main()
