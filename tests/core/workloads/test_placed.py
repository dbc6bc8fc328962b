"""What the engine takes of workloads whose jobs' run times depend on their place."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.applications.divisible import Costs
from molokini.applications.kinds import JobKind
from molokini.model.errors import BadValue
from molokini.workloads.components import Communication
from molokini.workloads.placed import check_placed, fitted, placed_of
from molokini.workloads.workload import Loads, Workload
from tests.kit.workloads import Job, workload_of

PLAIN = workload_of([Job(0, 10, 2), Job(5, 20, 3)])
COSTS = Costs(1.0, 100.0, 2.0, 3.0)


def with_loads(*sizes: float) -> Workload:
    return replace(PLAIN, loads=Loads(np.array(sizes), np.array([50.0, 60.0]), COSTS))


def with_messages() -> Workload:
    how = Communication(JobKind.BORDERS, np.array([0.1, 0.2]), np.array([1.0, 2.0]))
    return replace(PLAIN, communication=how)


def test_a_log_says_nothing_of_places() -> None:
    assert placed_of(PLAIN) is None
    check_placed(PLAIN)


def test_loads_are_molded_by_the_policy() -> None:
    placed = placed_of(with_loads(7.0, 8.0))
    assert placed is not None
    assert placed.molded
    assert placed.kind is JobKind.RIGID
    assert placed.amount.tolist() == [7.0, 8.0]
    assert placed.costs_s.tolist() == [[1.0, 100.0, 2.0, 3.0]]
    assert placed.deadline_s.tolist() == [50.0, 65.0]


def test_messages_have_costs_of_their_own_for_each_job() -> None:
    placed = placed_of(with_messages())
    assert placed is not None
    assert not placed.molded
    assert placed.kind is JobKind.BORDERS
    assert placed.amount.tolist() == [10.0, 20.0]
    assert placed.costs_s.tolist() == [[0.1, 1.0, 0.0, 0.0], [0.2, 2.0, 0.0, 0.0]]


def test_a_load_that_asks_for_more_than_there_is_gets_all() -> None:
    workload = with_loads(7.0, 8.0)
    placed = placed_of(workload)
    assert placed is not None
    run_s, estimate_s, widths = fitted(placed, workload.run_s, workload.estimate_s, workload.processors, 2)
    assert widths.tolist() == [2, 2]
    assert run_s.tolist() == estimate_s.tolist() == [10.0, COSTS.execution_s("opr", 8.0, 2)]
    assert workload.processors.tolist() == [2, 3]


@pytest.mark.parametrize("size", [0.0, -1.0, float("nan"), float("inf")])
def test_a_load_has_a_size(size: float) -> None:
    with pytest.raises(BadValue, match="size"):
        check_placed(with_loads(7.0, size))


def test_jobs_have_a_load_or_communicate_but_not_both() -> None:
    with pytest.raises(BadValue, match="small"):
        check_placed(replace(with_loads(7.0, 8.0), communication=with_messages().communication))
