"""A BERT cross-encoder as an ONNX graph that reads one pair, in 8-bit integers or in floats.

The graph gives the difference of the two logits of one pair. Three forms of it:

- ``exact``: 32-bit floats, to compare with;
- ``floats``: weights are kept as 8-bit integers, with a scale for each column, and token embeddings
  with a scale for each row; they are made floats again when the graph is loaded;
- ``integers``: what goes into a matrix product is rounded too as it comes, with a scale for each
  token: so that a score depends on its pair alone, and that one loud token does not drown what the
  others say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, checker, helper, numpy_helper

from citemeter.judges.embedded.encoder import TOKENS

Array = NDArray[Any]
Form = Literal["exact", "floats", "integers"]

OPSET, IR = 17, 8  # LayerNormalization came with 17; ONNX Runtime reads both since 1.13
CONTRIB = "com.microsoft"
CENTRE, REACH = 128, 127  # what a token's values become: 8-bit integers without sign
# Without VNNI instructions, x86 processors add the products of two neighbouring inputs in 16 bits,
# and what does not fit is cut off. Two weights of one sign together must not exceed this.
FITTING = (2**15 - 1) // (CENTRE + REACH)


@dataclass(frozen=True)
class Bert:
    """A trained cross-encoder: its config and its weights by name."""

    config: dict[str, Any]
    weights: dict[str, Array]
    digest: str

    @classmethod
    def read(cls, folder: Path) -> Bert:
        """Read a folder, and refuse what the graph does not express."""
        from safetensors.numpy import load

        config = json.loads((folder / "config.json").read_text("utf-8"))
        wanted = {
            "model_type": "bert",
            "hidden_act": "gelu",
            "position_embedding_type": "absolute",
            "is_decoder": False,
        }
        for key, value in wanted.items():
            if config.get(key, value) != value:
                raise SystemExit(f"{folder}: {key} is {config[key]!r}, only {value!r} is written")
        data = (folder / "model.safetensors").read_bytes()
        weights = {name: array.astype(np.float32) for name, array in load(data).items()}
        if weights["classifier.bias"].shape != (2,):
            raise SystemExit(f"{folder}: the model has not two labels")
        if config["max_position_embeddings"] < TOKENS:
            raise SystemExit(f"{folder}: the model has not {TOKENS} positions")
        return cls(config, weights, hashlib.sha256(data).hexdigest()[:12])

    def linear(self, name: str) -> tuple[Array, Array]:
        """Return a layer's weight as (inputs, outputs), and its bias."""
        return self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"]


def rounded_rows(table: Array) -> tuple[Array, Array]:
    """Return a table as 8-bit integers, and the scale of each of its rows."""
    scale = np.abs(table).max(axis=1, keepdims=True) / REACH
    scale = np.maximum(scale, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(table / scale).astype(np.int8), scale


def strain(whole: Array) -> Array:
    """Return, for each column, the largest sum of two neighbouring weights of one sign."""
    if len(whole) % 2:
        whole = np.concatenate((whole, np.zeros_like(whole[:1])))
    parts = (np.maximum(side, 0) for side in (whole, -whole))
    sums: list[Array] = [(part[::2] + part[1::2]).max(axis=0) for part in parts]
    return np.maximum(*sums)


def rounded_columns(weight: Array, fitting: float) -> tuple[Array, Array]:
    """Return a weight (inputs, outputs) as 8-bit integers, and the scale of each of its columns.

    The scale is the finest with which no two neighbouring weights of one sign exceed ``fitting``.
    """
    scale = np.maximum(np.abs(weight).max(axis=0) / REACH, strain(weight) / fitting)
    scale = np.maximum(scale, np.finfo(np.float32).tiny).astype(np.float32)
    while True:
        whole = np.rint(weight / scale)
        over = strain(whole) > fitting  # two halves were rounded up
        if not over.any():
            return whole.astype(np.int8), scale
        scale[over] *= np.float32(1.005)


class Graph:
    """An ONNX graph in the making: each method adds nodes and returns the name of what they give.

    Args:
        form: How it keeps weights and computes with them.
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, name: str, array: Array) -> str:
        """Add a constant; one of the same name is replaced."""
        self.constants[name] = numpy_helper.from_array(np.array(array, order="C"), name)
        return name

    def node(self, kind: str, inputs: Sequence[str], outputs: int = 1, **fields: Any) -> Any:
        """Add a node, and return its one output or the list of them."""
        names = [f"{kind}{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0], **fields))
        return names[0] if outputs == 1 else names

    def table(self, ids: str, name: str, table: Array) -> str:
        """Look rows up in a table of embeddings."""
        if self.form == "exact":
            return self.node("Gather", [self.constant(name, table), ids])
        whole, scale = rounded_rows(table)
        rows = self.node("Gather", [self.constant(name, whole), ids])
        scales = self.node("Gather", [self.constant(f"{name}.scale", scale), ids])
        return self.node("Mul", [self.node("Cast", [rows], to=TensorProto.FLOAT), scales])

    def kept(self, name: str, weight: Array) -> str:
        """Add a weight as floats, or as what makes them when the graph is loaded."""
        if self.form == "exact":
            return self.constant(f"{name}.weight", weight)
        whole, scale = rounded_columns(weight, 2 * REACH)  # no limit
        made = self.node("Cast", [self.constant(f"{name}.weight", whole)], to=TensorProto.FLOAT)
        return self.node("Mul", [made, self.constant(f"{name}.scale", scale)])

    def rounded(self, x: str) -> list[str]:
        """Return what matrix products read: the tokens' values, and if rounded their scales."""
        if self.form != "integers":
            return [x]
        loudest = self.node("ReduceMax", [self.node("Abs", [x])], axes=[-1], keepdims=0)
        reach = self.constant("reach", np.array(1 / REACH, np.float32))
        scale = self.node("Mul", [loudest, reach])
        centre = numpy_helper.from_array(np.array([CENTRE], np.uint8))
        centres = self.node("ConstantOfShape", [self.node("Shape", [scale])], value=centre)
        whole = self.node("QuantizeLinear", [x, scale, centres], axis=0)
        return [whole, self.node("Unsqueeze", [scale, self.constant("one", np.array([1]))])]

    def linear(self, x: Sequence[str], name: str, weight: Array, bias: Array) -> str:
        """Multiply with a weight (inputs, outputs) and add a bias."""
        offset = self.constant(f"{name}.bias", bias)
        if self.form != "integers":
            return self.node("Add", [self.node("MatMul", [x[0], self.kept(name, weight)]), offset])
        whole, scale = rounded_columns(weight, FITTING)
        product = self.node(
            "MatMulIntegerToFloat",
            [
                x[0],
                self.constant(f"{name}.weight", whole),
                self.constant("unit", np.array(1, np.float32)),
                self.constant(f"{name}.scale", scale),
                self.constant("centre", np.array(CENTRE, np.uint8)),
            ],
            domain=CONTRIB,
        )
        return self.node("Add", [self.node("Mul", [product, x[1]]), offset])

    def joined(self, x: str, rest: str, name: str, bert: Bert) -> str:
        """Add what went past a block, and normalise each token's values."""
        parts = [
            self.constant(f"{name}.{part}", bert.weights[f"{name}.{part}"])
            for part in ("weight", "bias")
        ]
        # Slower when fused into one node, as SkipLayerNormalization and BiasGelu.
        total = self.node("Add", [x, rest])
        epsilon = bert.config["layer_norm_eps"]
        return self.node("LayerNormalization", [total, *parts], axis=-1, epsilon=epsilon)


def embedded(graph: Graph, bert: Bert) -> str:
    """Add the sum of each token's three embeddings, normalised."""
    part = "bert.embeddings"
    words, places, types = (
        bert.weights[f"{part}.{kind}_embeddings.weight"]
        for kind in ("word", "position", "token_type")
    )
    start = graph.constant("start", np.array([0]))
    length = graph.node("Shape", ["input_ids"])
    place = graph.node("Slice", [graph.constant("places", places[:TOKENS]), start, length])
    kind = graph.node("Gather", [graph.constant("types", types), "token_type_ids"])
    where = graph.node("Add", [place, kind])
    word = graph.table("input_ids", "words", words)
    return graph.joined(word, where, f"{part}.LayerNorm", bert)


def layer(graph: Graph, bert: Bert, number: int, x: str) -> str:
    """Add a transformer layer; of the last, only what becomes of the first token is needed."""
    config, part = bert.config, f"bert.encoder.layer.{number}"
    width, heads = config["hidden_size"], config["num_attention_heads"]
    size = width // heads
    start, one = graph.constant("start", np.array([0])), graph.constant("one", np.array([1]))
    whole = graph.rounded(x)
    weights, biases = zip(
        *(bert.linear(f"{part}.attention.self.{name}") for name in ("query", "key", "value")),
        strict=True,
    )
    # The scores' division by the root of the heads' size, done once.
    weights = (weights[0] / np.float32(np.sqrt(size)), *weights[1:])
    biases = (biases[0] / np.float32(np.sqrt(size)), *biases[1:])
    if number == config["num_hidden_layers"] - 1:
        x = graph.node("Slice", [x, start, one])
        query = graph.linear(graph.rounded(x), f"{part}.query", weights[0], biases[0])
        rest = graph.linear(
            whole, f"{part}.rest", np.concatenate(weights[1:], 1), np.concatenate(biases[1:])
        )
        key, value = graph.node("Split", [rest], 2, axis=1)
    else:
        joint = graph.linear(
            whole, f"{part}.joint", np.concatenate(weights, 1), np.concatenate(biases)
        )
        query, key, value = graph.node("Split", [joint], 3, axis=1)
    split = graph.constant("heads", np.array([-1, heads, size]))
    query, key, value = (graph.node("Reshape", [item, split]) for item in (query, key, value))
    query, value = (graph.node("Transpose", [item], perm=[1, 0, 2]) for item in (query, value))
    key = graph.node("Transpose", [key], perm=[1, 2, 0])
    weight = graph.node("Softmax", [graph.node("MatMul", [query, key])], axis=-1)
    read = graph.node("Transpose", [graph.node("MatMul", [weight, value])], perm=[1, 0, 2])
    read = graph.node("Reshape", [read, graph.constant("joined", np.array([-1, width]))])

    def dense(x: str, name: str) -> str:
        return graph.linear(graph.rounded(x), f"{part}.{name}", *bert.linear(f"{part}.{name}"))

    made = dense(read, "attention.output.dense")
    x = graph.joined(made, x, f"{part}.attention.output.LayerNorm", bert)
    inner = graph.node("Gelu", [dense(x, "intermediate.dense")], domain=CONTRIB)
    return graph.joined(dense(inner, "output.dense"), x, f"{part}.output.LayerNorm", bert)


def model_of(bert: Bert, form: Form, notes: dict[str, str] | None = None) -> Any:
    """Return the ONNX model of a cross-encoder: (tokens,) ids and types to a logit (1,)."""
    graph = Graph(form)
    x = embedded(graph, bert)
    for number in range(bert.config["num_hidden_layers"]):
        x = layer(graph, bert, number, x)
    exact = Graph("exact")  # one row each, so that nothing is gained by rounding them
    exact.nodes, exact.constants = graph.nodes, graph.constants
    x = exact.node("Tanh", [exact.linear([x], "pooler", *bert.linear("bert.pooler.dense"))])
    weight, bias = bert.linear("classifier")
    difference = weight[:, 1] - weight[:, 0]
    x = exact.linear([x], "classifier", difference, bias[1:] - bias[:1])
    graph.nodes.append(helper.make_node("Identity", [x], ["logit"], name="logit"))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["tokens"])
        for name in ("input_ids", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("logit", TensorProto.FLOAT, [1])
    constants = list(graph.constants.values())
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "cross-encoder", inputs, [output], constants),
        opset_imports=opsets,
        ir_version=IR,
        producer_name="citemeter",
    )
    helper.set_model_props(model, dict(sorted((notes or {}).items())))
    checker.check_model(model)
    return model
