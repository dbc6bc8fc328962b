"""scontrol create and delete reservation: the words of Slurm, and what the server then has."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    up = ("--nodes", 2, "--procs-per-node", 4, "--clock", "stepped")
    async with system_variables(tmp_path, "slurm", up=up) as one:
        yield one


async def test_a_reservation_is_made_shown_and_deleted(cluster: Cluster) -> None:
    create = ("scontrol", "create", "reservation")
    when = ("StartTime=now+60", "Duration=10")
    made = await cluster.ran(*create, *when, "Users=root", "NodeCnt=1")
    assert made == Ran("Reservation created: root_1\n", "", 0)
    named = ("ReservationName=maint", "Nodes=ALL", "Flags=maint,ignore_jobs", "Accounts=a,b")
    assert await cluster.ran(*create, *when, *named) == Ran("Reservation created: maint\n", "", 0)
    shown = await cluster.ran("scontrol", "show", "reservation")
    assert [line.split()[0] for line in shown.lines if line.startswith("Reservation")] == [
        "ReservationName=root_1",
        "ReservationName=maint",
    ]
    assert await cluster.ran("scontrol", "delete", "ReservationName=maint") == Ran("", "", 0)
    again = await cluster.ran("scontrol", "delete", "reservation=maint")
    assert again == Ran("", "delete_reservation reservation=maint: Requested reservation is invalid\n", 1)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            "Users=root Nodes=ALL Duration=5",
            "scontrol: error: A start time must be given.  No reservation created.",
        ),
        (
            "Users=root Nodes=ALL StartTime=now",
            "scontrol: error: An end time or duration must be given.  No res",
        ),
        (
            "Users=root StartTime=now Duration=5",
            "scontrol: error: CoreCnt, Nodes, NodeCnt, BurstBuffer, Li",
        ),
        (
            "Nodes=ALL StartTime=now Duration=5",
            "scontrol: error: Either Users/Groups and/or Accounts mus",
        ),
        (
            "Users=root Nodes=nix StartTime=now Duration=5",
            "Error creating the reservation: Invalid node name",
        ),
        (
            "Users=root NodeCnt=9 StartTime=now Duration=5",
            "Error creating the reservation: Required node not",
        ),
        ("Users=root Nodes=ALL StartTime=x Duration=5", "Invalid time specification (pos=0): x"),
        ("Users=root Nodes=ALL StartTime=now Duration=x", "scontrol: error: Invalid duration x.  No res"),
        ("Users=root Nodes=ALL Bogus=1", "scontrol: error: Unknown parameter: Bogus=1."),
        (
            "Users=root Nodes=ALL StartTime=now Duration=5 Flags=daily",
            "scontrol: error: Flags=DAILY is not supported.",
        ),
    ],
)
async def test_what_is_no_reservation(cluster: Cluster, words: str, why: str) -> None:
    done = await cluster.ran("scontrol", "create", "reservation", *words.split())
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(why)
