"""A policy that never returns, or reads beyond an array: one line, soon, an exit code, and no file."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.clients.command_runs import EXAMPLE, environment
from tests.kit.traps import BEGIN, BEYOND, DEAF, POLITE, REPLAYED, SCHEDULE, begun, ended, put_into


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put_into(tmp_path)
    return tmp_path


@pytest.mark.quick(one_in=4)
@pytest.mark.parametrize(
    ("policy", "trap", "number", "code"),
    [
        ("trap.py", SCHEDULE, signal.SIGINT, 130),
        ("trap.py", SCHEDULE, signal.SIGTERM, 143),
        ("trap.py", BEGIN, signal.SIGINT, 130),
        ("plain.py", DEAF, signal.SIGTERM, 143),
    ],
)
def test_a_policy_that_never_returns_is_ended_with_one_line(
    folder: Path, policy: str, trap: int, number: int, code: int
) -> None:
    asked = ("--policy", policy, "--set", f"trap={trap}", "--json", "out.json", "--schedule", "out.csv")
    process = begun(folder, "simulate", EXAMPLE, "--jobs", 60, *asked)
    there = sorted(path.name for path in folder.iterdir())
    returned, err = ended(process, number)
    assert (returned, err.count("\n")) == (code, 1), err
    assert f"policy {policy}: ended in a pass that had not returned, at " in err
    assert " s of kth-sp2-month.swf.gz (" in err
    assert "job " in err
    assert sorted(path.name for path in folder.iterdir()) == there


@pytest.mark.deep
def test_plain_python_ends_as_ever(folder: Path) -> None:
    asked = ("--policy", "plain.py", "--set", f"trap={POLITE}")
    assert ended(begun(folder, "simulate", EXAMPLE, "--jobs", 60, *asked), signal.SIGINT) == (130, "")


@pytest.mark.deep
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_policy_that_never_returns_in_a_process_of_a_sweep(folder: Path, number: int, code: int) -> None:
    asked = ("--policy", "fcfs", "--policy", f"trap.py?trap={SCHEDULE}", "--workers", 2)
    process = begun(folder, "compare", EXAMPLE, "--jobs", 60, *asked)
    others = psutil.Process(process.pid).children()
    returned, err = ended(process, number)
    assert (returned, err.count("\n")) == (code, 1), err
    assert "policy trap.py: ended in a pass that had not returned, at " in err
    assert not psutil.wait_procs(others, timeout=60)[1]


@pytest.mark.deep
@pytest.mark.parametrize("asked", [("simulate",), ("compare", "--policy", "fcfs", "--workers", 2)])
def test_an_index_beyond_an_array_is_one_line(folder: Path, asked: tuple[object, ...]) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            REPLAYED,
            *map(str, asked),
            str(EXAMPLE),
            "--policy",
            f"trap.py?trap={BEYOND}",
        ],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "policy trap.py: used an index beyond an array, at " in done.stderr
    assert "NUMBA_DISABLE_JIT=1" in done.stderr
