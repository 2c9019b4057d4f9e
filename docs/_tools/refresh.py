"""Keep README.md and docs/ true: run their commands, take over measured figures.

    python docs/_tools/refresh.py            # say which pages are out of date; exit code 1 if any
    python docs/_tools/refresh.py --write    # rewrite them
    python docs/_tools/refresh.py --costs alce_real.jsonl   # and the table made of that file

A ``console`` block holds commands (``$ ...``, continued by ``> ...``) and what each prints. The
blocks of one page share a scratch folder, where ``examples/`` stands as in the checkout. The
figures of the default judge in README.md are taken from docs/judges/embedded.md.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ACCURACY = re.compile(r"(?<=<!-- accuracy -->\n).*?(?=<!-- /accuracy -->)", re.DOTALL)
_COSTS = re.compile(r"(?<=<!-- costs -->\n).*?(?=<!-- /costs -->)", re.DOTALL)
_COMMAND = re.compile(r"^\$ .*\n(?:>(?: .*)?\n)*", re.MULTILINE)


def pages() -> list[Path]:
    """Return the pages that may hold console blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refreshed(text: str) -> str:
    """Return a page's text with the output of every command, and the figures, as they are now."""
    text = _ACCURACY.sub(lambda _: f"\n{accuracy_table()}\n\n", text)
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "examples").symlink_to(ROOT / "examples")
        return _BLOCK.sub(lambda block: _rerun(block[1], scratch), text)


def accuracy_table() -> str:
    """Return the default judge's figures on the sets that it was not fitted on."""
    lines = [
        "| set | pairs | balanced accuracy | supported, missed | unsupported, called supported |",
        "|---|---|---|---|---|",
    ]
    for line in (ROOT / "docs" / "judges" / "embedded.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and cells[1] == "`embedded`" and "fitted on" not in cells[0]:
            found, missed, wrong, right = (int(cell) for cell in cells[6:])
            lines.append(
                f"| {cells[0]} | {cells[2]} | {cells[3]} | {missed} of {found + missed} "
                f"| {wrong} of {wrong + right} |"
            )
    return "\n".join(lines)


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


def write_costs(answers: Path) -> None:
    """Rewrite the table of what each quirk of the ALCE script costs on the answers of a file."""
    script = runpy.run_path(str(ROOT / "benchmarks" / "alce_script_quirks.py"))
    table = script["file_table"](script["read"](answers))
    page = ROOT / "docs" / "explanation" / "protocols.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(_COSTS.sub(lambda _: f"\n{table}\n\n", text), encoding="utf-8")


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
    if "--costs" in sys.argv:
        write_costs(Path(sys.argv[sys.argv.index("--costs") + 1]))
    sys.exit(main("--write" in sys.argv[1:]))
