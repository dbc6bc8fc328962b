"""The slicer: one process for an agent, which stops and continues sliced jobs and tells what was achieved.

It reads orders, a line of JSON each, and answers in lines. It moves on a beat, an instant in a file which the
supervisors of sliced jobs look at: when the beat is over, however the slicer ended, they continue their
jobs. It ends when the agent has gone, and continues all jobs before.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import time

from molokini.slicing.deadlines import Turns
from molokini.slicing.kernel_slices import KernelSlices
from molokini.slicing.sliced import Sliced
from molokini.supervisor import priorities
from molokini.supervisor.leases import LeaseFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BEAT_S = 1.0
"""Supervisors wait for so long after the last beat."""
_EVERY_S = 0.2
_LOOK_NS = round(_EVERY_S * 1e9)
"""How often it is looked for what supervisors have let go on."""
_FIRST_DESCRIPTOR = 3


class Slicer:
    """Sliced jobs by their labels, on one thread."""

    def __init__(self, beat: LeaseFile) -> None:
        self._beat = beat
        self._jobs: dict[str, Sliced | KernelSlices] = {}
        self._turns = Turns()
        self._looked = 0
        self._text = b""

    def run(self) -> None:
        """Carry out orders until the agent has gone."""
        while True:
            if not self._wait():
                break
            self._act()
        for job in self._jobs.values():
            job.release()

    def _wait(self) -> bool:
        """Until something is due, or ordered. False: the agent has gone."""
        now = time.monotonic_ns()
        # Further on than the next wake-up, so that a beat is never late as long as this process lives.
        self._beat.ends_s = now / 1e9 + BEAT_S
        due = min((job.next for job in self._jobs.values()), default=now + round(_EVERY_S * 1e9))
        wait_s = min(_EVERY_S, max(0, due - now) / 1e9)
        readable, _, _ = select.select([0], [], [], wait_s)
        return not readable or self._hear()

    def _act(self) -> None:
        now = time.monotonic_ns()
        if now >= self._looked + _LOOK_NS:
            self._looked = now
            for job in self._jobs.values():
                job.look()
        due = [job for job in self._jobs.values() if job.next <= now]
        # At one instant first all stop that are to stop: no two rows compute at once.
        for job in sorted(due, key=lambda job: not job.stops_at(now)):
            if not job.act():
                self._drop(job.job)
            elif job.trouble:
                _say(job=job.job, trouble=job.trouble)
                job.trouble = ""

    def _hear(self) -> bool:
        text = os.read(0, 65536)
        *lines, self._text = (self._text + text).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return bool(text)

    def _obey(self, order: dict[str, Any]) -> None:
        match order["do"]:
            case "slice":
                self._slice(order)
            case "move":
                if (job := self._jobs.get(order["job"])) is not None:
                    job.move(order["origin"])
                    self._replan()
            case "drop":
                self._drop(order["job"])
            case "tell":
                for job in self._jobs.values():
                    _say(job=job.job, figures=job.record.figures())

    def _slice(self, order: dict[str, Any]) -> None:
        """Slice a job as ordered; the schedules of jobs on its cores change then."""
        known = self._jobs.get(order["job"])
        if known is None or not known.change(order):
            self._drop(order["job"])
            by_kernel = order.get("enforce") == "deadline"
            self._jobs[order["job"]] = KernelSlices(order) if by_kernel else Sliced(order, self._turns)
        self._replan(but=order["job"])

    def _replan(self, but: str = "") -> None:
        for name, job in self._jobs.items():
            if job.by_deadline and name != but:
                job.replan()

    def _drop(self, name: str) -> None:
        job = self._jobs.pop(name, None)
        if job is not None:
            job.release()
            _say(job=name, figures=job.record.figures())
            if job.by_deadline:
                self._replan()


def _say(**what: Any) -> None:
    """Nothing waits for the agent: what it does not take is lost."""
    try:
        os.write(1, json.dumps(what).encode() + b"\n")
    except (BlockingIOError, BrokenPipeError):
        return


def main(beat: str) -> None:
    """Slice as ordered on standard input; the file *beat* tells supervisors that it does."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    os.closerange(_FIRST_DESCRIPTOR, 2**30)
    os.set_blocking(1, False)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.freeze()
    gc.disable()
    # Before any job gets a priority: it could keep this process from its processor.
    if trouble := priorities.raise_own(priorities.SLICER):
        _say(
            trouble=f"no real-time priority: {trouble}; slices may begin and end 10 ms late on a busy machine"
        )
    Slicer(LeaseFile(beat, writes=True)).run()


if __name__ == "__main__":
    main(sys.argv[-1])
