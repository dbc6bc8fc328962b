"""The maximal utilization: by hand, and two ways to find it beside each other."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.metrics.capacity import GROWTH, as_recorded, saturated, searched
from molokini.metrics.repeating import PERIODS, options_of, recurring, repeated, steady_part, surely_grows
from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine
from molokini.model.outages import Outage
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.workloads.generated import generated
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload
from tests.kit.workloads import Job, workload_of

FCFS = load_policy("fcfs")
ROOT = Path(__file__).parents[3]
LOGS = [ROOT / "examples/kth-sp2-month.swf.gz", *sorted((ROOT.parent / "shared/data").glob("*.swf.gz"))]


def made(**given: str) -> Workload:
    model = generated("das")
    return model.make(model.values(given), 1)


def machine_of(workload: Workload) -> Machine:
    assert workload.platform is not None
    return Machine.of_platform(workload.platform)


def test_one_job_at_a_time_leaves_the_rest_idle() -> None:
    jobs = workload_of([Job(10 * k, 5, 6) for k in range(20)])
    found = saturated(jobs, Machine.counted(8), FCFS)
    assert found.held == pytest.approx(6 / 8)
    assert found.loss == pytest.approx(2 / 8)


def test_wide_and_narrow_in_turn() -> None:
    # Eight, then two that run together, and again: half the time full, half of it with four of eight.
    jobs = [Job(k, 1, 8 if k % 3 == 0 else 2) for k in range(300)]
    assert saturated(workload_of(jobs), Machine.counted(8), FCFS).held == pytest.approx(0.75, abs=0.01)


@pytest.mark.deep
def test_a_search_finds_what_a_full_queue_shows() -> None:
    workload = made(jobs="8000", mix="unordered", ratio="50")
    machine, policy = machine_of(workload), load_policy("fcfs-worstfit")
    one, other = saturated(workload, machine, policy), searched(workload, machine, policy, tolerance=0.01)
    assert other.held == pytest.approx(one.held, abs=0.02)
    assert other.computing == pytest.approx(one.computing, abs=0.02)
    assert 0.3 < one.computing < one.held < 0.6


@pytest.mark.deep
def test_backfilling_has_more_capacity() -> None:
    workload = made(jobs="2000", mix="ordered", ratio="10")
    machine = machine_of(workload)
    fcfs, easy = (
        searched(workload, machine, load_policy(name), tolerance=0.02)
        for name in ("fcfs-worstfit", "easy-worstfit")
    )
    assert easy.held > fcfs.held + 0.03


@pytest.mark.quick(one_in=37)
@pytest.mark.parametrize("name", ["fcfs", "easy", "sjf", "srpt"])
@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name.split(".")[0])
def test_no_log_reaches_more_than_what_is_found(log: Path, name: str) -> None:
    """Whatever the last jobs of a log do: its own rate is one that can be served."""
    workload = read_workload(str(log), limit=1000)
    assert workload.machine_processors is not None
    machine, policy = Machine.counted(workload.machine_processors), load_policy(name)
    found = searched(workload, machine, policy, tolerance=0.02)
    assert found.held >= as_recorded(workload, machine, policy).held
    assert found.held <= 1.0 + 1e-9


def test_a_burst_at_the_end_does_not_decide() -> None:
    """The same jobs, the busy days first or last: both come again and again, so the maximum is the same."""
    quiet, busy = [Job(20 * k, 10, 4) for k in range(200)], [Job(4000 + 4 * k, 10, 4) for k in range(100)]
    last = workload_of([*quiet, *busy])
    first = replace(last, submit_s=np.sort(4400 - last.submit_s))
    found = [searched(one, Machine.counted(8), load_policy("easy")).held for one in (last, first)]
    assert found == pytest.approx([1.0, 1.0], abs=0.02)


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(
        st.tuples(st.integers(0, 30), st.integers(1, 30), st.integers(1, 8)), min_size=3, max_size=12
    ),
    period_s=st.integers(20, 300),
    name=st.sampled_from(["fcfs", "easy", "sjf", "srpt", "ps"]),
)
def test_what_is_sure_early_stays_so(sizes: list[tuple[int, int, int]], period_s: int, name: str) -> None:
    jobs, options = workload_of([Job(*one) for one in sorted([(0, 1, 1), *sizes, (31, 1, 1)])]), Options()
    replay = Replay(repeated(jobs, float(period_s)), Machine.counted(8), load_policy(name), options=options)
    sure = []
    for now_s in np.linspace(period_s, PERIODS * period_s, 9, endpoint=False):
        replay.run(now_s)
        sure.append(surely_grows(replay.schedule(), now_s, float(period_s), options, GROWTH))
    replay.run(float(PERIODS * period_s))
    grows = steady_part(replay.schedule(), float(period_s), options).growth > GROWTH
    assert not any(sure) or grows
    # What is sure stays so.
    assert sure == sorted(sure)


def test_twice_what_can_be_served_is_sure_at_once() -> None:
    jobs = workload_of([Job(10 * k, 10, 8) for k in range(20)])
    replay = Replay(repeated(jobs, 100.0), Machine.counted(8), FCFS)
    replay.run(100.0)
    assert surely_grows(replay.schedule(), 100.0, 100.0, Options(), GROWTH)
    assert not surely_grows(replay.schedule(), 100.0, 100.0, Options(), 0.6)


def test_a_policy_that_shares_processors_has_a_maximum() -> None:
    """Under ps each job starts as it comes: the queue is empty, and the work still to be done grows."""
    jobs = workload_of([Job(10 * k, 10, 4) for k in range(300)])
    assert searched(jobs, Machine.counted(8), load_policy("ps")).held == pytest.approx(1.0, abs=0.02)


def test_without_communication_all_that_is_held_computes() -> None:
    workload = replace(made(jobs="500", mix="total"), communication=None)
    found = saturated(workload, machine_of(workload), load_policy("fcfs-worstfit"))
    assert found.held == pytest.approx(found.computing)


def test_what_no_capacity_can_be_found_of() -> None:
    one = workload_of([Job(0, 1)])
    together = replace(workload_of([Job(0, 1), Job(1, 1)]), submit_s=np.zeros(2))
    with pytest.raises(BadValue, match="jobs"):
        saturated(one, Machine.counted(8), FCFS)
    with pytest.raises(BadValue, match="workload"):
        searched(together, Machine.counted(8), FCFS)
    with pytest.raises(BadValue, match="tolerance"):
        searched(workload_of([Job(0, 1), Job(1, 1)]), Machine.counted(8), FCFS, tolerance=0.0)


def test_each_time_a_job_may_run_on_for_as_long_as_once() -> None:
    options = Options(overruns_s=np.array([0.0, 600.0, 5.0]))
    found = options_of(options, 3).overruns_s
    assert found is not None
    assert found.tolist() == [0.0, 600.0, 5.0] * PERIODS


def test_outages_of_a_log_recur_with_its_own_time() -> None:
    """Eleven jobs in 1,000 s are a period of 1,100 s; whatever their later rate, the outages keep to it."""
    workload = workload_of([Job(50 + 100 * k, 5, 6) for k in range(11)])
    given = [
        Outage(0, 40, 4, node=0),
        Outage(0, 60, 4, node=0),
        Outage(1000, math.inf, 4, node=0),
        Outage(20, 5000, 4, node=1),
        Outage(200, 300, 4, node=2),
    ]
    found = {node: [] for node in range(3)}  # type: dict[int, list[tuple[float, float]]]
    for one in recurring(given, workload, 2000):
        found[one.node].append((one.start_s, one.end_s))
    assert found == {
        0: [(0, 10), (950, 1110), (2050, 2200)],
        1: [(0, math.inf)],
        2: [(150, 250), (1250, 1350)],
    }
    with pytest.raises(BadInput, match="would recur 1,000,000 times, 2,000,000 in all"):
        recurring(given[-1:] * 2, workload, 1100e6)


def test_work_that_an_outage_throws_away_does_not_count_as_done() -> None:
    """Between outages the machine is there for 900 s: two jobs of 400 s, and 100 s of a third, lost."""
    workload = workload_of([Job(500 * k, 400, 8) for k in range(100)])
    outages = [Outage(1000 * k + 700, 1000 * k + 800, 8) for k in range(50)]
    period_s = 100 * 400 / 0.85
    options = Options(outages=recurring(outages, workload, PERIODS * period_s))
    replay = Replay(repeated(workload, period_s), Machine.counted(8), FCFS, options=options)
    replay.run(PERIODS * period_s)
    part = steady_part(replay.schedule(), period_s, options)
    assert part.held == pytest.approx(0.9, abs=0.01)
    assert part.growth == pytest.approx((0.85 - 0.8) / 0.85, abs=0.01)
