"""The generator of divisible loads: what is drawn, what the paper leaves open, and what is refused."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.workloads.divisible_loads import delivered_load, nominal_load
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload

MODEL = generated("divisible")


TOO_SHORT = {"deadlines": "redraw-pair", "dcratio": 0.001, "sizes": "fixed"}
"""Deadlines that are drawn again and again."""


def made(seed: int = 1, **given: object) -> tuple[Workload, Mapping[str, object]]:
    values = MODEL.values({name.replace("_", "-"): str(value) for name, value in given.items()})
    return MODEL.make(values, seed), values


def test_the_base_setting() -> None:
    workload, _ = made(load=0.8)
    loads = workload.loads
    assert loads is not None
    average_s = loads.costs.execution_s("opr", 200, 16)
    assert np.diff(workload.submit_s).mean() == pytest.approx(average_s / 0.8, rel=0.05)
    assert 0 < workload.submit_s[0] <= workload.submit_s[-1] < 10_000_000
    # The mean of a normal distribution cut off at 0: 1 + density(1) / probability(1).
    assert loads.size.min() > 0
    assert loads.size.mean() == pytest.approx(1.2876 * 200, rel=0.03)
    raised = loads.deadline_s == workload.run_s
    # U from 1 to 3 below a normal x cut off at 0: half of the mean of (x - 1)+, near enough.
    assert 0.22 < raised.mean() < 0.25
    assert (workload.run_s > 3 * average_s).mean() == pytest.approx(0.027, abs=0.006)
    free = loads.deadline_s[~raised]
    assert average_s <= free.min()
    assert free.max() <= max(3 * average_s, workload.run_s.max())


def test_every_deadline_can_be_met_by_all_nodes() -> None:
    for how in ("raise", "redraw-pair"):
        workload, _ = made(deadlines=how, time=1_000_000)
        assert workload.loads is not None
        assert (workload.loads.deadline_s >= workload.run_s).all()


def test_redrawing_pairs_keeps_deadlines_where_they_were_drawn() -> None:
    workload, _ = made(deadlines="redraw-pair")
    assert workload.loads is not None
    average_s = workload.loads.costs.execution_s("opr", 200, 16)
    assert workload.loads.deadline_s.max() <= 3 * average_s
    assert not (workload.loads.deadline_s == workload.run_s).any()


def test_nominal_and_delivered_load() -> None:
    workload, values = made(load=0.8)
    assert nominal_load(values) == pytest.approx(0.8)  # type: ignore[arg-type]
    assert delivered_load(values, workload) == pytest.approx(0.8 * 1.2876, rel=0.05)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_jobs_and_the_same_sizes_at_every_load() -> None:
    one, again, other = made(3, load=0.5)[0], made(3, load=0.5)[0], made(3, load=1.0)[0]
    assert (one.submit_s == again.submit_s).all()
    assert one.loads is not None
    assert again.loads is not None
    assert other.loads is not None
    assert (one.loads.deadline_s == again.loads.deadline_s).all()
    assert one.submit_s == pytest.approx(2 * other.submit_s[: len(one)])
    assert made(4, load=0.5)[0].submit_s[0] != one.submit_s[0]


def test_fixed_sizes_at_bounded_gaps() -> None:
    workload, _ = made(
        nodes=64, sizes="fixed", gaps="uniform", gap_low=366, gap_high=425, deadline_least=2612
    )
    assert workload.loads is not None
    assert (workload.loads.size == 200).all()
    gaps = np.diff(workload.submit_s)
    assert gaps.min() == pytest.approx(366, abs=1)
    assert gaps.max() == pytest.approx(425, abs=1)
    assert ((gaps > 366 - 1e-6) & (gaps < 425)).all()
    assert workload.loads.deadline_s.min() == 2612


def test_a_periodic_task_comes_first_at_zero() -> None:
    workload, _ = made(gaps="periodic", interarrival=1000, time=10_000)
    assert workload.submit_s.tolist() == [1000.0 * k for k in range(10)]


def test_no_job_is_a_workload_too() -> None:
    assert len(made(gaps="uniform", gap_low=10, gap_high=20, time=5)[0]) == 0


def test_loads_stay_with_their_jobs() -> None:
    workload, _ = made(time=100_000)
    part = workload.take(np.array([3, 1]))
    assert workload.loads is not None
    assert part.loads is not None
    assert part.loads.size.tolist() == workload.loads.size[[3, 1]].tolist()
    assert part.loads.deadline_s.tolist() == workload.loads.deadline_s[[3, 1]].tolist()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"cms": -1}, "cms"),
        ({"sigma": 0}, "sigma"),
        ({"sigma": -5}, "sigma"),
        ({"cms": 0}, "cms"),
        ({"cps": 0}, "cps"),
        ({"nodes": 0}, "nodes"),
        ({"nodes": 2.5}, "nodes"),
        ({"load": 0}, "load"),
        ({"load": "nan"}, "load"),
        ({"deadlines": "drop"}, "deadlines"),
        ({"gaps": "uniform"}, "gap-high"),
        ({"time": 1e15}, "short enough"),
        ({**TOO_SHORT, "time": 20_000}, "no drawn deadline"),
        ({"deadline_least": -1}, "deadline-least"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        made(**given)


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(BadValue, match="seed"):
        made(-1)


def test_models_are_found_by_name() -> None:
    assert generated("divisible").name == "divisible"
    with pytest.raises(UnknownName, match="did you mean 'divisible'"):
        generated("divisble")
    with pytest.raises(UnknownName, match="did you mean 'dcratio'"):
        MODEL.values({"dc-ratio": "1"})
