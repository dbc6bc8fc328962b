"""What reservations on nodes keep from a job at one instant, against plain lists."""

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.reserved import blocked_at, next_boundary
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


@given(kept=some_kept, now=st.integers(0, 40))
def test_the_next_instant_at_which_one_begins_or_ends(kept: list[Kept], now: int) -> None:
    t = ReservedNodes([], kept).tables(USERS[0], 1, 1)
    later = [at_s for one in kept for at_s in (one.from_s, one.until_s) if at_s > now]
    assert next_boundary(t, float(now)) == min(later, default=NEVER)
