"""A supervisor in a process of its own, of which one rule is made slow, or fails."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from molokini.supervisor import records
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import CONTROL, RUNNING, STATE, SUSPENDED
from tests.kit.supervisors import attempt
from tests.kit.waiting import DEADLINE_S, waited

_SLOW = """
import sys, time
from molokini.supervisor import lifetime, trees
def enter(tree):
    time.sleep(0.3)
    open("entered", "w").close()
trees.Descendants.enter = enter
lifetime.keep(sys.argv[1])
"""


_KEEPING = """
import sys
from molokini.supervisor import lifetime
lifetime.keep(sys.argv[1])
"""


@pytest.mark.parametrize("suspended", [False, True])
def test_the_slicer_hears_of_a_job_that_is_in_its_group_or_suspended(tmp_path: Path, suspended: bool) -> None:
    """Before that it would find no process of the job to stop; it would continue one that is suspended."""
    attempt(tmp_path, "sleep", "1000")
    control = os.open(tmp_path / CONTROL, os.O_RDWR | os.O_NONBLOCK)
    beat, state = str(tmp_path / "beat"), tmp_path / STATE
    LeaseFile(beat, writes=True).ends_s = time.monotonic() + DEADLINE_S
    for order in [{"do": "suspend"}] * suspended + [{"do": "pace", "rate": 0.5, "beat": beat}]:
        os.write(control, json.dumps(order).encode() + b"\n")
    program = [sys.executable, "-c", _KEEPING if suspended else _SLOW, str(tmp_path)]
    awaited = (RUNNING, SUSPENDED) if suspended else (RUNNING,)
    with subprocess.Popen(program, cwd=tmp_path) as supervisor:
        waited(
            lambda: (state.exists() and state.read_bytes()[:1] in awaited) or supervisor.poll() is not None
        )
        assert supervisor.poll() is None
        assert suspended or (tmp_path / "entered").exists()
        assert state.read_bytes()[:1] == (SUSPENDED if suspended else RUNNING)
        os.write(control, b'{"do": "kill-now"}\n')
        assert supervisor.wait(DEADLINE_S) == 0
    os.close(control)


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
        # Not the record of the start: after that the program still opens its output in that folder.
        waited(lambda: (tmp_path / "began").exists() or supervisor.poll() is not None)
        assert supervisor.poll() is None
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
