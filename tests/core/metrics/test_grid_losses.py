"""What schedules on the grid of slices occupied and lost: by hand, and against a walk from slice to slice."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.metrics.measures import measure
from molokini.metrics.timelines import queue_length, value_at
from molokini.sim.schedule import Schedule
from tests.kit.matrix_rows import GANG, job
from tests.kit.replays import finished
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")

PROCESSORS = 8
QUANTUM_S = 4.0
FULL = [job(4, 10), job(4, 10), job(4, 10)]


def test_every_slice_that_begins_while_a_job_waits_loses_its_switch() -> None:
    values: dict[str, Any] = {"mpl": 2, "mode": "exact", "quantum_s": 4.0, "context_switch": 0.25}
    schedule = finished(FULL, "gs", 4, values, interpreted=True).schedule()
    assert schedule.end_s.tolist() == [26.0, 30.0, 40.0]
    found: dict[str, Any] = dict(measure(schedule))
    # The third job waits for 26 s: seven slices begin in them, and each loses 1 s of four processors.
    assert found["loss_of_capacity"] == pytest.approx(7 * 4 / 160)
    assert found["occupied"] == pytest.approx(1.0)
    assert found["utilization"] == pytest.approx(120 / 160)


def test_what_is_empty_is_of_the_row_that_has_the_processors() -> None:
    # Rows 1111, 222. and, from 6 s on, a job of four that waits until 28 s.
    jobs = [job(4, 16), job(3, 16), job(4, 4, at=6)]
    schedule = finished(jobs, "gs", 4, {"mpl": 2, "mode": "exact", "quantum_s": 4.0}).schedule()
    assert schedule.start_s.tolist() == [0.0, 0.0, 28.0]
    # One of four processors is empty in [6, 8), [12, 16) and [20, 24).
    capacity = 4 * float(schedule.end_s.max())
    assert measure(schedule)["loss_of_capacity"] == pytest.approx(10 / capacity)


@st.composite
def settings_of(draw: st.DrawFn) -> dict[str, Any]:
    """Rows on a grid, and what migration costs."""
    return {
        "mpl": draw(st.integers(2, 4)),
        "context_switch": draw(st.sampled_from([0.0, 0.25])),
        "switch": draw(st.sampled_from(["every", "changed"])),
        "migration_cost": draw(st.sampled_from([0.0, 1.0])),
        "mode": "exact",
        "quantum_s": QUANTUM_S,
    }


def of(policy: str, values: dict[str, Any]) -> dict[str, Any]:
    """Without what migration costs where none migrates."""
    return {name: value for name, value in values.items() if policy[0] == "m" or name != "migration_cost"}


@pytest.mark.parametrize("policy", GANG)
@given(jobs=job_lists(PROCESSORS, shortest=1), values=settings_of())
@settings(max_examples=40, deadline=None)
def test_it_is_what_a_walk_finds(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    schedule = finished(jobs, policy, PROCESSORS, of(policy, values)).schedule()
    found: dict[str, Any] = dict(measure(schedule))
    if not found["makespan_s"]:
        return
    capacity = PROCESSORS * float(found["makespan_s"])
    lost_s, occupied_s = walked(schedule, values)
    assert found["loss_of_capacity"] == pytest.approx(lost_s / capacity)
    assert found["occupied"] == pytest.approx(occupied_s / capacity)


@pytest.mark.parametrize("policy", GANG)
@given(jobs=job_lists(PROCESSORS, shortest=1), values=settings_of())
@settings(max_examples=40, deadline=None)
def test_without_switches_the_rest_is_migration(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    values = {**values, "context_switch": 0.0}
    found: dict[str, Any] = dict(measure(finished(jobs, policy, PROCESSORS, of(policy, values)).schedule()))
    if found["makespan_s"]:
        assert found["occupied"] == pytest.approx(found["utilization"] + found["loss_by_migration"])


def walked(schedule: Schedule, values: dict[str, Any]) -> tuple[float, float]:
    """Processor-seconds lost while a job waits, and occupied: from the first submission to the last end."""
    count, changed = values["mpl"], values["switch"] == "changed"
    trace, width, queue = schedule.trace, schedule.workload.processors, queue_length(schedule)
    first_s = float(schedule.workload.submit_s[~schedule.refused_rows].min())
    last_s = float(np.nanmax(schedule.end_s))
    edges = {first_s, last_s, *trace.time_s.tolist(), *queue.times.tolist(), *schedule.end_s.tolist()}
    edges |= {k * QUANTUM_S for k in range(math.floor(last_s / QUANTUM_S) + 1)}
    instants = sorted(at for at in edges if first_s <= at <= last_s)
    lost_s = occupied_s = 0.0
    for at, until in pairwise(instants):
        rows = dict[int, int]()
        for k in np.flatnonzero(trace.time_s <= at).tolist():
            rows[int(trace.job[k])] = int(trace.rows[k])
        r = math.floor(at / QUANTUM_S) % count
        there = [one for one, bits in rows.items() if bits >> r & 1 and not schedule.end_s[one] <= at]
        used = sum(int(width[one]) for one in there)
        occupied_s += used * (until - at)
        if value_at(queue, np.array([at]))[0] > 0:
            lost_s += (PROCESSORS - used) * (until - at)
            if at % QUANTUM_S == 0:
                new = [one for one in there if not (changed and rows[one] >> (r - 1) % count & 1)]
                lost_s += QUANTUM_S * values["context_switch"] * sum(int(width[one]) for one in new)
    return lost_s, occupied_s
