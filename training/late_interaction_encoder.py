"""A sentence encoder in 8-bit ONNX form: unit vectors of every token, and of the whole."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

LAYERS = (4, 6)
BATCH = 8


class Encoded(NamedTuple):
    """A stretch of tokens after the encoder: unit vectors per token and layer, and their mean."""

    ids: Ints
    layers: tuple[Vectors, ...]
    pooled: Vectors


class Encoder:
    """The encoder in ONNX form.

    Args:
        folder: Holds ``encoder.onnx`` and ``tokenizer.json``.
        threads: Threads of its own.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / "encoder.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._first = int(self._tokenizer.token_to_id("[CLS]") or 0)
        self._last = int(self._tokenizer.token_to_id("[SEP]") or 0)
        self.tokens = 0  # that it has encoded so far

    def tokenize(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the token ids of a text and where each stands in it."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets

    def encode(self, stretches: Sequence[Sequence[int]]) -> list[Encoded]:
        """Encode stretches of token ids, of at most 510 each."""
        found: dict[int, Encoded] = {}
        order = sorted(range(len(stretches)), key=lambda at: len(stretches[at]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            width = max(len(stretches[at]) for at in chosen) + 2
            ids = np.zeros((len(chosen), width), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, at in enumerate(chosen):
                size = len(stretches[at]) + 2
                ids[row, :size] = [self._first, *stretches[at], self._last]
                mask[row, :size] = 1
            self.tokens += int(mask.sum())
            outputs = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
            for row, at in enumerate(chosen):
                size = len(stretches[at])
                layers = tuple([unit(output[row, 1 : size + 1]) for output in outputs])
                pooled = unit(outputs[-1][row, : size + 2].mean(0, keepdims=True))[0]
                found[at] = Encoded(ids[row, 1 : size + 1], layers, pooled)
        return [found[at] for at in range(len(stretches))]


def unit(vectors: Vectors) -> Vectors:
    """Scale each row to length 1."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-9))


def export(encoder: Path, folder: Path, *, eight_bit: bool = True) -> None:
    """Write an encoder as ONNX, with the vectors of ``LAYERS``."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import BertModel

    model = BertModel.from_pretrained(encoder, add_pooling_layer=False)

    class Layers(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            found = self.model(input_ids, attention_mask, output_hidden_states=True)
            return tuple(found.hidden_states[layer] for layer in LAYERS)

    folder.mkdir(parents=True, exist_ok=True)
    ids = torch.ones((2, 16), dtype=torch.long)
    # A mask of ones alone may be traced away, and the ids' own tensor be taken for both.
    mask = torch.ones_like(ids)
    mask[1, 10:] = 0
    sizes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", max=512)}
    program = torch.onnx.export(
        Layers().eval(),
        (ids, mask),
        dynamo=True,
        input_names=["input_ids", "attention_mask"],
        output_names=[f"layer_{layer}" for layer in LAYERS],
        dynamic_shapes={"input_ids": sizes, "attention_mask": sizes},
    )
    assert program is not None
    whole = folder / ("float.onnx" if eight_bit else "encoder.onnx")
    program.save(str(whole), external_data=False)
    if eight_bit:
        eight = str(folder / "encoder.onnx")
        quantize_dynamic(str(whole), eight, per_channel=True, weight_type=QuantType.QInt8)
        whole.unlink()
    shutil.copy(encoder / "tokenizer.json", folder / "tokenizer.json")
