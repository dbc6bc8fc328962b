"""Replays beside other threads: a long one keeps nobody waiting."""

import threading

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from tests.kit.workloads import Job, workload_of

JOBS = [Job(0.0, 3.0, 2) for _ in range(6_000)]
"""One processor stays idle, so each end has the whole queue looked through: some tenths of a second."""


def test_python_runs_elsewhere_while_the_compiled_engine_does() -> None:
    replay = Replay(workload_of(JOBS), Machine.counted(3), load_policy("easy"), None, Options())
    replay.prepare()
    seen: list[float] = []
    over, looking = threading.Event(), threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.append(replay.agenda.now)
            looking.set()

    looker = threading.Thread(target=look)
    looker.start()
    assert looking.wait(30)
    try:
        # One call of machine code: in Python there is nothing at which the lock could be given away.
        assert replay.run()
    finally:
        over.set()
        looker.join()
    last_s = replay.agenda.now
    assert any(0 < now < last_s for now in seen)
