"""The word lists that the package ships, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def read_table(name: str) -> tuple[tuple[str, ...], ...]:
    """Read one of the package's word lists as rows of words, comments left out."""
    text = (files("citemeter") / "data" / name).read_text(encoding="utf-8")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return tuple(tuple(row) for row in rows if row)


@cache
def read_sections(name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Read a word list whose rows stand under ``[section]`` headings."""
    sections: dict[str, list[tuple[str, ...]]] = {}
    for row in read_table(name):
        if row[0].startswith("["):
            rows = sections[row[0].strip("[]")] = []
        else:
            rows.append(row)
    return {section: tuple(rows) for section, rows in sections.items()}
