import json

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from molokini.workloads.tools.comparing import anderson, compare, kolmogorov, wasserstein_of_logs
from tests.kit.workloads import Job, job_lists, workload_of


@pytest.mark.deep
@given(job_lists(), job_lists())
def test_any_two_logs_can_be_compared(one: list[Job], other: list[Job]) -> None:
    found = compare(workload_of(one), workload_of(other))
    json.dumps(found, allow_nan=False)
    back = compare(workload_of(other), workload_of(one))
    for name, told in found["attributes"].items():
        assert told["ks"] == back["attributes"][name]["ks"]


@given(job_lists())
def test_a_log_is_no_distance_from_itself(jobs: list[Job]) -> None:
    log = workload_of(jobs)
    for told in compare(log, log)["attributes"].values():
        if told["ks"] is not None:
            assert told["ks"] == 0
            assert told["wasserstein_log10"] == 0


@pytest.mark.parametrize("seed", range(3))
def test_distances_are_those_of_scipy(seed: int) -> None:
    generator = np.random.default_rng(seed)
    one = np.ceil(generator.exponential(300.0, 400))
    other = np.ceil(generator.lognormal(5.0, 1.5, 700))
    assert kolmogorov(one, other) == pytest.approx(stats.ks_2samp(one, other).statistic)
    found = stats.wasserstein_distance(np.log10(one), np.log10(other))
    assert wasserstein_of_logs(one, other) == pytest.approx(found)


def test_anderson_grows_with_the_distance() -> None:
    generator = np.random.default_rng(1)
    base = generator.exponential(100.0, 20_000)
    shifted = [anderson(base, generator.exponential(mean, 20_000)) for mean in (100, 110, 150, 300)]
    assert shifted == sorted(shifted)
    assert shifted[0] < 0.0005 < shifted[1]


def test_accuracies_are_decades_apart() -> None:
    """Those of one log are a tenth of the other's."""
    runs = range(100, 1000)
    one, other = (
        workload_of([Job(at, run, 1, estimate=times * run) for at, run in enumerate(runs)])
        for times in (2, 20)
    )
    told = compare(one, other)["attributes"]["accuracy"]
    assert (told["ks"], told["wasserstein_log10"]) == (1.0, pytest.approx(1.0))


def test_accuracy_has_no_tail() -> None:
    """A job uses all of its estimate at most; a slope of the last values would say nothing."""
    generator = np.random.default_rng(4)
    runs = np.ceil(generator.exponential(300.0, 500)).astype(int).tolist()
    log = workload_of([Job(at, run, 1, estimate=run + 50) for at, run in enumerate(runs)])
    told = compare(log, log)["attributes"]
    assert [figures["alpha"] for figures in told["accuracy"]["figures"]] == [None, None]
    assert told["run_s"]["figures"][0]["alpha"] > 1
