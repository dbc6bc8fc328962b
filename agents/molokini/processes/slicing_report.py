"""What a node can keep of target rates, as an agent says at its start: measured, and asked of the kernel."""

import json
import os
import select
import signal
import time
from collections.abc import Mapping
from typing import Any

from molokini.model.errors import BadValue, Conflict
from molokini.processes.helpers import start_helper
from molokini.processes.slicer_client import DEADLINE, ENFORCEMENTS, QUOTA
from molokini.proto.v1.jobs_pb2 import NodeSlices

ASSUMED_PERIOD_S, ASSUMED_SLICE_S, ASSUMED_SHARE = 0.01, 0.001, 0.9
"""Of a node that was not measured."""
_MOST_S = 60.0
"""On a busy machine a measurement of two seconds takes longer."""


def check_enforcement(enforce: str, groups: Mapping[str, str]) -> None:
    """Raise BadValue or Conflict for a way of keeping slices that this machine has not got."""
    if enforce not in ENFORCEMENTS:
        raise BadValue("--enforce", enforce, f"one of {', '.join(ENFORCEMENTS)}")
    if enforce == QUOTA and not _has_quota(groups):
        raise Conflict("--enforce", "quota needs a control group of processor time that the agent can write")
    if enforce == DEADLINE and (trouble := _asked("deadline")["no_deadline"]):
        raise Conflict("--enforce", f"deadline needs SCHED_DEADLINE: {trouble}; let the agent run as root")


def slicing_report(groups: Mapping[str, str]) -> dict[str, Any]:
    """Measure, in two seconds of one core; the names are those of ``slicing.capabilities``."""
    found = _asked("all")
    ways = [
        "signals",
        *(["deadline"] if found["deadline"] else []),
        *(["quota"] if _has_quota(groups) else []),
    ]
    return {"mechanisms": ways, **found}


def wired(found: Mapping[str, Any] | None, enforce: str) -> NodeSlices:
    """The agent's message to the server: what it *found* by measuring, else what it assumes.

    *enforce* names the mechanism that keeps the slices.
    """
    if found is None:
        return NodeSlices(
            mechanisms=[enforce],
            least_period_s=ASSUMED_PERIOD_S,
            least_slice_s=ASSUMED_SLICE_S,
            usable_share=ASSUMED_SHARE,
        )
    return NodeSlices(
        mechanisms=[enforce, *(way for way in found["mechanisms"] if way != enforce)],
        measured=True,
        real_time=found["real_time"],
        least_period_s=found["least_period_s"] or 0.0,
        least_slice_s=found["least_slice_s"] or 0.0,
        usable_share=found["usable_share"] or 0.0,
    )


def report_text(found: Mapping[str, Any]) -> str:
    """The report as a line for people."""
    known = [
        f"enforces by {', '.join(found['mechanisms'])}",
        "ranks have a real-time priority" if found["real_time"] else f"no isolation: {found['no_real_time']}",
        "cores wake at once" if found["awake"] else f"cores may sleep: {found['no_awake']}",
        _at_least("period", found["least_period_s"]),
        _at_least("slice", found["least_slice_s"]),
        f"{found['usable_share']:.0%} of a core usable"
        if found["usable_share"]
        else "under 80% of a core usable",
        f"latest wake-up {1000 * found['late_s']:.2f} ms",
    ]
    return "target rates, as measured now: " + "; ".join(known)


def _at_least(what: str, value_s: float | None) -> str:
    return f"{what} {1000 * value_s:g} ms or more" if value_s else f"no {what} that was tried is kept"


def _has_quota(groups: Mapping[str, str]) -> bool:
    if "cpu" in groups:
        return True
    try:
        with open(f"{groups['unified']}/cgroup.controllers") as file:
            return "cpu" in file.read().split()
    except (KeyError, OSError):
        return False


def _asked(what: str) -> dict[str, Any]:
    """The answer of a measuring process. Raises Conflict where there is none."""
    pid, writes, reads = start_helper("molokini.slicing.capabilities", what)
    os.close(writes)
    text, until = b"", time.monotonic() + _MOST_S
    try:
        while not text.endswith(b"\n") and (left_s := until - time.monotonic()) > 0:
            if not select.select([reads], [], [], left_s)[0]:
                break
            if not (more := os.read(reads, 65536)):
                break
            text += more
        found: dict[str, Any] = json.loads(text)
    except ValueError:
        raise Conflict("--enforce", f"nothing was measured within {_MOST_S:g} s; try again") from None
    finally:
        os.close(reads)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return found
