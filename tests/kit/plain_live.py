"""A plain world to which operators do things: the second scheduler beside a live server.

Independent of the server (its turns, its state, its journal, its agents) and of the engine below it (tables,
transitions, placement, verbs, policies). Of the product it uses only the vocabulary in which a world is
written: ``model.requests``, ``model.reservations``, ``model.policy.Value`` and ``model.facts.NO_INDEX``. What
it does follows from the rules that the documents give to users.

Elements of an array are jobs of their own. Time goes second by second.
"""

from dataclasses import dataclass, replace

from molokini.model.facts import NO_INDEX
from molokini.model.policy import Value
from molokini.model.requests import Request
from molokini.model.reservations import Reservation
from tests.kit.plain_nodes import Part, Place
from tests.kit.plain_world import GONE, HELD, RUNNING, SUSPENDED, WAITING, PlainJob, PlainWorld
from tests.kit.workloads import Job
from tests.kit.worlds import World

Name = tuple[int, int]
"""Number and index of a job at the server; the index is ``NO_INDEX`` where it is no array's element."""


@dataclass(frozen=True)
class Seen:
    """What users see of a job."""

    state: str
    first_start_s: float | None
    start_s: float | None
    """Of a job that runs."""
    end_s: float | None
    nodes: tuple[tuple[int, int], ...]
    """Processors of each node that a running job has."""


class PlainLive:
    """The plain world, and what operators, agents and time do to it; the policy decides after each."""

    def __init__(self, simulator: type[PlainWorld], world: World) -> None:
        self.known: list[PlainJob] = []
        self.names: list[Name] = []
        """The name of each of them."""
        self.begins: dict[int, int] = {}
        """When each job that is put off may begin, by its number."""
        self.held: set[int] = set()
        """Jobs that are held, by number; of an array all elements are."""
        self.apart: set[int] = set()
        """Elements that are held alone, by row."""
        self.had: dict[int, list[Place]] = {}
        """Where a suspended job ran: its processes are there still, and are lost with a node."""
        self.silent: set[int] = set()
        """Nodes that were lost with their agent."""
        self.drained: set[int] = set()
        """Nodes that are to take no new work, whether they are up or not."""
        self.something_done = True
        """Whether the policy decides because of a rule."""
        self.simulator = simulator
        self.plain = self._made(simulator, replace(world, jobs=(), requests={}, facts=()))

    def _made(self, simulator: type[PlainWorld], world: World) -> PlainWorld:
        """A plain world that tells us of what a policy suspends, and hears of what we do."""
        made = simulator(world)
        suspends, stirs = made.suspend, made.stirs

        def suspend(job: PlainJob) -> None:
            self.had[job.row] = list(job.places)
            suspends(job)

        made.suspend = suspend  # type: ignore[method-assign]
        made.stirs = lambda: self.something_done or stirs()  # type: ignore[method-assign]
        return made

    # Looking.

    @property
    def now(self) -> int:
        return self.plain.now

    @property
    def world(self) -> World:
        return self.plain.world

    def called(self, name: Name) -> PlainJob:
        return self.known[self.names.index(name)]

    def name_of(self, job: PlainJob) -> Name:
        return self.names[job.row]

    def there(self, *states: str) -> list[PlainJob]:
        """Jobs that are not gone, or in one of *states*, in the order of submission."""
        return [job for job in self.known if job.state in states or (not states and job.state != GONE)]

    def alone(self, job: PlainJob) -> bool:
        """Whether it is no element of an array."""
        return self.names[job.row][1] == NO_INDEX

    def all_of(self, number: int) -> list[PlainJob]:
        """The job of this number, or the elements of the array, that are there."""
        return [job for job in self.there() if self.names[job.row][0] == number]

    def arrays(self) -> list[int]:
        """The numbers of arrays of which elements are there."""
        return sorted({self.names[job.row][0] for job in self.there() if not self.alone(job)})

    def seen(self) -> dict[Name, Seen]:
        """Every job that there ever was."""
        found = {}
        for job, name in zip(self.known, self.names, strict=True):
            here: dict[int, int] = {}
            for node, tasks, part in job.places:
                here[node] = here.get(node, 0) + tasks * int(job.parts[part].need[0])
            start = job.start if job.state == RUNNING else None
            found[name] = Seen(job.state, job.first_start, start, job.end, tuple(sorted(here.items())))
        return found

    def queue(self) -> list[Name]:
        """Who waits, in queue order."""
        return [self.names[job.row] for job in self.plain.those(WAITING)]

    # Time and the policy.

    def decide(self) -> None:
        """Let the policy decide, again as long as a job ends at this very second."""
        plain = self.plain
        while True:
            plain.decide()
            plain.replan = plain.holes = False
            if not plain.end_due():
                break

    def pass_second(self) -> None:
        """A second passes: end the jobs that are due, let in those that may begin, let the policy decide."""
        self.plain.now += 1
        self.plain.end_due()
        begin = [number for number, at in self.begins.items() if at <= self.now]
        for number in begin:
            del self.begins[number]
            self._let_in(number)
        self.something_done = bool(begin)
        self.decide()
        self.something_done = True

    def change_policy(self, simulator: type[PlainWorld], policy: str, values: dict[str, Value]) -> None:
        """Another policy decides: it finds the jobs and their promises, no more of what the last one knew."""
        before, self.simulator = self.plain, simulator
        self.plain = self._made(simulator, replace(before.world, jobs=(), policy=policy, values=values))
        self.plain.world = replace(before.world, policy=policy, values=values)
        self.plain.now, self.plain.jobs = before.now, before.jobs
        self.plain.down, self.plain.lost, self.plain.draining = before.down, before.lost, before.draining
        self.plain.holes = before.holes

    def restart(self) -> None:
        """The server ends and another goes on: what the policy had in its memory is gone."""
        self.change_policy(self.simulator, self.world.policy, self.world.values)

    # Jobs.

    def submit(self, job: Job, request: Request | None, name: Name) -> None:
        """*request*: where it asks for more than processors."""
        made = self.made(job, request)
        self.names.append(name)
        plain = self.plain
        plain.world = replace(plain.world, jobs=(*plain.world.jobs, job))
        made.state = WAITING
        plain.jobs.append(made)
        self.known.append(made)

    def made(self, job: Job, request: Request | None) -> PlainJob:
        """The next job."""
        row = len(self.known)
        before = self.plain.world
        requests = {row: request} if request is not None else {}
        self.plain.world = replace(before, jobs=(*before.jobs, job), requests=requests)
        try:
            return self.plain.job_of(row)
        finally:
            self.plain.world = before

    def hold_all(self, number: int) -> None:
        """Hold a job, or all elements of an array."""
        self.held.add(number)
        self._keep_out(number)

    def release_all(self, number: int) -> None:
        """Elements that were held alone are released, too."""
        self.held.discard(number)
        self.apart -= {job.row for job in self.all_of(number)}
        self._let_in(number)

    def hold(self, job: PlainJob) -> None:
        if self.alone(job):
            self.hold_all(self.names[job.row][0])
            return
        self.apart.add(job.row)
        self.plain.take_out_of_plan(job)
        job.state = HELD

    def release(self, job: PlainJob) -> None:
        if self.alone(job):
            self.release_all(self.names[job.row][0])
            return
        self.apart.discard(job.row)
        self._let_in(self.names[job.row][0])

    def put_off(self, number: int, at: int) -> None:
        """It may not begin before *at*."""
        self.plain.replan = True
        self.begins.pop(number, None)
        if at > self.now:
            self.begins[number] = at
            self._keep_out(number)
        else:
            self._let_in(number)

    def _keep_out(self, number: int) -> None:
        for job in self.all_of(number):
            if job.state == WAITING:
                self.plain.take_out_of_plan(job)
                job.state = HELD

    def _let_in(self, number: int) -> None:
        if number not in self.held and number not in self.begins:
            for job in self.all_of(number):
                job.state = WAITING if job.state == HELD and job.row not in self.apart else job.state

    def cancel(self, job: PlainJob) -> None:
        self.plain.cancel(job)
        job.end = self.now

    def cancel_all(self, number: int) -> None:
        for job in self.all_of(number):
            self.cancel(job)
        self.held.discard(number)
        self.begins.pop(number, None)

    def alter(self, job: PlainJob, estimate: int) -> None:
        if job.state in (WAITING, HELD):
            self.plain.take_out_of_plan(job)
        run = int(self.world.jobs[job.row].run)
        job.estimate, job.run = estimate, min(run, estimate)
        self.plain.replan = True

    def widen(self, job: PlainJob, width: int) -> None:
        self.plain.take_out_of_plan(job)
        job.width, job.parts = width, (Part(width, (1.0, 0.0)),)
        self.plain.replan = True

    def suspend(self, job: PlainJob) -> None:
        self.plain.holes |= job.expected > self.now
        self.plain.suspend(job)

    def resume(self, job: PlainJob) -> bool:
        """An operator's word: only room counts. False: there is none."""
        plain = self.plain
        if job.width > plain.idle:
            return False
        places = plain.placing(job, False).place(plain.room, job.parts)
        if places is None:
            return False
        job.places, job.state, job.since = places, RUNNING, plain.now
        return True

    def requeue(self, job: PlainJob) -> None:
        self.plain.requeue(job)
        self._keep_out_again({self.names[job.row][0]})

    def _keep_out_again(self, numbers: set[int]) -> None:
        """Of those that have been requeued, who is held or may not begin yet stays out of the queue."""
        for number in numbers & (self.held | self.begins.keys()):
            self._keep_out(number)

    # Nodes.

    def lose(self, node: int) -> None:
        for job in self.plain.those(SUSPENDED):
            if any(place[0] == node for place in self.had[job.row]):
                self.plain.requeue(job)
        self.plain.draining.discard(node)
        self.plain.lose(node, 0)
        self._keep_out_again(self.held | self.begins.keys())

    def give_back(self, node: int) -> None:
        """An operator's word: it takes work again, whether it was lost or drained."""
        self.silent.discard(node)
        self.drained.discard(node)
        self.plain.draining.discard(node)
        if node in self.plain.down:
            self.plain.give_back(node, 0)
        self.plain.replan = True

    def drain(self, node: int) -> None:
        self.drained.add(node)
        if node not in self.plain.down:
            self.plain.draining.add(node)
            self.plain.replan = True

    def lose_agent(self) -> None:
        """It has been silent for too long: all its nodes that are up are lost."""
        for node in range(len(self.plain.nodes)):
            if node not in self.plain.down:
                self.silent.add(node)
                self.lose(node)

    def agent_returns(self) -> None:
        """What was lost with it returns; what was drained stays drained."""
        for node in sorted(self.silent):
            self.plain.give_back(node, 0)
            if node in self.drained:
                self.plain.draining.add(node)
        self.silent.clear()

    # Reservations.

    def reserve(self, one: Reservation) -> None:
        """Jobs that run there go on."""
        self._reserved((*self.world.reservations, one))

    def release_reservation(self, name: str) -> None:
        self._reserved(tuple(one for one in self.world.reservations if one.name != name))

    def _reserved(self, those: tuple[Reservation, ...]) -> None:
        self.plain.world = replace(self.plain.world, reservations=those)
        self.plain.replan = True
