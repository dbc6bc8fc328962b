import numpy as np
import pytest

from molokini.model.errors import BadValue, UnknownName
from molokini.workloads.generated import generated
from molokini.workloads.scaling import offered_load
from molokini.workloads.synthetic import LONGEST_RUN_S, benchmark_workload, hard_workload
from molokini.workloads.workload import Workload

GENERATORS = ("benchmark", "hard")


def generate(name: str, *, seed: int = 1, **given: float) -> Workload:
    model = generated(name)
    return model.make(model.values({key: str(value) for key, value in given.items()}), seed)


@pytest.mark.parametrize("name", GENERATORS)
def test_a_seed_gives_the_same_jobs_and_another_gives_others(name: str) -> None:
    first = generate(name, jobs=500, processors=64, load=0.7, seed=3)
    assert np.array_equal(first.records, generate(name, jobs=500, processors=64, load=0.7, seed=3).records)
    assert not np.array_equal(
        first.records, generate(name, jobs=500, processors=64, load=0.7, seed=4).records
    )
    assert len(first) == 500
    assert first.machine_processors == 64
    assert first.notes == {}
    assert offered_load(first, 64) == pytest.approx(0.7, rel=1e-3)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("processors", [1, 2, 3, 100])
@pytest.mark.parametrize("jobs", [1, 50])
def test_small_machines_get_jobs_that_fit(name: str, processors: int, jobs: int) -> None:
    made = generate(name, jobs=jobs, processors=processors)
    assert made.processors.min() >= 1
    assert made.processors.max() <= processors
    assert (made.estimate_s >= made.run_s).all()
    assert (np.diff(made.submit_s) >= 0).all()


def test_the_benchmark_is_as_its_docstring_says() -> None:
    made = benchmark_workload(jobs=50_000)
    sizes, counts = np.unique(made.processors, return_counts=True)
    assert sizes.tolist() == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert counts / 50_000 == pytest.approx(1 / 9, rel=0.1)
    assert made.run_s.mean() == pytest.approx(0.8 * 200 + 0.2 * 5000, rel=0.05)
    ratio = made.estimate_s / made.run_s
    assert (ratio.min() >= 1, ratio.max() <= 5, ratio.mean()) == (True, True, pytest.approx(3, rel=0.02))
    gaps = np.diff(made.submit_s)
    assert gaps.std() / gaps.mean() == pytest.approx(1, rel=0.05)


def test_the_hard_trace_is_as_its_docstring_says() -> None:
    made = hard_workload()
    sizes, run = made.processors, made.run_s
    assert len(made) == 50_000
    assert (sizes == 1).mean() == pytest.approx(0.25, abs=0.01)
    assert ((sizes & (sizes - 1)) == 0).mean() == pytest.approx(0.88, abs=0.005)
    assert (sizes >= 512).mean() == pytest.approx(0.03, abs=0.003)
    assert (sizes == 1024).mean() == pytest.approx(0.01, abs=0.002)
    assert run.mean() == pytest.approx(0.4 * 60 + 0.4 * 1200 + 0.2 * 14400, rel=0.05)
    assert (run <= 60).mean() == pytest.approx(0.4 * 0.632 + 0.4 * 0.049 + 0.2 * 0.004, abs=0.01)
    assert run.min() >= 1
    assert run.max() <= LONGEST_RUN_S
    for times in (made.submit_s, run, made.estimate_s):
        assert (times == np.rint(times)).all()
    assert offered_load(made, 1024) == pytest.approx(0.85, rel=1e-4)


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"processors": 0}, {"load": 0.0}, {"load": float("nan")}])
def test_impossible_wishes_are_refused(wrong: dict[str, float]) -> None:
    for name in GENERATORS:
        with pytest.raises(BadValue):
            generate(name, seed=1, **wrong)


def test_an_unknown_generator_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'benchmark'"):
        generate("benchmrk")
