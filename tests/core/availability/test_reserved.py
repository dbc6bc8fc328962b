"""What reservations on nodes keep from a job at one instant, against plain lists."""

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.reserved import (
    blocked_at,
    kept_of_mask,
    kept_on_node,
    lasts,
    next_boundary,
    next_node,
)
from molokini.tables.access import has_access
from molokini.tables.tables import NEVER
from tests.kit.reserved_nodes import (
    ASKING,
    NODES,
    USERS,
    Kept,
    ReservedNodes,
    Runs,
    some_draining,
    some_kept,
    some_running,
)


@given(running=some_running, kept=some_kept, user=st.sampled_from(USERS), draining=some_draining)
@settings(max_examples=200, deadline=None)
def test_what_is_idle_and_kept_of_all_nodes(
    running: list[Runs], kept: list[Kept], user: int, draining: tuple[int, ...]
) -> None:
    """A node that takes no new job has nothing to be kept, whatever ends there."""
    plain = ReservedNodes(running, kept, draining)
    t = plain.tables(user, 1, 1)
    for at_s in range(36):
        nodes = [max(0, min(plain.kept_on(user, n, at_s), plain.idle(n, at_s))) for n in range(NODES)]
        assert blocked_at(t, ASKING, float(at_s)) == sum(nodes), at_s


@given(running=some_running, kept=some_kept, user=st.sampled_from(USERS))
@settings(max_examples=100, deadline=None)
def test_what_is_kept_of_a_node_by_the_reservations_of_a_mask(
    running: list[Runs], kept: list[Kept], user: int
) -> None:
    plain = ReservedNodes(running, kept)
    t = plain.tables(user, 1, 1)
    for at_s in range(0, 36, 3):
        blocked_at(t, ASKING, float(at_s))
        others = [
            r
            for r in range(t.reservations.count)
            if lasts(t, r, float(at_s)) and not has_access(t, ASKING, r)
        ]
        h = 0
        while h < t.hosts.count:
            wanted = plain.kept_on(user, int(t.hosts.node[h]), at_s)
            assert kept_of_mask(t, h, sum(1 << r for r in others)) == wanted
            assert kept_on_node(t, ASKING, h, float(at_s)) == wanted
            h = next_node(t, h)


@given(kept=some_kept, now=st.integers(0, 40))
def test_the_next_instant_at_which_one_begins_or_ends(kept: list[Kept], now: int) -> None:
    t = ReservedNodes([], kept).tables(USERS[0], 1, 1)
    later = [at_s for one in kept for at_s in (one.from_s, one.until_s) if at_s > now]
    assert next_boundary(t, float(now)) == min(later, default=NEVER)
