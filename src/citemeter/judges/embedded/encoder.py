"""The small cross-encoder that ships with the package, read with ONNX Runtime."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citemeter.errors import JudgeError, writable

TOKENS = 224
"""Tokens that the network reads of a pair; of the longer of the two texts the rest is cut off."""

_LIGHTHOUSE = (
    "The lighthouse on the northern cape was built in 1862 by two brothers from Bergen. It is "
    "31 metres tall, was damaged by a storm in 1911 and has been a museum since 1987."
)
PROBES = (
    (_LIGHTHOUSE, "The lighthouse was built in 1862 and houses a museum."),
    (_LIGHTHOUSE, "The lighthouse was built in 1926 and was never damaged by a storm."),
)
"""Pairs whose logits stand in the model's file, to tell where it is computed wrongly."""

_LONGEST = 20_000  # characters: the tokens that are read lie well before
_PROBE_ERROR = 0.25  # logits; sound processors differ by some hundredths
_INSTALL = "pip install onnxruntime tokenizers"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A session and a tokenizer."""

    session: Any
    tokenizer: Any
    revision: str


class Network:
    """Logits of pairs: how much more likely than not the evidence entails the statement.

    The model and its libraries are loaded when the first pair is asked, and again in a process that
    was forked or that the object was sent to. A pair is computed alone and by one thread, so that
    its logit is the same whatever else is asked and however many threads there are. Objects may be
    used by several threads at once.

    Args:
        threads: How many pairs are computed at once; by default as many as there are processors.
        folder: A folder with ``model.onnx`` and ``tokenizer.json``; by default the package's own.
        remember: Of how many pairs the logit is remembered.

    Raises:
        JudgeError: If ``threads`` is no positive number.

    >>> Network(threads=2)
    Network(threads=2)
    """

    def __init__(
        self, threads: int | None = None, folder: Path | None = None, remember: int = 0
    ) -> None:
        if threads is not None and (
            isinstance(threads, bool) or not isinstance(threads, int) or threads < 1
        ):
            raise JudgeError(f"threads={threads!r}: give a number of at least 1")
        self.threads = threads or _processors()
        self.folder = None if folder is None else Path(folder)
        self.remember = remember
        self.logit = lru_cache(remember)(self._compute)
        self._loaded: _Loaded | None = None
        self._lock = Lock()
        self._process = os.getpid()

    def __repr__(self) -> str:
        folder = "" if self.folder is None else f", folder={str(self.folder)!r}"
        return f"Network(threads={self.threads}{folder})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Network, (self.threads, self.folder, self.remember)

    @property
    def revision(self) -> str:
        """The beginning of the SHA-256 of the weights that the model was made from."""
        return self._ready().revision

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return the logit of each pair, in the order given: ``ln(p / (1 - p))``.

        Args:
            pairs: Evidence and statement; lone surrogates are replaced.

        Returns:
            An array (pairs,) of any real numbers; 0 is as likely as not.

        Raises:
            JudgeError: If ONNX Runtime or tokenizers is missing, or the model cannot be read.
        """
        threads = min(self.threads, len(pairs))
        if threads < 2:
            found = [self.logit(*pair) for pair in pairs]
        else:
            self._ready()
            with ThreadPoolExecutor(threads, thread_name_prefix="citemeter-network") as pool:
                found = list(pool.map(lambda pair: self.logit(*pair), pairs))
        return np.array(found, dtype=np.float32)

    def _compute(self, evidence: str, statement: str) -> np.float32:
        return _logit(self._ready(), evidence, statement)

    def _ready(self) -> _Loaded:
        if self._process != os.getpid():  # forked, perhaps while another thread held the lock
            self._process, self._lock, self._loaded = os.getpid(), Lock(), None
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self.folder)
            return self._loaded


def _processors() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def _logit(loaded: _Loaded, evidence: str, statement: str) -> np.float32:
    read = loaded.tokenizer.encode(writable(evidence[:_LONGEST]), writable(statement[:_LONGEST]))
    feeds = {
        "input_ids": np.array(read.ids, dtype=np.int64),
        "token_type_ids": np.array(read.type_ids, dtype=np.int64),
    }
    logit: np.float32 = loaded.session.run(None, feeds)[0][0]
    return logit


def _load(folder: Path | None) -> _Loaded:
    """Load the libraries, the model and the tokenizer, and try them on the probes.

    Raises:
        JudgeError: If one of them is missing or broken, or computes what no sound machine does.
    """
    # An offline judge reports to nobody: from 1.29 on ONNX Runtime sends what it is used for.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise JudgeError(
            f"the embedded network needs ONNX Runtime and tokenizers ({error}): {_INSTALL}"
        ) from error
    where = folder or Path(str(files("citemeter") / "data" / "network"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors are raised, and warnings tell users nothing
    # The graph is written as it is to run; more than making its constants takes time to load.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        tokenizer = Tokenizer.from_file(str(where / "tokenizer.json"))
        session = onnxruntime.InferenceSession(
            str(where / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        tokenizer.no_padding()
        tokenizer.enable_truncation(TOKENS, strategy="longest_first")
        notes = session.get_modelmeta().custom_metadata_map
        probes = json.loads(notes.get("probes", "[]"))
        loaded = _Loaded(session, tokenizer, notes.get("revision", ""))
        found = [float(_logit(loaded, *pair)) for pair in PROBES[: len(probes)]]
    except Exception as error:
        raise JudgeError(
            f"cannot read the network in {where} ({type(error).__name__}: {str(error)[:300]}): "
            "install citemeter again, or a newer onnxruntime"
        ) from error
    for logit, expected in zip(found, probes, strict=True):
        if not abs(logit - expected) <= _PROBE_ERROR:
            raise JudgeError(
                f"onnxruntime {onnxruntime.__version__} computes the network wrongly on this "
                f"processor (a logit of {logit:.2f} in place of {expected:.2f}): install a newer "
                "onnxruntime"
            )
    return loaded
