"""The earliest deadline that could be met: it can be, and none before it could."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.applications.divisible import Costs
from molokini.policies.divisible import POLICIES
from molokini.policies.divisible.offers import most_trials
from molokini.tables.tables import View
from tests.kit.divisible_worlds import FigureThree, Task, replayed, rigid

COSTS = Costs(1.0, 30.0, 0.0, 0.0)
NODES = 5

bursts = st.lists(
    st.tuples(st.floats(0.0, 60.0), st.floats(1.0, 40.0), st.floats(0.5, 4.0)), min_size=3, max_size=9
)


def tasks_of(burst: list[tuple[float, float, float]]) -> list[Task]:
    arrival, made = 0.0, []
    for gap, size, slack in burst:
        arrival += gap
        made.append(Task(arrival, size, slack * COSTS.execution_s("opr", size, NODES)))
    return made


def offers(tasks: list[Task], policy: str, take: str = "latest", port: str = "unlimited") -> dict[int, float]:
    """The earliest deadline, absolute, of each refused task."""
    values: dict[str, Any] = {"take": take, "port": port, **({"k": 3} if policy.endswith("-k") else {})}
    agenda = replayed(tasks, policy, NODES, COSTS, values, offers=True).agenda.results
    return {job: float(agenda.offer_s[job]) for job in np.flatnonzero(agenda.refusal).tolist()}


def admitted(
    tasks: list[Task], job: int, until_s: float, policy: str, take: str = "latest", port: str = "unlimited"
) -> bool:
    """Whether Figure 3, node by node, admits *job* with another deadline."""
    changed = replace(tasks[job], deadline=until_s - tasks[job].arrival)
    # Deadlines there count from the arrival: what rounding takes from this one must not decide.
    if changed.until < until_s:
        changed = replace(changed, deadline=np.nextafter(changed.deadline, np.inf))
    k = 3 if policy.endswith("-k") else 0
    plain = FigureThree(policy, NODES, COSTS, k, shared_port=port == "shared", take_latest=take == "latest")
    return job in plain.run([*tasks[:job], changed])


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    ("policy", "take"),
    [
        *((policy.name, "latest") for policy in POLICIES),
        ("edf-opr-mn", "earliest"),
        ("fifo-epr-k", "earliest"),
    ],
)
@settings(max_examples=20, deadline=None)
@given(burst=bursts)
def test_it_is_the_first_that_can_be_met(
    policy: str, take: str, burst: list[tuple[float, float, float]]
) -> None:
    assert_earliest(tasks_of(burst), policy, take)


def assert_earliest(tasks: list[Task], policy: str, take: str = "latest", port: str = "unlimited") -> None:
    """The offer to each of *tasks* that is refused can be met, and nothing before it."""
    for job, offer_s in offers(tasks, policy, take, port).items():
        if not offer_s:
            # Its derivative stays above that of a load that cannot wait, whatever its deadline.
            assert policy.startswith("mwf")
            assert not any(
                admitted(tasks, job, until_s, policy, take, port) for until_s in np.geomspace(1.0, 1e6, 60)
            )
            continue
        assert admitted(tasks, job, offer_s, policy, take, port)
        for earlier_s in np.linspace(tasks[job].arrival, offer_s, 22)[1:-1].tolist():
            assert not admitted(tasks, job, earlier_s, policy, take, port)
        assert not admitted(
            tasks, job, tasks[job].arrival + (offer_s - tasks[job].arrival) * (1 - 1e-9), policy, take, port
        )


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["edf-opr-mn", "fifo-epr-mn", "mwf-opr-mn", "edf-opr-an", "fifo-opr-k"])
@settings(max_examples=20, deadline=None)
@given(burst=bursts, widths=st.lists(st.integers(0, NODES), min_size=9, max_size=9))
def test_nor_where_loads_share_a_port_or_the_machine_with_jobs_that_send_nothing(
    policy: str, burst: list[tuple[float, float, float]], widths: list[int]
) -> None:
    """Behind some loads a rigid job comes at the same instant."""
    loads = tasks_of(burst)
    others = [
        rigid(load.arrival, width, 40.0) for load, width in zip(loads, widths, strict=False) if width > 2
    ]
    tasks = sorted([*loads, *others], key=lambda task: task.arrival)
    assert_earliest(tasks, policy, port="shared")


def test_the_offer_on_an_empty_machine_is_its_shortest_end() -> None:
    tasks = [Task(7.0, 10.0, 1.0)]
    assert offers(tasks, "edf-opr-mn") == {0: 7.0 + COSTS.execution_s("opr", 10.0, NODES)}


def test_nobody_asks_and_nothing_is_searched() -> None:
    assert replayed([Task(7.0, 10.0, 1.0)], "edf-opr-mn", NODES, COSTS).agenda.results.offer_s.size == 0


def test_a_later_deadline_may_be_worse() -> None:
    """Which is why the search looks at each deadline at which something changes."""
    for seed in range(300):
        draw = np.random.default_rng(seed)
        tasks = tasks_of(
            [
                (float(draw.uniform(0, 40)), float(draw.uniform(1, 40)), float(draw.uniform(1, 3)))
                for _ in range(6)
            ]
        )
        for job, offer_s in offers(tasks, "edf-opr-mn").items():
            span_s = offer_s - tasks[job].arrival
            later = [offer_s + span_s * part for part in (0.05, 0.1, 0.2, 0.4, 0.8)]
            if not all(admitted(tasks, job, until_s, "edf-opr-mn") for until_s in later):
                return
    pytest.fail("each later deadline was met, too")


def test_an_offer_may_lie_between_the_deadlines_of_others() -> None:
    """In front of the second, which cannot wait, it would be just in time; behind it the third can wait."""
    unit = COSTS.execution_s("opr", 10.0, NODES)
    tasks = [Task(0.0, 10.0, unit), Task(0.0, 10.0, 2 * unit), Task(0.0, 10.0, 5 * unit), Task(1.0, 5.0, 1.0)]
    assert offers(tasks, "edf-opr-an") == {3: 2.5 * unit}


def test_where_trials_end_the_search_goes_on_behind_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two deadlines are tried: the shortest end, and then no other in front of the last one of the others."""
    monkeypatch.setattr("molokini.policies.divisible.offers._LEAST_TRIALS", 1)
    monkeypatch.setattr("molokini.policies.divisible.offers._MOST_TRIALS", 1)
    unit = COSTS.execution_s("opr", 10.0, NODES)
    tasks = [Task(0.0, 10.0, unit), Task(0.0, 10.0, 2 * unit), Task(0.0, 10.0, 5 * unit), Task(1.0, 5.0, 1.0)]
    agenda = replayed(tasks, "edf-opr-an", NODES, COSTS, offers=True, interpreted=True).agenda
    assert agenda.results.offer_s[3] == 5 * unit


@pytest.mark.parametrize(
    ("waiting", "running", "most"),
    [(1, 0, 2000), (100, 0, 2000), (100, 100, 1000), (1000, 0, 20), (9000, 9, 16)],
)
def test_the_more_jobs_there_are_the_fewer_deadlines_are_tried(waiting: int, running: int, most: int) -> None:
    """A trial plans all that wait, each past those before it and those that run: 20 million steps in all."""
    queue = SimpleNamespace(head=5, tail=5 + waiting, running_count=running)
    view = SimpleNamespace(queue=queue)
    assert most_trials(cast(View, view)) == most


@pytest.mark.parametrize("policy", ["edf-opr-mn", "fifo-epr-mn", "mwf-opr-mn", "edf-opr-k"])
@given(burst=bursts)
@settings(max_examples=5, deadline=None)
def test_interpreted_and_compiled_offer_the_same(
    policy: str, burst: list[tuple[float, float, float]]
) -> None:
    tasks = tasks_of(burst)
    values = {"k": 3} if policy.endswith("-k") else {}
    plain = replayed(tasks, policy, NODES, COSTS, values, offers=True, interpreted=True).agenda.results
    assert offers(tasks, policy) == {
        job: float(plain.offer_s[job]) for job in np.flatnonzero(plain.refusal).tolist()
    }
