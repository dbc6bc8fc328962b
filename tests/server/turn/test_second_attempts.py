"""A job that a policy takes from an agent is run by no other before the first is known to have let it go."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from molokini.model.facts import AttemptGone
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import Cancel
from molokini.server.turn.losing import LoseNodes
from tests.kit.live import Story, nodes
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.preempting import wide_first
from tests.kit.voices import Voice, spoken


@asynccontextmanager
async def given_up(folder: Path, away: bool = True) -> AsyncIterator[tuple[Story, Voice, Voice, int]]:
    """A job of the agent *first* gives way to a wider one there, and starts again at the agent *second*."""
    async with spoken(policy=wide_first(folder, "requeue"), lease_s=5.0, margin_s=1.0) as (story, first):
        narrow = await story.submit(processors=2)
        await first.hears("launch")
        if away:
            await first.gone()
        wide = await story.submit(processors=16)
        assert (story.status(narrow), story.status(wide)) == ("waiting", "running")
        second = Voice(story, "second")
        await second.joined(nodes("m[1-4]"))
        await story.until(lambda: story.status(narrow) == "running")
        await story.settled()
        assert story.run(narrow).attempt == 2
        try:
            yield story, first, second, narrow
        finally:
            second.task.cancel()


def told(voice: Voice, job: int) -> list[int]:
    """Attempts of *job* that an agent was told to run."""
    return [one.attempt.attempt for one in voice.of("launch") if one.attempt.job_id == job]


async def test_while_its_agent_is_away_no_other_is_told_to_run_it(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, first, second, narrow):
        assert told(second, narrow) == []
        # It comes again, has to kill what it has, and says so.
        back = Voice(story, first.name, f"{first.boot_id}/again")
        await back.joined()
        [order] = await back.hears("order")
        assert (order.kind, order.attempt.job_id, order.attempt.attempt) == (wire.Order.KILL, narrow, 1)
        assert narrow not in [one.attempt.job_id for one in back.of("welcome")[0].attempts]
        assert told(second, narrow) == []
        back.report(wire.Report.KILLED, narrow, 1)
        await story.until(lambda: told(second, narrow) == [2])
        assert story.journal.facts(AttemptGone) == [AttemptGone(narrow, -1, "hand")]
        assert_sound(story.state)
        back.task.cancel()


async def test_it_may_run_when_the_lease_is_over(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, _, second, narrow):
        hub, slept_s = story.core.hub, 0.0
        hub.monotonic = lambda: time.monotonic() + slept_s
        for _ in range(8):
            assert told(second, narrow) == []
            slept_s += 1.0
            hub.sessions["second"].heard_s = hub.monotonic()
            hub.lose_the_silent()
        await story.until(lambda: told(second, narrow) == [2])
        # What was given up in favour of it is lost with the nodes of its agent.
        assert_sound(story.state)


async def test_an_agent_that_listens_is_waited_for_too(tmp_path: Path) -> None:
    async with given_up(tmp_path, away=False) as (story, first, second, narrow):
        assert told(second, narrow) == []
        # A word about another attempt, or of somebody else, is not the word that is waited for.
        first.report(wire.Report.KILLED, narrow, 2)
        second.report(wire.Report.KILLED, narrow, 1)
        await second.hears("acknowledge")
        await first.hears("acknowledge")
        assert told(second, narrow) == []
        first.report(wire.Report.KILLED, narrow, 1)
        await story.until(lambda: told(second, narrow) == [2])
        # Said once more it is old news.
        first.report(wire.Report.KILLED, narrow, 1)
        await first.hears("acknowledge", 3)
        assert (story.status(narrow), told(second, narrow)) == ("running", [2])


async def test_who_comes_again_meanwhile_is_not_told_either_and_a_recovery_knows_it(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, _, second, narrow):
        await assert_kept(story)
        assert [(one.left_at, one.left_attempt) for one in story.state.left.values()] == [(("hand",), 1)]
        await second.gone()
        late = Voice(story, "second")
        await late.joined(nodes("m[1-4]"))
        assert [one.attempt.job_id for one in late.of("welcome")[0].attempts] == []
        await story.do(LoseNodes(["n1", "n2", "n3", "n4"], "root", "power"))
        await story.until(lambda: told(late, narrow) == [2])
        late.task.cancel()


async def test_what_waits_for_the_word_can_be_cancelled(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, _, second, narrow):
        await story.do(Cancel(narrow, -1, "ann"))
        [order] = await second.hears("order")
        assert (order.kind, order.attempt.attempt) == (wire.Order.KILL, 2)
        second.report(wire.Report.KILLED, narrow, 2)
        await story.until(lambda: story.status(narrow) == "cancelled")
        assert story.state.left == {}
        assert told(second, narrow) == []
