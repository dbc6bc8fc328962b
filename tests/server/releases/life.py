"""A life of a server in which every kind of fact occurs, told on a stepped clock: the same each time.

``python -m tests.server.releases.life NAME`` writes it down with the code at hand, as a release does once
(and as a new kind of fact asks for between releases): the journal ``journals/NAME.sqlite`` and, beside it,
what it says that no release before it has said (``kept.py``). Those files are never written again.
"""

import asyncio
import json
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from molokini.feedback.aims import Aim
from molokini.model.actors import Origin
from molokini.model.banks import Booking
from molokini.model.calendars import Calendar, Period
from molokini.model.codec import Entry
from molokini.model.facts import (
    NO_INDEX,
    AttemptGone,
    Ending,
    Fact,
    JobAccrues,
    JobBypassed,
    JobRequeued,
    PartEnded,
    PolicySet,
    ReservationMade,
    ReservationsRolled,
)
from molokini.model.reservations import Reservation, StandingReservation
from molokini.model.slicing import Slicing
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.journal.sqlite_file import DATABASE_FILE
from molokini.server.server import recovered
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.turn.aiming import OrderPair
from molokini.server.turn.banking import BookAccount
from molokini.server.turn.changing import Alter, Signal
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command, Draft
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes, NoteCommand, RemoveQueue, SetPolicy, SetQueue
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.reserving import ReleaseReservation
from molokini.server.turn.retiring import Retire
from molokini.server.turn.scheduling import ResetStatistics, SetScheduling
from molokini.server.turn.slicing import SliceJob
from molokini.server.turn.starting import StartJob
from tests.kit.live import MemoryJournal, Story, after, live, nodes
from tests.server.releases.kept import Kept
from tests.server.releases.portrait import portrait

JOURNALS = Path(__file__).parent / "journals"
MACHINE = [
    nodes("n[1-3]", 4, memory_kb=1000, generic={"gpu": 2}, features=["fast"]),
    nodes("m[1-2]", 2, memory_kb=4000, cluster="west"),
]
MOVING = """
from molokini.model.policy import Policy
from molokini.tables.tables import View
from molokini.cycle.verbs import migrate, set_share

POLICY = Policy(name="moving", summary="moves and slows what runs", promise="none", source="a test")


def schedule(view: View, now: float) -> None:
    for k in range(view.queue.running_count):
        if view.jobs.rate[view.queue.running[k]] == 1.0:
            migrate(view, view.queue.running[k])
            set_share(view, view.queue.running[k], 0.5)
"""
"""No policy at hand moves jobs between nodes, yet the journal can say so."""


async def _arrays_and_dependencies(story: Story) -> None:
    await story.submit(name="first", run_s=10.0, processors=4, submission_key="key-1", comment="plain")
    await story.submit(array={"first": 1, "last": 9, "step": 2, "running_limit": 2}, run_s=7.0, name="array")
    await story.submit(user="bob", array={"first": 0, "last": 199}, run_s=1.0, processors=8)
    await story.submit(dependencies=after("AFTER_OK", 1), run_s=3.0)
    await story.submit(dependencies=after("AFTER_NOT_OK", 1), run_s=3.0)
    await story.submit(dependencies=after("AFTER_ANY", 1, 2), run_s=3.0, processors=2)
    await story.submit(dependencies=after("AFTER", 2), run_s=3.0)
    await story.submit(dependencies=after("SINGLETON"), name="first", run_s=5.0)
    await story.submit(user="bob", begin_at_s=15.0, run_s=3.0, script="#!/bin/sh\nécho\n")
    await story.advance(20.0)
    await story.cancel(3)


async def _numbers(story: Story) -> None:
    number = await story.submit(array={"indices": [1, 5, 6], "own_numbers": True}, held=True)
    await story.cancel(number, 5)
    await story.cancel(number, 6)
    await story.cancel(number, 1)


async def _holds_and_changes(story: Story) -> None:
    limits = Limits()
    held = await story.submit(held=True, run_s=30.0, processors=3, memory_kb=100)
    await story.hold(held, "operator")
    await story.do(Alter(held, "bob", {"estimate_s": 55.0, "comment": "longer"}, limits, True))
    await story.do(Alter(held, "bob", {"resources": {"nodes": 1, "processors_per_node": 2}}, limits, True))
    await story.release(held)
    await story.release(held, "operator")
    slow = await story.submit(run_s=200.0, estimate_s=300.0, nodes=2, processors_per_node=2)
    await story.advance(2.0)
    await story.do(OrderPair(story.run(slow), Aim("50%").begun(2.0), 0, lambda: 5.0))
    await story.do(SliceJob(slow, -1, "root", Slicing(period_s=0.1, slice_s=0.05)))
    await story.do(SuspendJob(slow, -1, "root"))
    await story.advance(5.0)
    await story.do(ResumeJob(slow, -1, "root"))
    await story.requeue(slow)
    await story.do(Signal(held, -1, "ann", 10))
    await story.advance(5.0)
    forgotten = await story.submit(held=True, run_s=1.0)
    await story.cancel(forgotten)
    await story.advance(5.0)
    await story.cancel(slow)
    await story.advance(5.0)


async def _ends_of_every_kind(story: Story) -> None:
    await story.submit(run_s=50.0, estimate_s=5.0)
    await story.submit(run_s=2.0, outcome={"exit_code": 3})
    await story.submit(outcome={"never_starts": True})
    await story.submit(run_s=2.0, outcome={"signal": 11, "memory_kb": 77}, user="bob")
    await story.submit(run_s=0.0, generic={"gpu": 1}, features=["fast"])
    await story.advance(20.0)
    await story.submit(run_s=30.0, requeue=False, features=["fast"], processors=2)
    await story.submit(run_s=30.0, features=["fast"], nodes=2, processors_per_node=1)
    await story.do(DrainNodes(["m1"], "root", "a fan"))
    await story.do(LoseNodes(["n1", "n2"], "root", "power"))
    await story.advance(3.0)
    await story.do(ReturnNodes(["n1", "m1"], "root"))
    await story.advance(50.0)


async def _queues_and_policies(story: Story, scratch: Path) -> None:
    await story.do(SetQueue(Queue("night", nodes=("n1", "n3"), max_jobs=9, priority=3), "root"))
    await story.do(SetQueue(Queue("gone", max_running_per_user=1), "root"))
    await story.do(RemoveQueue("gone", "root"))
    await story.do(SetPolicy("conservative-worstfit", {}, "root"))
    story.core.reactor.change_policy("conservative-worstfit", {})
    await story.submit(queue="night", run_s=40.0, processors=8, estimate_s=60.0)
    await story.submit(queue="night", run_s=40.0, processors=8, estimate_s=60.0)
    await story.submit(queue="night", run_s=4.0, processors=2, estimate_s=500.0, user="bob")
    await story.do(NoteCommand("root", "clock", {"rate": 2.0}))
    await story.submit(run_s=80.0, processors=2, estimate_s=90.0)
    await story.advance(1.0)
    policy = scratch / "moving.py"
    policy.write_text(MOVING, encoding="utf-8")
    # Without the fact of a change: the file is gone tomorrow.
    story.core.reactor.change_policy(str(policy), {})
    await story.advance(1.0)
    await story.do(SetPolicy("firstfit", {}, "root"))
    story.core.reactor.change_policy("firstfit", {})
    await story.advance(5.0)


class Say(Command):
    """Facts that only a policy brings about, and that none at hand does here."""

    def __init__(self, *facts: Fact) -> None:
        super().__init__()
        self.facts = facts

    def check(self, state: State, draft: Draft) -> None:
        draft.facts.extend(self.facts)


async def _what_policies_say(story: Story) -> None:
    """A job is passed by others, is blocked for a while, and gives way."""
    waits = await story.submit(run_s=10.0, processors=14, estimate_s=20.0)
    await story.do(Say(JobBypassed(waits, -1, 3), JobAccrues(waits, -1, 5.0)))
    runs = await story.submit(run_s=10.0, processors=1, estimate_s=20.0)
    await story.do(Say(PartEnded(runs, -1, 1, "elsewhere", Ending.COMPLETED, story.core.clock.now())))
    await story.do(Say(JobRequeued(runs, -1, 1, Origin.POLICY, "it gave way to others")))
    await story.do(Say(AttemptGone(runs, -1, "emulated")))


async def _divisible_loads(story: Story) -> None:
    """One ends, one is refused for its deadline, one runs, one waits for the start that it was promised."""
    await story.do(Say(PolicySet("edf-opr-mn", {}, "root")))
    story.core.reactor.change_policy("edf-opr-mn", {})
    costs = {"send_s": 1.0, "compute_s": 100.0, "setup_send_s": 0.5}
    await story.advance(500.0)
    for load, after_s in ((1.0, 200.0), (50.0, 1.0), (90.0, 900.0), (60.0, 2500.0)):
        wanted = {"load": load, "deadline_after_s": after_s, **costs}
        await story.submit(divisible=wanted, estimate_s=0.0, user="bob")
        await story.advance(100.0)


async def _over_clusters(story: Story) -> None:
    """One has ended where its messages made it late, one runs when the server is killed, one waits for it."""
    await story.do(SetPolicy("fcfs-worstfit", {}, "root"))
    story.core.reactor.change_policy("fcfs-worstfit", {})
    talk = {"pattern": "ALL_TO_ALL", "inside_s": 0.5, "between_s": 10.0}
    for components, request, run_s in (
        ([2, 1], "UNORDERED", 5.0),
        ([4, 2], "ORDERED", 80.0),
        ([3, 3], "UNORDERED", 5.0),
    ):
        await story.submit(
            components=components, request=request, communication=talk, run_s=run_s, user="bob"
        )
        await story.advance(30.0)
    await story.do(SetPolicy("easy", {}, "root"))
    story.core.reactor.change_policy("easy", {})


async def _reservations(story: Story) -> None:
    """One that stays, one that is given up, one that comes back and was rolled once."""
    now_s = story.core.clock.now()
    access = {"user": ("bob",), "queue": ("night",)}
    nights = Calendar(Period.DAY, frozenset({"Mon", "Thu"}), 3600.0, 7200.0)
    for one in (
        Reservation("kept", 3, now_s + 1e6, float("inf"), access),
        Reservation("gone", 1, now_s + 1e6, now_s + 2e6),
        StandingReservation("nights", 2, nights, 3, access),
    ):
        await story.do(Say(ReservationMade(one.as_json(), "root")))
    await story.do(ReleaseReservation("gone", "root"))
    await story.do(Say(ReservationsRolled(tuple(one.as_json() for one in story.state.instances))))


async def _bank(story: Story) -> None:
    """One job has been paid for, one is being paid for, one waits for money, deferred."""
    config = {
        "maui_config": "AMCFG[bank] TYPE=FILE CHARGEPOLICY=DEBITALLWC\nACCOUNTCFG[physics] ALLOCATION=100\n"
    }
    await story.do(SetPolicy("maui", config, "root"))
    story.core.reactor.change_policy("maui", config)
    await story.do(BookAccount("physics", Booking.DEPOSIT, 50, "root", "a gift"))
    await story.do(BookAccount("physics", Booking.WITHDRAWAL, 10, "root"))
    paid = await story.submit(run_s=20.0, processors=2, estimate_s=30.0, account="physics")
    await story.advance(2000.0)
    await story.do(BookAccount("physics", Booking.REFUND, 5, "root", "it was slow", paid))
    await story.submit(run_s=2000.0, processors=1, estimate_s=60.0, account="physics")
    await story.submit(run_s=20.0, processors=2, estimate_s=30.0, account="physics")
    await story.advance(1.0)


async def _scheduling(story: Story) -> None:
    """Paused, with one job started past it; and resumed."""
    await story.do(SetScheduling(True, "root", "maintenance"))
    job = await story.submit(run_s=5.0, processors=1, system_priority=1_000_000_007, operator=True)
    await story.do(StartJob(job, NO_INDEX, "olga", story.core.reactor.running_policy, "the demo"))
    await story.do(SetScheduling(False, "root"))
    await story.do(ResetStatistics("root"))
    await story.advance(6.0)


async def _rows(story: Story) -> None:
    """Jobs that take turns; all of them end."""
    await story.do(SetPolicy("gs", {"mpl": "3"}, "root"))
    story.core.reactor.change_policy("gs", {"mpl": "3"})
    await story.settled()
    for processors in (8, 4, 8):
        await story.submit(run_s=10.0, processors=processors)
        await story.advance(1.0)
    await story.advance(60.0)
    await story.do(SetPolicy("easy", {}, "root"))
    story.core.reactor.change_policy("easy", {})
    await story.settled()


async def _choices(story: Story) -> None:
    """A policy that lets others decide looks ahead; all jobs end."""
    asked = {"candidates": "fcfs,sjf", "every_s": "0", "objective": "mean-wait"}
    await story.do(SetPolicy("adaptive", asked, "root"))
    story.core.reactor.change_policy("adaptive", asked)
    for estimate_s in (10.0, 300.0, 20.0, 40.0):
        await story.submit(estimate_s=estimate_s, run_s=10.0, processors=8)
    await story.advance(100.0)
    await story.do(SetPolicy("easy", {}, "root"))
    story.core.reactor.change_policy("easy", {})
    await story.settled()


async def lived(scratch: Path) -> list[Entry]:
    """The entries of the whole life; at its end jobs wait, run, are held and suspended."""
    journal = MemoryJournal()
    async with live("easy", MACHINE, journal, release="0.1.0", start_s=1000.0) as story:
        await _arrays_and_dependencies(story)
        await _holds_and_changes(story)
        await _ends_of_every_kind(story)
        await _rows(story)
        await _choices(story)
        await _over_clusters(story)
        await _scheduling(story)
        before = [_without_chance(entry, story) for entry in journal.entries]
    # The server is killed, another goes on from the journal.
    journal = MemoryJournal(before, 2)
    async with live("easy", MACHINE, journal, release="0.1.0") as story:
        await _queues_and_policies(story, scratch)
        await _what_policies_say(story)
        last = await story.submit(run_s=60.0, processors=1, memory_kb=2000)
        await story.do(SliceJob(last, -1, "root", Slicing(rows=3, row=(0, 2), quantum_s=1.0)))
        await story.do(SuspendJob(last, -1, "root"))
        await story.submit(held=True, run_s=60.0, user="eve")
        await story.submit(array={"first": 1, "last": 300, "running_limit": 1}, run_s=60.0, user="eve")
        await story.submit(dependencies=after("AFTER_OK", last), run_s=1.0, submission_key="key-2")
        await story.submit(begin_at_s=9999.0, run_s=1.0)
        await _numbers(story)
        await _divisible_loads(story)
        await _reservations(story)
        await _bank(story)
        await story.do(SetScheduling(True, "root", "maintenance"))
        await story.do(Retire([1, 2, 3]))
        return [_without_chance(entry, story) for entry in journal.entries]


def _without_chance(entry: Entry, story: Story) -> Entry:
    """An agent's boot id is drawn anew each time; here it is the agent's name."""
    assert story.agent is not None
    return replace(entry, body=entry.body.replace(story.agent.boot_id, "a boot"))


async def write(entries: Sequence[Entry], name: str) -> None:
    """Write *entries* into the journal *name* of this code's format, with what it says beside it."""
    JOURNALS.mkdir(exist_ok=True)
    journal = await SqliteJournal.open(JOURNALS / name, new=True)
    await journal.append(entries)
    said = portrait(await recovered(journal))
    await journal.close()
    folder = JOURNALS / name
    kept = JOURNALS / f"{name}.sqlite"
    (folder / DATABASE_FILE).replace(kept)
    for left in folder.iterdir():
        left.unlink()
    folder.rmdir()
    with sqlite3.connect(kept) as connection:
        # Who wrote it, and when, is nobody's business.
        connection.execute("UPDATE holder SET name = 'a release'")
    connection.close()
    # Through JSON, so that what is compared later is what was written.
    Kept(JOURNALS).keep(name, json.loads(json.dumps(said)))


def main() -> None:
    """Write the journal of a release."""
    [name] = sys.argv[1:]
    if (JOURNALS / f"{name}.sqlite").exists():
        raise SystemExit(f"{name} has been written; it stays as it is")
    with TemporaryDirectory() as scratch:
        entries = asyncio.run(lived(Path(scratch)))
    asyncio.run(write(entries, name))


if __name__ == "__main__":
    main()
