"""Users whose names are words of the server itself change no more than others do."""

import logging

import pytest

from molokini.model.actors import Origin
from molokini.model.facts import JobRequeued, NodeReturned
from molokini.model.reservations import Reservation
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter, Cancel, Hold, Requeue
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes, RemoveQueue, SetPolicy, SetQueue
from molokini.server.turn.reserving import MakeReservation
from tests.kit.live import again, live
from tests.kit.live_picture import assert_sound
from tests.kit.voices import Voice, spoken


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


@pytest.mark.parametrize("name", ["ann", *map(str, Origin)])
async def test_what_a_user_takes_off_a_node_is_not_taken_by_the_policy(name: str) -> None:
    async with spoken() as (story, _):
        # As wide as the machine, so that it cannot run elsewhere at once.
        job = await story.submit(processors=16, estimate_s=100.0)
        assert story.status(job) == "running"
        await story.do(LoseNodes(["n1"], name, "smoke"))
        [fact] = story.journal.facts(JobRequeued)
        assert fact.by == name
        assert story.state.left == {}
        assert (await again(story.journal)).left == {}
        assert_sound(story.state)


@pytest.mark.parametrize("name", ["ann", *map(str, Origin)])
async def test_what_a_user_sets_is_not_what_the_configuration_says(name: str) -> None:
    async with live() as story:
        before = dict(story.state.configured_queues), story.state.configured_policy
        await story.do(SetQueue(Queue("night"), name))
        await story.do(SetPolicy("easy", {}, name))
        await story.do(MakeReservation(Reservation("demo", 4, 10.0, 20.0), name))
        for state in (story.state, await again(story.journal)):
            assert (dict(state.configured_queues), state.configured_policy) == before
            assert state.configured_reservations == set()
        await story.do(RemoveQueue("night", name))
        for queue in before[0]:
            await story.do(RemoveQueue(queue, name))
        assert dict(story.state.configured_queues) == before[0]


async def lost_and_heard_again(by: str, reason: str) -> list[NodeReturned]:
    """What returns of a node that *by* took out of service, when its agent comes back."""
    async with spoken() as (story, voice):
        await story.do(LoseNodes(["n1"], by, reason))
        await voice.gone()
        back = Voice(story)
        await back.joined()
        await story.settled()
        facts: list[NodeReturned] = story.journal.facts(NodeReturned)
        assert (str(story.state.machine.node("n1").status) == "up") is bool(facts)
        await back.gone()
        return facts


@pytest.mark.parametrize("name", ["ann", *map(str, Origin)])
@pytest.mark.parametrize("reason", ["smoke", *(f"{word}: smoke" for word in Origin)])
async def test_what_a_user_took_out_of_service_does_not_return_by_itself(name: str, reason: str) -> None:
    assert await lost_and_heard_again(name, reason) == []


async def test_nodes_of_which_nothing_was_heard_return_with_their_agent() -> None:
    async with spoken() as (story, voice):
        await story.do(LoseNodes(["n1"], Origin.LEASE, "nothing was heard"))
        await voice.gone()
        back = Voice(story)
        await back.joined()
        await story.settled()
        assert [fact.by for fact in story.journal.facts(NodeReturned)] == [Origin.LEASE]
        assert (await again(story.journal)).machine.node("n1").lost_by == ""
        await back.gone()
