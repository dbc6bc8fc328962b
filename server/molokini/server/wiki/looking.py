"""What an outside scheduler sees: nodes and jobs with their fields, and which of them it asks for."""

from collections.abc import Iterator
from math import ceil, floor

from molokini.model.resources import Resource
from molokini.server.cooperative import Yielder
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.node_names import UNCOUNTED_KB, NodeRecord, NodeStatus
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.wiki.changes import Changes
from molokini.server.wiki.messages import BAD_REQUEST, WikiError, Written, escaped, listed, records
from molokini.server.wiki.object_names import name_of

Said = list[tuple[str, object]]
_STATES = {
    JobStatus.HELD: "Hold",
    JobStatus.WAITING: "Idle",
    JobStatus.RUNNING: "Running",
    JobStatus.SUSPENDED: "Suspended",
    JobStatus.COMPLETED: "Completed",
    JobStatus.FAILED: "Completed",
}
"""Of every other status: Removed."""
_KB = 1024


class ObjectQuery:
    """Which objects a query asks for: ``since:ALL``, or ``since:name:name``."""

    def __init__(self, argument: str) -> None:
        since, _, rest = argument.partition(":")
        if not since.isascii() or not since.isdigit() or len(since) > 18 or not rest:
            raise WikiError(BAD_REQUEST, "ARG is an instant, a colon, and ALL or names with colons between")
        self.since_s = int(since)
        self._names = None if rest.upper() == "ALL" else frozenset(rest.split(":"))

    def takes(self, name: str) -> bool:
        """Whether the request names *name*."""
        return self._names is None or name in self._names

    def is_new(self, changed_s: float) -> bool:
        """Whether what has changed at *changed_s* is new to the caller. Instants on the wire are whole."""
        return floor(changed_s) >= self.since_s


class Looking:
    """Answers of queries."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._changes = Changes(state)

    async def nodes(self, argument: str) -> str:
        """Nodes and their fields, if anything about any of them has changed."""
        wanted, yielder, found = ObjectQuery(argument), Yielder(), []
        self._changes.look()
        if wanted.is_new(self._changes.nodes_s):
            for record in list(self._state.machine.nodes):
                if wanted.takes(record.name):
                    found.append((record.name, self._of_node(record)))
                    await yielder.maybe_yield()
        return records(found)

    async def jobs(self, argument: str) -> str:
        """Jobs that are not over, or were until lately; of arrays the elements that were ever candidates."""
        wanted, yielder, found = ObjectQuery(argument), Yielder(), []
        self._changes.look()
        for job in [*self._state.open_jobs.values(), *self._ended()]:
            changed_s = self._changes.of(job)
            # It may have left the memory while others had their turn.
            if wanted.is_new(changed_s) and job.id in self._state.jobs:
                for element in job.known_elements():
                    if wanted.takes(name := name_of(element)) and self._is_shown(job, element):
                        found.append((name, self._of_job(job, element, changed_s)))
            await yielder.maybe_yield()
        return records(found)

    def _is_shown(self, job: Job, element: Element) -> bool:
        return not element.over or self._changes.shown(job, element.end_s or 0.0)

    def _ended(self) -> Iterator[Job]:
        for number, over_s in reversed(list(self._state.finished.items())):
            job = self._state.jobs.get(number)
            if job is None:
                continue
            if not self._changes.shown(job, over_s):
                return
            yield job

    def _of_node(self, record: NodeRecord) -> Said:
        t, state = self._state.tables, _node_state(self._state, record)
        free = int(t.nodes.free[record.number][Resource.PROCESSORS])
        free = free if record.status is not NodeStatus.DOWN else 0
        said: Said = [
            ("STATE", state),
            ("UPDATETIME", floor(self._changes.nodes_s)),
            ("CPROC", record.processors),
            ("APROC", free),
            ("CPULOAD", f"{record.processors - free:.2f}" if record.status is NodeStatus.UP else ""),
        ]
        if 0 < record.memory_kb < UNCOUNTED_KB:
            free_kb = t.nodes.free[record.number][Resource.MEMORY_KB]
            said += [("CMEMORY", record.memory_kb // _KB), ("AMEMORY", max(0, floor(free_kb / _KB)))]
        queues = [queue for queue in self._state.queues.values() if _may_use(queue, record)]
        said += [
            ("CCLASS", Written("".join(f"[{queue.name}:{record.processors}]" for queue in queues))),
            ("ACLASS", Written("".join(f"[{queue.name}:{free}]" for queue in queues))),
            ("FEATURE", listed(record.features)),
            ("PARTITION", record.cluster),
            ("CRES", Written(",".join(f"{escaped(name)}:{n}" for name, n in record.generic.items()))),
            ("CAT", record.reason),
        ]
        return said

    def _of_job(self, job: Job, element: Element, changed_s: float) -> Said:
        status = element.status
        begin_s = self._state.timed.get(job.id, 0.0)
        state = _STATES.get(status, "Removed")
        if status is JobStatus.HELD and begin_s and not job.holds | element.holds and not job.waits_for:
            state = "Idle"
        spec = job.spec
        said: Said = [
            ("STATE", state),
            ("UPDATETIME", floor(changed_s)),
            ("WCLIMIT", ceil(job.estimate_s)),
            *_shape(job),
            ("QUEUETIME", floor(job.submitted_s)),
            ("STARTDATE", ceil(begin_s) if begin_s else ""),
            ("STARTTIME", floor(element.start_s) if element.start_s is not None and element.attempt else 0),
            ("COMPLETETIME", floor(element.end_s) if element.end_s is not None else 0),
            ("UNAME", job.user),
            ("GNAME", spec.get("group") or job.user),
            ("ACCOUNT", job.account),
            ("QOS", spec.get("qos", "")),
            ("RCLASS", Written(f"[{job.queue}:1]")),
            ("RFEATURES", listed(spec["resources"].get("features", ()))),
            ("NAME", job.name),
            ("COMMENT", spec.get("comment", "")),
        ]
        if status.active:
            said.append(("TASKLIST", self._tasks(job, element)))
        if state in ("Completed", "Removed") and element.attempt:
            result = element.result
            said.append(("EXITCODE", result.exit_code or 128 * (result.signal > 0) + result.signal))
        return said

    def _tasks(self, job: Job, element: Element) -> Written:
        each = _processors_of_task(job)
        nodes = self._state.machine.nodes
        return listed(
            nodes[number].name for number, held in element.nodes for _ in range(max(1, held // each))
        )


def _shape(job: Job) -> Said:
    """How many tasks, each with how many processors and how much memory."""
    first, each = job.request.components[0], _processors_of_task(job)
    tasks = job.request.processors // each
    said: Said = [("TASKS", tasks), ("DPROCS", each), ("NODES", tasks if first.tasks_per_node else 1)]
    if first.tasks_per_node:
        said.append(("TASKPERNODE", first.tasks_per_node))
    memory_kb = first.need.get(Resource.MEMORY_KB, 0.0)
    if memory_kb:
        said += [("RMEM", ceil(memory_kb / _KB)), ("RMEMCMP", ">="), ("DMEM", ceil(memory_kb / _KB))]
    generic = job.spec["resources"].get("generic", {})
    if generic:
        said.append(("GRES", Written(",".join(f"{escaped(name)}@{n}" for name, n in generic.items()))))
    return said


def _processors_of_task(job: Job) -> int:
    """Processors of a task; a job of several components counts as tasks of one processor each."""
    components = job.request.components
    return max(1, int(components[0].need.get(Resource.PROCESSORS, 1))) if len(components) == 1 else 1


def _may_use(queue: Queue, record: NodeRecord) -> bool:
    return queue.enabled and queue.started and (not queue.nodes or record.name in queue.nodes)


def _node_state(state: State, record: NodeRecord) -> str:
    free = state.tables.nodes.free[record.number][Resource.PROCESSORS]
    idle = free == state.tables.nodes.total[record.number][Resource.PROCESSORS]
    if record.status is NodeStatus.DOWN:
        return "Down"
    if record.status is NodeStatus.DRAINING:
        return "Drained" if idle else "Draining"
    return "Idle" if idle else "Running" if free > 0 else "Busy"
