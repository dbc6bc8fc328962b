"""Queues, and the jobs in them by states, as ``qstat -Q``, ``-q``, ``-B`` and qmgr show them."""

from __future__ import annotations

from molokini.compat._types import Attributes, Invocation, Iterable, Queue
from molokini.compat.listing import jobs
from molokini.compat.pbs.sizes import in_kb
from molokini.compat.pbs.states import letter
from molokini.compat.pbs.times import clock

STATES = ("Transit", "Queued", "Held", "Waiting", "Running", "Exiting", "Begun")
_OF_LETTERS = {"T": 0, "Q": 1, "H": 2, "W": 3, "R": 4, "S": 4, "E": 5, "B": 6}


class Counts:
    """How many jobs of a queue are in which state, in the order of ``STATES``; an array is one."""

    def __init__(self) -> None:
        self.by_state = [0] * len(STATES)

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.by_state)

    def of(self, name: str) -> int:
        """So many are in the state *name*."""
        return self.by_state[STATES.index(name)]

    def text(self) -> str:
        """As attributes have it."""
        return "".join(f"{name}:{count} " for name, count in zip(STATES, self.by_state, strict=True))


def all_queues(run: Invocation) -> list[Queue]:
    """The queues of the server, the one first where jobs go that name none."""
    found: list[Queue] = run.transport.call("ClusterService", "ListQueues", {}).get("queues", [])
    return found


def counts(run: Invocation) -> dict[str, Counts]:
    """The counts of open jobs by queue."""
    found: dict[str, Counts] = {}
    for job in jobs(run):
        made = found.setdefault(job.queue, Counts())
        made.by_state[_OF_LETTERS[letter(job)]] += 1
    return found


def queue_attributes(queue: Queue, counted: Counts) -> Attributes:
    """What ``qstat -Qf`` and ``list queue`` show of *queue*."""
    made: Attributes = {"queue_type": "Execution"}
    if queue.get("priority"):
        made["Priority"] = queue["priority"]
    made["total_jobs"] = counted.total
    made["state_count"] = counted.text()
    made.update(settings(queue))
    return made


def settings(queue: Queue) -> Attributes:
    """What can be set of *queue*, without what has its default."""
    made: Attributes = {}
    for field, name, write in _SETTINGS:
        if queue.get(field):
            made[name] = write(queue[field])
    if queue.get("users"):
        made["acl_user_enable"] = "True"
        made["acl_users"] = ",".join(queue["users"])
    made["enabled"] = "True" if queue.get("enabled") else "False"
    made["started"] = "True" if queue.get("started") else "False"
    return made


_SETTINGS = (
    ("max_jobs", "max_queuable", int),
    ("max_running_per_user", "max_user_run", int),
    ("max_jobs_per_user", "max_user_queuable", int),
    ("max_processors", "resources_max.ncpus", int),
    ("max_estimate_s", "resources_max.walltime", clock),
    ("default_processors", "resources_default.ncpus", int),
    ("default_estimate_s", "resources_default.walltime", clock),
    ("default_memory_kb", "resources_default.mem", in_kb),
)
"""Fields of a queue, and the attributes that they are."""


def added(found: Iterable[Counts]) -> Counts:
    """The counts of all."""
    made = Counts()
    for one in found:
        made.by_state = [a + b for a, b in zip(made.by_state, one.by_state, strict=True)]
    return made
