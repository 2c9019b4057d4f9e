"""Loading a judge model: config, tokenizer, weights, device, and what went wrong if one fails."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citemeter.errors import JudgeError
from citemeter.judges.nli.presets import Kind, ModelPreset, known_folder, known_model
from citemeter.judges.nli.revision import folder_revision

_CLASSES: dict[Kind, str] = {
    "classification": "AutoModelForSequenceClassification",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "decoder": "AutoModelForCausalLM",
}
_SHORT_NAMES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
_INSTALL = "pip install 'citemeter[nli]'"
_T5_LIKE = frozenset({"t5", "mt5", "umt5", "longt5", "switch_transformers"})
"""Models with relative positions, and activations too large for float16."""
_DEFAULT_LENGTH = 2048
_OFFSET_POSITIONS = frozenset([
    "camembert", "data2vec-text", "ibert", "longformer", "mpnet", "roberta",
    "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod",
])  # fmt: skip
"""Models whose first position is the one after the padding token's id."""


def modules() -> tuple[Any, Any]:
    """Return torch and transformers.

    Raises:
        JudgeError: If one is not installed.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise JudgeError(f"an NLI judge needs torch and transformers: {_INSTALL}") from error
    return torch, transformers


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out, on a GPU or a CPU."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and (
        "out of memory" in text or "can't allocate memory" in text or "not enough memory" in text
    )


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model comes from.

    Args:
        model: A hub name or a local folder.
        revision: The hub's branch, tag or commit.
        trust_remote_code: Whether code from the hub or the folder may run.
        local_files_only: Whether the network is left alone.
        tokenizer: A hub name or folder of the tokenizer, if it is another.
    """

    model: str
    revision: str | None
    trust_remote_code: bool
    local_files_only: bool
    tokenizer: str | None = None

    @property
    def folder(self) -> Path | None:
        """The local folder, if it is one."""
        path = Path(self.model).expanduser()
        return path if path.is_dir() else None

    @property
    def name(self) -> str:
        """The hub name, or the folder's base name."""
        return self.folder.resolve().name if self.folder else self.model

    @property
    def location(self) -> str:
        """What the loaders are given."""
        return str(self.folder) if self.folder else self.model

    def options(self) -> dict[str, Any]:
        """Return the options that all loaders share."""
        options: dict[str, Any] = {
            "trust_remote_code": self.trust_remote_code,
            "local_files_only": self.local_files_only or self.folder is not None,
        }
        if self.revision is not None and self.folder is None:
            options["revision"] = self.revision
        return options


@dataclass(frozen=True, slots=True)
class Config:
    """A model's config and what it says."""

    config: Any
    kind: Kind
    known: ModelPreset | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready to be asked."""

    model: Any
    tokenizer: Any
    device: Any
    dtype: Any


def load_config(source: Source) -> Config:
    """Load the config, and find out which kind of model it is.

    Raises:
        JudgeError: If there is none, or it says of no kind that can judge.
    """
    folder = source.folder
    if folder is None and (
        source.model.startswith(("/", "./", "../", "~")) or "\\" in source.model
    ):
        raise JudgeError(f"there is no folder {source.model!r}: give a folder or a hub name")
    _, transformers = modules()
    known = known_model(source.model, _origin(folder) if folder else None)
    if known is None and folder is not None:
        known = known_folder(folder.resolve().name)
    if known is not None and known.remote_code and not source.trust_remote_code:
        raise JudgeError(
            f"{source.name} comes with code of its own, which runs with your rights: read it, and "
            "if you trust it pass trust_remote_code=True and a revision"
        )
    with _explained(source):
        config = transformers.AutoConfig.from_pretrained(source.location, **source.options())
    revision = folder_revision(folder) if folder else getattr(config, "_commit_hash", None)
    return Config(config, _kind(config, source.name), known, revision or source.revision)


def _origin(folder: Path) -> str | None:
    """Return the hub name that a folder's config says it was made from."""
    try:
        origin = json.loads((folder / "config.json").read_text("utf-8")).get("_name_or_path")
    except (OSError, ValueError, AttributeError):
        return None
    return origin if isinstance(origin, str) else None


def _kind(config: Any, name: str) -> Kind:
    architectures = [str(item) for item in getattr(config, "architectures", None) or ()]
    for architecture in architectures:
        if architecture.endswith("ForSequenceClassification"):
            return "classification"
        if architecture.endswith("ForConditionalGeneration"):
            return "seq2seq"
        if architecture.endswith(("ForCausalLM", "LMHeadModel")):
            return "decoder"
    if not architectures:
        raise JudgeError(
            f"the config of {name} names no architecture: add one to its config.json, such as "
            '"architectures": ["BertForSequenceClassification"]'
        )
    raise JudgeError(
        f"{name} is a {architectures[0]}, which gives no verdicts: a judge is a model for sequence "
        "classification, conditional generation or causal language modelling"
    )


def choose_device(device: Any) -> Any:
    """Return the device asked for; ``"auto"`` is the first of cuda, mps and cpu that is there.

    Raises:
        JudgeError: If there is no such device.
    """
    torch, _ = modules()
    if device == "auto":
        mps = getattr(torch.backends, "mps", None)
        name = "cuda" if torch.cuda.is_available() else "cpu"
        if name == "cpu" and mps is not None and mps.is_available():
            name = "mps"
        return torch.device(name)
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise JudgeError(
            f"device={device!r} is none: use auto, cuda, cuda:1, mps or cpu"
        ) from error
    if chosen.type == "cuda" and not (
        torch.cuda.is_available() and (chosen.index or 0) < torch.cuda.device_count()
    ):
        raise JudgeError(f"there is no device {device!r} here: use device='auto' or 'cpu'")
    return chosen


def choose_dtype(dtype: Any, device: Any, model_type: str) -> Any:
    """Return the number format asked for.

    ``"auto"`` is float32 on a CPU, bfloat16 on a GPU that has it, and float16 on one that has not,
    but float32 there for T5, whose activations are too large for float16.

    Raises:
        JudgeError: If it is none that a model runs in.
    """
    torch, _ = modules()
    if dtype == "auto":
        if device.type != "cuda":
            return torch.float32
        if torch.cuda.is_bf16_supported():
            return torch.bfloat16
        return torch.float32 if model_type in _T5_LIKE else torch.float16
    found = dtype
    if isinstance(dtype, str):
        found = getattr(torch, _SHORT_NAMES.get(dtype, dtype), None)
    if found not in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        raise JudgeError(f"dtype={dtype!r} is none: use auto, float32, bfloat16 or float16")
    return found


def load_weights(source: Source, read: Config, device: Any, dtype: Any) -> Loaded:
    """Load the tokenizer and the weights.

    Raises:
        JudgeError: If one cannot be loaded, or the weights lack a part of the model.
    """
    _, transformers = modules()
    chosen = choose_device(device)
    number = choose_dtype(dtype, chosen, getattr(read.config, "model_type", ""))
    _check_weights(source, read.kind)
    tokenizer_from = source.tokenizer
    options = source.options()
    if tokenizer_from is None and read.known is not None and read.known.tokenizer:
        has_own = source.folder is not None and any(source.folder.glob("tokenizer*.json"))
        tokenizer_from = None if has_own else read.known.tokenizer
    if tokenizer_from is not None:
        options.pop("revision", None)
        options["local_files_only"] = source.local_files_only
    with _explained(source, "tokenizer"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            tokenizer_from or source.location, **options
        )
    version = tuple(int(part) for part in re.findall(r"\d+", transformers.__version__)[:2])
    with _explained(source):
        model, info = getattr(transformers, _CLASSES[read.kind]).from_pretrained(
            source.location,
            config=read.config,
            use_safetensors=True,
            output_loading_info=True,
            **{"dtype" if version >= (4, 56) else "torch_dtype": number},
            **source.options(),
        )
    missing = sorted(info.get("missing_keys", ()))
    mismatched = sorted(str(item) for item in info.get("mismatched_keys", ()))
    if missing or mismatched:
        raise JudgeError(
            f"the weights of {source.name} lack {', '.join([*missing, *mismatched][:4])}: it is "
            "not a finished judge, and would answer at random; use one trained for entailment"
        )
    model.eval()
    try:
        model.to(chosen)
    except RuntimeError as error:
        if is_out_of_memory(error):
            raise JudgeError(
                f"{source.name} does not fit into the memory of {chosen} as {number}: use "
                "dtype='bfloat16', another device, or a smaller model"
            ) from error
        raise
    return Loaded(model, tokenizer, chosen, number)


def _check_weights(source: Source, kind: Kind) -> None:
    folder = source.folder
    if folder is None or any(folder.glob("*.safetensors")):
        return
    if any(folder.glob("*.bin")):
        raise JudgeError(
            f"{folder} holds pickled weights (.bin), which can run code when they are loaded: if "
            f"you trust them, convert them once with transformers.{_CLASSES[kind]}"
            f".from_pretrained({str(folder)!r}, use_safetensors=False)"
            f".save_pretrained({str(folder)!r})"
        )
    raise JudgeError(f"{folder} holds no weights (*.safetensors)")


@contextmanager
def _explained(source: Source, part: str = "model") -> Iterator[None]:
    """Turn what loaders raise into a JudgeError that says what to do."""
    try:
        yield
    except (JudgeError, MemoryError):
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        lower = text.casefold()
        if "trust_remote_code" in text:
            advice = (
                "it comes with code of its own: read it, and if you trust it pass "
                "trust_remote_code=True and a revision"
            )
        elif "safetensors" in lower and part == "model":
            advice = (
                "it has no safetensors weights: convert them once with "
                "from_pretrained(…, use_safetensors=False) and save_pretrained(folder), and pass "
                "the folder"
            )
        elif isinstance(error, ImportError) or "sentencepiece" in lower or "protobuf" in lower:
            advice = f"{_INSTALL}, and what the message names"
        elif source.folder is None:
            advice = (
                "check the name, the revision and the network, or pass a folder that holds it; "
                "gated models need a login"
            )
        else:
            advice = "check that the folder holds a complete model, as save_pretrained writes it"
        raise JudgeError(
            f"cannot load the {part} of {source.name} ({type(error).__name__}: {text[:300]}): "
            f"{advice}"
        ) from error


def checked_count(name: str, value: Any) -> int:
    """Return a number that counts something.

    Raises:
        JudgeError: If it is no whole number from 1.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise JudgeError(f"{name}={value!r}: give a whole number from 1, or None")
    return value


def longest_input(loaded: Loaded, read: Config, max_length: int | None) -> int:
    """Return how many tokens the model reads, special ones included.

    The caller's ``max_length`` counts first, then the table of known models, then the smaller of
    what the tokenizer and the config say; models with relative positions that say nothing get 2048.

    Raises:
        JudgeError: If ``max_length`` is no positive number, or more than the model has positions.
    """
    config = read.config
    positions = _positions(loaded.model, config)
    if max_length is not None:
        checked_count("max_length", max_length)
        if positions is not None and max_length > positions:
            raise JudgeError(
                f"max_length={max_length} is more than the {positions} positions the model has"
            )
        return max_length
    if read.known is not None and read.known.max_length is not None:
        return min(read.known.max_length, positions or read.known.max_length)
    said: list[int] = [] if positions is None else [positions]
    if getattr(config, "model_type", "") not in _T5_LIKE:
        from_tokenizer = getattr(loaded.tokenizer, "model_max_length", None)
        if isinstance(from_tokenizer, int) and 0 < from_tokenizer < 1_000_000:
            said.append(from_tokenizer)
        in_config = getattr(config, "max_position_embeddings", None)
        if isinstance(in_config, int) and in_config > 0:
            said.append(in_config - _offset(config))
    return min(said, default=_DEFAULT_LENGTH)


def _offset(config: Any) -> int:
    if getattr(config, "model_type", "") not in _OFFSET_POSITIONS:
        return 0
    padding = getattr(config, "pad_token_id", None)
    return (1 if padding is None else int(padding)) + 1


def _positions(model: Any, config: Any) -> int | None:
    """Return how many absolute positions the model has learned, if it counts them so."""
    torch, _ = modules()
    for name, module in model.named_modules():
        if name.endswith(("position_embeddings", "embed_positions", "wpe")) and isinstance(
            module, torch.nn.Embedding
        ):
            extra = int(getattr(module, "offset", 0) or 0)
            return int(module.num_embeddings) - max(extra, _offset(config))
    return None
