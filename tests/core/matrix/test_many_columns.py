"""Machines of more columns than a number has bits: as smaller ones, each of whose columns is sixteen."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from molokini.model.ranks import AgendaEvent, EventKind
from molokini.policies import load_policy
from molokini.sim.agenda import next_instant
from tests.kit.matrix_rows import picture
from tests.kit.policies import IN_ROWS
from tests.kit.replays import prepared
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")

PROCESSORS, TIMES = 8, 16
VALUES: dict[str, Any] = {
    "mpl": 3,
    "quantum_s": 4.0,
    "migration_cost": 1.0,
    "longest_s": 12.0,
    "slots": 4,
    "alpha_m": 0.5,
}


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("columns", ["lowest", "emptiest"])
@pytest.mark.parametrize("policy", IN_ROWS)
@example(jobs=[Job(0, 9, 2, number=k) for k in range(1, 8)], lost=3)
@given(jobs=job_lists(PROCESSORS, most=9, shortest=1), lost=st.integers(0, 4))
@settings(max_examples=8, deadline=None)
def test_sixteen_times_as_wide_is_the_same_matrix(
    policy: str, columns: str, jobs: list[Job], lost: int
) -> None:
    declared = {parameter.name for parameter in load_policy(policy).declaration.parameters}
    given = {name: value for name, value in {**VALUES, "columns": columns}.items() if name in declared}
    small, large = (
        prepared(
            [replace(job, width=times * job.width) for job in jobs],
            policy,
            times * PROCESSORS,
            {**given, **({"migrated_tasks": 4 * times} if "migrated_tasks" in declared else {})},
            facts=[
                AgendaEvent(3.5, EventKind.NODE_LOST, -1, times * lost),
                AgendaEvent(11.5, EventKind.NODE_RETURNED, -1, times * lost),
            ],
        )
        for times in (1, TIMES)
    )
    over = False
    while not over:
        at_s = next_instant(small.agenda, small.tables)
        over = small.run(at_s)
        assert large.run(at_s) == over
        assert picture(large.tables) == [
            "".join(sign * TIMES for sign in row) for row in picture(small.tables)
        ]
