"""Backfilling over clusters: on one cluster as without clusters, and promises kept on several."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import molokini.policies
from molokini.model.coallocation import RequestKind, request_for
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.policies import load_policy, policy_names
from molokini.sim.agenda import next_instant
from molokini.sim.replay import Options, Replay
from tests.kit.cluster_worlds import clusters_of
from tests.kit.invariants import assert_tables_empty
from tests.kit.replays import finished, outcome, starts
from tests.kit.workloads import Job, job_lists, workload_of

CLUSTERS = (4, 4, 3)
asked = st.tuples(
    st.sampled_from([RequestKind.ORDERED, RequestKind.UNORDERED, RequestKind.FLEXIBLE]),
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.integers(1, 20),
    st.integers(0, 15),
)
"""Kind, sizes, run time, and how much longer the estimate is."""
Asked = tuple[RequestKind, list[int], int, int]


def begun(jobs: list[Asked], policy: str) -> Replay:
    plain = [Job(2 * k, run, sum(sizes), run + more) for k, (_, sizes, run, more) in enumerate(jobs)]
    requests = {k: request_for(kind, sizes) for k, (kind, sizes, *_) in enumerate(jobs)}
    machine = clusters_of(*CLUSTERS)
    return Replay(workload_of(plain), machine, load_policy(policy), options=Options(requests=requests))


def replayed(jobs: list[Asked], policy: str) -> Replay:
    replay = begun(jobs, policy)
    assert replay.run()
    return replay


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("name", ["fcfs", "easy", "conservative"])
@pytest.mark.parametrize("machine", [8, clusters_of(8)], ids=["counted", "one cluster"])
@given(jobs=job_lists(8), overrun=st.sampled_from(["kill", "extend"]))
@settings(max_examples=150, deadline=None)
def test_without_clusters_nothing_differs(
    name: str, machine: int | Machine, jobs: list[Job], overrun: str
) -> None:
    over_clusters = finished(jobs, f"{name}-worstfit", machine, overrun=overrun)
    without = finished(jobs, name, 8, overrun=overrun)
    assert outcome(over_clusters.schedule()) == outcome(without.schedule())


@given(jobs=st.lists(asked, min_size=1, max_size=14))
@settings(max_examples=150, deadline=None)
def test_no_cluster_is_planned_to_have_more_than_it_has(jobs: list[Asked]) -> None:
    """At any instant, whether jobs have ended early or not: each keeps the clusters of the start it keeps."""
    replay = begun(jobs, "conservative-worstfit")
    over = False
    while not over:
        over = replay.run(next_instant(replay.agenda, replay.tables))
        profile = replay.tables.profile
        assert (profile.lanes[profile.first : profile.last, : len(CLUSTERS)] >= 0).all()


@given(jobs=st.lists(asked, min_size=1, max_size=14))
@settings(max_examples=150, deadline=None)
def test_no_job_starts_later_than_its_first_reservation(jobs: list[Asked]) -> None:
    replay = replayed(jobs, "conservative-worstfit")
    schedule, promised = replay.schedule(), replay.agenda.results.first_reserved_s
    assert schedule.finished.all()
    assert (schedule.start_s <= promised).all()
    assert_tables_empty(replay)


@given(jobs=st.lists(asked, min_size=2, max_size=14))
@settings(max_examples=100, deadline=None)
def test_the_head_of_easy_is_not_delayed(jobs: list[Asked]) -> None:
    # With right estimates the first that waits starts when FCFS starts it: nobody who passes holds it up.
    right = [(kind, sizes, run, 0) for kind, sizes, run, _ in jobs]
    easy, fcfs = replayed(right, "easy-worstfit"), replayed(right, "fcfs-worstfit")
    start, base = easy.schedule().start_s, fcfs.schedule().start_s
    submit = easy.workload.submit_s
    waiting = np.flatnonzero(base > submit)
    if waiting.size:
        assert start[waiting[0]] <= base[waiting[0]]


def test_backfilling_over_clusters_by_hand() -> None:
    jobs: list[Asked] = [
        (RequestKind.ORDERED, [4], 10, 0),
        (RequestKind.ORDERED, [1, 4], 10, 0),  # waits for cluster 0
        (RequestKind.ORDERED, [1, 1, 3], 5, 0),  # at 4: waits, too
        (RequestKind.UNORDERED, [3], 4, 0),  # at 6: fits on cluster 1 until 10
        (
            RequestKind.UNORDERED,
            [3, 3],
            20,
            0,
        ),  # at 8: has no second cluster; at 10 it would hold up the third
    ]
    assert starts(replayed(jobs, "fcfs-worstfit")) == [0, 10, 20, 20, 24]
    assert starts(replayed(jobs, "easy-worstfit")) == [0, 10, 20, 6, 20]
    assert starts(replayed(jobs, "conservative-worstfit")) == [0, 10, 20, 6, 20]


def test_a_plan_that_counts_refuses_other_wishes() -> None:
    need = {Resource.PROCESSORS: 1.0, Resource.MEMORY_KB: 1.0}
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 4.0})])
    workload = replace(workload_of([Job(0, 1, 1), Job(0, 1, 1)]))
    options = Options(requests={1: Request((Component(1, need),))})
    replay = Replay(workload, machine, load_policy("conservative-worstfit"), options=options)
    assert replay.run()
    assert dict(replay.schedule().refused) == {"needs_nodes": 1}


@pytest.mark.parametrize(
    ("name", "also", "given"),
    [
        ("fcfs", "fcfs-worstfit", {}),
        ("easy", "easy-worstfit", {}),
        ("conservative", "conservative-worstfit", {"place": "clusters"}),
    ],
)
@pytest.mark.parametrize("choice", [{}, {"fit": "best", "spread": "fill"}])
def test_each_has_its_parameters(name: str, also: str, given: dict[str, str], choice: dict[str, str]) -> None:
    """By functions and by the vector that they read, and so by each start."""
    one, other = load_policy(name), load_policy(also)
    assert (one.schedule, one.begin) == (other.schedule, other.begin)
    vectors = [
        list(policy.site(values).vector(lambda *_: 0, lambda _: 0))
        for policy, values in ((one, {**given, **choice}), (other, choice))
    ]
    assert vectors[0] == vectors[1]


def test_names_of_a_file_are_those_that_it_declares() -> None:
    folder = Path(molokini.policies.__file__).parent
    declared: dict[str, str] = {}
    for path in folder.glob("*.py"):
        module = import_module(f"molokini.policies.{path.stem}") if path.stem != "__init__" else None
        declared |= {one.name: path.stem for one in getattr(module, "POLICIES", ())}
    assert len(declared) == 6
    assert declared.keys() <= set(policy_names())
    for name, file in declared.items():
        assert load_policy(name).declaration.name == name
        assert load_policy(name).schedule.__module__ == f"molokini.policies.{file}"


@pytest.mark.parametrize(
    ("values", "starts_s", "refused"),
    [
        ({}, [0.0, None, None], {"needs_nodes": 2}),
        ({"place": "clusters"}, [0.0, 5.0, None], {"needs_nodes": 1}),
    ],
)
def test_by_cluster_conservative_takes_what_it_can_count(
    values: dict[str, str], starts_s: list[float | None], refused: dict[str, Any]
) -> None:
    """A plain job, one of two components, and one that asks for a node for each of its tasks."""
    conservative = load_policy("conservative")
    apart = Request((Component(2, {Resource.PROCESSORS: 1.0}, tasks_per_node=1),))
    requests = {1: request_for(RequestKind.UNORDERED, [2, 4]), 2: apart}
    workload = workload_of([Job(0, 5, 8), Job(1, 5, 6), Job(2, 5, 2)])
    given = conservative.declaration.values(values)
    replay = Replay(workload, clusters_of(*CLUSTERS), conservative, given, Options(requests=requests))
    assert replay.run()
    assert starts(replay) == starts_s
    assert dict(replay.schedule().refused) == refused
