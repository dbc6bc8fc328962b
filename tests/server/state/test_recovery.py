"""Recovery equals life: whatever is done to a server, its journal makes the state that it has in memory.

After every turn that leaves something in the journal a state that has followed the facts, one by one, is the
same as the server's, and so is a snapshot of this moment. A story follows from a restored snapshot every few
turns, so that facts are also applied to such a state. At the end the journal is read as at a start: from all
facts, and from the last snapshot of the server.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molokini.model.codec import decode
from molokini.model.errors import MolokiniError
from molokini.model.job_specs import JobSpec
from molokini.server.persistence.recovery import recovered, restarted
from molokini.server.state.applying import apply
from molokini.server.state.past import elements_of, job_of
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.translate import job_to_wire
from molokini.server.turn.changing import Alter, Cancel, Hold, NotNow, Release, Requeue
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes, RemoveQueue, SetPolicy, SetQueue
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, Story, after, live, nodes, spec_of
from tests.kit.live_picture import assert_same, assert_sound, through_a_snapshot

POLICIES = ("fcfs", "easy", "conservative", "srpt", "ps", "gs", "mbgs", "buddy-gang")
MACHINE = [
    nodes("n[1-3]", 4, memory_kb=1000, generic={"gpu": 2}, features=["fast"]),
    nodes("m[1-2]", 2, memory_kb=4000),
]
NAMES = ["n1", "n2", "n3", "m1", "m2"]
MANY = 12
RELEASE, EVERY, FEW = "a release", 30, 2
RESTORED = 5
"""At every serial that is a multiple of it the follower goes on from a snapshot."""

Act = Callable[[Story], Coroutine[Any, Any, None]]

numbers = st.integers(1, MANY)
indices = st.sampled_from([-1, -1, -1, 1, 2, 5])
seconds = st.sampled_from([0.0, 1.0, 3.0, 10.0, 30.0])


def command(make: Callable[[], Command]) -> Act:
    """Post it; a refusal is as good an answer as any."""

    async def act(story: Story) -> None:
        with suppress(MolokiniError):
            await story.do(make())

    return act


def several(acts: list[Callable[[], Command]]) -> Act:
    """Post them together, so that one turn sees them all."""

    async def act(story: Story) -> None:
        answers = [story.core.reactor.post(make()) for make in acts]
        await asyncio.wait(answers, timeout=20)
        failures = [answer.exception() for answer in answers]
        assert all(one is None or isinstance(one, MolokiniError) for one in failures), failures
        await story.settled()

    return act


@st.composite
def specs(draw: st.DrawFn) -> JobSpec:
    spec: Any = spec_of(
        estimate_s=draw(st.sampled_from([5.0, 20.0, 50.0])),
        run_s=draw(st.sampled_from([0.0, 1.0, 7.0, 20.0, 60.0])),
        processors=draw(st.integers(1, 8)),
    )
    for change in draw(st.lists(st.sampled_from(sorted(_WISHES)), max_size=2)):
        spec.update(_WISHES[change](draw))
    made: JobSpec = spec
    return made


def _depends(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["AFTER_OK", "AFTER_NOT_OK", "AFTER_ANY", "AFTER", "SINGLETON"]))
    others = draw(st.lists(numbers, min_size=1, max_size=3))
    return {"dependencies": after(kind, *others), "name": draw(st.sampled_from(["one", "two"]))}


def _resources(draw: st.DrawFn) -> dict[str, Any]:
    wishes: list[dict[str, Any]] = [
        {"nodes": 2, "processors_per_node": 2},
        {"processors": 2, "memory_kb": 400},
        {"processors": 1, "generic": {"gpu": 1}},
        {"processors": 3, "features": ["fast"]},
    ]
    return {"resources": draw(st.sampled_from(wishes))}


_WISHES: dict[str, Callable[[st.DrawFn], dict[str, Any]]] = {
    "held": lambda draw: {"held": True},
    "name": lambda draw: {"name": draw(st.sampled_from(["one", "two"]))},
    "begin": lambda draw: {"begin_at_s": draw(st.sampled_from([5.0, 15.0, 40.0]))},
    "depends": _depends,
    "array": lambda draw: {
        "array": {"first": 1, "last": draw(st.integers(1, 12)), "running_limit": draw(st.integers(0, 3))}
    },
    "resources": _resources,
    "requeue": lambda draw: {"requeue": False},
    "dies": lambda draw: {"outcome": {"run_s": 9.0, "node_dies_after_s": 4.0}},
    "fails": lambda draw: {"outcome": {"run_s": 3.0, "exit_code": 1}},
    "never": lambda draw: {"outcome": {"never_starts": True}},
    "key": lambda draw: {"submission_key": draw(st.sampled_from(["k1", "k2"]))},
    "queue": lambda draw: {"queue": draw(st.sampled_from(["default", "other"]))},
}

_changes = st.sampled_from(
    [
        {"estimate_s": 9.0},
        {"estimate_s": 40.0},
        {"begin_at_s": 25.0},
        {"begin_at_s": 0.0},
        {"resources": {"processors": 2}},
        {"resources": {"nodes": 1, "processors_per_node": 3}},
        {"queue": "other"},
        {"user_priority": -5, "comment": "later"},
    ]
)
_queues = st.sampled_from(
    [
        Queue("other"),
        Queue("other", nodes=("n1", "n2")),
        Queue("other", nodes=("m1",), max_jobs=3),
        Queue("default", default_processors=2),
    ]
)


def _of_jobs() -> st.SearchStrategy[Callable[[], Command]]:
    hold = st.sampled_from(["user", "operator", "system"])
    return st.one_of(
        st.builds(lambda n, i: lambda: Cancel(n, i, "ann"), numbers, indices),
        st.builds(lambda n, h, i: lambda: Hold(n, "ann", h, "", i), numbers, hold, indices),
        st.builds(
            lambda n, h, i: lambda: Release(n, "ann", h, i), numbers, st.lists(hold, min_size=1), indices
        ),
        st.builds(lambda n, i: lambda: Requeue(n, i, "ann"), numbers, indices),
        st.builds(lambda n, i: lambda: SuspendJob(n, i, "ann"), numbers, indices),
        st.builds(lambda n, i: lambda: ResumeJob(n, i, "ann"), numbers, indices),
        st.builds(lambda n, c: lambda: Alter(n, "ann", c, Limits(), True), numbers, _changes),
    )


def _of_machine() -> st.SearchStrategy[Callable[[], Command]]:
    some = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2)
    return st.one_of(
        st.builds(lambda n: lambda: DrainNodes(n, "root", ""), some),
        st.builds(lambda n: lambda: LoseNodes(n, "root", "gone"), some),
        st.builds(lambda n: lambda: ReturnNodes(n, "root"), some),
        st.builds(lambda q: lambda: SetQueue(q, "root"), _queues),
        st.builds(lambda q: lambda: RemoveQueue(q, "root"), st.sampled_from(["default", "other"])),
    )


def _submits() -> st.SearchStrategy[Callable[[], Command]]:
    users = st.sampled_from(["ann", "bob"])
    return st.builds(
        lambda user, given: lambda: Submit(user, given, Limits()),
        users,
        st.lists(specs(), min_size=1, max_size=3),
    )


def _advance(by_s: float) -> Act:
    async def act(story: Story) -> None:
        await story.advance(by_s)

    return act


def _new_policy(name: str) -> Act:
    async def act(story: Story) -> None:
        # Jobs that take turns in rows keep them: only a policy of the same rows may follow.
        with suppress(NotNow):
            await story.do(SetPolicy(name, {}, "root"))
            story.core.reactor.change_policy(name, {})
        await story.settled()

    return act


async def _cut(story: Story) -> None:
    await story.leave()


async def _connect(story: Story) -> None:
    if story.agent is not None and not story.core.hub.sessions:
        await story.connect()


def acts() -> st.SearchStrategy[Act]:
    commands = st.one_of(_submits(), _submits(), _of_jobs(), _of_jobs(), _of_machine())
    return st.one_of(
        st.builds(command, commands),
        st.builds(command, _submits()),
        st.builds(several, st.lists(commands, min_size=2, max_size=5)),
        st.builds(_advance, seconds),
        st.builds(_new_policy, st.sampled_from(POLICIES)),
        st.sampled_from([_cut, _connect]),
    )


class Follower:
    """A state that is made of the facts alone, as at a recovery, and compared with the server's."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.state = State()
        self.seen = 0

    async def compare(self) -> None:
        """Apply what the journal has more than before; from a snapshot now and then."""
        journal, state = self.story.journal, self.story.state
        if journal.last_serial == self.seen:
            return
        self.seen = journal.last_serial
        async for entry in journal.read(self.state.serial):
            apply(self.state, decode(entry), entry.serial, entry.time_s)
        assert_sound(state)
        assert_same(state, self.state)
        restored = through_a_snapshot(state)
        assert_same(state, restored)
        if self.seen % RESTORED == 0:
            self.state = restored

    async def compare_as_at_a_start(self) -> None:
        """Read the journal from its beginning, and from the last snapshot that the server has kept."""
        journal, state = self.story.journal, self.story.state
        assert_same(state, await recovered(journal))
        if journal.snapshots:
            made, kept = await restarted(journal, RELEASE)
            assert kept == journal.snapshots[-1].serial
            assert_sound(made)
            assert_same(state, made)


def watched(story: Story) -> Follower:
    """From now on, every turn that leaves something in the journal is followed by a comparison."""
    follower, reactor = Follower(story), story.core.reactor
    turn = reactor.turn

    async def checked(now: float) -> bool:
        happened = await turn(now)
        await follower.compare()
        return happened

    reactor.turn = checked  # type: ignore[method-assign]
    return follower


async def check_records(journal: MemoryJournal) -> None:
    """What is kept of jobs that have left the memory is what their users would see if they had not."""
    whole = MemoryJournal()
    for entry in journal.entries:
        if entry.kind != "JobsRetired":
            whole.entries.append(replace(entry, serial=len(whole.entries) + 1))
    state = await recovered(whole)
    for number, record in journal.records.items():
        left, job = job_of(record, state.machine), state.jobs[number]
        assert job_to_wire(left, left.element, state) == job_to_wire(job, job.element, state)
        if job.array is None:
            continue
        runs = [one for (of, _), one in sorted(journal.parts.items()) if of == number]
        found = {one.index: one for part in runs for one in elements_of(left, part, state.machine)[1]}
        assert list(found) == sorted(job.array.elements)
        for index, one in found.items():
            assert job_to_wire(left, one, state) == job_to_wire(job, job.element_of(index), state)


async def lived(policy: str, doing: list[Act], join_after: int) -> None:
    """*join_after*: so many acts come before the first node."""
    journal = MemoryJournal()
    async with live(
        policy,
        MACHINE if not join_after else [],
        journal,
        snapshot_every=EVERY,
        release=RELEASE,
        finished_jobs=FEW,
    ) as story:
        await story.do(SetQueue(Queue("other"), "root"))
        follower = watched(story)
        for number, act in enumerate(doing):
            if number == join_after and story.agent is None:
                await story.join(MACHINE)
            await act(story)
        await _connect(story)
        await story.advance(500.0)
        await follower.compare_as_at_a_start()
    # Another server takes over, and goes on to the end of all that can end.
    await check_records(journal)
    again = MemoryJournal(journal.entries, 2)
    again.snapshots = journal.snapshots
    async with live(policy, MACHINE, again, release=RELEASE) as story:
        follower = watched(story)
        await story.do(ReturnNodes(NAMES, "root"))
        await story.advance(500.0)
        await follower.compare_as_at_a_start()
        assert_sound(story.state)
        t = story.state.tables
        assert t.queue.running_count == 0, "a job runs on for ever"


def tell(policies: Sequence[str], stories: int) -> None:
    """Have hypothesis tell *stories*, each of which begins with one of *policies*."""

    @settings(
        max_examples=stories,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    @given(st.sampled_from(policies), st.lists(acts(), min_size=4, max_size=20), st.sampled_from([0, 0, 3]))
    def run(policy: str, doing: list[Act], join_after: int) -> None:
        asyncio.run(lived(policy, doing, join_after))

    run()


def test_whatever_is_done_recovery_equals_life() -> None:
    tell(POLICIES, 16)


@pytest.mark.deep
@pytest.mark.parametrize("policy", POLICIES)
def test_whatever_is_done_under_a_policy_recovery_equals_life(policy: str) -> None:
    tell([policy], 200)
