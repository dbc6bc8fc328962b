"""What holds of all schedules in rows, whatever the jobs."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.agenda import next_instant
from molokini.sim.replay import Replay
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload
from tests.kit.invariants import assert_sound
from tests.kit.matrix_rows import GANG, columns_of, declared_of, row_settings
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")
"""Where several processes run tests, one compiles these policies for all of these."""
PROCESSORS = 8
DATA = Path(__file__).parents[4] / "shared" / "data"
LOGS = sorted(DATA.glob("*.swf.gz")) if DATA.is_dir() else []
WITH_ONE_ROW = {"gs": "fcfs", "mgs": "fcfs", "bgs": "conservative", "mbgs": "conservative"}
every = pytest.mark.parametrize("policy", GANG)
migrating = pytest.mark.parametrize("policy", ["mgs", "mbgs"])


def costs(policy: str, cost_s: float, tasks: int) -> dict[str, Any]:
    """Of policies that migrate."""
    return {"migration_cost": cost_s, "migrated_tasks": tasks} if policy[0] == "m" else {}


@pytest.mark.quick(one_in=3)
@every
@given(jobs=job_lists(PROCESSORS), values=row_settings())
@settings(max_examples=60, deadline=None)
def test_one_row_is_a_policy_without_rows(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    one = finished(jobs, policy, PROCESSORS, {**declared_of(policy, values), "mpl": 1})
    other = finished(jobs, WITH_ONE_ROW[policy], PROCESSORS)
    assert (starts(one), ends(one)) == (starts(other), ends(other))


@cache
def head_of(log: Path) -> Workload:
    """The first jobs of a log: read once for all policies."""
    return read_workload(log, limit=3000)


@cache
def times_of(log: Path, policy: str) -> tuple[list[float], list[float]]:
    """Starts and ends of a log; in one row where the policy has rows."""
    workload, loaded = head_of(log), load_policy(policy)
    machine = Machine.counted(int(workload.machine_processors or workload.processors.max()))
    values = {**loaded.declaration.values({}), **({"mpl": 1} if policy in GANG else {})}
    replay = Replay(workload, machine, loaded, values)
    assert replay.run()
    return replay.agenda.results.started_s.tolist(), replay.agenda.results.ended_s.tolist()


@pytest.mark.quick(one_in=31)
@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name.split(".")[0])
@every
def test_with_one_row_they_are_policies_without_rows_on_logs(policy: str, log: Path) -> None:
    assert times_of(log, policy) == times_of(log, WITH_ONE_ROW[policy])


@migrating
@given(jobs=job_lists(PROCESSORS), values=row_settings())
@settings(max_examples=40, deadline=None)
def test_where_no_task_may_migrate_none_does(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    without = policy.removeprefix("m")
    one = finished(jobs, policy, PROCESSORS, {**declared_of(policy, values), "migrated_tasks": 0})
    other = finished(jobs, without, PROCESSORS, declared_of(without, values))
    assert outcome(one.schedule()) == outcome(other.schedule())


@pytest.mark.quick(one_in=3)
@every
@given(jobs=job_lists(PROCESSORS), values=row_settings())
@settings(max_examples=60, deadline=None)
def test_the_matrix_is_sound_at_every_event(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    replay = prepared(jobs, policy, PROCESSORS, declared_of(policy, values))
    count, switch = values["mpl"], values["context_switch"]
    useful = 1.0 if count == 1 else 1.0 - switch
    # A job that stands in all rows loses nothing where a switch is paid for changes alone.
    most = 1.0 if values["switch"] == "changed" else useful
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        t = replay.tables
        running = t.queue.running[: t.queue.running_count].tolist()
        assert t.matrix.held == len(running)
        taken = [
            {c for row in running if t.matrix.rows[row] >> r & 1 for c in columns_of(t, row)}
            for r in range(count)
        ]
        for row in running:
            rows, home = int(t.matrix.rows[row]), int(t.matrix.home[row])
            columns = columns_of(t, row)
            assert len(columns) == t.jobs.width[row]
            assert rows >> home & 1
            assert t.jobs.rate[row] >= useful / count - 1e-12
            for r in range(count):
                there = rows >> r & 1 or not taken[r].isdisjoint(columns)
                assert there, "FillMatrix has left a copy out"
        used = sum(float(t.jobs.width[row] * t.jobs.rate[row]) for row in running)
        assert used <= PROCESSORS * most + 1e-9
    assert replay.tables.matrix.held == 0
    assert not replay.tables.matrix.rows.any()


@every
@given(jobs=job_lists(PROCESSORS), values=row_settings())
@settings(max_examples=40, deadline=None)
def test_work_is_conserved_through_migrations(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    replay = finished(jobs, policy, PROCESSORS, {**declared_of(policy, values), "mode": "rate"})
    assert_sound(replay, jobs)


@pytest.mark.quick(one_in=3)
@every
@given(jobs=job_lists(PROCESSORS), values=row_settings())
@settings(max_examples=40, deadline=None)
def test_a_job_has_a_slice_in_every_cycle(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    values = {**values, "mode": "exact", "mpl": max(2, values["mpl"])}
    replay = prepared(jobs, policy, PROCESSORS, declared_of(policy, values))
    quantum_s, count = values["quantum_s"], values["mpl"]
    stood: dict[int, list[tuple[float, int]]] = {}
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        t = replay.tables
        for row in t.queue.running[: t.queue.running_count].tolist():
            rows = int(t.matrix.rows[row])
            stood.setdefault(int(t.jobs.serial[row]), []).append((replay.agenda.now, rows))
    schedule = replay.schedule()
    for one, changes in stood.items():
        start, end = float(schedule.start_s[one]), float(schedule.end_s[one])
        first, last = int(-(-start // (count * quantum_s))), int(end // (count * quantum_s))
        for cycle in range(first, last):
            slices = range(cycle * count, (cycle + 1) * count)
            assert any(_has_whole(changes, k * quantum_s, quantum_s, k % count) for k in slices)


def _has_whole(changes: list[tuple[float, int]], begin_s: float, quantum_s: float, r: int) -> bool:
    """Whether a job stood in row *r* throughout a slice."""
    before = [rows for at, rows in changes if at <= begin_s][-1:]
    inside = [rows for at, rows in changes if begin_s < at < begin_s + quantum_s]
    return all(rows >> r & 1 for rows in before + inside)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["gs", "mgs"])
@given(
    jobs=job_lists(PROCESSORS, most=8, shortest=1),
    switch=st.sampled_from([0.0, 0.5]),
    when=st.sampled_from(["every", "changed"]),
)
@settings(max_examples=80, deadline=None)
def test_by_rates_and_on_the_grid_it_is_one_schedule_where_all_happens_between_cycles(
    policy: str, jobs: list[Job], switch: float, when: str
) -> None:
    """Two rows of a quarter of a second: a cycle ends at every half, and at most of what happens.

    Policies that plan are left out: on the grid they plan a cycle more.
    """
    values: dict[str, Any] = {"mpl": 2, "quantum_s": 0.25, "context_switch": switch, "switch": when}
    values |= costs(policy, 0.0, 64)
    even, grid = (finished(jobs, policy, PROCESSORS, {**values, "mode": mode}) for mode in ("rate", "exact"))
    happened = [at for one in (even, grid) for at in (*starts(one), *ends(one)) if at is not None]
    assume(all(at == round(2 * at) / 2 for at in happened))
    assert (starts(grid), ends(grid)) == (starts(even), ends(even))


@pytest.mark.quick(one_in=3)
@every
@given(jobs=job_lists(PROCESSORS), values=row_settings())
@settings(max_examples=40, deadline=None)
def test_twice_all_times_is_twice_the_schedule(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    twice = [
        replace(
            one,
            submit=2 * one.submit,
            run=2 * one.run,
            estimate=None if one.estimate is None else 2 * one.estimate,
        )
        for one in jobs
    ]
    times = {name: 2 * values[name] for name in ("quantum_s", "migration_cost")}
    one = finished(jobs, policy, PROCESSORS, declared_of(policy, values)).schedule()
    other = finished(twice, policy, PROCESSORS, declared_of(policy, {**values, **times})).schedule()
    assert (2 * one.start_s).tobytes() == other.start_s.tobytes()
    assert (2 * one.end_s).tobytes() == other.end_s.tobytes()
