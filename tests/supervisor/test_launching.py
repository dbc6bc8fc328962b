"""A process that is to become the program: no signal of its supervisor reaches it, and none is left of it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from molokini.processes.starters import starter_in
from molokini.supervisor import records
from molokini.supervisor.trees import alive
from tests.kit.supervisors import attempt
from tests.kit.waiting import DEADLINE_S, waited

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
        # A signal that comes between two steps is handled after the next one: each has to be short.
        while True:
            time.sleep(0.01)
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
    waited(lambda: not alive(int((tmp_path / "pid").read_text())))
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
    waited(lambda: not alive(started["pid"]))
    assert not (tmp_path / "ran").exists()
