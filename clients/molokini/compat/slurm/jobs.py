"""A job as Slurm's listings see it: every value that a column may show, as text."""

from __future__ import annotations

import math

from molokini.compat._types import Any, Callable, Job
from molokini.compat.job import SLURM, filled
from molokini.compat.slurm import hosts, ids, sizes, states, times

DEFAULT_QOS = "normal"
_FIRST_PRIORITY = 0xFFFF_0000
"""Priorities count down from here, as those of priority/basic do."""


def _said(part: Callable[[Job], str], unset: str = "") -> str:
    return property(lambda view: part(view.job) or unset)  # type: ignore[return-value]


class View:
    """One line of a listing: a job, an element, or those elements of an array that wait (*pending*)."""

    __slots__ = (
        "_details",
        "cluster",
        "first",
        "job",
        "narrowed",
        "now_s",
        "pending",
        "size_of_nodes",
        "state",
    )

    def __init__(self, job: Job, cluster: str = "", pending: str = "", state: str = "") -> None:
        self.job: Job = job
        self.cluster: str = cluster
        self.pending: str = pending
        self.state: str = state or ("PENDING" if pending else states.state_of(job))
        self.narrowed = False
        """Whether only these of its waiting elements were asked for."""
        self.first = False
        """Whether nothing waits before it in its partitions."""
        self.now_s = 0.0
        """The server's clock, where a column shows how long it has waited."""
        self.size_of_nodes = 0
        """Processors of the largest node of its partitions; 0: not known."""
        self._details: dict[str, Any] | None = None

    # Who and what.

    @property
    def id(self) -> str:
        """``12``, ``12_3``, ``12_[1-4%2]``."""
        if self.pending.isdigit():
            return f"{self.job.id}_{self.pending}" if self.narrowed else f"{self.job.id}_[{self.pending}]"
        return f"{self.job.id}_[{self.pending}]" if self.pending else ids.shown(self.job)

    @property
    def raw_id(self) -> str:
        """The number of an element by itself; as long as it has none, that of its array."""
        job = self.job
        if self.pending or job.index is None:
            return str(job.id)
        if job.element_number or not job.attempt:
            return str(job.element_number or job.id)
        # It is of another system's array, or started under an older release.
        return str(ids.raw(job.id, job.index))

    @property
    def task(self) -> str:
        """The index, or the indices that wait; ``N/A`` for a job that is no array."""
        if self.pending:
            return self.pending
        index = self.job.index
        return "N/A" if index is None else str(index)

    name: str = _said(lambda job: job.name)
    user: str = _said(lambda job: job.user)
    partition: str = _said(lambda job: ",".join(job.queues))
    """``a,b`` while it waits in several."""
    account: str = _said(lambda job: job.account, "(null)")
    qos: str = _said(lambda job: job.qos, DEFAULT_QOS)
    comment: str = _said(lambda job: job.comment, "(null)")
    directory: str = _said(lambda job: job.working_directory)
    array_id: str = _said(lambda job: str(job.id))
    """The number that all elements have in common."""
    nice: str = _said(lambda job: str(-job.user_priority))
    exit_code: str = _said(lambda job: f"{job.exit_code}:{job.signal}")
    features: str = _said(lambda job: "&".join((*filter(None, [job.constraint]), *job.features)), "(null)")
    generic: str = _said(lambda job: ",".join(f"gres/{name}:{n}" for name, n in job.generic.items()), "N/A")
    """Generic resources a node: ``gres/gpu:2``."""
    licenses: str = _said(lambda job: ",".join(f"{name}:{n}" for name, n in job.licenses.items()), "(null)")

    @property
    def user_id(self) -> str:
        """The user's number here; 4294967294 (Slurm's number for no user) if this machine lacks the user."""
        entry = _account(self.user)
        return str(entry[2]) if entry else "4294967294"

    @property
    def group_id(self) -> str:
        """The number of the group."""
        import grp

        if self.job.group:
            try:
                return str(grp.getgrnam(self.job.group).gr_gid)
            except KeyError:
                return "4294967294"
        entry = _account(self.user)
        return str(entry[3]) if entry else "4294967294"

    @property
    def group(self) -> str:
        """The group for which it runs; the user's first one where none was named."""
        if self.job.group:
            return self.job.group
        import grp

        try:
            return grp.getgrgid(int(self.group_id)).gr_name
        except (KeyError, OverflowError):
            return self.group_id

    def detail(self, name: str, default: str = "(null)") -> str:
        """What was said at the submission and no field holds."""
        if self._details is None:
            self._details = self.job.details(SLURM)
        return str(self._details.get(name) or default)

    # States.

    @property
    def short_state(self) -> str:
        """``PD``."""
        return states.SHORT[self.state]

    @property
    def reason(self) -> str:
        """One of Slurm's words for why it waits or failed, ``None`` for nothing."""
        return states.reason_of(self.job, self.first)

    @property
    def nodes_or_reason(self) -> str:
        """The nodes; of a job that waits or has failed, the reason in brackets."""
        if self.state == "PENDING" or (self.state in states.ENDED and self.reason != "None"):
            return f"({self.reason})"
        return self.nodes

    # Where.

    @property
    def allocated(self) -> list[tuple[str, int]]:
        """Names and processors of the nodes that it has, or had last; none while it waits."""
        return [] if self.state == "PENDING" else self.job.nodes

    @property
    def nodes(self) -> str:
        """``n[001-004]``; empty while it waits."""
        return hosts.compressed([name for name, _ in self.allocated])

    @property
    def first_node(self) -> str:
        """Where its script runs; ``n/a`` before."""
        return self.allocated[0][0] if self.allocated else "n/a"

    @property
    def node_count(self) -> int:
        """Nodes that it has; of a job that waits, those it asks for, or at least needs by its processors."""
        if self.allocated or self.job.node_count or not self.size_of_nodes:
            return len(self.allocated) or self.job.node_count or 1
        return max(1, -(-self.job.processors // self.size_of_nodes))

    @property
    def processors(self) -> int:
        """Processors in all; those that it has may be more than it asked for."""
        return sum(count for _, count in self.allocated) or self.job.processors

    @property
    def tasks(self) -> int:
        """How many tasks were asked for."""
        return int(self.detail("ntasks", "0")) or max(1, self.processors // self.cpus_per_task)

    @property
    def cpus_per_task(self) -> int:
        """Processors of each task."""
        return int(self.detail("cpus_per_task", "1"))

    @property
    def processors_per_node(self) -> int:
        """On each node, where that was asked for; else what it would be on the nodes it needs."""
        return self.job.per_node or max(1, self.job.processors // self.node_count)

    @property
    def memory_kb(self) -> int:
        """Memory on each node; 0: not counted."""
        return self.job.memory_kb * self.processors_per_node

    @property
    def memory(self) -> str:
        """The least memory as squeue shows it: on each node, or for a processor where it was asked so."""
        return sizes.shown(_rounded(self.memory_kb))

    @property
    def least_memory(self) -> str:
        """The least memory, of a processor where it was asked so: as it was asked for where that is known."""
        asked = self.detail("mem_per_cpu", "") or self.detail("mem", "")
        try:
            return sizes.shown(sizes.kilobytes(asked)) if asked else self.memory
        except ValueError:
            return asked

    @property
    def least_processors(self) -> int:
        """Processors that each node must have: of its tasks where their number is said, else of one."""
        return max(1, int(self.detail("ntasks_per_node", "0"))) * self.cpus_per_task

    @property
    def most_nodes(self) -> int:
        """The most nodes that it would take; 0: none was named."""
        least, _, most = self.detail("nodes", "").partition("-")
        words = most or least
        return int(words) if words.isdigit() else 0

    @property
    def tres(self) -> str:
        """Everything that it has or asks for: ``cpu=4,mem=1G,node=1,billing=4``."""
        return self._tres(self.processors)

    @property
    def requested_tres(self) -> str:
        """The same of what it asked for: it may have more processors."""
        return self._tres(self.job.processors)

    def _tres(self, processors: int) -> str:
        parts = [f"cpu={processors}"]
        nodes = len(self.allocated) or self.job.node_count or 1
        # Memory comes with the processors that were asked for.
        if kb := self.job.memory_kb * self.job.processors:
            parts.append(f"mem={sizes.shown(_rounded(kb))}")
        parts += [f"node={nodes}", f"billing={processors}"]
        for name, count in self.job.generic.items():
            parts.append(f"gres/{name}={count * nodes}")
        parts += [f"license/{name}={count}" for name, count in self.job.licenses.items()]
        return ",".join(parts)

    @property
    def submit_host(self) -> str:
        """From where it was submitted."""
        return self.detail("host")

    @property
    def submit_session(self) -> str:
        """The session from which it was submitted, by its number there; 0 where that is not known."""
        return self.detail("session", "0")

    # When.

    @property
    def waited_s(self) -> float:
        """Seconds that it has waited."""
        return self.job.waited_s(self.now_s)

    @property
    def evaluated_s(self) -> float | None:
        """The instant of its last evaluation: its start, or its submission where it has not started."""
        return self.start_s if self.allocated else self.job.submitted_s

    @property
    def elapsed_s(self) -> float:
        """How long the present attempt has run, or the last one ran; suspensions do not count."""
        return 0.0 if self.state == "PENDING" else max(0.0, self.job.elapsed_s - self.job.suspended_s)

    @property
    def suspended_s(self) -> float:
        """How long that attempt was suspended."""
        return 0.0 if self.state == "PENDING" else self.job.suspended_s

    @property
    def left(self) -> str:
        """Time to the limit."""
        if self.job.limit_s >= times.INFINITE_S:
            return "UNLIMITED"
        return times.duration(self.job.limit_s - self.elapsed_s)

    @property
    def start_s(self) -> float | None:
        """Its start, or the start that was promised to it, or planned."""
        if self.state == "PENDING":
            planned_s = self.job.waiting.get("planned_s")
            found = planned_s if self.pending or self.job.reserved_s is None else self.job.reserved_s
        else:
            found = self.job.start_s if self.job.start_s is not None else self.job.end_s
        return found

    @property
    def end_s(self) -> float | None:
        """Its end, or when it ends at the latest."""
        if self.state == "PENDING":
            start_s, limit_s = self.start_s, self.job.limit_s
            return None if start_s is None or limit_s >= times.INFINITE_S else start_s + limit_s
        return self.job.end_s if self.job.end_s is not None else self.job.expected_end_s

    @property
    def priority(self) -> int:
        """Larger goes first: the policy's number, or what its user gave it; 0 while it is held."""
        if self.state == "PENDING" and self.job.holds:
            return 0
        if self.job.priority is not None:
            return int(self.job.priority)
        return max(1, _FIRST_PRIORITY + self.job.user_priority - self.job.id)

    @property
    def dependency(self) -> str:
        """``afterok:1(unfulfilled)``, or ``(null)``."""
        from molokini.compat.slurm.dependencies import shown

        return shown(self.job.dependencies, self.job.state == "HELD", lambda number: False) or "(null)"

    # Files.

    @property
    def command(self) -> str:
        """What was submitted."""
        return self.detail("command", " ".join(self.job.argv) or "(null)")

    def path(self, which: str) -> str:
        """Where ``stdout``, ``stderr`` or ``stdin`` is, its patterns filled in as far as they are known."""
        path = str(self.job.spec.get(f"{which}_path", ""))
        if not path:
            return "/dev/null" if which == "stdin" else self.path("stdout") if which == "stderr" else ""
        known = {**self.job.patterns, "x": self.name}
        if self.first_node == "n/a":
            known.pop("N", None)
        made = filled(path, known)
        return made if made.startswith("/") else f"{self.directory}/{made}"


_accounts: dict[str, tuple[Any, ...] | None] = {}


def _account(user: str) -> tuple[Any, ...] | None:
    """What the machine knows of *user*; asked once a name."""
    if user not in _accounts:
        import pwd

        try:
            _accounts[user] = tuple(pwd.getpwnam(user))
        except KeyError:
            _accounts[user] = None
    return _accounts[user]


def _rounded(kb: int) -> int:
    """Whole megabytes where there is at least one: shares of processors have odd kilobytes."""
    return math.ceil(kb / 1024) * 1024 if kb >= 1024 else kb
