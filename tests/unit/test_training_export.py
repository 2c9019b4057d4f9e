from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

np_onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")

NAMES = ("measures", "hard_negatives", "cross_encoder_data", "network_graph", "export_network")


@pytest.fixture(scope="module")
def graph(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["network_graph"]


# ---------------------------------------------------------------------- rounding


def worst_sums(whole: np.ndarray[Any, Any]) -> tuple[int, int]:
    """What two neighbouring products come to at most and at least, for all inputs of 8 bits."""
    pairs = 255 * whole.astype(int).reshape(-1, 2, whole.shape[1])
    return int(np.maximum(pairs, 0).sum(1).max()), int(np.minimum(pairs, 0).sum(1).min())


@pytest.mark.parametrize("seed", range(5))
def test_rounded_weights_fit_into_16_bits_and_are_near(graph: ModuleType, seed: int) -> None:
    draw = np.random.default_rng(seed)
    weight = draw.standard_t(3, (64, 40)).astype(np.float32)
    whole, scale = graph.rounded_columns(weight, graph.FITTING)
    assert whole.dtype == np.int8
    most, least = worst_sums(whole)
    assert most < 2**15
    assert least >= -(2**15)
    assert np.abs(whole * scale - weight).max(axis=0) == pytest.approx(scale / 2, rel=0.6)
    # Finer than halving the range of all of them would be.
    assert (scale < np.abs(weight).max(axis=0) / 63.9).all()


def test_weights_without_loud_neighbours_keep_their_range(graph: ModuleType) -> None:
    weight = np.array([[1.0], [-1.0], [0.5], [0.0]], np.float32)
    whole, scale = graph.rounded_columns(weight, graph.FITTING)
    assert whole.tolist() == [[127], [-127], [64], [0]]
    assert scale == pytest.approx(1 / 127)
    loud = np.array([[1.0], [1.0], [0.0]], np.float32)
    whole, scale = graph.rounded_columns(loud, 128)
    assert whole.tolist() == [[64], [64], [0]]
    assert scale[0] >= 1 / 64
    halves = np.array([[2.5], [125.5], [0.0], [0.0]], np.float32) + 0.001
    assert graph.rounded_columns(halves, 128)[0].astype(int).sum() <= 128


def test_nothing_and_rows_are_rounded_too(graph: ModuleType) -> None:
    whole, scale = graph.rounded_columns(np.zeros((4, 2), np.float32), 128)
    assert not whole.any()
    assert np.isfinite(scale).all()
    table = np.array([[0.0, 0.0], [-1e-3, 5e-4], [3.0, 1.0]], np.float32)
    whole, scale = graph.rounded_rows(table)
    assert whole.tolist() == [[0, 0], [-127, 64], [127, 42]]
    assert np.abs(whole * scale - table).max(axis=1).tolist() <= (scale[:, 0] / 2).tolist()


# ---------------------------------------------------------------------- a tiny model


PAIRS = [
    ("Cats purr. Dogs bark.", "Cats purr."),
    ("The harbour museum opened in 1904.", "It opened in 1904, in spring."),
    ("Hens lay eggs and geese swim in spring; ducks fly south. " * 30, "Ducks fly south."),
    ("", ""),
    ("Cats", "The dogs and the cats sat in the harbour museum on the mat. " * 30),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import tiny_models

    folder = tmp_path_factory.mktemp("bert")
    labels = {0: "not_entailment", 1: "entailment"}
    return tiny_models.bert(folder, labels, max_length=256, num_hidden_layers=3)


@pytest.fixture(scope="module")
def written(scripts: dict[str, ModuleType], model: Path, tmp_path_factory: Any) -> Path:
    out = tmp_path_factory.mktemp("out") / "deeper"
    scripts["export_network"].write_network(model, out)
    return out


@pytest.fixture(scope="module")
def reader(scripts: dict[str, ModuleType], model: Path) -> Any:
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(scripts["network_graph"].TOKENS, strategy="longest_first")
    return tokenizer


def test_the_float_graph_gives_what_the_model_gives(
    scripts: dict[str, ModuleType], graph: ModuleType, model: Path, reader: Any
) -> None:
    export = scripts["export_network"]
    expected = export.torch_logits(model, PAIRS, reader)
    exact = graph.model_of(graph.Bert.read(model), "exact")
    assert np.ptp(expected) > 0.1
    assert export.graph_logits(exact, PAIRS, reader) == pytest.approx(expected, abs=1e-4)


def test_the_written_graph_is_near_and_read_by_the_network(
    scripts: dict[str, ModuleType], model: Path, written: Path, reader: Any
) -> None:
    export = scripts["export_network"]
    network = export.Network(threads=2, folder=written)
    expected = export.torch_logits(model, PAIRS, reader)
    found = network.logits(PAIRS)
    assert found == pytest.approx(expected, abs=0.1 * np.ptp(expected))
    assert not np.array_equal(found, expected.astype(np.float32))
    assert network.revision == graph_digest(model)


def graph_digest(model: Path) -> str:
    import hashlib

    return hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()[:12]


def test_weights_kept_as_integers_may_be_computed_as_floats(
    scripts: dict[str, ModuleType], graph: ModuleType, model: Path, reader: Any, tmp_path: Path
) -> None:
    export = scripts["export_network"]
    bert = export.write_network(model, tmp_path, "floats")
    exact = export.graph_logits(graph.model_of(bert, "exact"), PAIRS, reader)
    integers = export.graph_logits(graph.model_of(bert, "integers"), PAIRS, reader)
    found = export.Network(threads=2, folder=tmp_path).logits(PAIRS)
    assert 0 < np.abs(found - exact).max() < np.abs(integers - exact).max()
    kept = np_onnx.load(str(tmp_path / "model.onnx"))
    kinds = [constant.data_type for constant in kept.graph.initializer if len(constant.dims) == 2]
    assert kinds.count(np_onnx.TensorProto.INT8) == 14
    assert not [node for node in kept.graph.node if node.op_type == "QuantizeLinear"]


def test_the_same_model_is_written_as_the_same_bytes(
    scripts: dict[str, ModuleType], model: Path, written: Path, tmp_path: Path
) -> None:
    scripts["export_network"].write_network(model, tmp_path)
    for name in ("model.onnx", "tokenizer.json"):
        assert (tmp_path / name).read_bytes() == (written / name).read_bytes()


def test_matrices_are_8_bit_and_what_is_one_row_is_not(
    scripts: dict[str, ModuleType], model: Path, tmp_path: Path
) -> None:
    scripts["export_network"].write_network(model, tmp_path, "integers")
    _check_integers(np_onnx.load(str(tmp_path / "model.onnx")))


def _check_integers(model: Any) -> None:
    kinds: dict[int, list[str]] = {}
    for constant in model.graph.initializer:
        if len(constant.dims) == 2 and min(constant.dims) > 1:
            kinds.setdefault(constant.data_type, []).append(constant.name)
    whole = kinds[np_onnx.TensorProto.INT8]
    assert "words" in whole
    assert len(whole) == 1 + 2 * 4 + 5  # the last layer's query is of one token
    assert set(kinds[np_onnx.TensorProto.FLOAT]) == {"places", "types", "pooler.weight"}
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [
        ("", 17),
        ("com.microsoft", 1),
    ]
    for constant in model.graph.initializer:
        if constant.name.endswith(".weight") and constant.name in whole:
            most, least = worst_sums(np_onnx.numpy_helper.to_array(constant))
            assert -(2**15) <= least <= most < 2**15


def test_the_tokenizer_is_stripped_of_nothing_that_counts(
    model: Path, written: Path, reader: Any
) -> None:
    bare = tokenizers.Tokenizer.from_file(str(written / "tokenizer.json"))
    bare.enable_truncation(224, strategy="longest_first")
    for pair in [*PAIRS, ("Zürich, naïve café — “quoted”", "[SEP] 橋 \x00 cats")]:
        ours, theirs = bare.encode(*pair), reader.encode(*pair)
        assert (ours.ids, ours.type_ids) == (theirs.ids, theirs.type_ids)
    size = (model / "tokenizer.json").stat().st_size
    assert (written / "tokenizer.json").stat().st_size < size


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden_act": "relu"}, "hidden_act"),
        ({"model_type": "roberta"}, "model_type"),
        ({"max_position_embeddings": 64}, "224 positions"),
    ],
)
def test_what_the_graph_does_not_express_is_refused(
    graph: ModuleType, model: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    shutil.copy(model / "model.safetensors", tmp_path)
    config = json.loads((model / "config.json").read_text("utf-8")) | change
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(SystemExit, match=message):
        graph.Bert.read(tmp_path)


def test_what_rounding_changes_is_printed(
    scripts: dict[str, ModuleType],
    model: Path,
    written: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    export = scripts["export_network"]
    rows = [export.Example(*pair, k % 2 == 0, "set") for k, pair in enumerate(PAIRS)]
    export.compared(model, written, scripts["network_graph"].Bert.read(model), rows)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("5 pairs, ")
    assert [line.split("|")[1].strip() for line in printed[3:]] == [
        "torch",
        "exact",
        "floats",
        "integers",
        "as written",
    ]
    _, _, floats, _, written_row = (line.split("|")[2:] for line in printed[3:])
    assert floats == written_row
