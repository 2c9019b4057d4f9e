"""Devices, number formats and memory: what torch is asked before a model is loaded."""

from __future__ import annotations

from typing import Any, TypeAlias

from citemeter.errors import JudgeError

__all__ = [
    "INSTALL",
    "T5_LIKE",
    "Device",
    "Dtype",
    "choose_device",
    "choose_dtype",
    "is_out_of_memory",
    "modules",
]

Device: TypeAlias = Any
"""A ``torch.device``."""

Dtype: TypeAlias = Any
"""A ``torch.dtype``."""

INSTALL = "pip install 'citemeter[nli]'"
T5_LIKE = frozenset({"t5", "mt5", "umt5", "longt5", "switch_transformers"})
"""Models with relative positions, and activations too large for float16."""


def modules() -> tuple[Any, Any]:
    """Return torch and transformers.

    Raises:
        JudgeError: If one is not installed.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise JudgeError(f"an NLI judge needs torch and transformers: {INSTALL}") from error
    return torch, transformers


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out, on a GPU or a CPU."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and (
        "out of memory" in text or "can't allocate memory" in text or "not enough memory" in text
    )


def choose_device(device: Any) -> Device:
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


def choose_dtype(dtype: Any, device: Device, model_type: str) -> Dtype:
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
        return torch.float32 if model_type in T5_LIKE else torch.float16
    names = {
        "float32": torch.float32,
        "fp32": torch.float32,
        "bfloat16": torch.bfloat16,
        "bf16": torch.bfloat16,
        "float16": torch.float16,
        "fp16": torch.float16,
        "float64": torch.float64,
    }
    found = names.get(dtype) if isinstance(dtype, str) else dtype
    if found not in set(names.values()):
        raise JudgeError(f"dtype={dtype!r} is none: use auto, float32, bfloat16 or float16")
    return found
