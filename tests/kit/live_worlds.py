"""Stories of a live cluster drawn from a seed, and told beside the plain world second by second.

What is drawn next depends on where jobs stand, so that each rule (hold, release, cancel, alter, widen, put
off, suspend, resume, requeue, lose a node, have it return) can be done. Each is a turn of its own, after
which the policy decides, in both. Elements of an array are jobs in the plain world; some rules are done to
all of them. Now and then the journal is read as after a start.
"""

from collections import Counter
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from molokini.model.errors import MolokiniError
from molokini.model.facts import NO_INDEX
from molokini.model.policy import Value
from molokini.model.requests import Request
from molokini.model.reservations import Reservation
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.server.turn.changing import Alter, Hold, Release, Requeue
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.reserving import MakeReservation
from tests.kit.live import Story, again, live, nodes
from tests.kit.live_picture import assert_same, assert_sound
from tests.kit.plain_nodes import Part, Place
from tests.kit.plain_world import GONE, HELD, RUNNING, SUSPENDED, WAITING, PlainJob, PlainWorld
from tests.kit.worlds import GIB, NAMES, World, draw_world

Places = dict[int, tuple[str, dict[int, int]]]
"""Of each job that is there: its state, and its processors of each node."""
LAST_DEED_S = 40
"""After that nothing happens but what jobs and policy do."""


@dataclass
class Told:
    """The features and the rules of one story, for tests that count them."""

    features: Counter[str]
    rules: list[str]


class PlainLive:
    """A plain world to which things are done."""

    def __init__(self, simulator: type[PlainWorld], world: World) -> None:
        self.plain = simulator(replace(world, jobs=(), requests={}, facts=()))
        self.known: list[PlainJob] = []
        self.names: list[tuple[int, int]] = []
        """Number and index of each of them at the server."""
        self.begins: dict[int, int] = {}
        """When each job that is put off may begin, by its number."""
        self.held: set[int] = set()
        """Jobs that are held, by number; of an array all elements are."""
        self.apart: set[int] = set()
        """Elements that are held alone, by row."""
        self.had: dict[int, list[Place]] = {}
        """Where a suspended job ran: its processes are there still, and are lost with a node."""
        plainly = self.plain.suspend

        def suspend(job: PlainJob) -> None:
            self.had[job.row] = list(job.places)
            plainly(job)

        self.plain.suspend = suspend  # type: ignore[method-assign]
        self.something_done = True
        """Whether the policy decides because of a rule."""
        stirs = self.plain.stirs
        self.plain.stirs = lambda: self.something_done or stirs()  # type: ignore[method-assign]

    def lose(self, node: int) -> None:
        for job in self.plain.those(SUSPENDED):
            if any(place[0] == node for place in self.had[job.row]):
                self.plain.requeue(job)
        self.plain.lose(node, 0)
        for number in {*self.held, *self.begins}:
            self._keep_out(number)

    def pass_time(self, now: int) -> None:
        """It is *now*: end the jobs that are due, let in those that may begin, and let the policy decide."""
        self.plain.now = now
        self.plain.end_due()
        begin = [number for number, at in self.begins.items() if at <= now]
        for number in begin:
            del self.begins[number]
            self._let_in(number)
        self.something_done = bool(begin)
        self.decide()
        self.something_done = True

    def all_of(self, number: int) -> list[PlainJob]:
        """The job of this number, or the elements of the array, that are there."""
        return [
            job
            for job, (of, _) in zip(self.known, self.names, strict=True)
            if of == number and job.state != GONE
        ]

    def hold_all(self, number: int) -> None:
        self.held.add(number)
        self._keep_out(number)

    def release_all(self, number: int) -> None:
        """Elements that were held alone are, too."""
        self.held.discard(number)
        self.apart -= {job.row for job in self.all_of(number)}
        self._let_in(number)

    def hold_element(self, job: PlainJob) -> None:
        self.apart.add(job.row)
        self.plain.take_out_of_plan(job)
        job.state = HELD

    def release_element(self, job: PlainJob) -> None:
        self.apart.discard(job.row)
        self._let_in(self.names[job.row][0])

    def requeue(self, job: PlainJob) -> None:
        self.plain.requeue(job)
        if self.names[job.row][0] in self.held | self.begins.keys():
            self._keep_out(self.names[job.row][0])

    def put_off(self, number: int, at: int) -> None:
        """It may not begin before *at*."""
        self.plain.replan = True
        self.begins.pop(number, None)
        if at > self.plain.now:
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

    def decide(self) -> None:
        """Let the policy decide, again as long as a job ends at this very second."""
        plain = self.plain
        while True:
            plain.decide()
            plain.replan = plain.holes = False
            if not plain.end_due():
                break

    def submit(self, job: Any, request: Request | None, number: int, index: int) -> None:
        row = len(self.known)
        self.names.append((number, index))
        plain = self.plain
        plain.world = replace(plain.world, jobs=(*plain.world.jobs, job))
        if request is not None:
            plain.world = replace(plain.world, requests={**plain.world.requests, row: request})
        made = plain.job_of(row)
        made.state = WAITING
        plain.jobs.append(made)
        self.known.append(made)

    def alter(self, job: PlainJob, estimate: int, run: int) -> None:
        plain = self.plain
        if job.state in (WAITING, HELD):
            plain.take_out_of_plan(job)
        job.estimate, job.run = estimate, min(run, estimate)
        plain.replan = True

    def widen(self, job: PlainJob, width: int) -> None:
        plain = self.plain
        plain.take_out_of_plan(job)
        job.width, job.parts = width, (Part(width, (1.0, 0.0)),)
        plain.replan = True

    def suspend(self, job: PlainJob) -> None:
        self.plain.holes |= job.expected > self.plain.now
        self.plain.suspend(job)

    def resume(self, job: PlainJob) -> bool:
        """An operator's word: only room counts."""
        plain = self.plain
        if job.width > plain.idle:
            return False
        places = plain.placing(job, False).place(plain.room, job.parts)
        if places is None:
            return False
        job.places, job.state, job.since = places, RUNNING, plain.now
        return True

    def picture(self) -> Places:
        found: Places = {}
        for job in self.known:
            if job.state == GONE:
                continue
            here: dict[int, int] = {}
            for node, tasks, part in job.places:
                here[node] = here.get(node, 0) + tasks * int(job.parts[part].need[0])
            found[job.row] = (job.state, here)
        return found


def picture_of(story: Story, names: list[tuple[int, int]]) -> Places:
    """The same of the server."""
    found: Places = {}
    for row, (number, index) in enumerate(names):
        if number not in story.state.jobs or story.job(number).over:
            continue
        one = story.job(number).element_of(index)
        if one is None:  # its array has yet to come to it
            found[row] = (str(story.job(number).status), {})
        elif not one.over:
            found[row] = (str(one.status), dict(one.nodes) if str(one.status) == RUNNING else {})
    return found


async def assert_live_as_plain(
    seed: str, policy: str, values: dict[str, Value], simulator: type[PlainWorld]
) -> Told:
    """Draw a story and tell it; every job is at every second where the plain world has it."""
    random = Random(seed)
    world = _world(random, policy, values)
    told = Told(Counter(), [])
    offers = [
        nodes(
            NAMES[k],
            int(node.capacity[Resource.PROCESSORS]),
            memory_kb=int(node.capacity[Resource.MEMORY_KB]),
        )
        for k, node in enumerate(world.nodes)
    ]
    async with live(policy, offers, parameters={name: str(value) for name, value in values.items()}) as story:
        kept: list[Reservation] = []
        for one in world.reservations:
            try:
                await story.do(MakeReservation(one, "root"))
                kept.append(one)
                told.features["reserved on nodes" if one.terms.hosts else "reserved on a number"] += 1
            except MolokiniError:
                # It does not go together with those before it.
                continue
        world = replace(world, reservations=tuple(kept))
        plain = PlainLive(simulator, world)
        plain.pass_time(0)
        left = list(world.jobs)
        now = 0
        while now <= LAST_DEED_S or plain.picture():
            if now:
                await story.advance(1.0)
                plain.pass_time(now)
            assert_equal(story, plain, f"{seed}: at {now}; {told.rules}")
            while left and left[0].submit <= now:
                await _submit(story, plain, left.pop(0), random, world, told)
                assert_equal(story, plain, f"{seed}: at {now}, job {len(plain.known)}; {told.rules}")
            if now <= LAST_DEED_S and random.random() < (0.25 if left else 0.5):
                done = await _deed(story, plain, random, told)
                told.rules.append(f"{now} {done}")
                assert_equal(story, plain, f"{seed}: at {now}, {'; '.join(told.rules)}")
                if random.random() < 0.1:
                    assert_same(await again(story.journal), story.state)
            if now == LAST_DEED_S:
                await _let_go(story, plain)
                assert_equal(story, plain, f"{seed}: at {now}, all let go")
            now += 1
            assert now < 2000, f"{seed}: a job waits for ever: {plain.picture()}"
        assert_sound(story.state)
        assert_same(await again(story.journal), story.state)
    return told


def assert_equal(story: Story, plain: PlainLive, when: str) -> None:
    found, wanted = picture_of(story, plain.names), plain.picture()
    assert found == wanted, f"{when}: {found}, not {wanted}"


def _world(random: Random, policy: str, values: dict[str, Value]) -> World:
    world = draw_world(random, policy, values)
    while not world.nodes or world.placement != "first-fit":
        world = draw_world(random, policy, values)
    bounded = [
        replace(
            job, width=min(job.width, world.processors), estimate=max(1, int(job.estimated)), number=k + 1
        )
        for k, job in enumerate(world.jobs)
    ]
    plain_nodes = tuple(replace(node, group=0, features=0) for node in world.nodes)
    return replace(world, jobs=tuple(bounded), nodes=plain_nodes, requests={}, facts=())


async def _submit(story: Story, plain: PlainLive, job: Any, random: Random, world: World, told: Told) -> None:
    spec: dict[str, Any] = {"processors": job.width}
    wishes = not load_policy(world.policy).declaration.counted_only and random.random() < 0.5
    count = 0
    if wishes:
        spec = {"nodes": random.randint(1, len(world.nodes)), "processors_per_node": random.randint(1, 3)}
        if random.random() < 0.4:
            spec["memory_kb"] = int(GIB * random.choice([1, 2, 3]))
    elif random.random() < 0.25:
        count = random.randint(2, 4)
        spec["array"] = {"first": 1, "last": count, "running_limit": 0}
    begin_s = plain.plain.now + random.randint(1, 6) if random.random() < 0.15 else 0
    if begin_s:
        spec["begin_at_s"] = float(begin_s)
    try:
        number = await story.submit(
            user=str(job.user), run_s=float(job.run), estimate_s=float(job.estimated), **spec
        )
    except MolokiniError:
        assert wishes, "a plain job has been refused"
        return
    request = story.job(number).request
    told.features["wishes" if not request.counted else "array" if count else "counted"] += 1
    for index in range(1, count + 1) if count else [NO_INDEX]:
        # In the queue elements stand behind one another, before the jobs that come later.
        made = replace(job, width=request.processors, number=100 * number + max(0, index))
        plain.submit(made, request if wishes else None, number, index)
    if begin_s:
        told.features["begin time"] += 1
        plain.put_off(number, begin_s)
    plain.decide()


async def _deed(story: Story, plain: PlainLive, random: Random, told: Told) -> str:
    """Do something that can be done now."""
    one, world = plain.plain, plain.plain.world
    by_state = {state: one.those(state) for state in (WAITING, HELD, RUNNING, SUSPENDED)}
    up = [k for k in range(len(world.nodes)) if k not in one.down]
    names = dict(zip((job.row for job in plain.known), plain.names, strict=True))
    alone = {row for row, (_, index) in names.items() if index == NO_INDEX}
    arrays = sorted({names[job.row][0] for job in plain.known if job.state != GONE and job.row not in alone})
    open_ = by_state[WAITING] + by_state[HELD]
    kept = [job for job in by_state[HELD] if job.row in plain.apart or names[job.row][0] in plain.held]
    active = Counter(names[job.row][0] for job in by_state[RUNNING] + by_state[SUSPENDED])
    can: dict[str, list[Any]] = {
        "hold": by_state[WAITING],
        "release": [job for job in kept if job.row in alone or job.row in plain.apart],
        "cancel": [job for job in plain.known if job.state != GONE],
        "alter": [job for job in open_ + by_state[RUNNING] if job.row in alone],
        "widen": [job for job in open_ if job.row in alone and not job.wishes],
        "put off": sorted({names[job.row][0] for job in open_} - active.keys()),
        "hold all": [number for number in arrays if number not in plain.held],
        "release all": [number for number in arrays if number in plain.held],
        # Those that run end when their agents say so, and between that others may start in their place.
        "cancel all": [number for number in arrays if not active[number] or len(plain.all_of(number)) == 1],
        "suspend": [] if world.policy == "srpt" else by_state[RUNNING],
        "resume": [] if world.policy == "srpt" else by_state[SUSPENDED],
        "requeue": by_state[RUNNING],
        "lose": up,
        "return": sorted(one.down),
    }
    kinds = [name for name, subjects in can.items() if subjects]
    if len(kinds) > 2 and random.random() < 0.7:
        # Nodes are there to be lost at any time; jobs to do something to are not.
        kinds = [name for name in kinds if name not in ("lose", "return")] or kinds
    if not kinds:
        return "nothing"
    # Few are suspended or held, and most of these are cancelled or lost before they are resumed.
    rare = [name for name in ("resume", "release all") if can[name] and random.random() < 0.4]
    kind = rare[0] if rare else random.choice(kinds)
    told.features[kind] += 1
    subject = random.choice(can[kind])
    if kind == "put off" or kind.endswith("all"):
        await _to_all(story, plain, subject, kind, random)
    elif kind in ("lose", "return"):
        name = NAMES[subject]
        if kind == "lose":
            await story.do(LoseNodes([name], "root", "a fan"))
            plain.lose(subject)
        else:
            await story.do(ReturnNodes([name], "root"))
            one.give_back(subject, 0)
    else:
        await _to_job(story, plain, subject, kind, random)
    plain.decide()
    return f"{kind} {subject if isinstance(subject, int) else subject.row}"


async def _to_job(story: Story, plain: PlainLive, job: PlainJob, kind: str, random: Random) -> None:
    (number, index), one = plain.names[job.row], plain.plain
    if kind == "hold":
        await story.do(Hold(number, "ann", "user", "", index))
        if index == NO_INDEX:
            plain.hold_all(number)
        else:
            plain.hold_element(job)
    elif kind == "release":
        await story.do(Release(number, "ann", ["user"], index))
        if index == NO_INDEX:
            plain.release_all(number)
        else:
            plain.release_element(job)
    elif kind == "cancel":
        await story.cancel(number, index)
        one.cancel(job)
    elif kind == "alter":
        estimate = job.done(one.now) + random.randint(1, 12)
        await story.do(Alter(number, "root", {"estimate_s": float(estimate)}, story.limits, operator=True))
        plain.alter(job, estimate, int(one.world.jobs[job.row].run))
    elif kind == "widen":
        width = random.randint(1, one.world.processors)
        changes = {"resources": {"processors": width}}
        await story.do(Alter(number, "root", changes, story.limits, operator=True))
        plain.widen(job, width)
    elif kind == "suspend":
        await story.do(SuspendJob(number, index, "root"))
        plain.suspend(job)
    elif kind == "resume":
        try:
            await story.do(ResumeJob(number, index, "root"))
            resumed = True
        except MolokiniError:
            resumed = False
        assert plain.resume(job) == resumed
    elif kind == "requeue":
        await story.do(Requeue(number, index, "root"))
        plain.requeue(job)


async def _to_all(story: Story, plain: PlainLive, number: int, kind: str, random: Random) -> None:
    """Of a job, or of all elements of an array."""
    if kind == "hold all":
        await story.do(Hold(number, "ann", "user", "", NO_INDEX))
        plain.hold_all(number)
    elif kind == "release all":
        await story.release(number)
        plain.release_all(number)
    elif kind == "cancel all":
        await story.cancel(number)
        for job in plain.all_of(number):
            plain.plain.cancel(job)
        plain.held.discard(number)
        plain.begins.pop(number, None)
    else:
        at = plain.plain.now + random.randint(-1, 6)
        await story.do(Alter(number, "root", {"begin_at_s": float(max(0, at))}, story.limits, operator=True))
        plain.put_off(number, at)


async def _let_go(story: Story, plain: PlainLive) -> None:
    """Have every job end: return all nodes, and cancel jobs that are held or suspended."""
    one = plain.plain
    for node in sorted(one.down):
        await story.do(ReturnNodes([NAMES[node]], "root"))
        one.give_back(node, 0)
        plain.decide()
    for job in one.those(HELD) + (one.those(SUSPENDED) if one.world.policy != "srpt" else []):
        await story.cancel(*plain.names[job.row])
        one.cancel(job)
        plain.decide()
