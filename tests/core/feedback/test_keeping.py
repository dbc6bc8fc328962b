"""What nodes keep of periods and slices, and rules that fit it."""

import pytest

from molokini.feedback.controlling import MS, Control, Rules
from molokini.feedback.keeping import Keeps, fitted


def test_rules_are_those_of_the_node_that_keeps_least() -> None:
    rules = fitted(Rules(step=3 * MS), [Keeps(20 * MS, MS), Keeps(10 * MS, 4 * MS)])
    assert rules == Rules(step=3 * MS, least_period=20 * MS, least_slice=4 * MS)
    assert fitted(rules, []) == rules


@pytest.mark.parametrize(
    ("keeps", "target", "told"),
    [
        (Keeps(), 500_000, ""),
        (Keeps(200 * MS, MS), 500_000, "keeps periods above 200 ms, and not 200 ms; give a longer period"),
        (Keeps(199 * MS, MS), 500_000, ""),
        (Keeps(10 * MS, 20 * MS), 100_000, "keeps slices above 20 ms, and not 20 ms of 200 ms"),
        (Keeps(10 * MS, 20 * MS), 100_001, ""),
        (Keeps(share=0), 500_000, "it keeps no slices"),
    ],
)
def test_what_a_node_lacks(keeps: Keeps, target: int, told: str) -> None:
    lacks = keeps.lacks(target, Rules())
    assert told in lacks
    assert bool(told) == bool(lacks)


def test_a_control_goes_on_where_its_period_is_long_enough() -> None:
    control = Control.begun(Rules(first_period=60 * MS), 500_000).reported(0)
    assert control.period == 58 * MS
    kept = Rules(first_period=60 * MS, least_period=57 * MS)
    assert control.by(kept).period == 58 * MS
    assert control.by(Rules(first_period=60 * MS, least_period=58 * MS)).period == 60 * MS
    assert control.by(Rules(first_period=60 * MS, least_slice=29 * MS)).period == 60 * MS
    assert control.by(kept).reported(0).period == 60 * MS
