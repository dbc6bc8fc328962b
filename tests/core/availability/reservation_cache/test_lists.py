"""The nodes that reservations keep from a job at one instant: made once, and the same as plain lists say."""

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.reservation_cache.lists import list_of
from molokini.tables.tables import Tables
from tests.kit.reserved_nodes import ASKING, NODES, USERS, Kept, ReservedNodes, Runs, some_kept, some_running


def listed(t: Tables, at_s: int) -> dict[int, tuple[int, int]]:
    """By node: so much is kept, so much is idle then."""
    found = list_of(t, ASKING, float(at_s))
    if found < 0:
        return {}
    places = range(t.lists.first[found], t.lists.last[found])
    return {int(t.lists.node[k]): (int(t.lists.kept[k]), int(t.lists.free[k])) for k in places}


@given(
    running=some_running,
    kept=some_kept,
    user=st.sampled_from(USERS),
    asked=st.lists(st.integers(0, 36), min_size=1, max_size=8),
)
@settings(max_examples=200, deadline=None)
def test_lists_are_what_is_kept(running: list[Runs], kept: list[Kept], user: int, asked: list[int]) -> None:
    """In any order of instants, some of them again."""
    plain = ReservedNodes(running, kept)
    t = plain.tables(user, 1, 1)
    for at_s in [*asked, *reversed(asked)]:
        wanted = {node: (plain.kept_on(user, node, at_s), plain.idle(node, at_s)) for node in range(NODES)}
        assert listed(t, at_s) == {node: one for node, one in wanted.items() if one[0] > 0}, at_s
    assert t.lists.count <= len(set(asked))
