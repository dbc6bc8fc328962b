"""The scheduler daemon of one real node: the simulated policy's own hook over tables without an engine.

A process that registers gets a row; what asks for a decision is the hook REQUEST of ``message_driven``, the
very function that the engine calls. Instants and CPU times are given by whoever serves the requests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from molokini.process_sim.building import build
from molokini.process_sim.placing import prepare_placing
from molokini.process_sim.policies import message_driven
from molokini.process_sim.scenario import Job, Process, Scenario, Settings
from molokini.process_sim.scheduler_daemon import Answer, Daemon, OfJob, Request, prepare_domains, share_of
from molokini.process_sim.tables import LocalPolicy, World
from molokini.process_sim.verbs import put, take_off
from molokini.process_sim.words import Hook, State

MOST_PROCESSES = 4096
"""That may be registered at once."""


@dataclass(frozen=True)
class Asked:
    """One request, and what came of it: a recorded stream of these can be served again."""

    at_ns: int
    request: str
    """A name of ``Request``, lower case."""
    job: str
    process: int
    cpu_ns: Mapping[str, int]
    """CPU time of each job on the node, as it was known then."""
    answer: str
    """A name of ``Answer``, lower case."""
    scheduled: str | None
    """The job that is scheduled from then on."""


class NodeDaemon:
    """Requests in, decisions out. *given*: the policy's parameters, its defaults where they are empty.

    *policy*: the hook function, plain or compiled; both decide alike.
    """

    def __init__(self, given: Sequence[int] = (), policy: LocalPolicy = message_driven.policy) -> None:
        settings = Settings(scheme="message-driven", given=tuple(given))
        jobs = [Job(str(k), [Process(())]) for k in range(MOST_PROCESSES)]
        self.world: World = build(Scenario("node", 1, jobs, settings=settings))
        self._policy = policy
        prepare_placing(self.world)
        prepare_domains(self.world)
        self._rows: dict[int, int] = {}
        self._jobs: dict[str, int] = {}
        self._free = list(range(MOST_PROCESSES - 1, -1, -1))
        self._free_jobs = list(range(MOST_PROCESSES - 1, -1, -1))
        self.record: Callable[[Asked], None] = lambda asked: None
        """Hears of each request that was decided."""

    @property
    def jobs(self) -> Sequence[str]:
        """The jobs that have a class, in the order in which they came."""
        return list(self._jobs)

    @property
    def scheduled(self) -> str | None:
        """The job that is scheduled, or None."""
        row = int(self.world.own.cpus[0, Daemon.JOB])
        return next((job for job, number in self._jobs.items() if number == row), None)

    def share(self, job: str) -> int:
        """Per cent of each of its processors that *job* may use."""
        return share_of(self.world, 0, self._jobs[job])

    def register(self, job: str, process: int, at_ns: int) -> Answer:
        """A process of *job* begins: REFUSED where there is no room for it."""
        if process in self._rows or not self._free:
            return Answer.REFUSED
        row, world = self._free.pop(), self.world
        new = job not in self._jobs
        if new:
            self._jobs[job] = self._free_jobs.pop()
            world.own.jobs[self._jobs[job], : OfJob.END] = 0
            world.own.jobs[self._jobs[job], OfJob.FIRST] = -1
        world.procs.job[row] = self._jobs[job]
        world.procs.spent[row, :] = 0
        world.procs.state[row] = State.READY
        put(world, row, 0)
        self._rows[process] = row
        found = self._ask(Request.REGISTER, job, process, at_ns, {})
        if found is Answer.REFUSED:
            self._forget(process)
            if new:
                self._free_jobs.append(self._jobs.pop(job))
        return found

    def leave(self, job: str, process: int, at_ns: int, cpu_ns: Mapping[str, int]) -> Answer:
        """A process has ended."""
        if process not in self._rows:
            return Answer.REFUSED
        found = self._ask(Request.LEAVE, job, process, at_ns, cpu_ns)
        self._forget(process)
        if self._jobs[job] not in {int(self.world.procs.job[row]) for row in self._rows.values()}:
            self._free_jobs.append(self._jobs.pop(job))
        return found

    def schedule(self, job: str, process: int, at_ns: int) -> Answer:
        """A process got a message from where its job is scheduled."""
        return self._ask(Request.SCHEDULE, job, process, at_ns, {})

    def switch(self, at_ns: int, cpu_ns: Mapping[str, int]) -> Answer:
        """The timer: the job with the least CPU time."""
        if not self._rows:
            return Answer.DONE
        process = next(iter(self._rows))
        number = int(self.world.procs.job[self._rows[process]])
        job = next(job for job, one in self._jobs.items() if one == number)
        return self._ask(Request.SWITCH, job, process, at_ns, cpu_ns)

    def _ask(self, request: Request, job: str, process: int, at_ns: int, cpu_ns: Mapping[str, int]) -> Answer:
        world, row = self.world, self._rows.get(process)
        if row is None:
            return Answer.REFUSED
        world.now = at_ns
        self._set_times(cpu_ns)
        found = Answer(self._policy(world, Hook.REQUEST, row, request))
        # Nothing is dispatched here: what the verbs have touched is forgotten.
        world.agenda.touched_count = 0
        world.cpus.touched[:] = 0
        asked = Asked(
            at_ns, request.name.lower(), job, process, dict(cpu_ns), found.name.lower(), self.scheduled
        )
        self.record(asked)
        return found

    def _set_times(self, cpu_ns: Mapping[str, int]) -> None:
        """The CPU time of a job stands at one of its processes."""
        first: dict[int, int] = {}
        for row in self._rows.values():
            self.world.procs.spent[row, 0] = 0
            first.setdefault(int(self.world.procs.job[row]), row)
        for job, spent in cpu_ns.items():
            if job in self._jobs and self._jobs[job] in first:
                self.world.procs.spent[first[self._jobs[job]], 0] = spent

    def _forget(self, process: int) -> None:
        row = self._rows.pop(process)
        take_off(self.world, row)
        self.world.procs.cpu[row] = -1
        self.world.procs.state[row] = State.DONE
        self._free.append(row)


def serve_again(
    stream: Sequence[Asked], given: Sequence[int] = (), policy: LocalPolicy = message_driven.policy
) -> list[Asked]:
    """What the daemon decides of the same requests at the same instants."""
    daemon, found = NodeDaemon(given, policy), list[Asked]()
    daemon.record = found.append
    for asked in stream:
        match asked.request:
            case "register":
                daemon.register(asked.job, asked.process, asked.at_ns)
            case "leave":
                daemon.leave(asked.job, asked.process, asked.at_ns, asked.cpu_ns)
            case "schedule":
                daemon.schedule(asked.job, asked.process, asked.at_ns)
            case _:
                daemon.switch(asked.at_ns, asked.cpu_ns)
    return found
