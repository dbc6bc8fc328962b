"""A keeper in a process of its own, of which one deed is made slow."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from molokini.keeper.leases import LeaseFile
from molokini.keeper.records import CONTROL, RUNNING, STATE
from tests.kit.keepers import attempt
from tests.kit.waiting import DEADLINE_S

_SLOW = """
import sys, time
from molokini.keeper import keeping, trees
def enter(tree):
    time.sleep(0.3)
    open("entered", "w").close()
trees.Descendants.enter = enter
keeping.keep(sys.argv[1])
"""


def test_the_slicer_hears_of_a_job_that_is_in_its_group(tmp_path: Path) -> None:
    """Before that it would find no process of the job to stop, and give its priority to none."""
    attempt(tmp_path, "sleep", "1000")
    control = os.open(tmp_path / CONTROL, os.O_RDWR | os.O_NONBLOCK)
    beat = str(tmp_path / "beat")
    LeaseFile(beat, writes=True).ends_s = time.monotonic() + DEADLINE_S
    os.write(control, json.dumps({"do": "pace", "rate": 0.5, "beat": beat}).encode() + b"\n")
    with subprocess.Popen([sys.executable, "-c", _SLOW, str(tmp_path)], cwd=tmp_path) as keeper:
        until = time.monotonic() + DEADLINE_S
        state = tmp_path / STATE
        while not (state.exists() and state.read_bytes() == RUNNING):
            assert keeper.poll() is None
            assert time.monotonic() < until
            time.sleep(0.005)
        entered = (tmp_path / "entered").exists()
        os.write(control, b'{"do": "kill-now"}\n')
        assert keeper.wait(DEADLINE_S) == 0
    os.close(control)
    assert entered
