"""Where a job goes beside reserved nodes, and how much of each node it is kept off, against plain lists."""

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.hosts import mask_nodes, place_outside, place_outside_on, unmask
from tests.kit.plain_nodes import Part, Placing, PlainNode
from tests.kit.reserved_nodes import (
    ASKING,
    EACH,
    NODES,
    USERS,
    Kept,
    ReservedNodes,
    Runs,
    some_kept,
    some_running,
)

ROUNDS = {"": -2, "+": -2, "=": -1, "-": 1}
"""When nodes of a reservation are tried by who is admitted so; 0: when those of no reservation are."""


def barred(plain: ReservedNodes, user: int, estimate_s: int) -> list[int]:
    """What a job that starts now and runs so long may not have of each node at any second of it."""
    found = []
    for node in range(NODES):
        each = [
            plain.kept_on(user, node, at_s) - (plain.idle(node, at_s) - plain.idle(node, 0))
            for at_s in range(max(1, estimate_s))
        ]
        found.append(max(0, *each))
    return found


@given(running=some_running, kept=some_kept, user=st.sampled_from(USERS), estimate_s=st.integers(0, 25))
@settings(max_examples=150, deadline=None)
def test_what_is_kept_from_a_job(running: list[Runs], kept: list[Kept], user: int, estimate_s: int) -> None:
    plain = ReservedNodes(running, kept)
    t = plain.tables(user, 1, estimate_s)
    mask_nodes(t, ASKING)
    assert t.barred.processors[:NODES].tolist() == barred(plain, user, estimate_s)
    unmask(t)
    assert not t.barred.processors.any()
    assert not t.rounds.of_node.any()


@given(
    running=some_running,
    kept=some_kept,
    user=st.sampled_from(USERS),
    estimate_s=st.integers(0, 25),
    width=st.integers(1, NODES * EACH),
)
@settings(max_examples=200, deadline=None)
def test_where_it_goes(running: list[Runs], kept: list[Kept], user: int, estimate_s: int, width: int) -> None:
    plain = ReservedNodes(running, kept)
    t = plain.tables(user, width, estimate_s)
    there = [one for one in kept if user in one.users and (one.from_s < estimate_s or one.from_s == 0)]
    # Where reservations of one node are wanted differently, the earliest round counts.
    rounds = [
        min((ROUNDS[one.sign] for one in there if node in one.hosts), default=0) for node in range(NODES)
    ]
    nodes = [PlainNode((float(EACH),), 0, 0)] * NODES
    placing = Placing(nodes, set(), "first-fit", barred(plain, user, estimate_s), rounds)
    found = placing.place([[float(plain.idle(n, 0))] for n in range(NODES)], [Part(width, (1.0,))])
    before = t.nodes.free.copy()
    count = place_outside(t, ASKING)
    assert (count >= 0) == (found is not None)
    if found is not None:
        columns = (t.placing.node, t.placing.tasks)
        assert list(zip(*(one[:count].tolist() for one in columns), strict=True)) == [
            one[:2] for one in found
        ]
    assert (t.nodes.free == before).all(), "the room is as before"


def test_what_the_room_leaves_out_already_is_not_taken_off_twice() -> None:
    """Two of four processors are kept; a room that has but three of them leaves out one of these two."""
    plain = ReservedNodes([], [Kept({0: 2}, 0, 10, (), False)])
    t = plain.tables(USERS[0], 2, 5)
    room = t.nodes.free.copy()
    room[:, 0] = (3.0, 0.0, 0.0)
    assert place_outside_on(t, room, ASKING) == 1
    room[:, 0] = (3.0, 0.0, 0.0)
    t.jobs.width[ASKING] = 3
    assert place_outside_on(t, room, ASKING) == -1
