"""A job as Slurm's listings see it: every value that a column may show, as text."""

from __future__ import annotations

import math

from molokini.compat._types import Any, Job
from molokini.compat.slurm import details, hosts, ids, sizes, states, times

DEFAULT_QOS = "normal"
_DEPENDENCIES = {
    "AFTER_OK": "afterok",
    "AFTER_NOT_OK": "afternotok",
    "AFTER_ANY": "afterany",
    "AFTER": "after",
    "SINGLETON": "singleton",
}


class View:
    """One line of a listing: a job, an element, or those elements of an array that wait (*pending*)."""

    __slots__ = ("_details", "cluster", "first", "job", "pending", "spec", "state")

    def __init__(self, job: Job, cluster: str = "", pending: str = "") -> None:
        self.job: Job = job
        self.cluster: str = cluster
        self.pending: str = pending
        self.spec: dict[str, Any] = job.get("spec", {})
        self.state = "PENDING" if pending else states.state_of(job)
        self.first = False
        """Whether nothing waits before it in its partition."""
        self._details: dict[str, Any] | None = None

    # Who and what.

    @property
    def id(self) -> str:
        """``12``, ``12_3``, ``12_[1-4%2]``."""
        return f"{self.job['id']}_[{self.pending}]" if self.pending else ids.shown(self.job)

    @property
    def raw_id(self) -> str:
        """The number of an element by itself."""
        index = None if self.pending else self.job.get("array_index")
        return str(ids.raw(self.job["id"], index))

    @property
    def array_id(self) -> str:
        """The number that all elements have in common."""
        return str(self.job["id"])

    @property
    def task(self) -> str:
        """The index, or the indices that wait; ``N/A`` for a job that is no array."""
        if self.pending:
            return self.pending
        index = self.job.get("array_index")
        return "N/A" if index is None else str(index)

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.spec.get("name", ""))

    @property
    def user(self) -> str:
        """Whose it is."""
        return str(self.job.get("user", ""))

    @property
    def user_id(self) -> str:
        """The user's number here; 4294967294 (Slurm's number for no user) if this machine lacks the user."""
        entry = _account(self.user)
        return str(entry[2]) if entry else "4294967294"

    @property
    def group_id(self) -> str:
        """The number of the group."""
        import grp

        name = self.spec.get("group")
        if name:
            try:
                return str(grp.getgrnam(name).gr_gid)
            except KeyError:
                return "4294967294"
        entry = _account(self.user)
        return str(entry[3]) if entry else "4294967294"

    @property
    def group(self) -> str:
        """The group for which it runs; the user's first one where none was named."""
        if named := self.spec.get("group"):
            return str(named)
        import grp

        try:
            return grp.getgrgid(int(self.group_id)).gr_name
        except (KeyError, OverflowError):
            return self.group_id

    @property
    def partition(self) -> str:
        """Its partition."""
        return str(self.spec.get("queue", ""))

    @property
    def account(self) -> str:
        """Its account, or ``(null)``."""
        return str(self.spec.get("account") or "(null)")

    @property
    def qos(self) -> str:
        """Its quality of service."""
        return str(self.spec.get("qos") or DEFAULT_QOS)

    @property
    def comment(self) -> str:
        """The remark, or ``(null)``."""
        return str(self.spec.get("comment") or "(null)")

    def detail(self, name: str, default: str = "(null)") -> str:
        """What was said at the submission and no field holds."""
        if self._details is None:
            self._details = details.read(self.spec)
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

    @property
    def exit_code(self) -> str:
        """``code:signal``."""
        return f"{self.job.get('exit_code', 0)}:{self.job.get('signal', 0)}"

    # Where.

    @property
    def resources(self) -> dict[str, Any]:
        """What is asked for."""
        found: dict[str, Any] = self.spec.get("resources", {})
        return found

    @property
    def allocated(self) -> list[tuple[str, int]]:
        """Names and processors of the nodes that it has, or had last; none while it waits."""
        if self.state == "PENDING":
            return []
        return [(one["node"], one.get("processors", 0)) for one in self.job.get("allocation", ())]

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
        """Nodes that it has, or at least needs."""
        return len(self.allocated) or int(self.resources.get("nodes", 0)) or 1

    @property
    def processors(self) -> int:
        """Processors in all."""
        asked = int(self.resources.get("processors", 1))
        return sum(count for _, count in self.allocated) or asked

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
        return int(self.resources.get("processors_per_node", 0)) or max(1, self.processors // self.node_count)

    @property
    def memory_kb(self) -> int:
        """Memory on each node; 0: not counted."""
        return int(self.resources.get("memory_kb", 0)) * self.processors_per_node

    @property
    def memory(self) -> str:
        """The least memory as squeue shows it: on each node, or for a processor where it was asked so."""
        return sizes.shown(_rounded(self.memory_kb))

    @property
    def features(self) -> str:
        """``a&b``, or ``(null)``."""
        return "&".join(self.resources.get("features", ())) or "(null)"

    @property
    def generic(self) -> str:
        """Generic resources a node: ``gres/gpu:2``, or ``N/A``."""
        return ",".join(f"gres/{name}:{n}" for name, n in self.resources.get("generic", {}).items()) or "N/A"

    @property
    def tres(self) -> str:
        """Everything that it has or asks for: ``cpu=4,mem=1G,node=1,billing=4``."""
        parts = [f"cpu={self.processors}"]
        if kb := int(self.resources.get("memory_kb", 0)) * self.processors:
            parts.append(f"mem={sizes.shown(_rounded(kb))}")
        parts += [f"node={self.node_count}", f"billing={self.processors}"]
        for name, count in self.resources.get("generic", {}).items():
            parts.append(f"gres/{name}={count * self.node_count}")
        return ",".join(parts)

    # When.

    @property
    def limit_s(self) -> float:
        """The time limit."""
        return float(self.spec.get("estimate_s", 0.0))

    @property
    def elapsed_s(self) -> float:
        """How long the present attempt has run, or the last one ran."""
        return 0.0 if self.state == "PENDING" else float(self.job.get("elapsed_s", 0.0))

    @property
    def left(self) -> str:
        """Time to the limit."""
        if self.limit_s >= times.INFINITE_S:
            return "UNLIMITED"
        return times.duration(self.limit_s - self.elapsed_s)

    @property
    def start_s(self) -> float | None:
        """Its start, or the start that was promised to it."""
        if self.state == "PENDING":
            found = None if self.pending else self.job.get("reserved_s")
        else:
            found = self.job.get("start_s", self.job.get("end_s"))
        return None if found is None else float(found)

    @property
    def end_s(self) -> float | None:
        """Its end, or when it ends at the latest."""
        if self.state == "PENDING":
            return None
        found = self.job.get("end_s", self.job.get("expected_end_s"))
        return None if found is None else float(found)

    @property
    def submitted_s(self) -> float:
        """When it was submitted."""
        return float(self.job.get("submitted_s", 0.0))

    @property
    def eligible_s(self) -> float | None:
        """When nothing kept it from waiting any more."""
        found = self.job.get("eligible_s")
        return None if found is None else float(found)

    @property
    def priority(self) -> int:
        """Larger goes first: what its user gave it; 0 while it is held."""
        held = self.state == "PENDING" and bool(self.job.get("holds"))
        return 0 if held else max(1, 2**31 + int(self.spec.get("user_priority", 0)) - int(self.job["id"]))

    @property
    def nice(self) -> str:
        """By how much its user has lowered it."""
        return str(-int(self.spec.get("user_priority", 0)))

    @property
    def dependency(self) -> str:
        """``afterok:1(unfulfilled)``, or ``(null)``."""
        met = "unfulfilled" if self.job.get("state") == "HELD" else "fulfilled"
        made = []
        for one in self.spec.get("dependencies", ()):
            kind = _DEPENDENCIES.get(one.get("kind", ""), "after")
            number = one.get("job_id", 0)
            made.append(f"{kind}:{number}({met})" if number else f"{kind}({met})")
        return ",".join(made) or "(null)"

    # Files.

    @property
    def directory(self) -> str:
        """Where it starts."""
        return str(self.spec.get("working_directory", ""))

    @property
    def command(self) -> str:
        """What was submitted."""
        return self.detail("command", " ".join(self.spec.get("argv", ())) or "(null)")

    def path(self, which: str) -> str:
        """Where ``stdout``, ``stderr`` or ``stdin`` is, its patterns filled in as far as they are known."""
        path = str(self.spec.get(f"{which}_path", ""))
        if not path:
            return "/dev/null" if which == "stdin" else self.path("stdout") if which == "stderr" else ""
        index = self.job.get("array_index")
        known = {"j": self.array_id, "u": self.user, "x": self.name, "N": self.first_node, "%": "%"}
        if index is not None:
            known["a"] = str(index)
        if self.first_node == "n/a":
            del known["N"]
        made = filled(path, known)
        return made if made.startswith("/") else f"{self.directory}/{made}"


def filled(path: str, known: dict[str, str]) -> str:
    """*path* with those patterns replaced that are *known*; digits before the letter are a number's least."""
    made, k = "", 0
    while k < len(path):
        end = k + 1
        while path[k] == "%" and path[end : end + 1].isdigit():
            end += 1
        letter = path[end : end + 1]
        if path[k] == "%" and letter in known:
            width = int(path[k + 1 : end] or 0)
            made += known[letter].zfill(width) if known[letter].isdigit() else known[letter]
            k = end + 1
        else:
            made += path[k]
            k += 1
    return made


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
