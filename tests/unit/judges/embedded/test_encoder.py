from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citemeter.errors import JudgeError
from citemeter.judges.embedded import encoder
from citemeter.judges.embedded.encoder import PROBES, TOKENS, Network

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

EVIDENCE = (
    "The bridge was opened in 1932 after eight years of work. It is 503 metres wide, carries eight "
    "lanes of road and two railway tracks, and was painted grey because grey paint was plentiful."
)
PAIRS = [
    (EVIDENCE, "The bridge was opened in 1932."),
    (EVIDENCE, "The bridge was opened in 1923."),
    (EVIDENCE, "It carries two railway tracks."),
    ("Cats purr.", "Cats purr."),
    ("Cats purr.", "Dogs bark."),
    (EVIDENCE * 4, "Grey paint was plentiful, and so the bridge was painted grey."),
    ("", "The bridge was opened in 1932."),
    (EVIDENCE, ""),
    ("", ""),
    ("...!?", "—«»…"),
    ("Мост был открыт в 1932 году.", "橋は1932年に開通した。"),
    ("\x00\ufffd\u200b", "\t\n "),
]


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(threads=2)


@pytest.fixture(scope="module")
def alone(network: Network) -> list[bytes]:
    return [network.logits([pair]).tobytes() for pair in PAIRS]


def bits(found: np.ndarray[Any, Any]) -> list[bytes]:
    return [logit.tobytes() for logit in found]


def test_logits_are_finite_numbers_in_the_order_given(network: Network) -> None:
    found = network.logits(PAIRS)
    assert found.shape == (len(PAIRS),)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert bits(network.logits(PAIRS[::-1])) == bits(found[::-1])
    assert len({*bits(found)}) > len(PAIRS) - 3


def test_no_pairs_are_no_work() -> None:
    network = Network(threads=2, folder=Path("no such folder"))
    found = network.logits([])
    assert found.shape == (0,)
    assert found.dtype == np.float32


@pytest.mark.parametrize("threads", [1, 2, 5, 64])
def test_a_score_depends_on_nothing_but_its_pair(alone: list[bytes], threads: int) -> None:
    network = Network(threads=threads)
    draw = random.Random(threads)
    for _ in range(3):
        chosen = draw.choices(range(len(PAIRS)), k=draw.randrange(1, 30))
        found = network.logits([PAIRS[at] for at in chosen])
        assert bits(found) == [alone[at] for at in chosen]


def test_pairs_may_be_asked_from_several_threads(alone: list[bytes]) -> None:
    network = Network(threads=2)  # not loaded yet: they all want it at once
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: bits(network.logits(PAIRS)), range(6)))
    assert found == [alone] * 6


def test_pickled_networks_give_the_same(network: Network, alone: list[bytes]) -> None:
    network.logits(PAIRS[:1])
    data = pickle.dumps(network)
    assert len(data) < 1000
    again = pickle.loads(data)
    assert again.threads == network.threads
    assert bits(again.logits(PAIRS)) == alone


def in_process(network: Network, queue: Any) -> None:
    queue.put(bits(network.logits(PAIRS)))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_loads_its_own(network: Network, alone: list[bytes]) -> None:
    network.logits(PAIRS[:2])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with network._lock:  # as if another thread were loading when the process is forked
        child = context.Process(target=in_process, args=(network, queue))
        child.start()
    found = queue.get(timeout=60)
    child.join(60)
    assert (child.exitcode, found) == (0, alone)


def test_long_texts_are_cut_to_the_tokens_that_are_read(network: Network) -> None:
    long = "bridge " * 1000
    first, second = network.logits([(long, EVIDENCE), (long + "opened " * 1000, EVIDENCE)])
    assert first == second
    read = network._ready().tokenizer.encode(long, "The bridge was opened.")
    assert len(read.ids) == TOKENS
    assert sum(read.type_ids) == len(["The", "bridge", "was", "opened", "."]) + 1
    both = network._ready().tokenizer.encode(long, long)
    assert len(both.ids) == TOKENS
    assert sum(both.type_ids) in (TOKENS // 2, TOKENS // 2 - 1)


def test_hostile_texts_are_read(network: Network) -> None:
    texts = [
        "x" * 5_000_000,
        "橋" * 2_000_000,
        "bridge " * 500_000,
        " " * 1_000_000 + "bridge",
        "e" + "\u0301" * 100_000,
        "caf\udce9 \ud800",
        "[SEP] [CLS] [PAD] [MASK] [UNK]",
        "<script>\u202e\u2066",
        "🌉" * 1000,
    ]
    pairs = [(text, "The bridge.") for text in texts]
    pairs += [("The bridge.", text) for text in texts]
    found = network.logits(pairs)
    assert np.isfinite(found).all()


def test_what_is_true_scores_higher(network: Network) -> None:
    pairs = [
        ("The bridge was opened in 1932.", "The bridge was opened in 1932."),
        ("The bridge was opened in 1932.", "Penguins lay one egg a year."),
    ]
    true, false = network.logits(pairs)
    assert true > false + 1


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_threads_are_a_number(threads: Any) -> None:
    with pytest.raises(JudgeError, match="threads"):
        Network(threads=threads)


def test_threads_are_as_many_as_the_processors_by_default() -> None:
    assert 1 <= Network().threads <= (os.cpu_count() or 1)


@pytest.mark.parametrize("name", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    network = Network()
    with pytest.raises(JudgeError, match=rf"{name}.*pip install onnxruntime tokenizers"):
        network.logits(PAIRS)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [None, b"", b"not a model"])
def test_a_broken_file_is_told(tmp_path: Path, broken: str, content: bytes | None) -> None:
    own = Path(encoder.__file__).parents[2] / "data" / "network"
    for name in ("model.onnx", "tokenizer.json"):
        if name != broken:
            (tmp_path / name).symlink_to(own / name)
        elif content is not None:
            (tmp_path / name).write_bytes(content)
    with pytest.raises(JudgeError, match=r"cannot read the network in .*install"):
        Network(folder=tmp_path).logits(PAIRS)


def test_a_machine_that_computes_wrongly_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "PROBES", PROBES[::-1])
    network = Network()
    for _ in range(2):
        with pytest.raises(JudgeError, match=r"computes the network wrongly.*newer onnxruntime"):
            network.logits(PAIRS)


def test_the_probes_are_told_apart_and_long_enough(network: Network) -> None:
    loaded = network._ready()
    expected = json.loads(loaded.session.get_modelmeta().custom_metadata_map["probes"])
    assert len(expected) == len(PROBES)
    assert abs(expected[0] - expected[1]) > 1
    # Kernels of their own compute what has 32 rows and more.
    assert all(len(loaded.tokenizer.encode(*pair).ids) > 40 for pair in PROBES)
    assert network.logits(PROBES) == pytest.approx(expected, abs=0.1)
    assert len(network.revision) == 12


ALONE = """
import sys
import citemeter.judges.embedded.encoder as encoder
assert not {"onnxruntime", "tokenizers"} & set(sys.modules)
network = encoder.Network(threads=2)
assert not {"onnxruntime", "tokenizers"} & set(sys.modules)
print(len(network.logits([("Cats purr.", "Cats purr.")] * 3)))
"""


def test_nothing_is_said_written_or_loaded_early(tmp_path: Path) -> None:
    hidden = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ALONE],
        capture_output=True,
        text=True,
        env={**environment, "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
    assert not list(tmp_path.rglob("*"))  # ONNX Runtime keeps an identifier of its user if let
