"""Policies that never return, or read beyond an array, and the command while it is in one of them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.clients.command_runs import environment
from tests.kit.waiting import DEADLINE_S, INTERRUPTIBLE

POLICY = '''"""A policy with traps."""
from molokini.model.policy import Kind, Parameter, Policy
from molokini.compiled.compilation import kernel
from molokini.tables.tables import View
from molokini.cycle.verbs import start

TRAP = Parameter("trap", 0.0, "which trap", kind=Kind.NUMBER, unit="", low=0.0)
POLICY = Policy(name="{name}", summary="a trap", promise="none", source="a test", parameters=(TRAP,))


def begin(view: View, now: float) -> None:
    while view.parameters[0] == 1.0:
        now += 1.0


def schedule(view: View, now: float) -> None:
    for k in range(view.queue.head, view.queue.tail):
        if view.jobs.width[view.queue.waiting[k]] <= view.machine.idle:
            start(view, view.queue.waiting[k])
    while view.parameters[0] == 2.0 and now > 700000.0:
        now += 1.0
    if view.parameters[0] == 3.0 and now > 700000.0:
        view.cycle.order[10**12] = view.cycle.order[10**12 + 1]
'''
PLAIN = """    names = {1: {2}}
    while view.parameters[0] == 4.0 and sorted(names, key=lambda one: len(names[one])):
        now += 1.0
    while view.parameters[0] == 5.0 and names:
        try:
            # Python answers signals where a loop begins again: there has to be one inside.
            while names:
                now += 1.0
        except BaseException:
            pass
"""
BEGIN, SCHEDULE, BEYOND, POLITE, DEAF = 1, 2, 3, 4, 5
TOLD = """
import os, sys
from pathlib import Path
from {module} import {room}

real = {room}.{method}

def told(self, *given, **named):
    if self.policy.from_file and {condition}:
        Path("begun").write_text(str(os.getpid()))
    return real(self, *given, **named)

{room}.{method} = told
from molokini.clients.command import main
main()
"""
REPLAYED = TOLD.format(
    module="molokini.sim.replay", room="Replay", method="run", condition="len(self.workload)"
)
"""The command, which tells by a file that the replay of the policy begins, and in which process."""
LIVE = TOLD.format(
    module="molokini.server.turn.running_policy",
    room="RunningPolicy",
    method="decide",
    condition="given[1] > 700000.0",
)
"""The same of the pass of a live policy that does not return."""
SOON_S = 20.0
"""One second is promised to users; the machine of a test has other work, too."""


def put_into(folder: Path) -> None:
    """The policies trap.py, which compiles, and plain.py, which does not."""
    (folder / "trap.py").write_text(POLICY.replace("{name}", "trap"))
    (folder / "plain.py").write_text(POLICY.replace("{name}", "plain") + PLAIN)


def begun(folder: Path, *arguments: object, told: str = REPLAYED) -> "subprocess.Popen[str]":
    """The command in a group of its own, once its policy is in the trap."""
    process = subprocess.Popen(
        [*INTERRUPTIBLE, sys.executable, "-c", told, *map(str, arguments)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until, word = time.monotonic() + 300, folder / "begun"
    while not (word.exists() and word.read_text()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "the replay has not begun"
        time.sleep(0.05)
    # A few jobs take milliseconds: who goes on after that is in the trap.
    trapped = psutil.Process(int(word.read_text()))
    since = trapped.cpu_times().user
    while trapped.cpu_times().user < since + 0.5:
        assert time.monotonic() < until, "the policy has returned"
        time.sleep(0.05)
    return process


def ended(process: "subprocess.Popen[str]", number: int) -> tuple[int, str]:
    """Exit code and standard error of the command, which ends soon after a signal."""
    before = time.monotonic()
    # As a terminal does: Ctrl-C goes to the whole group.
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    try:
        _, err = process.communicate(timeout=DEADLINE_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert time.monotonic() - before < SOON_S
    return process.returncode, err
