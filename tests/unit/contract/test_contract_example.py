"""The example runs and prints what it promises."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT

SCRIPT = ROOT / "examples" / "contract.py"


def test_the_example() -> None:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "answer 1: follows all"
    assert "    I3 marker_syntax: 1 marker is not written as [doc:<id>]" in lines
    assert "    I5 sources_section: listed but not cited: hr-12" in lines
    assert "    I6 no_citation_in_refusals: the answer declines, yet cites hr-12" in lines
    # 19 instructions apply, 15 are followed: I3 once, I5 twice and I6 once are not. One answer of
    # four follows all. Without its last line answer 3 lists just what it cites.
    assert "prompt_level_strict_acc 0.250" in lines
    assert f"inst_level_strict_acc {15 / 19:.3f}" in lines
    assert "prompt_level_loose_acc 0.500" in lines
    assert f"inst_level_loose_acc {16 / 19:.3f}" in lines
    assert lines[-1] == "not tested by any answer: I7"
