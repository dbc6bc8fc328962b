"""A folder with an attempt that a supervisor can keep, without an agent."""

import os
import time
from pathlib import Path
from typing import Any

from molokini.supervisor import launch_record
from molokini.supervisor.launch_record import LaunchRecord
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import CONTROL
from tests.kit.waiting import DEADLINE_S

_TEXTS = ("name", "queue", "stdin", "stderr", "cpus", "prolog", "epilog")


def wish(folder: Path, *argv: str, **more: Any) -> LaunchRecord:
    """A wish for a job of this user, whose files are in *folder*."""
    values = dict.fromkeys(LaunchRecord.__annotations__, 0) | dict.fromkeys(_TEXTS, "")
    given = {
        "job": 1,
        "index": -1,
        "attempt": 1,
        "user": "root",
        "argv": list(argv),
        "directory": str(folder),
        "stdout": str(folder / "out"),
        "lease": str(folder / "lease"),
        "nodes": [("here", 1)],
        "processors": 1,
        "environment": {},
        "groups": {},
        "rate": 1.0,
        "grace_s": 1.0,
        "kill_limit_s": 10.0,
        "allow_root": True,
    }
    return LaunchRecord(**(values | given | more))


def attempt(folder: Path, *argv: str, **more: Any) -> None:
    """Write such a wish into its new folder, with all that a supervisor looks for there."""
    beat = LeaseFile(str(folder / "lease"), writes=True)
    beat.ends_s = time.monotonic() + DEADLINE_S
    launch_record.write(str(folder), wish(folder, *argv, **more), "")
    os.mkfifo(folder / CONTROL, 0o600)
