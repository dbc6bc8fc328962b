"""The model whose sizes and run times are uniform in log space."""

from typing import Any

import numpy as np
import pytest

from molokini.model.errors import BadValue
from molokini.workloads.generated import generated
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import Workload


def made(seed: int = 1, **given: Any) -> Workload:
    model = generated("uniform-log")
    asked = {key.replace("_", "-"): str(value) for key, value in given.items()}
    return model.make(model.values({"jobs": "20000", **asked}), seed)


def distance(ranks: Any) -> float:
    """How far a sample lies from one that is uniform from 0 to 1."""
    return float(np.abs(np.sort(ranks) - np.arange(1, ranks.size + 1) / ranks.size).max())


def test_run_times_are_log_uniform_and_say_nothing_of_sizes() -> None:
    found = made(seconds="fractions", least_run=10)
    assert found.run_s.min() >= 10.0
    assert distance(np.log(found.run_s / 10.0) / np.log(10_000.0)) < 0.02
    assert abs(np.corrcoef(np.log(found.run_s), found.processors)[0, 1]) < 0.03
    assert (found.estimate_s == found.run_s).all()


def test_few_jobs_are_long_and_most_are_short() -> None:
    # By the law: ln(1 / a) / ln(most / least) of the jobs run for more than a times the longest.
    found = made(seconds="fractions")
    assert (found.run_s > 80_000).mean() == pytest.approx(np.log(1.25) / np.log(1e5), abs=0.005)
    assert (found.run_s > 15_000).mean() == pytest.approx(np.log(1 / 0.15) / np.log(1e5), abs=0.01)


def test_sizes() -> None:
    nearest, powers = made(), made(sizes="powers", processors=64)
    assert (nearest.processors.min(), nearest.processors.max()) == (1, 128)
    # Up to 1.5 of 128, in logarithms.
    assert (nearest.processors == 1).mean() == pytest.approx(np.log(1.5) / np.log(128), abs=0.01)
    sizes, counts = np.unique(powers.processors, return_counts=True)
    assert sizes.tolist() == [1, 2, 4, 8, 16, 32, 64]
    assert np.ptp(counts / counts.sum()) < 0.02


def test_gaps_are_exponential_and_the_load_is_that_asked_for() -> None:
    found = made(load=0.5, seconds="fractions")
    gaps = np.diff(found.submit_s)
    assert gaps.std() / gaps.mean() == pytest.approx(1.0, abs=0.03)
    assert offered_load(found, 128) == pytest.approx(0.5, rel=0.02)


def test_bounds_the_wrong_way_round() -> None:
    with pytest.raises(BadValue, match="most-run"):
        made(least_run=100, most_run=10)
