"""A living world: hypothesis tells stories to a live server and to the plain world beside it.

The server is whole and in this process: journal in memory, a real emulated agent over the in-memory link, a
clock that is turned. Beside it stands ``plain_live``, which says what it is independent of. After each step
both have every job in the same state, with the same starts, ends and nodes, and the same queue.

A story that fails is printed as the steps that led there, which can be pasted into a test as they are: jobs
are called by their names (``3``, and ``3[2]`` for an element), and all else is plain values::

    state = LivingWorld()
    state.begin(policy='easy-queue', nodes=[(4, 8), (2, 8)])
    state.submit(width=6, run_s=4, estimate_s=9, user=1, begin_s=0, then_s=1)
    state.hold(job='1', then_s=0)
    state.same()
    state.teardown()
"""

from collections.abc import Sequence
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.server.turn.changing import NotNow
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes, SetPolicy
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.reserving import MakeReservation, ReleaseReservation
from tests.kit import living_choices as choices
from tests.kit.live import again
from tests.kit.live_picture import assert_same
from tests.kit.living_choices import begun, connected, one_of, silent, where
from tests.kit.living_jobs import JobSteps, estimates, moments, runs, users, widths
from tests.kit.living_story import NEEDS_NO_NODES, POLICIES
from tests.kit.plain_world import HELD
from tests.kit.worlds import NAMES, USERS

LONGEST_S = 2000
"""By then every story is over."""
Access = dict[str, tuple[str, ...]]
lengths = st.integers(1, 15)
soon = st.sampled_from([0, 0, 1, 3, 8])
short = st.sampled_from([0, 0, 0, 0, 4, 8])
"""An estimate up to which jobs are admitted; 0: it does not matter."""


class LivingWorld(JobSteps):
    """One story. Steps may be called outside of hypothesis, too: ``begin`` first, ``teardown`` last."""

    begins_with: ClassVar[tuple[str, ...]] = tuple(sorted(POLICIES))
    """Policies that a story may begin with."""

    # The beginning, the end, and what is always so.

    @initialize(
        policy=one_of(lambda story: story.begins_with),
        nodes=st.lists(st.tuples(st.integers(2, 4), st.sampled_from([2, 4, 8])), min_size=2, max_size=4),
        jobs=st.lists(st.tuples(widths, runs, estimates, users), min_size=1, max_size=5),
    )
    def begin(
        self,
        policy: str,
        nodes: Sequence[tuple[int, int]],
        jobs: Sequence[tuple[int, int, int, int]] = (),
    ) -> None:
        """*nodes*: processors and GiB of each; *jobs*: width, run time, estimate and user of each."""
        with self._step("begin"):
            self._run(self._begin(policy, nodes))
        for width, run_s, estimate_s, user in jobs:
            self.submit(width, run_s, estimate_s, user)

    def teardown(self) -> None:
        """Have every job end, if all went well so far; then stop."""
        if self.over:
            return
        self.over = True
        try:
            if self.begun and not self.broken:
                self._let_all_end()
        finally:
            if self.begun:
                self._run(self.story.stop())
            self._runner.close()

    def _let_all_end(self) -> None:
        """Return all nodes, cancel what is held or suspended, and wait for the others."""
        if not self.connected:
            self.agent_returns()
            self._compare()
        for name in choices.away(self):
            self.give_back(name)
            self._compare()
        for name in choices.reservations(self):
            self.release_reservation(name)
            self._compare()
        for job in self.jobs(HELD) + choices.suspended(self):
            self.cancel(job)
            self._compare()
        while self.plain.there():
            self._pass(10)
            self._compare()
            assert self.plain.now < LONGEST_S, f"a job waits for ever: {self.plain.seen()}"
        assert_same(self._run(again(self.story.journal)), self.story.state)

    # To nodes and their agent.

    @where(choices.up)
    @rule(node=one_of(choices.up), then_s=moments)
    def lose(self, node: str, then_s: int) -> None:
        with self._step("lose", then_s):
            self._do(LoseNodes([node], "root", "a fan"))
            self.plain.lose(NAMES.index(node))

    @where(choices.undrained)
    @rule(node=one_of(choices.undrained), then_s=moments)
    def drain(self, node: str, then_s: int) -> None:
        with self._step("drain", then_s):
            self._do(DrainNodes([node], "root", "a fan"))
            self.plain.drain(NAMES.index(node))

    @where(choices.away)
    @rule(node=one_of(choices.away), then_s=moments)
    def give_back(self, node: str, then_s: int = 0) -> None:
        """A node that was lost or drained takes work again."""
        with self._step("give back", then_s):
            self._do(ReturnNodes([node], "root"))
            self.plain.give_back(NAMES.index(node))

    @connected
    @rule(restarts=st.booleans(), then_s=moments)
    def reconnect(self, restarts: bool, then_s: int) -> None:
        """The connection breaks, and the agent comes back at once, or a restarted one that knows nothing."""
        with self._step("reconnect", then_s):
            self._run(self.story.leave())
            self._run(self._join() if restarts else self._connect())

    @connected
    @rule(then_s=moments)
    def lose_agent(self, then_s: int) -> None:
        """The agent falls silent until its lease is over."""
        with self._step("lose agent", then_s):
            self._run(self._silence())
            self.connected = False
            self.plain.lose_agent()

    @silent
    @rule(restarts=st.booleans(), then_s=moments)
    def agent_returns(self, restarts: bool = False, then_s: int = 0) -> None:
        """It comes back, or a restarted one."""
        with self._step("agent returns", then_s):
            self._run(self._join() if restarts else self._connect())
            self.connected = True
            self.plain.agent_returns()

    # Reservations, the policy, the server, time.

    @begun
    @rule(
        processors=st.integers(1, 8),
        user=one_of(choices.strangers),
        in_s=soon,
        for_s=lengths,
        shared=st.booleans(),
        then_s=moments,
    )
    def reserve(self, processors: int, user: int, in_s: int, for_s: int, shared: bool, then_s: int) -> None:
        """Processors anywhere, for jobs of *user* (0: nobody)."""
        with self._step("reserve", then_s):
            processors = min(processors, self.plain.world.processors)
            access: Access = {"user": (str(user),)} if user else {}
            self._reserve(processors, in_s, for_s, access, Terms(shared=shared))

    @begun
    @rule(
        hosts=st.dictionaries(one_of(lambda story: story.nodes), st.integers(1, 4), min_size=1),
        access=st.lists(st.sampled_from(["1", "1-", "2=", "2+", "3-", "3"]), max_size=2, unique=True),
        denied=st.sampled_from([0, 0, 0, *USERS]),
        short_s=short,
        in_s=soon,
        for_s=lengths,
        shared=st.booleans(),
        then_s=moments,
    )
    def reserve_nodes(
        self,
        hosts: dict[str, int],
        access: list[str],
        denied: int,
        short_s: int,
        in_s: int,
        for_s: int,
        shared: bool,
        then_s: int,
    ) -> None:
        """Processors of nodes, for users by how much they like them, and for jobs up to *short_s*."""
        with self._step("reserve nodes", then_s):
            sizes = dict(zip(self.nodes, self.plain.world.nodes, strict=True))
            hosts = {
                name: min(count, int(sizes[name].capacity[Resource.PROCESSORS]))
                for name, count in hosts.items()
            }
            admits: Access = {"user": tuple(access)} if access else {}
            if short_s:
                admits["duration"] = (str(short_s),)
            denies = {"user": (str(denied),)} if denied else {}
            terms = Terms(denied=denies, shared=shared, hosts=hosts)
            self._reserve(sum(hosts.values()), in_s, for_s, admits, terms)

    def _reserve(self, processors: int, in_s: int, for_s: int, access: Access, terms: Terms) -> None:
        begins = float(self.plain.now + in_s)
        one = Reservation(f"r{self.reserved}", processors, begins, begins + for_s, access, terms)
        self.reserved += 1
        self._do(MakeReservation(one, "root"))
        self.plain.reserve(one)

    @where(choices.reservations)
    @rule(name=one_of(choices.reservations), then_s=moments)
    def release_reservation(self, name: str, then_s: int = 0) -> None:
        """One that is over has been forgotten, or will be: the server may say either."""
        with self._step("release reservation", then_s):
            [end_s] = [one.end_s for one in self.plain.world.reservations if one.name == name]
            refused = self._refused(ReleaseReservation(name, "root"))
            assert not refused or end_s <= self.plain.now
            self.plain.release_reservation(name)

    @begun
    @rule(policy=st.sampled_from(sorted(POLICIES)), then_s=moments)
    def change_policy(self, policy: str, then_s: int) -> None:
        """Another decides; one that only counts is refused while jobs that ask for nodes are there."""
        with self._step("change policy", then_s):
            name, values, simulator = POLICIES[policy]
            wishing = any(job.wishes for job in self.plain.there())
            given = {key: str(value) for key, value in values.items()}
            try:
                self._do(SetPolicy(name, given, "root"))
            except NotNow:
                assert wishing
                assert name in NEEDS_NO_NODES
                return
            assert not (wishing and name in NEEDS_NO_NODES)
            self.plain.decide()
            self.story.core.reactor.change_policy(name, given)
            self._run(self.story.settled())
            self.plain.change_policy(simulator, name, dict(values))

    @begun
    @rule(by_snapshot=st.booleans(), then_s=moments)
    def restart(self, by_snapshot: bool, then_s: int) -> None:
        """The server ends and another goes on from its journal, with or without its snapshots."""
        with self._step("restart", then_s):
            assert_same(self._run(again(self.story.journal)), self.story.state)
            self._run(self._restarted(by_snapshot))
            self.plain.restart()

    @begun
    @rule(seconds=st.integers(1, 20))
    def advance(self, seconds: int) -> None:
        """Time passes."""
        with self._step("advance"):
            self._pass(seconds)
