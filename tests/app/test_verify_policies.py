"""Every policy of the table decides live as it does simulated, or is refused by name before anything runs."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from molokini.model.errors import BadValue
from molokini.policies import load_policy, policy_names
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload
from tests.kit.policies import IN_BLOCKS
from tests.kit.verified import LOGS, both, head_of, named, settings

JOBS = 80
NODES = 16
SETTINGS = list(settings())
ALL_KINDS = "ordered:0.3,unordered:0.4,flexible:0.3"


EXAMPLE = "example"
MANY_LONG = {"longest_s": "600", "alpha_m": "0.001", "k_m": "2"}
FASTER = 200
"""In rows few jobs wait: the arrivals of the example come so much faster that some do."""
MANY_PARAMETERS = 20


def in_rows(name: str) -> bool:
    """Whether jobs stand in rows of a matrix under the policy."""
    return load_policy(name).declaration.in_rows


def on_logs() -> Iterator[tuple[tuple[str, dict[str, str]], str]]:
    """Every policy on every log, and each other value of a parameter, too.

    In rows, and of policies with many parameters, other values are tried on one log alone: what differs
    between logs is what the policy as it is meets. ``make bench`` has all of them on longer heads.
    """
    for log in LOGS:
        for name, parameters in SETTINGS:
            if of_loads(name) and parameters:
                continue
            few = in_rows(name) or len(load_policy(name).declaration.parameters) > MANY_PARAMETERS
            if not (few and parameters) or log == EXAMPLE:
                yield (name, parameters), log


def of_loads(name: str) -> bool:
    """Whether the policy is one of those for divisible loads."""
    return load_policy(name).schedule is load_policy("edf-opr-mn").schedule


CASES = list(on_logs())
KINDS = ("fcfs", "easy", "conservative", "easy-worstfit", "srpt", "gs", "maui")
"""One policy of each kind, as it is, for the quick suite: it replays a single log."""


def refused_live(name: str, parameters: dict[str, str]) -> bool:
    """Whether a parameter has the value that only counted processors go with."""
    declared = load_policy(name).declaration.parameters
    return any(one.counted and parameters.get(one.name) == one.counted for one in declared)


def loads() -> Workload:
    model = generated("divisible")
    return model.make(model.values({"nodes": str(NODES), "time": "90000", "load": "0.9"}), 3)


def over_clusters() -> tuple[Workload, int]:
    model = generated("das")
    values = {"clusters": "3", "nodes": "8", "ratio": "50", "jobs": str(JOBS), "mix": ALL_KINDS}
    workload = model.make(model.values(values), 5)
    assert workload.platform is not None
    return workload, workload.platform.processors


@pytest.mark.dear("the policy is compiled for the file of parameters")
@pytest.mark.quick(*(f"{name}-{EXAMPLE}" for name in KINDS))
@pytest.mark.parametrize(("setting", "log"), CASES, ids=[f"{named(one)}-{log}" for one, log in CASES])
def test_the_first_jobs_of_a_log(setting: tuple[str, dict[str, str]], log: str, tmp_path: Path) -> None:
    name, parameters = setting
    if of_loads(name) and log != EXAMPLE:
        pytest.skip("for divisible loads, of which logs have none: another test has them")
    crowded = in_rows(name) and log == EXAMPLE
    workload, processors = head_of(log, JOBS, FASTER if crowded else 10)
    if name in IN_BLOCKS:
        # A power of two; and classes such that some jobs wait.
        processors = 1 << (processors - 1).bit_length()
        parameters = {**MANY_LONG, **parameters}
    live, simulated = both(workload, processors, name, tmp_path / "state", **parameters)
    assert set(live.differences(simulated).values()) == {0.0}
    assert np.isfinite(live.end_s).sum() + len(live.refused) == len(workload)
    assert np.isfinite(live.end_s).any()
    assert not crowded or (live.start_s > workload.submit_s).any(), "nobody has waited"


@pytest.mark.quick("edf-opr-mn")
@pytest.mark.parametrize("setting", [one for one in SETTINGS if of_loads(one[0])], ids=named)
def test_divisible_loads(setting: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    name, parameters = setting
    if refused_live(name, parameters):
        pytest.skip("refused: another test says so")
    workload = loads()
    live, simulated = both(workload, NODES, name, tmp_path / "state", **parameters)
    assert set(live.differences(simulated).values()) == {0.0}
    assert 0 < len(live.refused) < len(workload)


@pytest.mark.quick("fcfs", "easy-worstfit", "conservative-worstfit")
@pytest.mark.parametrize(
    "setting", [one for one in SETTINGS if not load_policy(one[0]).declaration.counted_only], ids=named
)
def test_jobs_over_clusters(setting: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    workload, processors = over_clusters()
    live, simulated = both(workload, processors, setting[0], tmp_path / "state", **setting[1])
    assert set(live.differences(simulated).values()) == {0.0}
    assert np.isfinite(live.end_s).any()


def test_a_parameter_that_only_counted_processors_go_with_is_refused_by_name(tmp_path: Path) -> None:
    refused = [one for one in SETTINGS if refused_live(*one)]
    assert refused
    for name, parameters in refused:
        with pytest.raises(BadValue, match="|".join(parameters)):
            both(loads(), NODES, name, tmp_path / "state", **parameters)
    assert not (tmp_path / "state").exists(), "nothing has been run"


def test_no_policy_is_left_out() -> None:
    assert {name for name, _ in SETTINGS} == set(policy_names())
    varied = {name for name, parameters in SETTINGS if parameters}
    have = {name for name in policy_names() if load_policy(name).declaration.parameters}
    assert varied == have - {"maui"}
    on_some_log = {named(setting) for setting, _ in CASES}
    assert on_some_log == {named(one) for one in SETTINGS if not (of_loads(one[0]) and one[1])}
