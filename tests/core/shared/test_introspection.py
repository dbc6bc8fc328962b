"""What a policy tells of itself: parts of a priority, and what a policy without priorities answers."""

import pytest

from molokini.model.credentials import CredentialType
from molokini.model.decisions import Rule
from molokini.shared.introspection import PLAIN, Decay, IterationSettings, OpenJobs, Part
from molokini.tables.tables import NEVER
from tests.kit.passes import NOW, busy, waiting


@pytest.mark.parametrize(
    ("part", "product"), [(Part("service", 2, "queue-time", 3, 10), 60), (Part("b", 1, "", 1, 7), 7)]
)
def test_a_part_of_a_priority_is_the_product_of_both_weights_and_the_factor(
    part: Part, product: float
) -> None:
    assert part.product == product


def test_a_policy_without_priorities_tells_of_the_queue_and_of_nothing_else() -> None:
    t = busy((4, 50.0))
    rows = [waiting(t, 8, 30.0), waiting(t, 3, 10.0)]
    t.jobs.reserved_s[rows[0]] = 50.0
    assert PLAIN.ranked(t) == rows
    assert [PLAIN.reserved_s(t, row) for row in rows] == [50.0, NEVER]
    assert PLAIN.queue_time_s(t, rows[1], NOW) == NOW - t.jobs.submit_s[rows[1]]
    assert (PLAIN.keeps_promises(t), PLAIN.is_deferred(t, rows[0], NOW)) == (True, False)
    assert (
        PLAIN.held_nodes(t, rows[0]),
        PLAIN.explained(t, rows, NOW),
        PLAIN.weights(t),
        PLAIN.steps(t),
    ) == ({}, [], [], [])
    assert (PLAIN.limit_name(3), PLAIN.limit(t, rows[0], Rule.OVER_HARD_LIMIT, 3)) == ("3", None)
    assert list(PLAIN.limits(OpenJobs(t, NOW, lambda kind, number: "", [], rows, []))) == []
    assert (PLAIN.settings(t), PLAIN.target(t, 0, CredentialType.USER)) == (IterationSettings(), (0.0, ""))
    assert PLAIN.decay(t) == Decay("none", 0, 1.0, by_ratio=False)
    assert PLAIN.qos(t, 0) == t.credentials.qos[0]
