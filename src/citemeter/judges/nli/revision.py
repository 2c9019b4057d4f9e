"""A fingerprint of a model's folder, which changes when its weights are trained on in place."""

from __future__ import annotations

import json
from hashlib import file_digest, sha256
from pathlib import Path
from typing import BinaryIO

_WHOLE = 64 << 20
"""Files up to this size in bytes are hashed whole."""
_BLOCK = 4 << 10
_BLOCKS = 4
_SKIPPED = (".bin", ".pt", ".pth", ".msgpack", ".h5", ".onnx", ".gguf", ".md", ".gitattributes")


def folder_revision(folder: Path) -> str:
    """Return ``sha256:`` and 16 hexadecimal digits of what a judge reads from a folder.

    Files of up to 64 MiB are hashed whole. Of larger ones the size is, and of safetensors the
    header and four blocks of every tensor, so that training any layer on changes the fingerprint
    while a model of many gigabytes takes a second; of other large files, blocks spread evenly.
    Weights in other formats are not read by the judge and do not count.

    Args:
        folder: The model's folder.
    """
    digest = sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith(".") and path.suffix not in _SKIPPED:
            digest.update(json.dumps([path.name, path.stat().st_size]).encode())
            digest.update(_file_hash(path))
    return f"sha256:{digest.hexdigest()[:16]}"


def _file_hash(path: Path) -> bytes:
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= _WHOLE:
            return file_digest(file, "sha256").digest()
        digest = sha256()
        places = _tensors(file, size) if path.suffix == ".safetensors" else []
        for start, end in places or [(0, size)]:
            if end - start <= _BLOCK * _BLOCKS:
                starts = [start]
                length = end - start
            else:
                step = (end - start - _BLOCK) / (_BLOCKS - 1)
                starts = [start + int(step * number) for number in range(_BLOCKS)]
                length = _BLOCK
            for place in starts:
                file.seek(place)
                digest.update(file.read(length))
    return digest.digest()


def _tensors(file: BinaryIO, size: int) -> list[tuple[int, int]]:
    """Return where the header and every tensor of a safetensors file lie; nothing if it is none."""
    length = int.from_bytes(file.read(8), "little")
    if not 0 < length <= size - 8:
        return []
    try:
        header = json.loads(file.read(length))
        offsets = sorted(
            tuple(entry["data_offsets"]) for name, entry in header.items() if name != "__metadata__"
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
    base = 8 + length
    # The header itself is hashed whole, in stretches short enough not to be sampled.
    step = _BLOCK * _BLOCKS
    places = [(start, min(start + step, base)) for start in range(0, base, step)]
    return places + [(base + int(start), base + int(end)) for start, end in offsets]
