"""The worked case 6 of the reference: partitions over the same nodes, and a size that grows with a test."""

from typing import Any

import pytest

from tests.kit.slurm import FOUR, NODE, WEIGHTS, Ran, Sbatch, settings_of, slurm, tree

USED = {"root": 5112.0, "daemon": 48.0, "sys": 120.0, "man": 26.0, "lp": 5.0}
"""Of all users root has used most, and is the last of eight: its factor is an eighth."""
PASSES: dict[str, Any] = {**WEIGHTS, "bf_interval_s": 12.0, "priority_decay_half_life_s": 0.0}
"""An end makes a backfill pass due at 25; one at 45 or 46 would start elements, and none did in the case: the
thread of the real one is a second later at each pass. Here the next are at 37 and 49."""
A, X, Y, Z, AR_1, AR_2, AR_3, AR_4 = range(8)


def case_6(first_calculation_s: float, compiled: bool) -> Ran:
    """Two elements of the array run at a time: the next are eligible when the first have ended."""
    jobs = [
        Sbatch(0, 25, 2, **FOUR),
        Sbatch(1, 10, 2, queue="low", **FOUR),
        Sbatch(2, 10, 2, **FOUR),
        Sbatch(3, 10, 2, queue="low,batch", **NODE),
        *(Sbatch(at, 8, 1, tasks=1) for at in (5, 5, 45, 45)),
    ]
    chosen = {**PASSES, "priority_phase_s": first_calculation_s}
    return slurm(jobs, settings_of(chosen, associations=tree(USED)), compiled=compiled)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("first_calculation_s", "last", "x"),
    [
        # X has the size of four nodes from the calculation on: it is first, and closes all nodes.
        (43.0, (59, 61), (48, 50)),
        # Without one the elements go first, as they did when they were submitted.
        (100.0, (45, 47), (53, 56)),
    ],
)
def test_case_6(
    first_calculation_s: float, last: tuple[float, float], x: tuple[float, float], compiled: bool
) -> None:
    ran = case_6(first_calculation_s, compiled).until(6.0)
    found = ran.priorities()
    assert (found[X], found[Y], found[AR_1]) == (13_625.0, 14_375.0, 13_718.0)
    ran.until(44.0)
    assert ran.priorities()[X] == (14_000.0 if first_calculation_s == 43.0 else 13_625.0)
    assert ran.replay.run()
    wanted = {
        A: (0, 1),
        Y: (25, 27),
        Z: (36, 38),
        AR_1: (36, 38),
        AR_2: (36, 38),
        AR_3: last,
        AR_4: last,
        X: x,
    }
    starts = {job: ran.starts[job] for job in wanted}
    assert all(low <= starts[job] <= high for job, (low, high) in wanted.items()), starts
