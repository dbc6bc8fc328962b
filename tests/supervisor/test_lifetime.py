"""A supervisor in a process of its own, of which one rule is made slow, or fails."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from molokini.processes.starters import starter_in
from molokini.supervisor import records
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import CONTROL, RUNNING, STATE, SUSPENDED
from molokini.supervisor.trees import alive
from tests.kit.supervisors import attempt
from tests.kit.waiting import DEADLINE_S

_SLOW = """
import sys, time
from molokini.supervisor import lifetime, trees
def enter(tree):
    time.sleep(0.3)
    open("entered", "w").close()
trees.Descendants.enter = enter
lifetime.keep(sys.argv[1])
"""


def test_the_slicer_hears_of_a_job_that_is_in_its_group(tmp_path: Path) -> None:
    """Before that it would find no process of the job to stop, and give its priority to none."""
    attempt(tmp_path, "sleep", "1000")
    control = os.open(tmp_path / CONTROL, os.O_RDWR | os.O_NONBLOCK)
    beat = str(tmp_path / "beat")
    LeaseFile(beat, writes=True).ends_s = time.monotonic() + DEADLINE_S
    os.write(control, json.dumps({"do": "pace", "rate": 0.5, "beat": beat}).encode() + b"\n")
    with subprocess.Popen([sys.executable, "-c", _SLOW, str(tmp_path)], cwd=tmp_path) as supervisor:
        until = time.monotonic() + DEADLINE_S
        state = tmp_path / STATE
        while not (state.exists() and state.read_bytes()[:1] == RUNNING):
            assert supervisor.poll() is None
            assert time.monotonic() < until
            time.sleep(0.005)
        entered = (tmp_path / "entered").exists()
        os.write(control, b'{"do": "kill-now"}\n')
        assert supervisor.wait(DEADLINE_S) == 0
    os.close(control)
    assert entered


def test_the_slicer_hears_that_a_job_is_suspended_which_it_is_to_slice(tmp_path: Path) -> None:
    """Otherwise it would continue the job with the next window."""
    attempt(tmp_path, "sleep", "1000")
    control = os.open(tmp_path / CONTROL, os.O_RDWR | os.O_NONBLOCK)
    beat = str(tmp_path / "beat")
    LeaseFile(beat, writes=True).ends_s = time.monotonic() + DEADLINE_S
    for order in ({"do": "suspend"}, {"do": "pace", "rate": 0.5, "beat": beat}):
        os.write(control, json.dumps(order).encode() + b"\n")
    with subprocess.Popen([sys.executable, "-c", _KEEPING, str(tmp_path)], cwd=tmp_path) as supervisor:
        until = time.monotonic() + DEADLINE_S
        state = tmp_path / STATE
        while not (state.exists() and state.read_bytes()):
            assert supervisor.poll() is None
            assert time.monotonic() < until
            time.sleep(0.005)
        assert state.read_bytes()[:1] == SUSPENDED
        os.write(control, b'{"do": "kill-now"}\n')
        assert supervisor.wait(DEADLINE_S) == 0
    os.close(control)


_KEEPING = """
import sys
from molokini.supervisor import lifetime
lifetime.keep(sys.argv[1])
"""

_LOGGING = """
import sys, syslog
from molokini.supervisor import lifetime
def note(_, line):
    with open("log", "a") as file:
        file.write(line + chr(10))
syslog.syslog = note
lifetime.keep(sys.argv[1])
"""


def test_a_supervisor_whose_folder_was_removed_says_so_and_ends(tmp_path: Path) -> None:
    folder = tmp_path / "jobs" / "1-1"
    folder.mkdir(parents=True)
    text = "touch began; until [ -e go ]; do sleep 0.01; done"
    attempt(folder, "sh", "-c", text, directory=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", _LOGGING, str(folder)], cwd=tmp_path) as supervisor:
        until = time.monotonic() + DEADLINE_S
        # Not the record of the start: after that the program still opens its output in that folder.
        while not (tmp_path / "began").exists():
            assert supervisor.poll() is None
            assert time.monotonic() < until
            time.sleep(0.005)
        shutil.rmtree(folder)
        (tmp_path / "go").touch()
        assert supervisor.wait(DEADLINE_S) == 0
    [line] = (tmp_path / "log").read_text().splitlines()
    assert line == f"{folder} was removed: the end of job 1-1 is recorded nowhere"
    assert not folder.exists()


_FULL = """
import errno, sys
from molokini.supervisor import lifetime, records
append, kinds = records.append, []
def full(folder, of, kind, synced, **values):
    kinds.append(kind)
    if kinds.count("ended") in (1, 2):
        raise OSError((errno.ENOSPC, errno.EROFS)[kinds.count("ended") - 1], "not now")
    append(folder, of, kind, synced, **values)
records.append, lifetime._AGAIN_S = full, 0.01
lifetime.keep(sys.argv[1])
assert kinds == ["started", "ended", "ended", "ended"], kinds
"""


def test_an_end_that_cannot_be_written_now_is_written_later(tmp_path: Path) -> None:
    attempt(tmp_path, "sh", "-c", "exit 7")
    assert subprocess.run([sys.executable, "-c", _FULL, str(tmp_path)], timeout=DEADLINE_S).returncode == 0
    ended = records.read(str(tmp_path), "1-1").ended
    assert ended is not None
    assert ended["exit_code"] == 7


_BLOCKING = """
import signal, sys
from molokini.supervisor import lifetime
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
lifetime.keep(sys.argv[1])
"""


def test_a_program_finds_no_signal_ignored_and_none_blocked(tmp_path: Path) -> None:
    attempt(tmp_path, "cat", "/proc/self/status")
    ignoring = ["sh", "-c", 'trap "" USR1 HUP; exec "$@"', "sh"]
    supervisor = [*ignoring, sys.executable, "-c", _BLOCKING, str(tmp_path)]
    assert subprocess.run(supervisor, timeout=DEADLINE_S).returncode == 0
    status = dict(line.split(":\t") for line in (tmp_path / "out").read_text().splitlines())
    # The C library keeps 32 and 33 for itself: whoever has them ignored cannot set them back.
    kept = 0b11 << 31
    assert {int(status[name], 16) & ~kept for name in ("SigBlk", "SigIgn", "SigCgt")} == {0}


_SIGNALLED = """
import os, signal, time
from molokini.supervisor.starting import pass_signals_over
pass_signals_over()
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.write(writes, b"r")
        time.sleep(1000)
    os.read(reads, 1)
    os.kill(os.getpid(), number)
    os.kill(child, number)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == number
"""


def test_a_supervisor_outlives_signals_and_a_child_that_is_no_program_yet_does_not() -> None:
    assert subprocess.run([sys.executable, "-c", _SIGNALLED], timeout=DEADLINE_S).returncode == 0


_CUT = """
import errno, os, signal, sys
from molokini.supervisor import lifetime, records
append = records.append
def cut(folder, of, kind, synced, **values):
    if kind == "started":
        open("pid", "w").write(str(values["pid"]))
        {what}
    append(folder, of, kind, synced, **values)
records.append = cut
lifetime.keep(*sys.argv[1:])
"""
_WAYS = {
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "full disk": "raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))",
}


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("forks", [True, False])
def test_a_start_that_is_not_noted_leaves_no_process(tmp_path: Path, way: str, forks: bool) -> None:
    """A process that waits for leave to become the program waits for no supervisor that has gone."""
    starts = "" if forks else starter_in(tmp_path)
    attempt(tmp_path, "sleep", "1000")
    supervisor = [sys.executable, "-c", _CUT.format(what=_WAYS[way]), str(tmp_path), starts]
    status = subprocess.run(supervisor, cwd=tmp_path, timeout=DEADLINE_S).returncode
    assert status == (-signal.SIGKILL if way == "killed" else 0)
    until = time.monotonic() + DEADLINE_S
    while alive(int((tmp_path / "pid").read_text())):
        assert time.monotonic() < until
        time.sleep(0.005)
    ended = records.read(str(tmp_path), "1-1").ended
    if way == "full disk":
        assert ended is not None
        assert (ended["how"], ended["reason"]) == ("not-started", "No space left on device")


_ORPHANED = """
import os, sys
from molokini.supervisor import kernel, starting
first = kernel.die_with_parent
def late(number):
    while os.getppid() == supervisor:
        pass
    first(number)
kernel.die_with_parent = late
from molokini.supervisor import lifetime
supervisor = os.getpid()
stay = lifetime._Supervisor._stay_with_process
lifetime._Supervisor._stay_with_process = lambda supervisor: os._exit(9)
lifetime.keep(sys.argv[1])
"""


def test_a_program_does_not_begin_without_its_supervisor(tmp_path: Path) -> None:
    """Its supervisor may end just before the program asks to end with it."""
    attempt(tmp_path, "touch", "ran")
    assert subprocess.run([sys.executable, "-c", _ORPHANED, str(tmp_path)], cwd=tmp_path).returncode == 9
    started = records.read(str(tmp_path), "1-1").started
    assert started is not None
    until = time.monotonic() + DEADLINE_S
    while alive(started["pid"]):
        assert time.monotonic() < until
        time.sleep(0.005)
    assert not (tmp_path / "ran").exists()
