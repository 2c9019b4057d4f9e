"""Keep the ``console`` blocks of README.md and docs/ true: run their commands, compare or rewrite.

    python docs/_tools/console.py            # say which blocks are out of date; exit code 1 if any
    python docs/_tools/console.py --write    # rewrite them

A block holds commands (``$ ...``, continued by ``> ...``) and what each prints. The blocks of one
page share a scratch folder, where ``examples/`` stands as in the checkout.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ .*\n(?:> .*\n)*", re.MULTILINE)


def pages() -> list[Path]:
    """Return the pages that may hold console blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refreshed(text: str) -> str:
    """Return a page's text with the output of every command as it is now."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "examples").symlink_to(ROOT / "examples")
        return _BLOCK.sub(lambda block: _rerun(block[1], scratch), text)


def _rerun(block: str, scratch: str) -> str:
    parts = []
    for found in _COMMAND.finditer(block):
        shown = found[0]
        command = "\n".join(line[2:] for line in shown.splitlines())
        parts.append(shown + _output(command, scratch))
    return f"```console\n{''.join(parts)}```"


def _output(command: str, scratch: str) -> str:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PYTHONPATH": "",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=scratch,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "".join(f"{line}\n" for line in lines)


def main(write: bool) -> int:
    """Compare or rewrite every page; return the exit code."""
    stale = 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        now = refreshed(text)
        if now != text:
            stale += 1
            print(f"{'rewritten' if write else 'out of date'}: {page.relative_to(ROOT)}")
            if write:
                page.write_text(now, encoding="utf-8")
    return 0 if write or not stale else 1


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
