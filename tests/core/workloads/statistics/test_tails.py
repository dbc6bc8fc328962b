import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.workloads.distributions import BoundedPareto, Exponential, Pareto, Weibull
from molokini.workloads.statistics.mass import mass_count, mass_count_of
from molokini.workloads.statistics.tails import hill, llcd, tail
from molokini.workloads.workload import Floats

# Closed forms: joint ratio (items, mass), N1/2, W1/2, mm-distance, Gini, top 1%.
CLOSED = [
    (Pareto(1.0, 1.1), (0.15560, 0.84440, 0.000488, 0.06107, 545.30, 0.83333, 0.65793)),
    (Pareto(1.0, 1.25), (0.24512, 0.75488, 0.03125, 0.12945, 9.1896, 0.66667, 0.39811)),
    (Pareto(1.0, 1.5), (0.31767, 0.68233, 0.12500, 0.20630, 2.5198, 0.50000, 0.21544)),
    (Pareto(1.0, 2.0), (0.38197, 0.61803, 0.25000, 0.29289, 1.4142, 0.33333, 0.10000)),
    (Exponential(1.0), (0.31784, 0.68216, 0.18668, 0.15343, 2.4213, 0.50000, 0.05605)),
]
NAMES = ("joint_items", "joint_mass", "n_half", "w_half", "mm_distance", "gini", "top_1")
DIGITS = (5, 5, 5, 5, 4, 5, 5)


def _even(distribution: object, count: int) -> Floats:
    """A sample without chance: the middle of *count* cells of equal probability."""
    quantiles: Floats = distribution.quantiles((np.arange(count) + 0.5) / count)  # type: ignore[attr-defined]
    return quantiles


@pytest.mark.parametrize(("distribution", "published"), CLOSED, ids=lambda one: str(one)[:20])
def test_mass_count_in_closed_form(distribution: Pareto, published: tuple[float, ...]) -> None:
    found = mass_count_of(distribution)
    for name, value, digits in zip(NAMES, published, DIGITS, strict=True):
        # mm-distance of 545.30 has two digits behind the point; N1/2 of .000488 six.
        wanted = {"mm_distance": 2 if value > 100 else digits, "n_half": 6 if value < 0.001 else digits}
        assert round(found[name], wanted.get(name, digits)) == value, name


@pytest.mark.parametrize("place", [2, 3, 4])
def test_mass_count_of_a_sample_is_that_of_its_distribution(place: int) -> None:
    distribution, published = CLOSED[place]
    found = mass_count(_even(distribution, 400_000))
    assert found is not None
    # The largest of 400,000 values of alpha 1.5 still holds near a hundredth of the mass that is beyond it.
    for name, value in zip(NAMES, published, strict=True):
        assert found[name] == pytest.approx(value, rel=0.03), name


@pytest.mark.deep
def test_a_distribution_without_a_closed_form_is_summed() -> None:
    found = mass_count_of(BoundedPareto(1.0, 1e6, 1.1))
    assert found["top_1"] == pytest.approx(0.543189, abs=2e-4)  # reference value of B(1, 10^6, 1.1)
    assert mass_count_of(BoundedPareto(1.0, 1e6, 1.5))["top_1"] == pytest.approx(0.214658, abs=2e-4)
    assert mass_count_of(BoundedPareto(1.0, 1e6, 1.0))["top_1"] == pytest.approx(0.666674, abs=2e-4)
    assert mass_count_of(Weibull(1.0, 3.0))["joint_items"] == pytest.approx(0.31784, abs=1e-4)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=60))
def test_mass_count_figures_agree_with_one_another(values: list[int]) -> None:
    found = mass_count(np.array(values, np.float64))
    if not sum(values):
        assert found is None
        return
    assert found is not None
    assert found["joint_items"] + found["joint_mass"] == pytest.approx(1.0)
    assert found["joint_items"] <= 0.5 + 1e-12
    assert 0 <= found["n_half"] <= 0.5 + 1e-12
    assert 0 <= found["w_half"] <= 0.5 + 1e-12
    assert 0 <= found["gini"] < 1
    assert found["top_1"] >= 0.01 - 1e-12
    assert found["count_below"][-1] == found["mass_below"][-1] == pytest.approx(1.0)
    json.dumps(found, allow_nan=False)


def test_equal_values_have_no_disparity() -> None:
    found = mass_count(np.full(100, 7.0))
    assert found is not None
    assert [round(found[name], 9) for name in ("joint_items", "n_half", "w_half", "gini", "mm_distance")] == [
        0.5,
        0.5,
        0.5,
        0.0,
        1.0,
    ]


@pytest.mark.parametrize("alpha", [0.8, 1.1, 1.5, 2.5])
def test_llcd_and_hill_find_alpha(alpha: float) -> None:
    values = _even(Pareto(2.0, alpha), 200_000)
    found = llcd(values)
    assert found["alpha"] == pytest.approx(alpha, rel=0.01)
    assert found["r_squared"] > 0.999
    assert found["decades"] == pytest.approx(math.log10(0.1 * 200_000 / 15) / alpha, rel=0.02)
    estimates = hill(values)
    plateau = [one for m, one in zip(estimates["m"], estimates["alpha"], strict=True) if m > 1000]
    assert plateau == pytest.approx([alpha] * len(plateau), rel=0.02)


def test_sums_of_neighbours_keep_a_heavy_slope_and_lose_a_light_one() -> None:
    generator = np.random.default_rng(5)
    heavy = tail(Pareto(1.0, 0.8).sample(generator, 300_000))
    light = tail(Exponential(1.0).sample(generator, 300_000))
    assert heavy is not None
    assert light is not None
    slopes = [one["alpha"] for one in heavy["aggregated"]]
    # The last of them has 300 sums, too few for a line.
    assert slopes[:3] == pytest.approx([0.8] * 3, abs=0.25)
    steeper = [one["alpha"] for one in light["aggregated"]]
    assert steeper == sorted(steeper)
    assert steeper[-1] > 5 * steeper[0]


@given(st.lists(st.integers(-2, 50), max_size=200))
def test_any_values_have_a_tail_that_json_can_hold(values: list[int]) -> None:
    found = tail(np.array(values, np.float64))
    assert (found is None) == (sum(value > 0 for value in values) < 50)
    json.dumps(found, allow_nan=False)
