"""Each step against one on plain sets, on every matrix that a schedule comes through."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.matrix.migration import fill_migrating, migrate
from molokini.matrix.steps import clean, compact, fill
from molokini.model.machine import Machine
from molokini.tables.tables import Tables
from tests.core.matrix.test_step_properties import PROCESSORS, passes
from tests.kit.matrix_rows import numbers_in
from tests.kit.reference_rows import PlainMatrix, Standing
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")

COST_S = 2.0
Step = tuple[Callable[[Tables], None], Callable[[PlainMatrix], None]]
STEPS = ("clean", "compact", "migrate", "fill", "fill-migrating")


def steps(moved: bool) -> dict[str, Step]:
    """Ours and that of the plain matrix; *moved*: tasks that change columns count alone."""
    return {
        "clean": (clean, PlainMatrix.clean),
        "compact": (lambda t: compact(t, 0.0, False), PlainMatrix.compact),
        "migrate": (lambda t: migrate(t, 0.0, COST_S, False, moved), lambda m: m.compact(migrating=True)),
        "fill": (fill, PlainMatrix.fill),
        "fill-migrating": (
            lambda t: fill_migrating(t, 0.0, COST_S, False, moved),
            lambda m: m.fill(migrating=True),
        ),
    }


def plain(t: Tables, allowance: int, moved: bool = False) -> PlainMatrix:
    """The matrix of the pass that is under way."""
    m = t.matrix
    jobs = [
        Standing(
            int(t.jobs.width[row]),
            int(m.to_home[row]),
            {r for r in range(m.count) if int(m.to_rows[row]) >> r & 1},
            set(numbers_in(m.to_bits[row])),
            float(m.to_stall_s[row]),
        )
        for row in m.ranked[: m.standing].tolist()
    ]
    away = {column for column in numbers_in(m.away) if column < PROCESSORS}
    return PlainMatrix(int(m.count), PROCESSORS, jobs, allowance, COST_S, moved=moved, away=away)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["gs", "mgs"])
@given(
    jobs=job_lists(PROCESSORS),
    rows=st.integers(2, 4),
    allowance=st.sampled_from([0, 2, 5, 1000]),
    order=st.permutations([*STEPS]),
    moved=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_steps_in_any_order(
    policy: str, jobs: list[Job], rows: int, allowance: int, order: list[str], moved: bool
) -> None:
    for t in passes(jobs, policy, rows):
        as_the_reference(t, allowance, order, moved)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["gs", "mgs"])
@given(
    jobs=job_lists(PROCESSORS, shortest=1),
    rows=st.integers(2, 4),
    allowance=st.sampled_from([2, 5, 1000]),
    order=st.permutations([*STEPS]),
    moved=st.booleans(),
    drained=st.sets(st.integers(0, 3), min_size=1, max_size=2),
)
@settings(max_examples=40, deadline=None)
def test_steps_where_jobs_stand_on_drained_nodes(
    policy: str, jobs: list[Job], rows: int, allowance: int, order: list[str], moved: bool, drained: set[int]
) -> None:
    machine = Machine.uniform(4, PROCESSORS // 4)
    for t in passes(jobs, policy, rows, machine, drained):
        assert plain(t, 0).away == {2 * node + k for node in drained for k in range(2)}
        as_the_reference(t, allowance, order, moved)


def as_the_reference(t: Tables, allowance: int, order: list[str], moved: bool) -> None:
    """Steps in this order, each beside that of the plain matrix."""
    t.matrix.allowance = allowance
    found = plain(t, allowance, moved)
    for name in order:
        ours, theirs = steps(moved)[name]
        if name in ("compact", "migrate"):
            # They take the jobs as clean leaves them.
            clean(t)
            found.clean()
        ours(t)
        theirs(found)
        now = plain(t, int(t.matrix.allowance))
        assert (now.jobs, now.allowance) == (found.jobs, found.allowance), name
        assert t.matrix.free[: t.matrix.count].tolist() == [len(found.free(r)) for r in range(found.rows)]
    lost = sum(one.width * one.stall_s for one in found.jobs)
    assert lost == pytest.approx(sum(found.spent)), "equations 4 and 5 of each migration"
