"""More reservations than a number has bits: each question has the answer that it has with few of them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.beside_reserved import earliest_beside, fits_beside, may_start
from molokini.availability.hosts import mask_nodes, place_outside, unmask
from molokini.availability.profile import profile_of_running
from molokini.availability.reserved import blocked_at, next_boundary
from molokini.model.reservations import Reservation, Terms
from molokini.tables.access import MOST_BITS, has_access
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.tables import Tables
from tests.kit.reserved_nodes import ASKING, NODES, USERS, Kept, ReservedNodes, Runs, some_kept, some_running

LATER_S = 1000
LATER = [Kept({node % NODES: 1}, LATER_S, LATER_S + 10, (), False) for node in range(MOST_BITS)]
"""They last when all jobs have long ended."""


def answers(t: Tables, estimate_s: int, first: int) -> dict[str, object]:
    """What is asked about the waiting job beside the reservations from number *first* on."""
    found: dict[str, object] = {
        "access": [has_access(t, ASKING, r) for r in range(first, t.reservations.count)]
    }
    found["may start"] = may_start(t, ASKING)
    found["kept"] = [blocked_at(t, ASKING, float(at_s)) for at_s in range(0, 40, 2)]
    mask_nodes(t, ASKING)
    found["barred"], found["rounds"] = t.barred.processors.tolist(), t.rounds.of_node.tolist()
    unmask(t)
    count = place_outside(t, ASKING)
    found["place"] = [t.placing.node[: max(0, count)].tolist(), t.placing.tasks[: max(0, count)].tolist()]
    profile_of_running(t, 0.0)
    found["fits"] = [fits_beside(t, ASKING, float(estimate_s), float(at_s)) for at_s in range(0, 40, 5)]
    found["earliest"] = [earliest_beside(t, ASKING, float(estimate_s), float(at_s)) for at_s in (0, 7, 20)]
    found["boundaries"] = [next_boundary(t, float(at_s)) for at_s in range(20)]
    return found


@given(
    running=some_running,
    kept=some_kept,
    user=st.sampled_from(USERS),
    estimate_s=st.integers(1, 25),
    width=st.integers(1, 9),
)
@settings(max_examples=12, deadline=None)
def test_the_answers_are_those_with_few_reservations_where_the_others_are_far_off(
    running: list[Runs], kept: list[Kept], user: int, estimate_s: int, width: int
) -> None:
    few = ReservedNodes(running, [*kept, LATER[0]]).tables(user, width, estimate_s)
    many = ReservedNodes(running, [*LATER, *kept, LATER[0]]).tables(user, width, estimate_s)
    assert few.reservations.count <= MOST_BITS < many.reservations.count
    assert answers(many, estimate_s, len(LATER)) == answers(few, estimate_s, 0)


def test_new_reservations_leave_nothing_of_those_before() -> None:
    """Neither what was found out in this pass nor on which nodes they were; policies plan anew."""
    t = ReservedNodes([], [Kept({0: 4, 1: 4}, 0, 10, (), False)]).tables(USERS[0], 8, 5)
    assert blocked_at(t, ASKING, 0.0) == 8
    assert not has_access(t, ASKING, 0)
    assert not may_start(t, ASKING)
    t.cycle.replan = 0
    one = Reservation("r0", 2, 0.0, 10.0, {"user": (str(USERS[0]),)})
    set_reservations(t, [one], lambda _, name: int(name))
    assert t.cycle.replan == 1
    assert (t.hosts.count, t.nodes.hosted.tolist()) == (0, [0] * NODES)
    assert has_access(t, ASKING, 0)
    assert blocked_at(t, ASKING, 0.0) == 0
    assert may_start(t, ASKING)
    for node, name in enumerate("abc"):
        one = Reservation("r0", 3, 0.0, 10.0, {}, Terms(hosts={name: 3}))
        set_reservations(t, [one], lambda _, name: int(name), nodes={"a": 0, "b": 1, "c": 2})
        mask_nodes(t, ASKING)
        assert t.barred.processors.tolist() == [3 if k == node else 0 for k in range(NODES)]
        unmask(t)
    set_reservations(t, [], lambda _, name: int(name))
    assert (t.reservations.count, next_boundary(t, 0.0)) == (0, float("inf"))
