"""The lanes of the availability profile against plain lists: jobs planned, ended early, time that passes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.coallocation import RequestKind, request_for
from molokini.model.machine import Machine
from molokini.model.reservations import Reservation
from molokini.model.states import JobState
from molokini.room import cluster_profile, profile
from molokini.room.beside_reserved import earliest_beside, fits_beside
from molokini.room.clusters import FITS, SPREADS
from molokini.room.profile import segment_at
from molokini.tables.additions import add_credential
from molokini.tables.making import make_tables
from molokini.tables.reservations import set_reservations
from molokini.tables.running import join_running, sort_running
from molokini.tables.tables import Tables
from tests.kit.clusters import clusters_of, placed
from tests.kit.plain_room import NEVER, Asked, Parts, PlainRoom, anywhere

HORIZON, ASKING, MOST_PLANNED, ROWS = 150, 15, 10, 16
Step = tuple[str, int, int, int, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["plan", "plan", "plan", "end early", "time passes"]),
        st.integers(0, 12),
        st.integers(0, 15),
        st.integers(1, 9),
        st.integers(0, 9),
    ),
    max_size=40,
)
"""What happens; after how long, for how long, how wide, and of which kind or which job."""
lanes = st.one_of(st.just((8,)), st.lists(st.integers(1, 5), min_size=2, max_size=4).map(tuple))


@dataclass
class Planned:
    """The core's profile and the plain lists, side by side."""

    sizes: tuple[int, ...]
    tables: Tables
    plain: PlainRoom
    now: int = 0
    jobs: dict[int, tuple[Parts, int, int]] = field(default_factory=dict)
    """By row: where each is planned, from when and until when."""

    @property
    def counted(self) -> bool:
        return len(self.sizes) == 1

    def change(self, row: int, parts: Parts, from_s: int, until_s: int, sign: int) -> None:
        """Take (1) or give back (-1)."""
        t = self.tables
        if self.counted:
            profile.plan(t, float(from_s), float(until_s), sign * sum(parts.values()))
        else:
            t.planned_tasks[row] = [parts.get(lane, 0) for lane in range(len(self.sizes))]
            cluster_profile.plan(t, row, float(from_s), float(until_s), sign)
        (self.plain.take if sign > 0 else self.plain.give)(parts, from_s, until_s)

    def read(self, at_s: int) -> list[int]:
        k = segment_at(self.tables, float(at_s))
        t = self.tables
        return [int(t.profile.free[k])] if self.counted else t.profile.clusters[k].tolist()

    def wanted(self, kind: RequestKind, sizes: list[int]) -> Asked:
        """The row ``ASKING`` is a job of such a request; the same as plain lists have it."""
        t = self.tables
        request = request_for(kind, sizes)
        t.jobs.width[ASKING] = request.processors
        t.jobs.components[ASKING], t.jobs.component_count[ASKING] = 1, len(request.components)
        for k, component in enumerate(request.components, 1):
            t.components.tasks[k], t.components.where[k] = component.tasks, component.where
            t.components.spread[k], t.components.need[k, 0] = component.spread, 1.0
            t.components.next[k] = k + 1
        if self.counted:
            return anywhere(request.processors)
        fit, spread = FITS[t.clusters.fit], SPREADS[t.clusters.filling]
        return lambda free: placed(kind, sizes, free, fit, spread)


def planned(sizes: tuple[int, ...], steps: Sequence[Step]) -> Planned:
    """Both after all of these steps; a job is planned at its earliest from some second on."""
    machine = Machine.counted(sizes[0]) if len(sizes) == 1 else clusters_of(*sizes)
    both = Planned(sizes, make_tables(machine, rows=ROWS), PlainRoom(sizes, HORIZON))
    if both.counted:
        profile.clear_profile(both.tables, 0.0, sizes[0])
    else:
        cluster_profile.profile_of_running(both.tables, 0.0)
    for kind, after_s, length_s, width, which in steps:
        if kind == "plan":
            _plan(both, both.now + after_s, length_s, width, which)
        elif kind == "time passes" and both.now < HORIZON // 3:
            both.now += after_s // 3
            profile.forget_past(both.tables, float(both.now))
            both.jobs = {row: job for row, job in both.jobs.items() if job[2] > both.now}
        elif kind == "end early" and both.jobs:
            # What is left of it, or all of it where it has not begun, is given back.
            row = sorted(both.jobs)[which % len(both.jobs)]
            parts, start_s, end_s = both.jobs.pop(row)
            both.change(row, parts, max(both.now, start_s), end_s, -1)
    return both


def _plan(both: Planned, from_s: int, length_s: int, width: int, which: int) -> None:
    row = next((row for row in range(MOST_PLANNED) if row not in both.jobs), None)
    if row is None:
        return
    kind = [RequestKind.FLEXIBLE, RequestKind.UNORDERED][which % 2]
    asked = anywhere(width) if both.counted else lambda free: placed(kind, [width], free)
    start_s, parts = both.plain.earliest(asked, length_s, from_s)
    if parts is not None and start_s + length_s < HORIZON - 20:
        both.change(row, parts, int(start_s), int(start_s) + length_s, 1)
        both.jobs[row] = parts, int(start_s), int(start_s) + length_s


@given(lanes=lanes, steps=steps)
@settings(max_examples=150, deadline=None)
def test_the_profile_is_what_was_taken_and_not_given_back(lanes: tuple[int, ...], steps: list[Step]) -> None:
    both = planned(lanes, steps)
    seconds = range(both.now, HORIZON)
    assert [both.read(at) for at in seconds] == [both.plain.free[at] for at in seconds]
    first, last = both.tables.profile.first, both.tables.profile.last
    times = both.tables.profile.time_s[first:last].tolist()
    assert times == sorted(set(times)), "each segment lasts"
    values = [both.read(int(at)) for at in times]
    assert all(one != other for one, other in pairwise(values)), "neighbours differ"


@given(
    lanes=lanes,
    steps=steps,
    kind=st.sampled_from([RequestKind.ORDERED, RequestKind.UNORDERED, RequestKind.FLEXIBLE]),
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    length_s=st.integers(0, 12),
    after_s=st.integers(0, 20),
    fit=st.sampled_from(range(len(FITS))),
    filling=st.sampled_from(range(len(SPREADS))),
)
@settings(max_examples=300, deadline=None)
def test_where_and_when_there_is_room(
    lanes: tuple[int, ...],
    steps: list[Step],
    kind: RequestKind,
    sizes: list[int],
    length_s: int,
    after_s: int,
    fit: int,
    filling: int,
) -> None:
    both = planned(lanes, steps)
    t, from_s = both.tables, both.now + after_s
    t.clusters.fit, t.clusters.filling = fit, filling
    asked = both.wanted(kind, sizes)
    wanted_s, parts = both.plain.earliest(asked, length_s, from_s)
    fits = both.plain.fits(asked, from_s, length_s) is not None
    if both.counted:
        width = sum(sizes)
        assert profile.fits(t, width, float(length_s), float(from_s)) == fits
        assert profile.earliest(t, width, float(length_s), float(from_s)) == wanted_s
        most = max(both.plain.free[at][0] for at in range(from_s, from_s + length_s + 1))
        assert profile.most_free(t, float(from_s), float(from_s + length_s + 1)) == most
        return
    assert cluster_profile.has_room(t, ASKING, float(length_s), float(from_s)) == fits
    assert cluster_profile.earliest(t, ASKING, float(length_s), float(from_s)) == wanted_s
    if parts is not None:
        assert t.planned_tasks[ASKING].tolist() == [parts.get(lane, 0) for lane in range(len(lanes))]
        assert cluster_profile.has_planned_room(t, ASKING, float(length_s), wanted_s)


Kept = tuple[int, int, int]
"""What an administrator reserves: from when on, for how long, how many processors."""
USERS = (7, 8, 9)
"""The first reservation admits the first user, the second the second; the third user has no access."""


def reserve(t: Tables, kept: Sequence[Kept]) -> None:
    """Reserve so much of counted processors."""
    found = []
    for r, (from_s, length_s, processors) in enumerate(kept):
        access = {"user": (str(USERS[r]),)} if r < 2 else {}
        found.append(Reservation(f"r{r}", processors, float(from_s), float(from_s + length_s), access))
    set_reservations(t, found, lambda _, name: int(name))


def kept_from(user: int, kept: Sequence[Kept], running: Sequence[tuple[int, int, int]], at_s: int) -> int:
    """Processors that are kept from jobs of *user* then; of running jobs: width, end, user."""
    in_all = 0
    for r, (from_s, length_s, processors) in enumerate(kept):
        admitted = USERS[r] if r < 2 else None
        if from_s <= at_s < from_s + length_s and user != admitted:
            inside = sum(width for width, end_s, one in running if one == admitted and end_s > at_s)
            in_all += max(0, processors - inside)
    return in_all


@given(
    lanes=lanes,
    running=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 30), st.sampled_from(USERS)), max_size=4),
    kept=st.lists(
        st.tuples(st.integers(0, 40), st.integers(1, 25), st.integers(1, 6)), min_size=1, max_size=3
    ),
    user=st.sampled_from(USERS),
    width=st.integers(1, 9),
    length_s=st.integers(0, 15),
    from_s=st.integers(0, 20),
    plans=st.lists(st.tuples(st.integers(0, 20), st.integers(1, 15), st.integers(1, 6)), max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_room_beside_what_administrators_reserve(
    lanes: tuple[int, ...],
    running: list[tuple[int, int, int]],
    kept: list[Kept],
    user: int,
    width: int,
    length_s: int,
    from_s: int,
    plans: list[tuple[int, int, int]],
) -> None:
    """Of all lanes together so much is kept; running jobs with access are inside."""
    both = planned(lanes, [("plan", after, length, wide, 0) for after, length, wide in plans])
    t = both.tables
    reserve(t, kept)
    # Jobs run on processors that the plan has for them: here beside those of the lanes, so they only count
    # for what reservations keep.
    credentials = {one: add_credential(t, one, -1, -1, -1, -1) for one in USERS}
    for row, (wide, end_s, owner) in enumerate(running, MOST_PLANNED):
        t.jobs.state[row], t.jobs.expected_end_s[row] = JobState.RUNNING, float(end_s)
        t.jobs.width[row] = t.jobs.held[row] = wide
        t.jobs.credential[row] = credentials[owner]
        join_running(t, row)
    sort_running(t)
    t.jobs.credential[ASKING] = credentials[user]
    t.cycle.pass_s, t.cycle.room_epoch = 0.0, 5
    asked = both.wanted(RequestKind.FLEXIBLE, [width])

    def left(at_s: int) -> int:
        return sum(both.plain.free[at_s]) - kept_from(user, kept, running, at_s)

    def fits(at_s: int) -> bool:
        during = range(at_s, at_s + max(1, length_s))
        return both.plain.fits(asked, at_s, length_s) is not None and all(left(at) >= width for at in during)

    wanted_s = next((float(at_s) for at_s in range(from_s, HORIZON) if fits(at_s)), NEVER)
    if both.counted:
        assert fits_beside(t, ASKING, float(length_s), float(from_s)) == fits(from_s)
        assert earliest_beside(t, ASKING, float(length_s), float(from_s)) == wanted_s
        return
    there = cluster_profile.has_room(t, ASKING, float(length_s), float(from_s))
    assert (there and cluster_profile.stays_out(t, ASKING, float(length_s), float(from_s))) == fits(from_s)
    assert cluster_profile.earliest_beside(t, ASKING, float(length_s), float(from_s)) == wanted_s
