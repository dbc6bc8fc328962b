"""Lanes of clusters in which jobs run against a list of what is free in each, second by second."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.availability import lanes
from molokini.availability.clusters import FITS, SPREADS, place_as_planned
from molokini.availability.profile import segment_at
from molokini.model.coallocation import RequestKind, request_for
from molokini.model.states import JobState
from molokini.tables.making import make_tables
from molokini.tables.running import join_running
from molokini.tables.tables import NEVER, Tables
from tests.kit.cluster_worlds import clusters_of, placed

CLUSTERS = (4, 5, 3)
PROCESSORS, HORIZON, ASKING = sum(CLUSTERS), 40, 20
Seconds = list[list[int]]
running_jobs = st.lists(
    st.tuples(st.sampled_from([2, 5, 5, 9]), st.lists(st.integers(0, 11), min_size=1, max_size=6)), max_size=6
)
"""The end of each, and the nodes that it would like."""
planned_jobs = st.lists(
    st.tuples(
        st.integers(0, 15), st.integers(1, 12), st.tuples(*(st.integers(0, size) for size in CLUSTERS))
    ),
    max_size=6,
)
"""From when on, how long, and how many processors of each cluster."""


def running(jobs: list[tuple[int, list[int]]]) -> tuple[Tables, Seconds]:
    """Tables in which these run, each on what is idle of its nodes, and what they leave second by second."""
    t = make_tables(clusters_of(*CLUSTERS), rows=32)
    seconds = [list(CLUSTERS) for _ in range(HORIZON)]
    entry = 0
    for row, (end_s, wanted) in enumerate(jobs):
        nodes = [node for node in dict.fromkeys(wanted) if t.nodes.free[node, 0] > 0]
        t.jobs.state[row], t.jobs.expected_end_s[row] = JobState.RUNNING, end_s
        t.jobs.width[row] = t.jobs.held[row] = len(nodes)
        t.machine.free -= len(nodes)
        for node in nodes:
            t.nodes.free[node, 0] = 0.0
            t.entries.node[entry], t.entries.tasks[entry], t.entries.component[entry] = node, 1, 0
            t.entries.next[entry], t.jobs.entries[row] = t.jobs.entries[row], entry
            entry += 1
            for second in range(end_s):
                seconds[second][int(t.nodes.group[node])] -= 1
        join_running(t, row)
    return t, seconds


def drawn(
    jobs: list[tuple[int, list[int]]], plans: list[tuple[int, int, tuple[int, ...]]]
) -> tuple[Tables, Seconds]:
    """The profile of the running jobs and of those plans that fit, and the same second by second."""
    t, seconds = running(jobs)
    lanes.lanes_of_running(t, 0.0, by_cluster=True)
    for row, (from_s, length, parts) in enumerate(plans, len(jobs)):
        whole = range(from_s, from_s + length)
        if all(part <= free for s in whole for part, free in zip(parts, seconds[s], strict=True)):
            t.planned_tasks[row], t.jobs.width[row] = parts, sum(parts)
            lanes.take(t, row, float(from_s), float(from_s + length))
            for s in whole:
                seconds[s] = [free - part for part, free in zip(parts, seconds[s], strict=True)]
    return t, seconds


def read(t: Tables, at_s: float) -> list[int]:
    """What is free of each cluster; the profile says how much that is in all."""
    segment = segment_at(t, at_s)
    found = [int(free) for free in t.profile.lanes[segment]]
    assert t.profile.free[segment] == sum(found)
    return found


def least(seconds: Seconds, from_s: int, length: int) -> list[int]:
    """What stays free of each cluster for so long."""
    return [min(column) for column in zip(*seconds[from_s : from_s + max(1, length)], strict=True)]


def ask(t: Tables, kind: RequestKind, sizes: list[int]) -> None:
    """The row ``ASKING`` is a waiting job for such a request."""
    request = request_for(kind, sizes)
    t.jobs.components[ASKING], t.jobs.component_count[ASKING] = 1, len(request.components)
    t.jobs.width[ASKING] = request.processors
    for k, component in enumerate(request.components, 1):
        t.components.tasks[k], t.components.where[k] = component.tasks, component.where
        t.components.spread[k], t.components.need[k, 0] = component.spread, 1.0
        t.components.next[k] = k + 1


@given(jobs=running_jobs, plans=planned_jobs)
def test_the_profile_is_what_runs_and_what_was_planned(
    jobs: list[tuple[int, list[int]]], plans: list[tuple[int, int, tuple[int, ...]]]
) -> None:
    t, seconds = drawn(jobs, plans)
    assert [read(t, at) for at in range(HORIZON)] == seconds
    first, last = t.profile.first, t.profile.last
    times = t.profile.time_s[first:last].tolist()
    assert times == sorted(set(times)), "each segment lasts"


@given(jobs=running_jobs, plans=planned_jobs)
def test_giving_back_undoes_planning(
    jobs: list[tuple[int, list[int]]], plans: list[tuple[int, int, tuple[int, ...]]]
) -> None:
    t, seconds = drawn(jobs, plans)
    for row, (from_s, length, parts) in enumerate(plans, len(jobs)):
        t.planned_tasks[row], t.jobs.width[row] = parts, sum(parts)
        lanes.give(t, row, float(from_s), float(from_s + length))
        assert read(t, from_s) == [f + p for f, p in zip(seconds[from_s], parts, strict=True)]
        lanes.take(t, row, float(from_s), float(from_s + length))
    assert [read(t, at) for at in range(HORIZON)] == seconds


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("kind", RequestKind)
@given(
    jobs=running_jobs,
    plans=planned_jobs,
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    length=st.integers(0, 8),
    now=st.integers(0, 6),
    fit=st.sampled_from(FITS),
    spread=st.sampled_from(SPREADS),
)
def test_the_earliest_start_and_on_which_clusters(
    kind: RequestKind,
    jobs: list[tuple[int, list[int]]],
    plans: list[tuple[int, int, tuple[int, ...]]],
    sizes: list[int],
    length: int,
    now: int,
    fit: str,
    spread: str,
) -> None:
    t, seconds = drawn(jobs, plans)
    t.clusters.fit, t.clusters.filling = FITS.index(fit), SPREADS.index(spread)
    ask(t, kind, sizes)
    found = {at: placed(kind, sizes, least(seconds, at, length), fit, spread) for at in range(now, 30)}
    wanted = next((at for at, parts in found.items() if parts is not None), NEVER)
    assert lanes.earliest(t, ASKING, float(length), float(now)) == wanted
    if wanted < NEVER:
        parts = found[int(wanted)] or {}
        assert t.planned_tasks[ASKING].tolist() == [parts.get(k, 0) for k in range(len(CLUSTERS))]
        assert lanes.fits_as_planned(t, ASKING, float(length), wanted)
    assert lanes.fits(t, ASKING, float(length), float(now)) == (found[now] is not None)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("kind", RequestKind)
@given(
    jobs=running_jobs, sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3), fit=st.sampled_from(FITS)
)
def test_components_lie_where_they_were_planned(
    kind: RequestKind, jobs: list[tuple[int, list[int]]], sizes: list[int], fit: str
) -> None:
    t, _ = drawn(jobs, [])
    t.clusters.fit = FITS.index(fit)
    ask(t, kind, sizes)
    if not lanes.fits(t, ASKING, 1.0, 0.0):
        return
    before = t.nodes.free.copy()
    count = place_as_planned(t, t.nodes.free, ASKING)
    assert (t.nodes.free == before).all(), "the room is as before"
    parts: dict[int, dict[int, int]] = {}
    for node, tasks, part in zip(
        *(column[:count].tolist() for column in (t.placing.node, t.placing.tasks, t.placing.component)),
        strict=True,
    ):
        assert tasks <= before[node, 0]
        of = parts.setdefault(part, {})
        of[int(t.nodes.group[node])] = of.get(int(t.nodes.group[node]), 0) + tasks
    in_all = [sum(of.get(k, 0) for of in parts.values()) for k in range(len(CLUSTERS))]
    assert in_all == t.planned_tasks[ASKING].tolist()
    for part, of in parts.items():
        assert sum(of.values()) == t.components.tasks[part]
        if kind is not RequestKind.FLEXIBLE:
            assert len(of) == 1, "a component lies in one cluster"
            assert t.components.where[part] in (-1, *of)
