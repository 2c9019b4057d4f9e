"""Write a trained cross-encoder as the ONNX file that the embedded judge reads, and compare them.

Usage:
    python training/export_network.py MODEL OUT [--form floats] [--data DATA] [--rows 400]

MODEL is a folder with a BertForSequenceClassification of two labels (config.json,
model.safetensors, tokenizer.json), OUT gets model.onnx and tokenizer.json, the same bytes for the
same model. Needs onnx, onnxruntime, safetensors and tokenizers; torch and transformers to compare.

Weights are stored in eight bits. With --form floats (the default) products are computed in 32-bit
floats, and logits agree to 0.00001 between processors and versions of ONNX Runtime. With --form
integers they are computed in 8-bit integers: a third faster on two threads, but what is rounded
between them differs there by some hundredths.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from citemeter.judges.embedded.encoder import PROBES, TOKENS, Network
from citemeter.statistics.agreement import Floats, auroc
from cross_encoder_data import held_rows, seen
from hard_negatives import Example
from measures import DATA, DEVELOPMENT, markdown_table, read_reported
from network_graph import Bert, Form, model_of

Pair = tuple[str, str]

FORMS: tuple[Form, ...] = get_args(Form)
WORDS = 100  # words of evidence that the judge shows to the network


def bare_tokenizer(folder: Path) -> dict[str, Any]:
    """Read a tokenizer, and leave out what only training and decoding need."""
    kept = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    kept.update(truncation=None, padding=None, decoder=None)
    return kept


def write_network(model: Path, out: Path, form: Form = "floats") -> Bert:
    """Write OUT/model.onnx and OUT/tokenizer.json, with the logits that a sound machine gives."""
    bert = Bert.read(model)
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(bare_tokenizer(model), ensure_ascii=False, separators=(",", ":"))
    (out / "tokenizer.json").write_text(text, encoding="utf-8")
    notes = {"form": form, "revision": bert.digest}
    made = model_of(bert, form, notes)
    (out / "model.onnx").write_bytes(made.SerializeToString(deterministic=True))
    probes = Network(threads=1, folder=out).logits(PROBES)
    notes["probes"] = json.dumps([round(float(logit), 4) for logit in probes])
    made = model_of(bert, form, notes)
    (out / "model.onnx").write_bytes(made.SerializeToString(deterministic=True))
    return bert


# ---------------------------------------------------------------------- comparison


def torch_logits(folder: Path, pairs: Sequence[Pair], tokenizer: Any) -> Floats:
    """Return the logits of the model that was trained."""
    import torch
    from transformers import BertForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.set_num_threads(1)
    model = BertForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
    found = []
    with torch.inference_mode():
        for pair in pairs:
            read = tokenizer.encode(*pair)
            logits = model(
                input_ids=torch.tensor([read.ids]), token_type_ids=torch.tensor([read.type_ids])
            ).logits[0]
            found.append(float(logits[1] - logits[0]))
    return np.array(found)


def graph_logits(model: Any, pairs: Sequence[Pair], tokenizer: Any) -> Floats:
    """Return the logits of an ONNX model that is not written."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    found = []
    for pair in pairs:
        read = tokenizer.encode(*pair)
        feeds = {"input_ids": np.array(read.ids), "token_type_ids": np.array(read.type_ids)}
        found.append(float(session.run(None, feeds)[0][0]))
    return np.array(found)


def compared(model: Path, out: Path, bert: Bert, rows: Sequence[Example]) -> None:
    """Print what quantising changed on labelled pairs."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS, strategy="longest_first")
    pairs = [(row.premise, row.hypothesis) for row in rows]
    gold = np.array([row.supported for row in rows], dtype=np.bool_)
    trained = torch_logits(model, pairs, tokenizer)
    network = Network(threads=1, folder=out)
    network.logits(pairs[:3])
    start = time.perf_counter()
    shipped = network.logits(pairs).astype(np.float64)
    speed = len(pairs) / (time.perf_counter() - start)
    variants = {form: graph_logits(model_of(bert, form), pairs, tokenizer) for form in FORMS}
    variants["as written"] = shipped
    cut = float(np.median(trained))  # where a changed decision is likeliest

    def probability(logits: Floats) -> Floats:
        return 1 / (1 + np.exp(-logits))

    table = [("torch", "", "", "", f"{auroc(gold, trained):.4f}", "")]
    for name, logits in variants.items():
        change = np.abs(probability(logits) - probability(trained))
        table.append(
            (
                name,
                f"{np.abs(logits - trained).max():.5f}",
                f"{change.max():.5f}",
                f"{change.mean():.5f}",
                f"{auroc(gold, logits):.4f}",
                f"{np.mean((logits > cut) != (trained > cut)):.2%}",
            )
        )
    headings = ("", "logit, max", "probability, max", "mean", "AUROC", "decisions changed")
    print(f"{len(rows)} pairs, {speed:.0f} a second on one thread")
    print(markdown_table(headings, table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--form", choices=FORMS, default="floats")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=400, help="labelled pairs of each kind")
    options = parser.parse_args()
    bert = write_network(options.model, options.out, options.form)
    for name in ("model.onnx", "tokenizer.json"):
        data = (options.out / name).read_bytes()
        packed = len(zlib.compress(data, 6))
        digest = hashlib.sha256(data).hexdigest()[:12]
        print(f"{name}: {len(data):,} bytes, {packed:,} in a wheel, SHA-256 {digest}")
    told = read_reported(options.data, DEVELOPMENT)
    natural = [Example(r.premise, r.hypothesis, r.supported, DEVELOPMENT) for r in told]
    for title, rows in (("development set", natural), ("held rows", held_rows(options.data))):
        step = max(1, len(rows) // max(1, options.rows))
        chosen = [seen(row, WORDS) for row in rows[::step][: options.rows]]
        if chosen:
            print(f"\n{title}")
            compared(options.model, options.out, bert, chosen)


if __name__ == "__main__":
    main()
