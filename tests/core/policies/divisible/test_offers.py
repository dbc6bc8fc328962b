"""The earliest deadline that could be met: it can be, and none before it could."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.applications.divisible import Costs
from molokini.policies.divisible import POLICIES
from tests.kit.divisible import FigureThree, Task, replayed

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


def offers(tasks: list[Task], policy: str, take: str = "latest") -> dict[int, float]:
    """The earliest deadline, absolute, of each refused task."""
    values: dict[str, Any] = {"take": take, **({"k": 3} if policy.endswith("-k") else {})}
    agenda = replayed(tasks, policy, NODES, COSTS, values, offers=True).agenda
    return {job: float(agenda.offer_s[job]) for job in np.flatnonzero(agenda.refusal).tolist()}


def admitted(tasks: list[Task], job: int, until_s: float, policy: str, take: str = "latest") -> bool:
    """Whether Figure 3, node by node, admits *job* with another deadline."""
    changed = replace(tasks[job], deadline=until_s - tasks[job].arrival)
    # Deadlines there count from the arrival: what rounding takes from this one must not decide.
    if changed.until < until_s:
        changed = replace(changed, deadline=np.nextafter(changed.deadline, np.inf))
    k = 3 if policy.endswith("-k") else 0
    plain = FigureThree(policy, NODES, COSTS, k, take_latest=take == "latest")
    return job in plain.run([*tasks[:job], changed])


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
def test_it_can_be_met_and_none_before_could(
    policy: str, take: str, burst: list[tuple[float, float, float]]
) -> None:
    tasks = tasks_of(burst)
    for job, offer_s in offers(tasks, policy, take).items():
        if not offer_s:
            # Its derivative stays above that of a load that cannot wait, whatever its deadline.
            assert policy.startswith("mwf")
            assert not any(
                admitted(tasks, job, until_s, policy, take) for until_s in np.geomspace(1.0, 1e6, 60)
            )
            continue
        assert admitted(tasks, job, offer_s, policy, take)
        for earlier_s in np.linspace(tasks[job].arrival, offer_s, 22)[1:-1].tolist():
            assert not admitted(tasks, job, earlier_s, policy, take)
        assert not admitted(
            tasks, job, tasks[job].arrival + (offer_s - tasks[job].arrival) * (1 - 1e-9), policy, take
        )


def test_the_offer_on_an_empty_machine_is_its_shortest_end() -> None:
    tasks = [Task(7.0, 10.0, 1.0)]
    assert offers(tasks, "edf-opr-mn") == {0: 7.0 + COSTS.execution_s("opr", 10.0, NODES)}


def test_nobody_asks_and_nothing_is_searched() -> None:
    assert replayed([Task(7.0, 10.0, 1.0)], "edf-opr-mn", NODES, COSTS).agenda.offer_s.size == 0


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
