"""Affinities of access lists: who is admitted takes what is reserved first, before the rest, or last."""

from collections.abc import Sequence

import pytest

from molokini.model.machine import Machine
from molokini.model.reservations import Affinity, Reservation, Terms, entry_of, renamed
from molokini.policies import load_policy
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import MauiSettings
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import Allocation
from molokini.sim.replay import Options, Replay
from tests.core.sim.test_reservations import work_of
from tests.core.sim.test_reserved_nodes import NAMES, on, replay_of, starts

SIGNS = [("", "b"), ("+", "b"), ("=", "b"), ("-", "a")]


def test_an_entry_is_a_name_and_a_sign() -> None:
    assert [entry_of(text) for text in ("ann", "ann+", "ann=", "ann-", "-", "-1")] == [
        ("ann", Affinity.POSITIVE),
        ("ann", Affinity.POSITIVE),
        ("ann", Affinity.NEUTRAL),
        ("ann", Affinity.NEGATIVE),
        ("-", Affinity.POSITIVE),
        ("-1", Affinity.POSITIVE),
    ]
    assert (renamed("ann-", "17"), renamed("ann", "17")) == ("17-", "17")


def taken(replay: Replay, at_s: float) -> list[int]:
    """Processors of each node that are in use."""
    replay.run(at_s)
    t = replay.tables
    assert not t.rounds.of_node.any()
    return [int(used) for used in (t.nodes.total - t.nodes.free)[:, 0]]


@pytest.mark.parametrize("placement", ["first-fit", "best-fit", "worst-fit"])
@pytest.mark.parametrize("policy", ["easy", "maui"])
@pytest.mark.parametrize(("sign", "node"), SIGNS)
def test_nodes_are_tried_in_rounds(policy: str, sign: str, node: str, placement: str) -> None:
    # By itself each way would take a: all nodes are equally empty.
    ours = on({"b": 4}, 0.0, 200.0, user=f"7{sign}")
    found = taken(replay_of(work_of((50.0, 60.0, 4, 7)), policy, ours, placement=placement), 60.0)
    assert found == [4 if name == node else 0 for name in NAMES]


def test_positive_before_neutral_before_nobodys_before_negative() -> None:
    kept = [on({"a": 4}, user="7-"), on({"c": 4}, user="7="), on({"d": 4}, user="7")]
    for width, used in ((4, [0, 0, 0, 4]), (8, [0, 0, 4, 4]), (12, [0, 4, 4, 4]), (14, [2, 4, 4, 4])):
        assert taken(replay_of(work_of((120.0, 60.0, width, 7)), "maui", *kept), 130.0) == used


def test_of_several_that_fit_the_one_that_is_wanted_most_counts() -> None:
    ours = on({"d": 4}, 0.0, 200.0, user="7-", group="1=")
    work = work_of((50.0, 60.0, 4, 7))
    work.group[:] = 1
    assert taken(replay_of(work, "maui", ours), 60.0) == [0, 0, 0, 4]
    work.group[:] = 2
    assert taken(replay_of(work, "maui", ours), 60.0) == [4, 0, 0, 0]


def test_a_reservation_that_is_over_or_begins_after_the_end_draws_nobody() -> None:
    early, late = on({"d": 4}, 0.0, 40.0, user="7"), on({"c": 4}, 110.0, 200.0, user="7")
    assert taken(replay_of(work_of((50.0, 60.0, 4, 7)), "maui", early, late), 60.0) == [4, 0, 0, 0]
    assert taken(replay_of(work_of((50.0, 61.0, 4, 7)), "maui", early, late), 60.0) == [0, 0, 4, 0]
    # At its end it is over; before, another job has come, for what is over at the first instant is not there.
    for at_s, used in ((39.0, [0, 0, 0, 4]), (40.0, [4, 0, 0, 0])):
        work = work_of((1.0, 5.0, 1, 1), (at_s, 60.0, 4, 7))
        assert taken(replay_of(work, "maui", early, late), at_s) == used


@pytest.mark.parametrize("allocation", [Allocation.FIRSTAVAILABLE, Allocation.FASTEST, Allocation.PRIORITY])
def test_within_a_round_nodes_are_in_the_order_of_the_policy(allocation: Allocation) -> None:
    speeds = {"n1": 1.0, "n2": 3.0, "n3": 2.0, "n4": 4.0}
    lines = {name: NodeLine(speed=speed, priority=int(speed)) for name, speed in speeds.items()}
    settings = MauiSettings(nodes=NodeSettings(allocation=allocation, lines=lines))
    vector = vector_of(settings, by_number, lambda name: int(name[1:]) - 1)
    kept = (Reservation("r", 12, 0.0, 500.0, {"user": ("7",)}, Terms(hosts={"n1": 4, "n2": 4, "n3": 4})),)
    options = Options(parameters=vector, reservations=kept, node_names=tuple(speeds), interpreted=True)
    work = work_of((1.0, 60.0, 4, 7), (2.0, 60.0, 4, 7), (3.0, 60.0, 4, 1))
    replay = Replay(work, Machine.uniform(4, 4), load_policy("maui"), options=options)
    first = taken(replay, 1.0)
    second = [after - before for after, before in zip(taken(replay, 2.0), first, strict=True)]
    assert first.index(4) == (0 if allocation is Allocation.FIRSTAVAILABLE else 1)
    assert second.index(4) == (1 if allocation is Allocation.FIRSTAVAILABLE else 2)
    # Who has no access finds the last one, whatever the order was for those before.
    assert taken(replay, 3.0) == [0 if first.index(4) else 4, 4, 4 if first.index(4) else 0, 4]


@pytest.mark.parametrize("nodes", [True, False])
@pytest.mark.parametrize(("sign", "stranger_s"), [("", 110.0), ("=", 110.0), ("-", 200.0)])
def test_where_there_are_no_nodes_affinity_says_whose_count(
    nodes: bool, sign: str, stranger_s: float
) -> None:
    # 8 of 16 are reserved, 7 has 8: they are the reserved ones, or the others, as long as there are any.
    kept = Reservation("r", 8, 50.0, 200.0, {"user": (f"7{sign}",)})
    work = work_of((100.0, 500.0, 8, 7), (110.0, 60.0, 8, 1))
    assert starts(work, "easy", kept, nodes=nodes) == [100.0, stranger_s]


def test_what_does_not_fit_outside_is_inside() -> None:
    # A stranger has 4 of the 8 outside, so 7 has 4 more there, and 4 inside; nothing is left for strangers
    # until the last one, who has moved out by then, has ended.
    kept = Reservation("r", 8, 50.0, 200.0, {"user": ("7-",)})
    work = work_of((90.0, 500.0, 4, 1), (100.0, 50.0, 8, 7), (110.0, 60.0, 1, 1), (110.0, 60.0, 4, 7))
    assert starts(work, "easy", kept, nodes=False) == [90.0, 100.0, 170.0, 110.0]


def test_one_is_counted_first_where_it_is_wanted() -> None:
    def at(entries: Sequence[str]) -> float:
        kept = [
            Reservation(f"r{k}", 4, 50.0, 200.0, {"user": (f"7{sign}", "8")})
            for k, sign in enumerate(entries)
        ]
        # 8 may use both; the stranger has what is neither reserved nor in use.
        work = work_of((100.0, 500.0, 4, 7), (105.0, 500.0, 4, 8), (110.0, 60.0, 8, 1))
        return starts(work, "easy", *kept, nodes=False)[2]

    assert at(("", "=")) == at(("=", "")) == 110.0
    assert at(("-", "-")) == 200.0


@pytest.mark.parametrize(("width", "start_s"), [(2, 110.0), (3, 200.0)])
def test_what_others_share_is_outside_for_one_that_goes_inside_last(width: int, start_s: float) -> None:
    """7 has 10 of 16, all of them outside of the 4 that it may have: the 3 that others share are no more kept
    from it by that. So 6 are idle, of which 4 are kept from a stranger; the 3 are among these.
    """
    kept = Reservation("r", 4, 50.0, 200.0, {"user": ("7-",)})
    shared = Reservation("s", 3, 50.0, 200.0, {"user": ("8",)}, Terms(shared=True))
    work = work_of((100.0, 500.0, 10, 7), (110.0, 60.0, width, 1))
    assert starts(work, "easy", kept, shared, nodes=False) == [100.0, start_s]
