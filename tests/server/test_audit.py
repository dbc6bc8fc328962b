"""The audit log: a line for each change that somebody asked for, which says who, what and to which job."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.model.actors import Origin
from molokini.model.facts import CommandTaken
from molokini.proto.v1.cluster_service_pb2 import Reservation
from molokini.server.security.roles import Role
from molokini.server.turn.changing import Alter, Cancel, Hold, Requeue
from molokini.server.turn.operating import DrainNodes, NoteCommand
from tests.kit.live import live
from tests.kit.serving import served

ROOT = ("root", Role.ADMINISTRATOR)


class Kept(logging.Handler):
    """What was written, as (who, what, about what)."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str, dict[str, object]]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.INFO:
            who, _, rest = record.getMessage().partition(": ")
            kind, _, about = rest.partition(" ")
            self.lines.append((who, kind, json.loads(about)))


@pytest.fixture
def audit() -> Iterator[Kept]:
    kept, log = Kept(), logging.getLogger("molokini.audit")
    before = log.level
    log.addHandler(kept)
    log.setLevel(logging.INFO)
    yield kept
    log.removeHandler(kept)
    log.setLevel(before)


async def changed_by(audit: Kept, client: Client) -> list[tuple[str, str]]:
    """Everything that an administrator can change, once; who is said to have done what."""
    job = await client.submit(processors=2, estimate_s=100, name="x")
    waits = await client.submit(processors=16, estimate_s=100, held=True)
    audit.lines.clear()
    await client.release([waits])
    await client.hold([waits], reason="later")
    await client.alter(waits, comment="mine")
    await client.signal([job], 18)
    await client.suspend([job])
    await client.resume([job])
    await client.requeue([job])
    await client.cancel([waits])
    await client.drain(["n4"], reason="memory")
    await client.resume_nodes(["n4"])
    await client.down(["n4"], reason="smoke")
    await client.set_queue("night", max_jobs=3)
    await client.remove_queue("night")
    await client.set_policy("easy")
    await client.create_reservation(Reservation(name="demo", processors=4, end_s=3600.0))
    await client.release_reservation("demo")
    await client.pause_scheduling()
    await client.start([await client.submit(processors=2, estimate_s=100)])
    await client.resume_scheduling()
    await client.reset_statistics()
    await client.advance(1)
    await client.pause_clock()
    return [(who, kind) for who, kind, _ in audit.lines if who != "emulated"]


async def test_every_change_is_there_with_who_made_it(tmp_path: Path, audit: Kept) -> None:
    async with served(tmp_path) as one, one.client(*ROOT) as root:
        found = await changed_by(audit, root)
    assert {who for who, _ in found} == {"root"}
    kinds = [kind for _, kind in found]
    for kind in (
        *("JobHeld", "JobReleased", "JobAltered", "JobSuspended", "JobResumed", "JobStopping", "JobEnded"),
        *("NodeDrained", "NodeReturned", "NodeLost", "QueueSet", "QueueRemoved", "PolicySet"),
        *("ReservationMade", "ReservationReleased", "CommandTaken"),
        *("SchedulingSet", "StatisticsReset"),
    ):
        assert kind in kinds, kind


async def test_what_jobs_do_by_themselves_is_not_there(tmp_path: Path, audit: Kept) -> None:
    async with served(tmp_path) as one, one.client() as ann, one.client(*ROOT) as root:
        await ann.submit(estimate_s=100, outcome={"run_s": 5})
        await root.advance(10)
        job = await ann.submit(estimate_s=100, environment={"PASSWORD": "hush"})
        await ann.cancel([job], reason="a mistake")
    lines = [(who, kind, about) for who, kind, about in audit.lines if kind != "CommandTaken"]
    assert [(who, kind) for who, kind, _ in lines] == [("ann", "JobStopping")]
    assert (lines[0][2]["job"], lines[0][2]["reason"]) == (job, "a mistake")
    assert "hush" not in str(audit.lines)


async def test_what_leaves_no_other_trace_is_noted_with_its_details_if_it_has_any() -> None:
    async with live() as story:
        await story.do(NoteCommand("root", "schedule"))
        await story.do(NoteCommand("root", "clock", {"rate": 2.0}))
        assert story.journal.facts(CommandTaken) == [
            CommandTaken("root", "schedule", {}),
            CommandTaken("root", "clock", {"rate": 2.0}),
        ]


@pytest.mark.parametrize("name", ["ann", *map(str, Origin)])
async def test_whatever_a_user_is_called_the_audit_log_says_it(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with live() as story:
        job = await story.submit(name, processors=2, estimate_s=100.0)
        with caplog.at_level(logging.INFO, "molokini.audit"):
            await story.do(Hold(job, name, "user", "later"))
            await story.do(Alter(job, name, {"comment": "mine"}, story.limits, operator=False))
            await story.do(DrainNodes(["n1"], name, "memory"))
            await story.do(Requeue(job, -1, name))
            await story.do(Cancel(job, -1, name))
    said = [record.getMessage() for record in caplog.records if record.name == "molokini.audit"]
    mine = [line.split()[1] for line in said if line.startswith(f"{name}: ")]
    assert mine[:4] == ["JobHeld", "JobAltered", "NodeDrained", "JobStopping"]
    assert mine[4:] in (["JobEnded"], ["JobStopping"])
