import numpy as np
import pytest

from molokini.workloads.statistics.selfsimilar import at_scales, hurst, hurst_of
from molokini.workloads.workload import Floats


def _fractional_noise(h: float, count: int, seed: int) -> Floats:
    """Fractional Gaussian noise by the circulant method (Davies and Harte): exact in distribution."""
    lag = np.arange(count + 1, dtype=np.float64)
    covariance = 0.5 * ((lag + 1) ** (2 * h) - 2 * lag ** (2 * h) + np.abs(lag - 1) ** (2 * h))
    row = np.concatenate([covariance, covariance[-2:0:-1]])
    power = np.fft.fft(row).real.clip(0)
    generator = np.random.default_rng(seed)
    noise = generator.standard_normal(row.size) + 1j * generator.standard_normal(row.size)
    return np.fft.fft(np.sqrt(power / row.size) * noise).real[:count]


@pytest.mark.parametrize("h", [0.5, 0.7, 0.9])
def test_both_ways_find_hurst_parameter(h: float) -> None:
    found = [hurst_of(_fractional_noise(h, 1 << 16, seed) + 10) for seed in range(4)]
    variance_time = np.mean([one["variance_time"]["h"] for one in found])
    # The largest blocks see too little of the variance: the estimate is known to fall short as H nears 1.
    assert variance_time == pytest.approx(h, abs=0.06)
    ranged = np.mean([one["rescaled_range"]["h"] for one in found])
    assert ranged == pytest.approx(h, abs=0.08)


def test_poisson_arrivals_are_not_self_similar() -> None:
    gaps = np.random.default_rng(3).exponential(30.0, 200_000)
    submit_s = np.cumsum(gaps)
    found = hurst(submit_s)
    assert found is not None
    assert found["variance_time"]["h"] == pytest.approx(0.5, abs=0.06)
    assert found["rescaled_range"]["h"] == pytest.approx(0.55, abs=0.06)
    scales = at_scales(submit_s, np.ones(submit_s.size))
    assert [one["bin_s"] for one in scales] == [36, 360, 3600, 36000, 360000]
    assert [one["dispersion"] for one in scales[:3]] == pytest.approx([1, 1, 1], abs=0.15)


def test_scales_count_every_job() -> None:
    submit_s = np.array([0.0, 10.0, 40.0, 4000.0])
    finest, *_, coarsest = at_scales(submit_s, np.array([1.0, 2.0, 4.0, 8.0]))
    assert (finest["bins"], finest["largest"], sum(finest["jobs"])) == (112, 2, 3)
    assert finest["shown_from_s"] == 0
    assert coarsest["jobs"] == [4]
    assert coarsest["processors"] == [15]
    assert finest["empty"] == pytest.approx(109 / 112)


def test_the_counts_that_are_told_are_the_busiest() -> None:
    """The middle of a log may hold no job for hours."""
    rush = 5e5 + 36.0 * np.arange(60)
    submit_s = np.sort(np.concatenate([np.linspace(0.0, 1e6, 50), rush, rush + 1.0]))
    finest, *_, coarsest = at_scales(submit_s, np.ones(submit_s.size))
    assert sum(finest["jobs"]) >= 120
    assert len(finest["jobs"]) == 100
    assert finest["shown_from_s"] <= 5e5 <= finest["shown_from_s"] + 100 * 36
    assert sum(coarsest["jobs"]) == submit_s.size
    late = at_scales(np.array([0.0, 90_000.0, 90_001.0]), np.ones(3))[0]
    assert sum(late["jobs"]) == 2
    assert late["shown_from_s"] == (late["bins"] - 100) * 36


def test_too_short_a_log_has_none() -> None:
    assert hurst(np.array([0.0])) is None
    assert hurst(np.arange(100.0)) is None
    assert at_scales(np.zeros(5), np.ones(5)) == []
