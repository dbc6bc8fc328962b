"""Jobs over several clusters through the engine: where they lie, how long they take, who is refused."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.applications.kinds import JobKind
from molokini.model.coallocation import RequestKind, request_for
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Options, Overrun, Replay
from molokini.workloads.components import Communication
from molokini.workloads.generated import generated
from tests.kit import cluster_worlds as plain
from tests.kit.cluster_worlds import clusters_of
from tests.kit.invariants import assert_tables_empty
from tests.kit.replays import listed, outcome
from tests.kit.workloads import Job, workload_of

Asked = tuple[RequestKind, tuple[int, ...], int]
"""Kind, sizes, computation in seconds."""
CLUSTERS = (4, 4, 3)
INSIDE_S, BETWEEN_S = 0.5, 4.0

kinds = st.sampled_from(RequestKind)
asked = st.tuples(kinds, st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple), st.integers(0, 20))
policies = pytest.mark.parametrize("policy", ["fcfs-worstfit", "easy-worstfit", "conservative-worstfit"])


def replayed(
    jobs: Sequence[Asked],
    policy: str = "fcfs-worstfit",
    gap_s: int = 3,
    estimate_s: float = 1000.0,
    pattern: JobKind = JobKind.ALL_TO_ALL,
    interpreted: bool = False,
    **values: str,
) -> Replay:
    """The jobs, one every *gap_s*, run to the end on three clusters."""
    plain_jobs = [
        Job(gap_s * k, run, sum(sizes), estimate=estimate_s) for k, (_, sizes, run) in enumerate(jobs)
    ]
    communication = Communication(pattern, np.full(len(jobs), INSIDE_S), np.full(len(jobs), BETWEEN_S))
    workload = replace(workload_of(plain_jobs), communication=communication)
    requests = {k: request_for(kind, sizes) for k, (kind, sizes, _) in enumerate(jobs)}
    loaded = load_policy(policy)
    given = {**loaded.declaration.values({}), **values}
    replay = Replay(
        workload, clusters_of(*CLUSTERS), loaded, given, Options(requests=requests, interpreted=interpreted)
    )
    assert replay.run()
    return replay


def slowest_s(parts: Sequence[int]) -> float:
    return max((part - 1) * INSIDE_S + (sum(parts) - part) * BETWEEN_S for part in parts)


def test_the_place_says_how_long_a_job_takes() -> None:
    jobs: list[Asked] = [
        (RequestKind.TOTAL, (4,), 10),
        (RequestKind.ORDERED, (1, 2, 1), 10),
        (RequestKind.FLEXIBLE, (5, 3), 10),
    ]
    ran = replayed(jobs, gap_s=1000).schedule().run_s.tolist()
    assert ran == [10 + 3 * 0.5, 10 + 3 * 4.0, 10 + 3 * 0.5 + 4 * 4.0]
    filled = replayed(jobs, gap_s=1000, spread="fill").schedule().run_s.tolist()
    assert filled == ran, "eight tasks fill two clusters of four either way"


def test_equal_idleness_or_full_clusters() -> None:
    job: list[Asked] = [(RequestKind.FLEXIBLE, (6,), 10)]
    assert replayed(job).schedule().run_s.tolist() == [10 + slowest_s([3, 3])]
    assert replayed(job, spread="fill").schedule().run_s.tolist() == [10 + slowest_s([4, 2])]


def test_communication_is_killed_at_the_estimate_too() -> None:
    job: list[Asked] = [(RequestKind.ORDERED, (2, 2), 10)]
    assert replayed(job, estimate_s=12.0).schedule().run_s.tolist() == [12.0]


@pytest.mark.parametrize(
    ("overrun", "runs_on_s", "ran_s"),
    [(Overrun.KILL, 1.5, 13.5), (Overrun.KILL, 100.0, 18.5), (Overrun.EXTEND, 1.5, 18.5)],
)
def test_communication_is_killed_when_the_job_has_run_on_for_as_long_as_it_may(
    overrun: Overrun, runs_on_s: float, ran_s: float
) -> None:
    communication = Communication(JobKind.ALL_TO_ALL, np.full(1, INSIDE_S), np.full(1, BETWEEN_S))
    workload = replace(workload_of([Job(0, 10, 4, estimate=12.0)]), communication=communication)
    options = Options(
        overrun=overrun,
        overruns_s=np.array([runs_on_s]),
        requests={0: request_for(RequestKind.ORDERED, (2, 2))},
        interpreted=True,
    )
    replay = Replay(workload, clusters_of(*CLUSTERS), load_policy("fcfs-worstfit"), None, options)
    assert replay.run()
    assert replay.schedule().run_s.tolist() == [ran_s]


def test_who_never_fits_is_refused_and_counted() -> None:
    jobs: list[Asked] = [
        (RequestKind.ORDERED, (1, 1, 4), 1),  # the third cluster has three nodes
        (RequestKind.UNORDERED, (5, 1), 1),
        (RequestKind.UNORDERED, (1, 1, 1, 1), 1),  # there are three clusters
        (RequestKind.TOTAL, (3, 2), 1),
        (RequestKind.FLEXIBLE, (6, 6), 1),  # eleven processors in all
        (RequestKind.FLEXIBLE, (6, 5), 1),
        (RequestKind.UNORDERED, (3, 4, 4), 1),
    ]
    schedule = replayed(jobs).schedule()
    assert schedule.refused_rows.tolist() == [True] * 5 + [False] * 2
    assert dict(schedule.refused) == {"never_placeable": 4, "wider_than_machine": 1}


def test_no_policy_that_counts_takes_them() -> None:
    assert dict(replayed([(RequestKind.FLEXIBLE, (2,), 1)], "conservative").schedule().refused) == {
        "needs_nodes": 1
    }


@given(jobs=st.lists(asked, min_size=1, max_size=12), spread=st.sampled_from(["balance", "fill"]))
@settings(max_examples=60, deadline=None)
def test_fcfs_as_the_plain_rules(jobs: list[Asked], spread: str) -> None:
    replay = replayed(jobs, spread=spread)
    expected = _plain_fcfs(jobs, 3, spread)
    schedule = replay.schedule()
    assert list(zip(listed(schedule.start_s), listed(schedule.end_s), strict=True)) == expected
    assert_tables_empty(replay)


def _plain_fcfs(jobs: Sequence[Asked], gap_s: int, spread: str) -> list[tuple[float | None, float | None]]:
    """FCFS job by job: each starts at the first instant at which it and all before it fit."""
    running: list[tuple[float, dict[int, int]]] = []
    times: list[tuple[float | None, float | None]] = []
    latest_s = 0.0
    for k, (kind, sizes, run) in enumerate(jobs):
        if plain.placed(kind, sizes, CLUSTERS, spread=spread) is None:
            times.append((None, None))
            continue
        instants = sorted({max(latest_s, gap_s * k), *(end for end, _ in running)})
        for now in (instant for instant in instants if instant >= max(latest_s, gap_s * k)):
            idle = list(CLUSTERS)
            for end, parts in running:
                for cluster, tasks in parts.items():
                    idle[cluster] -= tasks if end > now else 0
            found = plain.placed(kind, sizes, idle, spread=spread)
            if found is not None:
                break
        assert found is not None
        latest_s = now
        end = now + (run + slowest_s([tasks for tasks in found.values() if tasks]))
        running.append((end, found))
        times.append((now, end))
    return times


@policies
@given(jobs=st.lists(asked, min_size=1, max_size=12))
@settings(max_examples=30, deadline=None)
def test_interpreted_and_compiled_runs_are_equal(policy: str, jobs: list[Asked]) -> None:
    compiled, interpreted = replayed(jobs, policy), replayed(jobs, policy, interpreted=True)
    assert outcome(compiled.schedule()) == outcome(interpreted.schedule())


@policies
@given(jobs=st.lists(asked, min_size=1, max_size=10), until_s=st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_clusters_hold_and_components_lie_as_asked(policy: str, jobs: list[Asked], until_s: int) -> None:
    loaded = load_policy(policy)
    workload = workload_of([Job(3 * k, run, sum(sizes)) for k, (_, sizes, run) in enumerate(jobs)])
    requests = {k: request_for(kind, sizes) for k, (kind, sizes, _) in enumerate(jobs)}
    replay = Replay(workload, clusters_of(*CLUSTERS), loaded, options=Options(requests=requests))
    replay.run(until_s)
    t = replay.tables
    assert (t.nodes.free[:, 0] >= 0).all()
    held = [0] * len(CLUSTERS)
    for row in t.queue.running[: t.queue.running_count].tolist():
        parts: dict[int, dict[int, int]] = {}
        entry = int(t.jobs.entries[row])
        while entry >= 0:
            cluster = int(t.nodes.group[t.entries.node[entry]])
            of = parts.setdefault(int(t.entries.component[entry]), {})
            of[cluster] = of.get(cluster, 0) + int(t.entries.tasks[entry])
            held[cluster] += int(t.entries.tasks[entry])
            entry = int(t.entries.next[entry])
        kind, sizes, _ = jobs[int(t.jobs.serial[row])]
        assert sum(sum(part.values()) for part in parts.values()) == sum(sizes)
        if kind in (RequestKind.ORDERED, RequestKind.UNORDERED):
            assert sorted(sum(part.values()) for part in parts.values()) == sorted(sizes)
            used = [cluster for part in parts.values() for cluster in part]
            assert len(used) == len(set(used)), "each component has a cluster of its own"
    for cluster, nodes in enumerate(CLUSTERS):
        free = int(t.nodes.free[t.nodes.group[: t.nodes.count] == cluster, 0].sum())
        assert held[cluster] + free == nodes


@policies
def test_a_generated_workload_runs_to_its_end(policy: str) -> None:
    model = generated("das")
    workload = model.make(model.values({"jobs": "400", "mix": "unordered:0.5,flexible:0.5"}), 1)
    assert workload.platform is not None
    machine = Machine.of_platform(workload.platform)
    replay = Replay(workload, machine, load_policy(policy))
    assert replay.run()
    schedule = replay.schedule()
    assert schedule.finished.all()
    assert (schedule.run_s >= workload.run_s).all()
    assert (schedule.run_s <= workload.estimate_s).all()
    assert_tables_empty(replay)
