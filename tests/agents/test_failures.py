"""Failures by a seeded rate."""

from itertools import pairwise

import pytest

from molokini.agents.failures import Failures
from molokini.model.errors import BadValue


def _outages(failures: Failures, node: str, from_s: float, count: int) -> list[tuple[float, float]]:
    found, at_s = [], from_s
    for _ in range(count):
        found.append(failures.next_outage(node, at_s))
        at_s = found[-1][1]
    return found


def test_the_same_seed_gives_the_same_outages_wherever_one_begins() -> None:
    one = _outages(Failures(7, 1000.0, 100.0), "n1", 0.0, 300)
    late = _outages(Failures(7, 1000.0, 100.0), "n1", one[150][0], 100)
    assert late == one[150:250]
    assert one != _outages(Failures(8, 1000.0, 100.0), "n1", 0.0, 300)
    assert one != _outages(Failures(7, 1000.0, 100.0), "n2", 0.0, 300)


def test_outages_follow_one_another() -> None:
    for before, after in pairwise(_outages(Failures(1, 50.0, 20.0), "n", 1.7e9, 1000)):
        assert before[0] < before[1] <= after[0]


def test_the_means_are_those_that_were_asked_for() -> None:
    found = _outages(Failures(3, 1000.0, 100.0), "n", 0.0, 20_000)
    repair_s = sum(returned - lost for lost, returned in found) / len(found)
    up_s = found[-1][1] / len(found) - repair_s
    assert repair_s == pytest.approx(100.0, rel=0.03)
    assert up_s == pytest.approx(1000.0, rel=0.03)


@pytest.mark.parametrize(
    ("mtbf_s", "repair_s", "field"),
    [(-1.0, 1.0, "mtbf_s"), (float("nan"), 1.0, "mtbf_s"), (10.0, 0.0, "repair_s"), (0.0, -1.0, "repair_s")],
)
def test_what_cannot_be_is_refused(mtbf_s: float, repair_s: float, field: str) -> None:
    with pytest.raises(BadValue, match=f"^{field}: "):
        Failures(0, mtbf_s, repair_s)


def test_repairs_of_what_jobs_have_broken_are_drawn_for_each_loss() -> None:
    failures = Failures(3, 0.0, 100.0)
    takes_s = [back_s - lost_s for lost_s in (10.0, 20.0) if (back_s := failures.repaired("n", lost_s))]
    assert len(set(takes_s)) == 2
    assert failures.repaired("n", 10.0) == failures.repaired("n", 10.0) != failures.repaired("m", 10.0)
    assert Failures(3, 0.0, 0.0).repaired("n", 10.0) is None
