"""What holds for every model of rigid jobs."""

from typing import Any

import numpy as np
import pytest

from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.workloads.generated import NAMES, generated, is_named
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import SWF_FIELDS, Workload

MODELS = ("lublin", "downey", "feitelson96", "jann", "o2k", "uniform-log", "zhang2001")
each = pytest.mark.parametrize("name", MODELS)


def made(name: str, seed: int = 1, **given: Any) -> Workload:
    model = generated(name)
    asked = {key.replace("_", "-"): str(value) for key, value in given.items()}
    return model.make(model.values({"jobs": "2000", **asked}), seed)


def same(one: Workload, other: Workload, *columns: str) -> bool:
    places = [SWF_FIELDS.index(column) for column in columns]
    return np.array_equal(one.records[:, places], other.records[:, places])


def test_models_are_listed_in_order() -> None:
    assert NAMES[: len(MODELS)] == MODELS
    assert all(is_named(name) for name in NAMES)
    assert not is_named("lublin.swf")
    with pytest.raises(UnknownName, match="did you mean 'lublin'"):
        generated("lublim")


@each
def test_every_parameter_says_where_it_comes_from(name: str) -> None:
    model = generated(name)
    for parameter in model.parameters:
        assert any(word in parameter.source for word in ("published", "ours", "unverified", "file says")), (
            parameter.name
        )
    assert model.source


@each
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    assert made(name).records.tobytes() == made(name).records.tobytes()
    assert made(name).records.tobytes() != made(name, seed=2).records.tobytes()


@each
@pytest.mark.parametrize("jobs", [1, 2, 37])
def test_few_jobs(name: str, jobs: int) -> None:
    found = made(name, jobs=jobs)
    assert len(found) == jobs
    assert found.notes == {}
    assert (np.diff(found.submit_s) >= 0).all()
    assert found.submit_s.min() >= 0
    assert found.processors.min() >= 1
    assert found.processors.max() <= (found.machine_processors or 0)
    assert found.run_s.min() >= 1
    for times in (found.submit_s, found.run_s, found.estimate_s):
        assert (times == np.rint(times)).all()


@each
@pytest.mark.parametrize("load", [0.3, 0.9])
def test_a_load_is_reached(name: str, load: float) -> None:
    found = made(name, load=load)
    assert offered_load(found, found.machine_processors or 0) == pytest.approx(load, rel=6e-3)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "jann"])
@pytest.mark.parametrize("processors", [1, 2, 3, 100])
def test_small_machines_get_jobs_that_fit(name: str, processors: int) -> None:
    found = made(name, processors=processors)
    assert found.processors.max() <= processors


@pytest.mark.quick(one_in=3)
@each
@pytest.mark.parametrize("arrivals", ["poisson", "h2", "on-off", "visits", "sessions"])
def test_other_arrivals_leave_the_jobs_alone(name: str, arrivals: str) -> None:
    other = "h2" if arrivals == "poisson" else "poisson"
    one, two = made(name, arrivals=arrivals, load=0.5), made(name, arrivals=other, load=0.5)
    if name != "feitelson96":  # there runs of a job follow one another
        assert same(one, two, "run_s", "requested_processors")
    assert not same(one, two, "submit_s")
    if name != "feitelson96":
        assert (one.user.min() >= 1) == (arrivals == "sessions")


@each
def test_estimates_leave_the_jobs_alone(name: str) -> None:
    plain, other = made(name), made(name, estimates="f", estimate_f=2)
    assert same(plain, other, "submit_s", "run_s", "requested_processors")
    if name != "o2k":  # which has requests of its own
        assert (plain.estimate_s == plain.run_s).all()
        assert not same(plain, other, "requested_s")
        assert (other.estimate_s <= 3 * other.run_s).all()


@each
def test_a_load_leaves_the_jobs_alone(name: str) -> None:
    if name in ("downey", "o2k", "uniform-log"):
        assert same(made(name, load=0.5), made(name, load=0.9), "run_s", "requested_processors")


@each
def test_rhythms(name: str) -> None:
    """Jobs of the night are rarer in a day's rhythm, and as frequent as those of the day without one."""
    if name == "feitelson96":
        return
    for cycle, most in (("none", 1.3), ("day", 0.35)):
        found = made(name, cycle=cycle, load=0.05, jobs=6000)
        hours = found.submit_s // 3600 % 24
        ratio = ((hours >= 2) & (hours < 6)).sum() / ((hours >= 11) & (hours < 15)).sum()
        assert ratio < most
        assert ratio > 0.7 or cycle == "day"


@each
def test_fractions_of_seconds(name: str) -> None:
    found = made(name, seconds="fractions")
    assert (found.submit_s != np.rint(found.submit_s)).any()


@each
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"load": 0}, "load: '0' is not allowed"),
        ({"load": 1000}, "load"),
        ({"jobs": 0}, "jobs"),
        ({"tail": 1}, "tail"),
        ({"gap-cv": 0.5}, "gap-cv"),
        ({"cycle": "month"}, "cycle"),
        ({"estimates": "tsafrir", "estimate-most": 10}, "most"),
    ],
)
def test_what_is_refused(name: str, given: dict[str, Any], words: str) -> None:
    if name == "o2k" and "estimates" in given:
        return
    with pytest.raises(BadInput, match=words):
        made(name, **given)


@each
def test_a_seed_below_zero_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match="seed"):
        made(name, seed=-1)
