"""The end of all jobs of an agent that does not come again: a cluster that was made for a test."""

import json
import os
import signal
import time
from contextlib import suppress

from molokini.processes.leftovers import kill_left, kill_marked
from molokini.processes.spool import Spool
from molokini.supervisor.records import CONTROL

_BOUND_S, _PAUSE_S = 5.0, 0.005
_KILL = json.dumps({"do": "kill-now"}).encode() + b"\n"


def end_all(spool: Spool, groups: dict[str, str], bound_s: float = _BOUND_S) -> None:
    """Kill every job in *spool* and wait until its processes are gone; the server gets no report.

    *groups*: the control groups that its jobs are in. A supervisor that does not obey within *bound_s* is
    killed as well. The agent has stopped: what it began meanwhile would be missed.
    """
    labels = [wish.label for wish in spool.found()]
    left = [label for label in labels if not spool.void(label) and not _told(spool, label)]
    waiting = [label for label in labels if _is_kept(spool, label)]
    ends_s = time.monotonic() + bound_s
    while waiting and time.monotonic() < ends_s:
        time.sleep(_PAUSE_S)
        # One that has just begun does not listen yet.
        left = [label for label in left if not _told(spool, label)]
        waiting = [label for label in waiting if _is_kept(spool, label)]
    for label in waiting:
        _kill(spool, label, groups)


def _is_kept(spool: Spool, label: str) -> bool:
    return spool.supervisor(label) is not None


def _told(spool: Spool, label: str) -> bool:
    """Whether its supervisor was asked to kill it."""
    try:
        control = os.open(spool.path(label) / CONTROL, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        os.write(control, _KILL)
    except OSError:
        return False
    finally:
        os.close(control)
    return True


def _kill(spool: Spool, label: str, groups: dict[str, str]) -> None:
    supervisor = spool.supervisor(label)
    if supervisor:
        with suppress(ProcessLookupError):
            os.kill(supervisor, signal.SIGKILL)
    started, folder = spool.record(label).started, str(spool.path(label))
    if started is None:
        kill_marked(folder)
    else:
        kill_left(started, folder, label, groups)
