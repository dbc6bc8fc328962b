"""Outages in a replay: what jobs meet, and what metrics and pictures make of it."""

import math

import numpy as np
import pytest

from molokini.metrics import measure
from molokini.metrics.timelines import away_processors
from molokini.model.machine import Machine
from molokini.model.outages import Outage, outage_facts
from molokini.model.policy import Value
from molokini.plots.layout import AWAY, place
from tests.kit.invariants import assert_tables_empty
from tests.kit.policies import ALONE, different_policies
from tests.kit.replays import ends, finished
from tests.kit.workloads import Job

NODES = Machine.uniform(2, 4)


def test_facts_begin_with_the_replay_and_of_counted_processors_only_differences_are() -> None:
    outages = [Outage(-50, 0, 4, 0), Outage(-50, 20, 4, 1), Outage(0, 10, 8), Outage(10, math.inf, 8)]
    facts = [(one.time_s, one.kind.name, one.subject, one.amount) for one in outage_facts(outages, 0.0)]
    assert facts == [(0.0, "NODE_LOST", 1, 0), (20.0, "NODE_RETURNED", 1, 0), (0.0, "NODE_LOST", -1, 8)]


@pytest.mark.parametrize("policy", different_policies())
def test_every_policy_works_round_outages_of_nodes(policy: str) -> None:
    # Maui would not look at jobs that it has deferred for an hour.
    own: dict[str, dict[str, Value]] = {**ALONE, "maui": {"defer_s": 0.0}}
    jobs = [Job(0, 10, 4), Job(0, 10, 4), Job(6, 3, 8)]
    outages = [Outage(5, 30, 4, 0, "node001"), Outage(40, 50, 4, 1, "node002"), Outage(1e6, math.inf, 4, 0)]
    replay = finished(jobs, policy, NODES, own.get(policy, {}), outages=outages)
    schedule = replay.schedule()
    assert schedule.finished.all()
    assert_tables_empty(replay)
    last = schedule.end_s.max()
    # Where jobs share, a wide one needs no processor for itself.
    assert last >= 33 or policy in ("ps", "migrate-by-age"), "the wide job needs both nodes"
    away_s = sum(max(0.0, min(last, end_s) - start_s) for start_s, end_s in ((5, 30), (40, 50)))
    assert measure(schedule)["available_processor_s"] == 8 * last - 4 * away_s


def test_used_lost_idle_and_down_make_up_the_machine() -> None:
    # On four of eight from 5 to 25; the second job goes back to the queue and the third waits for both.
    jobs = [Job(0, 10, 4), Job(0, 10, 4), Job(2, 10, 8)]
    replay = finished(jobs, "fcfs", 8, outages=[Outage(5, 25, 4)])
    assert ends(replay) == [10.0, 20.0, 35.0]
    metrics = measure(replay.schedule())
    machine_s = 8 * 35
    used_s = 4 * 10 + 4 * (5 + 10) + 8 * 10
    # Idle and there while the third waits: four from 20 to 25.
    assert metrics["utilization"] == pytest.approx(used_s / machine_s)
    assert metrics["loss_of_capacity"] == pytest.approx(4 * 5 / machine_s)
    assert metrics["available_processor_s"] == machine_s - 4 * 20
    assert metrics["utilization_of_available"] == pytest.approx(used_s / (machine_s - 4 * 20))
    assert (metrics["requeues"], metrics["lost_work_processor_s"]) == (1, 20.0)


@pytest.mark.parametrize("mode", ["rate", "exact"])
def test_in_rows_what_is_down_is_not_lost(mode: str) -> None:
    values: dict[str, Value] = {"mpl": 2, "quantum_s": 5.0, "mode": mode}
    jobs = [Job(0, 10, 4), Job(20, 10, 8)]
    with_outage = finished(jobs, "gs", 8, values, outages=[Outage(12, 40, 4)])
    metrics = measure(with_outage.schedule())
    # The wide job waits from 20 to 40, while the four that are there stand idle.
    assert metrics["loss_of_capacity"] == pytest.approx(4 * 20 / (8 * metrics["makespan_s"]))  # type: ignore[operator]


def test_the_drawing_gives_jobs_and_outages_processors_of_their_own() -> None:
    jobs = [Job(number, 7 + number % 5, 1 + number % 3) for number in range(20)]
    outages = [Outage(3, 30, 2), Outage(10, 20, 3), Outage(50, math.inf, 1)]
    schedule = finished(jobs, "easy", 8, outages=outages).schedule()
    pieces = place(schedule, 200.0)
    down = pieces.of(pieces.job == AWAY)
    assert (down.end_s.max(), down.high.max()) == (200.0, 8.0)
    for at_s in np.arange(0.5, 100.0):
        now = (pieces.start_s <= at_s) & (at_s < pieces.end_s)
        low, high = pieces.low[now], pieces.high[now]
        order = np.argsort(low)
        assert (low[order][1:] >= high[order][:-1] - 1e-9).all(), f"overlap at {at_s}"
        here = now & (pieces.job == AWAY)
        taken = (pieces.high - pieces.low)[here].sum()
        steps = away_processors(schedule)
        assert taken == steps.values[np.searchsorted(steps.times, at_s, side="right") - 1] or at_s < 3
