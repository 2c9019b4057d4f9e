"""Train a small cross-encoder on (evidence, claim) pairs, and measure a saved one.

Usage:
    python training/fit_cross_encoder.py train ENCODER RUN --minutes 60 [--data DATA]
    python training/fit_cross_encoder.py evaluate MODEL [--data DATA]

ENCODER is a folder with a BERT encoder (config.json, model.safetensors, tokenizer.json), RUN the
folder for checkpoints; the model is written to RUN/model. Training again with the same RUN goes on
from its last checkpoint. Needs torch, transformers and NumPy.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from citemeter.statistics.agreement import (
    Bools,
    Floats,
    auroc,
    balanced_accuracy,
    best_threshold,
    bootstrap_interval,
)
from cross_encoder_data import held_rows, mixture, seen, summary
from hard_negatives import Example
from measures import DATA, DEVELOPMENT, REPORTED, markdown_table, read_reported, token_overlap

if TYPE_CHECKING:
    import torch

LABELS = {0: "not_entailment", 1: "entailment"}
WATCHED = 400  # held-out pairs that each checkpoint is measured on
POOL = 50  # batches whose pairs are sorted by length together


def batches(
    chosen: Sequence[int], lengths: Sequence[int], size: int, seed: int, epoch: int
) -> list[list[int]]:
    """Return an epoch's batches, each of pairs of like length, in an order that the seed gives."""
    draw = random.Random(f"{seed}/{epoch}")
    order = list(chosen)
    draw.shuffle(order)
    found = []
    for start in range(0, len(order), size * POOL):
        pool = sorted(order[start : start + size * POOL], key=lengths.__getitem__)
        found += [pool[at : at + size] for at in range(0, len(pool), size)]
    draw.shuffle(found)
    return found


def stages(
    examples: Sequence[Example], lengths: Sequence[int], short: int
) -> list[tuple[float, list[int]]]:
    """Return until which share of the budget which pairs are learnt from.

    First only whether a text speaks of what the claim says at all; then all pairs of up to
    ``short`` tokens, at half the cost of the rest; then everything but the first.
    """
    match = [at for at, e in enumerate(examples) if e.kind == "match"]
    rest = [at for at, e in enumerate(examples) if e.kind != "match"]
    return [(0.15, match), (0.5, [at for at in rest if lengths[at] <= short]), (1.0, rest)]


def rate_at(progress: float, warm: float = 0.04) -> float:
    """Return the share of the learning rate at a share of the budget: up, then straight to 0."""
    return progress / warm if progress < warm else max(0.0, (1 - progress) / (1 - warm))


class Tokens:
    """Turns pairs into token ids, cutting the longer of the two texts, and into padded batches."""

    def __init__(self, folder: Path, most: int) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most, strategy="longest_first")

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
        """Return the token ids and the segment ids of each pair."""
        return [(e.ids, e.type_ids) for e in self._tokenizer.encode_batch(list(pairs))]

    @staticmethod
    def padded(encoded: Sequence[tuple[list[int], list[int]]]) -> dict[str, torch.Tensor]:
        """Return a batch as tensors, padded to its longest pair."""
        import torch

        width = max(len(ids) for ids, _ in encoded)
        arrays = np.zeros((3, len(encoded), width), dtype=np.int64)
        for row, (ids, types) in enumerate(encoded):
            arrays[0, row, : len(ids)] = ids
            arrays[1, row, : len(ids)] = types
            arrays[2, row, : len(ids)] = 1
        names = ("input_ids", "token_type_ids", "attention_mask")
        return {name: torch.from_numpy(a) for name, a in zip(names, arrays, strict=True)}


def scores_of(
    model: Any, tokens: Tokens, pairs: Sequence[tuple[str, str]], size: int = 16
) -> Floats:
    """Return the model's probability of entailment for each pair."""
    import torch

    encoded = tokens.encode(pairs)
    order = sorted(range(len(pairs)), key=lambda at: len(encoded[at][0]))
    scores = np.zeros(len(pairs))
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            logits = model(**tokens.padded([encoded[at] for at in chosen])).logits
            scores[chosen] = logits.softmax(-1)[:, 1].double().numpy()
    return scores


def save_model(model: Any, encoder: Path, folder: Path) -> None:
    """Write a folder that transformers loads: safetensors, tokenizer and config."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(encoder)
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.model_max_length = model.config.max_position_embeddings
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


class Training:
    """One run: a model, its optimiser, a running average of its weights, and where it stands."""

    def __init__(self, encoder: Path, run: Path, options: argparse.Namespace) -> None:
        import torch
        from transformers import BertForSequenceClassification

        self.encoder, self.run, self.options = encoder, run, options
        torch.manual_seed(options.seed)
        self.model = BertForSequenceClassification.from_pretrained(
            encoder,
            num_labels=2,
            id2label=LABELS,
            label2id={label: at for at, label in LABELS.items()},
            attention_probs_dropout_prob=0.0,
        )
        self.model.bert.embeddings.requires_grad_(False)
        self.weights = [w for w in self.model.parameters() if w.requires_grad]
        self.average = [w.detach().clone() for w in self.weights]
        self.optimizer = torch.optim.AdamW(self.weights, lr=options.rate, weight_decay=0.01)
        self.place = {"stage": 0, "epoch": 0, "batch": 0, "step": 0, "pairs": 0}
        self.seconds = 0.0
        self.checkpoint = run / "checkpoint.pt"
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.average = state["average"]
            self.place, self.seconds = state["place"], state["seconds"]
            torch.set_rng_state(state["random"])

    @property
    def progress(self) -> float:
        """The share of the budget that is spent, from 0 to 1."""
        if self.options.pairs:
            spent = self.place["pairs"] / float(self.options.pairs)
        else:
            spent = self.seconds / 60 / float(self.options.minutes)
        return min(1.0, spent)

    def save_checkpoint(self) -> None:
        """Write all that is needed to go on; a crash while writing leaves the last one whole."""
        import torch

        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": self.average,
            "place": self.place,
            "seconds": self.seconds,
            "random": torch.get_rng_state(),
        }
        unfinished = self.checkpoint.with_suffix(".part")
        torch.save(state, unfinished)
        os.replace(unfinished, self.checkpoint)

    def averaged(self) -> Any:
        """Return a copy of the model with the averaged weights."""
        import copy

        import torch

        model = copy.deepcopy(self.model)
        chosen = [w for w in model.parameters() if w.requires_grad]
        with torch.no_grad():
            for weight, mean in zip(chosen, self.average, strict=True):
                weight.copy_(mean)
        return model

    def step(self, batch: dict[str, torch.Tensor], truth: torch.Tensor) -> float:
        """Learn from one batch; return its loss."""
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = self.options.rate * rate_at(self.progress)
        self.model.train()
        logits = self.model(**batch).logits
        loss = torch.nn.functional.cross_entropy(logits, truth)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimizer.step()
        keep = min(0.99, self.place["step"] / (self.place["step"] + 10))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, [w.detach() for w in self.weights], 1 - keep)
        return loss.item()

    def batches(
        self, plan: Sequence[tuple[float, list[int]]], lengths: Sequence[int]
    ) -> Iterator[list[int]]:
        """Yield batches from where the run stands until the budget is spent."""
        for stage, (until, chosen) in enumerate(plan):
            while self.progress < until:
                if self.place["stage"] != stage:
                    self.place |= {"stage": stage, "epoch": 0, "batch": 0}
                size, seed = self.options.batch, self.options.seed
                epoch = batches(chosen, lengths, size, seed, self.place["epoch"])
                while self.place["batch"] < len(epoch) and self.progress < until:
                    yield epoch[self.place["batch"]]
                if self.place["batch"] >= len(epoch):
                    self.place |= {"epoch": self.place["epoch"] + 1, "batch": 0}


def train(options: argparse.Namespace) -> None:
    import torch

    torch.set_num_threads(options.threads)
    options.run.mkdir(parents=True, exist_ok=True)
    examples = mixture(options.data, options.seed)
    held = random.Random(options.seed).sample(held_rows(options.data), WATCHED)
    held = [seen(example, options.words) for example in held]
    (options.run / "mixture.txt").write_text(summary(examples) + "\n", encoding="utf-8")
    tokens = Tokens(options.encoder, options.tokens)
    encoded = tokens.encode([(e.premise, e.hypothesis) for e in examples])
    lengths = [len(ids) for ids, _ in encoded]
    truth = [int(e.supported) for e in examples]
    held_pairs = [(e.premise, e.hypothesis) for e in held]
    held_truth = np.array([e.supported for e in held])
    run = Training(options.encoder, options.run, options)
    print(f"{len(examples)} pairs, {sum(lengths)} tokens, {len(held)} held out; at {run.place}")
    losses: list[float] = []
    since = saved = begun = time.monotonic()
    first = run.place["pairs"]
    for chosen in run.batches(stages(examples, lengths, options.short), lengths):
        loss = run.step(
            tokens.padded([encoded[at] for at in chosen]),
            torch.tensor([truth[at] for at in chosen]),
        )
        losses.append(loss)
        now = time.monotonic()
        run.seconds += now - begun
        begun = now
        run.place["batch"] += 1
        run.place["step"] += 1
        run.place["pairs"] += len(chosen)
        if run.place["step"] % 50 == 0:
            speed = (run.place["pairs"] - first) / (now - since)
            print(
                f"step {run.place['step']} stage {run.place['stage']} {run.progress:.1%} "
                f"loss {np.mean(losses[-50:]):.4f} {speed:.1f} pairs/s",
                flush=True,
            )
            since, first = now, run.place["pairs"]
        if now - saved > 60 * options.every:
            run.save_checkpoint()
            save_model(run.averaged(), options.encoder, options.run / "latest")
            reached = auroc(held_truth, scores_of(run.averaged(), tokens, held_pairs))
            print(f"checkpoint; AUROC of the average on held-out pairs {reached:.4f}", flush=True)
            begun = since = saved = time.monotonic()
            first = run.place["pairs"]
    run.save_checkpoint()
    save_model(run.averaged(), options.encoder, options.run / "model")
    print(f"saved {options.run / 'model'}")


def line_of(name: str, truth: Bools, scores: Floats, plain: Floats, threshold: float) -> list[str]:
    """Return one set's line of the table."""

    def shown(measure: Callable[[Bools, Floats], float], values: Floats) -> str:
        low, high = bootstrap_interval(measure, truth, values)
        return f"{measure(truth, values):.3f} [{low:.3f}, {high:.3f}]"

    return [
        name,
        f"{len(truth)} ({int(truth.sum())})",
        shown(auroc, scores),
        f"{auroc(truth, plain):.3f}",
        shown(lambda t, v: balanced_accuracy(t, v >= threshold), scores),
        f"{balanced_accuracy(truth, scores >= 0.5):.3f}",
    ]


def evaluate(options: argparse.Namespace) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification

    torch.set_num_threads(options.threads)
    model = AutoModelForSequenceClassification.from_pretrained(options.model)
    tokens = Tokens(options.model, model.config.max_position_embeddings)
    threshold = 0.5
    table = []
    for name in (DEVELOPMENT, *REPORTED):
        rows = read_reported(options.data, name)
        pairs = [(row.premise, row.hypothesis) for row in rows]
        truth = np.array([row.supported for row in rows])
        scores = scores_of(model, tokens, pairs)
        if name == DEVELOPMENT:
            threshold = best_threshold(truth, scores)
        plain = np.array([token_overlap(*pair) for pair in pairs])
        table.append(line_of(name, truth, scores, plain, threshold))
        print(" | ".join(table[-1]), flush=True)
    head = ["set", "n (supported)", "AUROC", "overlap's AUROC"]
    head += [f"balanced accuracy at {threshold:.2f}", "at 0.5"]
    print(markdown_table(head, table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fit = commands.add_parser("train")
    fit.add_argument("encoder", type=Path)
    fit.add_argument("run", type=Path)
    fit.add_argument("--minutes", type=float, default=60.0)
    fit.add_argument("--pairs", type=int, default=0, help="a budget in pairs instead: repeatable")
    fit.add_argument("--rate", type=float, default=1.5e-4)
    fit.add_argument("--batch", type=int, default=16)
    fit.add_argument("--tokens", type=int, default=224, help="longer pairs are cut")
    fit.add_argument("--words", type=int, default=100, help="of evidence, in held-out pairs")
    fit.add_argument("--short", type=int, default=96, help="tokens of the pairs of stage 2")
    fit.add_argument("--threads", type=int, default=2)
    fit.add_argument("--every", type=float, default=10.0, help="minutes between checkpoints")
    fit.add_argument("--seed", type=int, default=0)
    fit.add_argument("--data", type=Path, default=DATA, help="holds labelled/ and nli/")
    fit.set_defaults(run_command=train)
    check = commands.add_parser("evaluate")
    check.add_argument("model", type=Path)
    check.add_argument("--threads", type=int, default=2)
    check.add_argument("--data", type=Path, default=DATA, help="holds labelled/")
    check.set_defaults(run_command=evaluate)
    options = parser.parse_args()
    options.run_command(options)


if __name__ == "__main__":
    main()
