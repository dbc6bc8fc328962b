"""Paying where other rules have a say: who is told what of which account, and nodes that are reserved."""

import pytest

from molokini.cycle.dry_run import dry_run
from molokini.model.banks import Bank, Debit
from molokini.model.decisions import Rule
from molokini.model.reservations import Reservation, Terms
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import Bucket, MauiSettings
from molokini.tables.tables import NEVER
from tests.core.policies.maui.selection.test_deferring import deferred
from tests.kit.maui import Whose, at, maui, nodes
from tests.kit.workloads import Job

ASKED_AGAIN = MauiSettings(chosen={"defer_s": 0.0})


@pytest.mark.parametrize(
    ("account", "openings", "left"),
    [
        ("", {"p2": 0}, 0),
        ("", {"p2": 7}, 7),
        ("p1", {"p1": 5, "p2": 7}, 7),
        ("p1", {"p1": 7, "p2": 5}, 7),
        ("p1", {"p1": 5, "p2": 0}, 5),
        ("p1", {"p1": 0, "p2": 0}, 0),
    ],
)
def test_the_reason_is_what_the_richer_account_has(account: str, openings: dict[str, int], left: int) -> None:
    """The job wants 10; who has no account of his own is told of the fallback, empty or not."""
    wallet = Bank(Debit.WALL, True, "p2", openings)
    replay = maui([Job(0, 10, 1)], ASKED_AGAIN, [Whose(account=account)], bank=wallet)
    told = dry_run(at(replay, 0), replay.policy.begin, replay.policy.schedule, 0.0)
    assert told.reasons.rule[0] == Rule.CANNOT_DEBIT_ACCOUNT
    assert (told.reasons.limit[0], told.reasons.value[0]) == (left, 10)


@pytest.mark.parametrize("kept", [1, 3])
def test_who_cannot_pay_when_he_is_to_be_backfilled_is_deferred_whatever_is_reserved(kept: int) -> None:
    """Two partitions of 8. The first job takes half of one and most of what p1 has; two more want all of it.

    The last wants 6 and can no longer pay: whether 7 of the other partition are left to it beside what is
    reserved there, or too few, it is deferred at once.
    """
    lines = {name: NodeLine(partition="b") for name in ("n3", "n4")}
    how = MauiSettings(nodes=NodeSettings(lines=lines), buckets=(Bucket(2),), chosen={"defer_s": 100.0})
    jobs = [Job(0, 50, 4), Job(0, 10, 8), Job(0, 10, 8), Job(0, 10, 6)]
    own, rich = Whose(account="p1"), Whose(account="p2")
    ours = Reservation("ours", kept, 0.0, 1000.0, {"user": ("9",)}, Terms(hosts={"n3": kept}))
    replay = maui(
        jobs,
        how,
        [own, rich, rich, own],
        machine=nodes(4, 4),
        bank=Bank(Debit.WALL, True, "", {"p1": 210, "p2": 10**6}),
        reservations=(ours,),
        node_names=("n1", "n2", "n3", "n4"),
    )
    at(replay, 0)
    assert replay.tables.jobs.reserved_s[:4].tolist() == [NEVER, 50, 60, NEVER]
    assert deferred(replay, 4) == (100.0, 1, Rule.CANNOT_DEBIT_ACCOUNT)
