"""Present states of waiting jobs, for tests of what may come of them."""

from collections.abc import Sequence

from molokini.tables.excerpts import excerpt
from molokini.whatif.present import Present
from tests.kit.replays import prepared
from tests.kit.workloads import Job


def waiting_state(users: Sequence[int], now_s: float = 0.0) -> Present:
    """One job of each of *users* waits, behind a job that has all eight processors."""
    jobs = [
        Job(now_s, 1000, 8, user=99),
        *(Job(now_s, 60 + 10 * k, 2, user=one) for k, one in enumerate(users)),
    ]
    replay = prepared(jobs, "fcfs", 8)
    replay.run(until_s=now_s)
    t = replay.tables
    part = excerpt(t, t.queue.waiting[t.queue.head : t.queue.tail].copy())
    count = part.queue.tail + part.queue.running_count
    called = tuple(str(int(number)) for number in part.jobs.number[:count])
    return Present(now_s, part, called, ("ann", "bob"), (), "fcfs", {})
