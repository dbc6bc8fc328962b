"""Nodes on which jobs run and administrators have reserved processors: in tables, and as plain lists.

Times are whole seconds, and now is 0. A job that asks is in the row ``ASKING``, of a user of its own choice.

The plain lists are independent of placement, availability and access in the product; the tables beside them
are the product's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.model.reservations import Reservation, Terms
from molokini.model.states import JobState, NodeState
from molokini.tables.additions import add_credential
from molokini.tables.making import make_tables
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.running import join_running, sort_running
from molokini.tables.tables import Tables

NODES, EACH, USERS, ASKING = 3, 4, (7, 8, 9), 15
NAMES = ("a", "b", "c")


@dataclass(frozen=True)
class Runs:
    """A job that runs on one node."""

    node: int
    processors: int
    end_s: int
    user: int


@dataclass(frozen=True)
class Kept:
    """What is reserved: processors by node, from when until when, for which users."""

    hosts: dict[int, int]
    from_s: int
    until_s: int
    users: tuple[int, ...]
    shared: bool
    sign: str = ""
    """How much these users want it, as an entry of an access list says it."""

    def lasts(self, at_s: int) -> bool:
        """Whether it has begun and not ended."""
        return self.from_s <= at_s < self.until_s


some_running = st.lists(
    st.builds(Runs, st.integers(0, NODES - 1), st.integers(1, 3), st.integers(1, 20), st.sampled_from(USERS)),
    max_size=6,
)
some_kept = st.lists(
    st.builds(
        lambda hosts, from_s, length_s, users, shared, sign: Kept(
            hosts, from_s, from_s + length_s, users, shared, sign
        ),
        st.dictionaries(st.integers(0, NODES - 1), st.integers(1, EACH), min_size=1),
        st.integers(0, 20),
        st.integers(1, 15),
        st.sampled_from([(), (7,), (8,), (7, 8)]),
        st.booleans(),
        st.sampled_from(["", "", "+", "=", "-"]),
    ),
    min_size=1,
    max_size=4,
)
some_draining = st.sampled_from([(), (), (0,), (1,), (0, 2)])
"""Nodes that take no new job; those on them run on."""


class ReservedNodes:
    """The plain lists; ``tables`` is the same for the core. Jobs that find no room are left out."""

    def __init__(self, running: Sequence[Runs], kept: Sequence[Kept], draining: Sequence[int] = ()) -> None:
        self.kept, self.draining = kept, draining
        self.running: list[Runs] = []
        for one in running:
            if self._left(one.node, 0) >= one.processors:
                self.running.append(one)

    def idle(self, node: int, at_s: int) -> int:
        """Processors of *node* that may be given to jobs then if no other job starts."""
        return 0 if node in self.draining else self._left(node, at_s)

    def _left(self, node: int, at_s: int) -> int:
        return EACH - sum(one.processors for one in self.running if one.node == node and one.end_s > at_s)

    def used_on(self, node: int, at_s: int) -> list[int]:
        """By reservation, how many processors of *node* jobs that it admits use then.

        Of reservations that keep processors of their own, a job counts in the first that has room, and what
        is left of it in the next: the last takes what no other has room for.
        """
        used = [0] * len(self.kept)
        for one in sorted(self.running, key=lambda one: one.end_s):
            if one.node != node or one.end_s <= at_s:
                continue
            left, last = one.processors, -1
            for r, kept in enumerate(self.kept):
                if not kept.lasts(at_s) or node not in kept.hosts or one.user not in kept.users:
                    continue
                if kept.shared:
                    used[r] += one.processors
                    continue
                taken = min(left, max(0, kept.hosts[node] - used[r]))
                used[r] += taken
                left, last = left - taken, r
            if last >= 0:
                used[last] += left
        return used

    def kept_on(self, user: int, node: int, at_s: int) -> int:
        """Processors of *node* that are kept then from jobs of *user*."""
        alone = together = 0
        for kept, used in zip(self.kept, self.used_on(node, at_s), strict=True):
            if not kept.lasts(at_s) or user in kept.users or node not in kept.hosts:
                continue
            unused = max(0, kept.hosts[node] - used)
            alone, together = (alone, max(together, unused)) if kept.shared else (alone + unused, together)
        return max(alone, together)

    def tables(self, user: int, width: int, estimate_s: int) -> Tables:
        """Tables in which a job of this user, width and estimate asks."""
        t = make_tables(Machine.uniform(NODES, EACH), rows=16)
        credentials = {one: add_credential(t, one, -1, -1, -1, -1) for one in USERS}
        for row, one in enumerate(self.running):
            t.jobs.state[row], t.jobs.expected_end_s[row] = JobState.RUNNING, float(one.end_s)
            t.jobs.width[row] = t.jobs.held[row] = one.processors
            t.jobs.credential[row] = credentials[one.user]
            t.entries.node[row], t.entries.tasks[row], t.entries.component[row] = one.node, one.processors, 0
            t.entries.next[row], t.jobs.entries[row] = -1, row
            t.nodes.free[one.node, 0] -= one.processors
            t.machine.free -= one.processors
            t.machine.idle -= one.processors
            join_running(t, row)
        sort_running(t)
        for node in self.draining:
            t.nodes.state[node] = NodeState.DRAINING
        found = []
        for r, kept in enumerate(self.kept):
            terms = Terms(shared=kept.shared, hosts={NAMES[node]: n for node, n in kept.hosts.items()})
            access = {"user": tuple(f"{user}{kept.sign}" for user in kept.users)} if kept.users else {}
            size, ends = sum(kept.hosts.values()), (float(kept.from_s), float(kept.until_s))
            found.append(Reservation(f"r{r}", size, *ends, access, terms))
        set_reservations(t, found, lambda _, name: int(name), nodes={name: k for k, name in enumerate(NAMES)})
        t.cycle.pass_s, t.cycle.room_epoch, t.cycle.start_epoch = 0.0, 5, 5
        t.jobs.state[ASKING], t.jobs.credential[ASKING] = JobState.WAITING, credentials[user]
        t.jobs.width[ASKING], t.jobs.estimate_s[ASKING] = width, float(estimate_s)
        t.jobs.component_count[ASKING] = 1
        return t
