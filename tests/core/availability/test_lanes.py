"""The lanes of the availability profile against plain lists: jobs planned, ended early, time that passes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from molokini.availability import lanes, profile
from molokini.availability.clusters import FITS, SPREADS
from molokini.availability.profile import segment_at
from molokini.model.coallocation import RequestKind, request_for
from molokini.model.machine import Machine
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from tests.kit.cluster_worlds import clusters_of, placed
from tests.kit.plain_availability import Asked, Parts, PlainRoom, anywhere

HORIZON, ASKING, MOST_PLANNED, ROWS = 150, 15, 4, 16
Step = tuple[str, int, int, int, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["plan", "plan", "plan", "end early", "time passes"]),
        st.integers(0, 12),
        st.integers(0, 15),
        st.integers(1, 6),
        st.integers(0, 9),
    ),
    max_size=40,
)
"""What happens; after how long, for how long, how wide, and of which kind or which job."""
some_lanes = st.one_of(st.just((8,)), st.lists(st.integers(1, 5), min_size=2, max_size=4).map(tuple))


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
        t.jobs.width[row] = sum(parts.values())
        if not self.counted:
            t.planned_tasks[row] = [parts.get(lane, 0) for lane in range(len(self.sizes))]
        (lanes.take if sign > 0 else lanes.give)(t, row, float(from_s), float(until_s))
        (self.plain.take if sign > 0 else self.plain.give)(parts, from_s, until_s)

    def read(self, at_s: int) -> list[int]:
        k = segment_at(self.tables, float(at_s))
        t = self.tables
        free = int(t.profile.free[k])
        by_lane: list[int] = [free] if self.counted else t.profile.lanes[k].tolist()
        assert sum(by_lane) == free
        return by_lane

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
    # A window of few segments: it is moved to the front of its arrays again and again.
    both.tables.profile.bind("time_s", np.zeros(2 * MOST_PLANNED + 4))
    both.tables.profile.bind("free", np.zeros(2 * MOST_PLANNED + 4, dtype=np.int64))
    lanes.lanes_of_running(both.tables, 0.0, by_cluster=not both.counted)
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
    kind, fit = [RequestKind.FLEXIBLE, RequestKind.UNORDERED][which % 2], FITS[which % 3]
    asked = anywhere(width) if both.counted else lambda free: placed(kind, [width], free, fit)
    start_s, parts = both.plain.earliest(asked, length_s, from_s)
    if parts is not None and start_s + length_s < HORIZON - 20:
        both.change(row, parts, int(start_s), int(start_s) + length_s, 1)
        both.jobs[row] = parts, int(start_s), int(start_s) + length_s


ONE_LANE_AFTER_ANOTHER: list[Step] = [("plan", 0, 5, 1, 3), ("plan", 5, 5, 1, 5)]
"""As many processors are busy before 5 as after it, but of another lane."""
ON_AND_ON: list[Step] = [
    ("plan", 0, 4, 1 + k % 3, k) if k % 2 else ("time passes", 6, 0, 1, 0) for k in range(40)
]
"""The window of segments reaches the end of its arrays."""


@example(sizes_of_lanes=(3, 2), steps=ONE_LANE_AFTER_ANOTHER)
@example(sizes_of_lanes=(3, 2), steps=ON_AND_ON)
@example(sizes_of_lanes=(4,), steps=ON_AND_ON)
@given(sizes_of_lanes=some_lanes, steps=steps)
@settings(max_examples=150, deadline=None)
def test_the_profile_is_what_was_taken_for_good(sizes_of_lanes: tuple[int, ...], steps: list[Step]) -> None:
    both = planned(sizes_of_lanes, steps)
    seconds = range(both.now, HORIZON)
    assert [both.read(at) for at in seconds] == [both.plain.free[at] for at in seconds]
    first, last = both.tables.profile.first, both.tables.profile.last
    times = both.tables.profile.time_s[first:last].tolist()
    assert times == sorted(set(times)), "each segment lasts"
    values = [both.read(int(at)) for at in times]
    assert all(one != other for one, other in pairwise(values)), "neighbours differ"


@given(
    sizes_of_lanes=some_lanes,
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
    sizes_of_lanes: tuple[int, ...],
    steps: list[Step],
    kind: RequestKind,
    sizes: list[int],
    length_s: int,
    after_s: int,
    fit: int,
    filling: int,
) -> None:
    both = planned(sizes_of_lanes, steps)
    t, from_s = both.tables, both.now + after_s
    t.clusters.fit, t.clusters.filling = fit, filling
    asked = both.wanted(kind, sizes)
    wanted_s, parts = both.plain.earliest(asked, length_s, from_s)
    fits = both.plain.fits(asked, from_s, length_s) is not None
    assert lanes.fits(t, ASKING, float(length_s), float(from_s)) == fits
    assert lanes.earliest(t, ASKING, float(length_s), float(from_s)) == wanted_s
    if parts is not None and not both.counted:
        assert t.planned_tasks[ASKING].tolist() == [parts.get(lane, 0) for lane in range(len(sizes_of_lanes))]
        assert lanes.fits_as_planned(t, ASKING, float(length_s), wanted_s)
    most = max(sum(both.plain.free[at]) for at in range(from_s, from_s + length_s + 1))
    assert profile.most_free(t, float(from_s), float(from_s + length_s + 1)) == most
