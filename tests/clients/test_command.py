"""The command as a process: what it loads, how it ends, and what it does without a terminal."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.clients.command_runs import EXAMPLE, command, environment, shell
from tests.kit.waiting import DEADLINE_S, INTERRUPTIBLE

HEAVY = ("numpy", "numba", "matplotlib", "pyarrow", "rich", "molokini.sim", "molokini.workloads")

SLEEPING = """
import pathlib, time
from molokini.model.policy import Policy
POLICY = Policy(name="sleeping", summary="", promise="", source="")

def schedule(view, now):
    pathlib.Path({flag!r}).touch()
    time.sleep(60)
"""

HALF_A_RESULT = """
import concurrent.futures.process as pool, os, signal, struct
from molokini.clients.command import main

def send(results, *told, **more):
    # The length of a message, and nothing of it: the thread that reads results now waits for the rest.
    os.write(results._writer.fileno(), struct.pack("!i", 1 << 20))
    os.write(1, b"half\\n")
    signal.pause()

assert callable(pool._sendback_result)
pool._sendback_result = send
main()
"""


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["simulate", "--help"], ["simulate"], ["no"]]
)
def test_nothing_heavy_is_loaded_before_there_is_work(arguments: list[str]) -> None:
    code = (
        "import sys; from molokini.clients.command import run; "
        f"run({arguments!r}); sys.exit(','.join(m for m in {HEAVY!r} if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines()[1:]) == (0, [])


@pytest.mark.deep
def test_simulate_loads_no_picture_or_parquet_library(small: Path) -> None:
    code = (
        "import sys; from molokini.clients.command import run; "
        f"run(['simulate', {str(small)!r}, '--policy', 'fcfs', '--schedule', {str(small) + '.csv'!r}]); "
        # Of scipy the quantiles of intervals alone; its distributions are what takes time.
        "heavy = ('matplotlib', 'pyarrow', 'scipy.stats', 'pandas'); "
        "sys.exit(','.join(m for m in heavy if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_and_version() -> None:
    bare, asked = shell(), shell("--help")
    assert (bare.code, bare.out) == (0, asked.out)
    assert "simulate" in asked.out
    ran = shell("--version")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("molokini ")


@pytest.mark.deep
def test_a_reader_that_goes_away() -> None:
    arguments = command("workload", "info", EXAMPLE)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("what", [("simulate",), ("compare", "--policy", "fcfs", "--workers", "2")])
def test_an_interrupt(small: Path, tmp_path: Path, what: tuple[str, ...]) -> None:
    flag, policy = tmp_path / "flag", tmp_path / "sleeping.py"
    policy.write_text(SLEEPING.format(flag=str(flag)))
    name, *more = what
    arguments = command(name, small, *more, "--policy", policy, "--json", tmp_path / "r.json")
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    for _ in range(1200):
        if flag.exists() or process.poll() is not None:
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, out) == (130, b"")
    # A worker that is interrupted in the middle of a pass may name the policy, in one line.
    named = name == "compare" and err.count(b"\n") == 1 and str(policy).encode() in err
    assert err == b"" or named
    assert not (tmp_path / "r.json").exists()


def test_a_command_that_is_terminated_leaves_nothing_behind(small: Path, tmp_path: Path) -> None:
    target, flag = tmp_path / "out" / "r.json", tmp_path / "flag"
    target.parent.mkdir()
    code = (
        "import pathlib, sys, time\n"
        "from molokini.clients.command import run\n"
        "def write(self, *a, **k):\n"
        f"    open({str(flag)!r}, 'w').close()\n"
        "    time.sleep(60)\n"
        "pathlib.Path.write_text = write\n"
        f"sys.exit(run(['policies', 'easy', '--json', {str(target)!r}]))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, env=environment())
    for _ in range(600):
        if flag.exists() or process.poll() is not None:
            break
        time.sleep(0.1)
    assert list(target.parent.iterdir()), "a temporary file is being written"
    process.terminate()
    _, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, err) == (143, b"")
    assert list(target.parent.iterdir()) == []


@pytest.mark.deep
def test_an_interrupt_does_not_wait_for_a_result_that_never_ends(small: Path) -> None:
    """A worker that is killed in the middle of a result leaves a thread that waits for the rest of it."""
    arguments = ["compare", str(small), "--policy", "fcfs", "--policy", "easy", "--workers", "2"]
    process = subprocess.Popen(
        [*INTERRUPTIBLE, sys.executable, "-c", HALF_A_RESULT, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], 120)
        assert ready, "no worker came to a result"
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=DEADLINE_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert (process.returncode, err) == (130, b"")


@pytest.mark.deep
def test_a_mistake_of_ours_is_one_line(small: Path) -> None:
    code = (
        "import molokini.experiments.simulating as s; from molokini.clients.command import run; import sys\n"
        "def fail(*a, **k): raise RuntimeError('two\\nlines')\n"
        f"s.read_log = fail; sys.exit(run(['simulate', {str(small)!r}, '--policy', 'fcfs']))"
    )
    for debug in ("", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment(MOLOKINI_DEBUG=debug),
            capture_output=True,
            text=True,
        )
        last = done.stderr.splitlines()[-1]
        assert (done.returncode, done.stdout) == (1, "")
        assert last == "molokini: internal error: RuntimeError: two\\nlines; please report"
        assert ("Traceback" in done.stderr) == bool(debug)
        assert (done.stderr.count("\n") == 1) != bool(debug)


@pytest.mark.parametrize("words", [["--version"], ["jobs", "--help"]])
def test_standard_output_that_is_closed(words: list[str]) -> None:
    line = ["sh", "-c", 'exec "$@" >&-', "sh", *command(*words)]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True, env=environment(), check=False)
    assert (done.returncode, done.stderr) == (1, "molokini: standard output: Bad file descriptor\n")
