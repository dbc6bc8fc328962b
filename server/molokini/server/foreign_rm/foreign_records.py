"""Nodes and jobs of a resource manager, by the fields of its records, as this server has them.

Every field may be missing, and every value may be none: the defaults are those of the protocol.
"""

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from molokini.model.facts import NodesAdded
from molokini.model.job_specs import JobSpec, Resources
from molokini.server.wiki.answers import Fields
from molokini.server.wiki.messages import WikiError
from molokini.server.wiki.object_names import tasks_by_node

AGENT = "manager"
"""In whose name its nodes and what it tells of jobs are journalled."""
LONGEST_S = 864_000.0
"""The estimate of a job that says none."""
_MOST = 2**31 - 1
_MB_KB = 1024
_CLASS = re.compile(r"\[?\"?([A-Za-z0-9][A-Za-z0-9._-]{0,63})")
_RESOURCE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63})[:,@]([0-9]{1,9})")


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+\[\]-]{0,254}", re.ASCII)


def can_be_named(name: str) -> bool:
    """Whether *name* of a job can stand in an order, and mean nothing else there."""
    return _NAME.fullmatch(name) is not None


class Stage(StrEnum):
    """Where a job stands at the resource manager."""

    IDLE = "idle"
    HELD = "held"
    RUNNING = "running"
    SUSPENDED = "suspended"
    ENDED = "ended"
    REMOVED = "removed"
    UNKNOWN = "unknown"

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self in (Stage.ENDED, Stage.REMOVED)


_STAGES = {
    "IDLE": Stage.IDLE,
    "HOLD": Stage.HELD,
    "RUNNING": Stage.RUNNING,
    "STARTING": Stage.RUNNING,
    "SUSPENDED": Stage.SUSPENDED,
    "COMPLETED": Stage.ENDED,
    "REMOVED": Stage.REMOVED,
    "CANCELLED": Stage.REMOVED,
    "VACATED": Stage.REMOVED,
}


@dataclass(frozen=True)
class ForeignRecord:
    """A job as the resource manager tells of it."""

    name: str
    stage: Stage
    user: str
    spec: JobSpec
    tasks: int
    """Of the request, each of *each* processors."""
    each: int
    queued_s: int
    started_s: int
    ended_s: int
    exit_code: int
    places: dict[str, int]
    """Tasks on each node where it runs; empty: it does not, or that is not said."""

    @property
    def key(self) -> str:
        """The same for as long as it is this job: numbers may be used again."""
        key = f"{self.name}@{self.queued_s}"
        return key if len(key) <= 100 else hashlib.sha256(key.encode()).hexdigest()

    @property
    def order(self) -> tuple[int, int, str]:
        """By this jobs are taken up: the first that was submitted first."""
        digits = re.match(r"[0-9]{1,18}", self.name, re.ASCII)
        return self.queued_s, int(digits[0]) if digits else _MOST, self.name


def told_of(name: str, said: Fields) -> ForeignRecord:
    """The job *name* by what is *said* of it."""
    tasks, each = whole(said, "TASKS", 1) or 1, whole(said, "DPROCS", 1) or 1
    stage = _STAGES.get(said.get("STATE", "Idle").upper(), Stage.UNKNOWN)
    return ForeignRecord(
        name=name,
        stage=stage,
        user=_printable(said.get("UNAME", "")) or "unknown",
        spec=_spec(name, said, tasks, each),
        tasks=tasks,
        each=each,
        queued_s=whole(said, "QUEUETIME"),
        started_s=whole(said, "STARTTIME"),
        ended_s=whole(said, "COMPLETETIME") or whole(said, "COMPLETIONTIME"),
        exit_code=whole(said, "EXITCODE"),
        places=_places(said.get("TASKLIST", "")),
    )


def _spec(name: str, said: Fields, tasks: int, each: int) -> JobSpec:
    resources = _shape(tasks, each, whole(said, "TASKPERNODE"))
    memory_mb = whole(said, "RMEM")
    if memory_mb and said.get("RMEMCMP", ">=").strip() in (">=", ">", "=="):
        resources["memory_kb"] = ceil(memory_mb * _MB_KB / each)
    if features := [feature for feature in said.get("RFEATURES", "").strip("[]").split(":") if feature]:
        resources["features"] = features
    if generic := {kind: int(count) for kind, count in _RESOURCE.findall(said.get("GRES", ""))}:
        resources["generic"] = generic
    spec: JobSpec = {
        "name": _printable(said.get("NAME", "")) or name[:60],
        "estimate_s": float(whole(said, "WCLIMIT") or LONGEST_S),
        "resources": resources,
    }
    if account := _printable(said.get("ACCOUNT", "")):
        spec["account"] = account
    if qos := _printable(said.get("QOS", "")):
        spec["qos"] = qos
    if group := _printable(said.get("GNAME", "")):
        spec["group"] = group
    if queue := _CLASS.match(said.get("RCLASS", "")):
        spec["queue"] = queue[1]
    if begin_s := whole(said, "STARTDATE"):
        spec["begin_at_s"] = float(begin_s)
    return spec


def _shape(tasks: int, each: int, per_node: int) -> Resources:
    """A request as this server has them: tasks of several processors lie on a node each."""
    if per_node and tasks % per_node == 0:
        return {"nodes": tasks // per_node, "processors_per_node": per_node * each}
    if each > 1:
        return {"nodes": tasks, "processors_per_node": each}
    return {"processors": tasks}


def _places(text: str) -> dict[str, int]:
    """Tasks by node; a list with commas between nodes, which some write, is read, too."""
    if not text:
        return {}
    for between in (text, text.replace(",", ":")):
        try:
            return tasks_by_node(between.strip(":"))
        except WikiError:
            continue
    return dict(Counter(name for name in text.split(":") if name))


def node_told(name: str, said: Fields) -> NodesAdded:
    """The node *name*, which this server has not yet."""
    generic = {kind: int(count) for kind, count in _RESOURCE.findall(said.get("CRES", ""))}
    features = tuple(one for one in said.get("FEATURE", "").split(":") if 1 <= len(one) <= 64)
    # Its jobs are real for all that we know, and stay where they are.
    return NodesAdded(
        AGENT,
        (name,),
        min(max(whole(said, "CPROC", 1), 1), 2**20),
        whole(said, "CMEMORY") * _MB_KB,
        generic,
        features,
        real=True,
    )


def takes_work(said: Fields) -> bool:
    """Whether the node takes new jobs; one that does not say so does not."""
    return said.get("STATE", "Down").upper() in ("IDLE", "RUNNING", "BUSY")


def whole(said: Fields, key: str, default: int = 0) -> int:
    """A whole number of a record, of 0 and more; *default* where it is missing or none."""
    text = said.get(key, "").strip()
    if not text:
        return default
    try:
        return min(max(int(float(text)), 0), _MOST if len(text) > 18 else 2**53)
    except (ValueError, OverflowError):
        return default


def _printable(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable())[:60].strip()
