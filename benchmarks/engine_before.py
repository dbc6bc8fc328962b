"""The engine's facts a second, of those before memory, bytes on messages and policies by name came to it.

The older engine comes out of the history of this tree, into a folder of its own; both are timed in turn, in
one run. Without that history (an archive, a clone that is not whole) nothing is measured.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.engine_rates import SETTINGS

ROOT = Path(__file__).parents[1]
FIRST = "coscheduling: policies by name, with parameters and columns of their own"
"""The first change of the engine that is compared; what came before it is the older engine."""
TURNS = 9
LEAST = 0.97


def rows() -> list[dict[str, Any]]:
    """Of each policy: the rate of today's engine over that of the older one, both at their best."""
    commit = _older()
    if commit is None:
        return [{"what": "no older engine: this tree has no history", "measured": None, "reached": None}]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        archive = subprocess.run(
            ["git", "archive", commit, "core"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
        old, new = (stack.enter_context(_timer(core)) for core in (folder / "core", ROOT / "core"))
        return [_compared(name, old, new) for name in SETTINGS]


def _older() -> str | None:
    """The commit before the first change, or None."""
    try:
        found = subprocess.run(
            ["git", "log", "--format=%P", "--fixed-strings", "--grep", FIRST],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    except OSError:
        return None
    lines = found.stdout.split()
    return lines[-1] if found.returncode == 0 and lines else None


def _timer(core: Path) -> subprocess.Popen[str]:
    """A process that times the engine of this tree."""
    program = Path(__file__).with_name("engine_rates.py")
    return subprocess.Popen(
        [sys.executable, "-P", str(program)],
        env={**os.environ, "PYTHONPATH": str(core)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _rate(process: subprocess.Popen[str], name: str) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(name + "\n")
    process.stdin.flush()
    told = json.loads(process.stdout.readline())
    return float(told["facts"] / told["seconds"])


def _compared(name: str, old: subprocess.Popen[str], new: subprocess.Popen[str]) -> dict[str, Any]:
    # The first of each compiles, or reads what is compiled.
    for process in (old, new):
        _rate(process, name)
    best = [0.0, 0.0]
    for turn in range(TURNS):
        for which in (turn % 2, 1 - turn % 2):
            best[which] = max(best[which], _rate((old, new)[which], name))
    share = best[1] / best[0]
    return {
        "what": f"{name}, {best[1] / 1e6:.1f} million facts a second: of the engine before",
        "measured": round(share, 3),
        "wanted": f">= {LEAST}",
        "reached": share >= LEAST,
    }
