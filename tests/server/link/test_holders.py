"""Whose an agent's name is: its own again at once, another's when the lease of the first has run out."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from molokini.model.codec import Entry
from molokini.model.facts import CommandTaken, ReportsTaken
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.journal.port import StateFull
from molokini.server.link.holders import Holders, identity_of
from tests.kit.live import MemoryJournal, nodes
from tests.kit.voices import HEARTBEAT_S, HELD_S, Voice, joined, ticking


async def refusal(voice: Voice) -> wire.Refused:
    """What *voice* hears when it registers; it must be refused."""
    voice.register(nodes())
    [refused] = await voice.hears("refused")
    assert voice.of("welcome") == []
    await voice.gone()
    assert isinstance(refused, wire.Refused)
    assert "\n" not in refused.reason
    return refused


async def test_a_second_agent_of_a_name_is_refused_for_good_while_the_first_lives() -> None:
    async with ticking() as (story, watch):
        first = await joined(story, boot_id="here/1")
        job = await first.given(processors=1)
        before = story.journal.last_serial
        for boot in ("there/1", "there/2", "bare", "her", "/1", "here1/1"):
            watch.wait(HEARTBEAT_S - 1)
            first.said.put_nowait(wire.AgentMessage(heartbeat=wire.Heartbeat()))
            await first.hears("acknowledge", len(first.of("acknowledge")) + 1)
            refused = await refusal(Voice(story, boot_id=boot))
            assert refused.retry_s == 0.0
            assert refused.reason.startswith(
                "agent hand is connected already: start this one with another --name"
            )
            assert "'molokini agents hand --release'" in refused.reason
        # Neither has the journal grown nor the first been troubled.
        assert story.journal.last_serial == before
        first.report(wire.Report.ENDED, job)
        await story.until(lambda: story.status(job) == "completed")


async def test_the_same_agent_comes_back_at_once_however_it_was_lost() -> None:
    async with ticking() as (story, _):
        first = await joined(story, boot_id="here/1")
        job = await first.given(processors=1)
        # Its connection broke; it broke and the server has not noticed; it was killed and started anew.
        await first.gone()
        for boot in ("here/1", "here/1", "here/2"):
            again = await joined(story, boot_id=boot)
            [welcome] = again.of("welcome")
            assert [launch.attempt.job_id for launch in welcome.attempts] == [job]
        assert story.core.hub.sessions["hand"].boot_id == "here/2"
        again.report(wire.Report.ENDED, job)
        await story.until(lambda: story.status(job) == "completed")
        await again.gone()


async def test_another_waits_until_the_lease_of_one_that_left_has_run_out() -> None:
    async with ticking() as (story, watch):
        first = await joined(story, boot_id="here/1")
        job = await first.given(processors=1)
        await first.gone()
        watch.wait(10.0)
        refused = await refusal(Voice(story, boot_id="there/1"))
        assert refused.retry_s == pytest.approx(HELD_S - 10.0)
        assert "has only just left and may still run its jobs for 25 s: wait, or" in refused.reason
        watch.wait(HELD_S - 11.0)
        assert (await refusal(Voice(story, boot_id="there/1"))).retry_s == pytest.approx(1.0)
        watch.now_s += 1.0
        second = await joined(story, boot_id="there/1")
        [welcome] = second.of("welcome")
        assert [launch.attempt.job_id for launch in welcome.attempts] == [job]
        # From now on it is the first that is another.
        assert (await refusal(Voice(story, boot_id="here/1"))).retry_s == 0.0


async def test_one_that_is_connected_and_silent_holds_its_name_as_long_as_its_lease() -> None:
    async with ticking() as (story, watch):
        first = await joined(story, boot_id="here/1")
        watch.wait(HEARTBEAT_S)
        assert (await refusal(Voice(story, boot_id="there/1"))).retry_s == 0.0
        watch.wait(1.0)
        refused = await refusal(Voice(story, boot_id="there/1"))
        assert refused.retry_s == pytest.approx(HELD_S - HEARTBEAT_S - 1.0)
        assert "was heard of a moment ago" in refused.reason
        # Before the server has looked: the name is free, and the first one's stream ends with a word.
        watch.now_s += refused.retry_s
        await joined(story, boot_id="there/1")
        await story.until(first.task.done)
        assert first.of("refused")[0].reason == "another agent has taken the name hand"
        assert story.core.hub.sessions["hand"].boot_id == "there/1"


async def test_an_agent_of_a_new_release_has_the_name_of_its_former_identity_and_no_other() -> None:
    async with ticking() as (story, _):
        first = await joined(story, boot_id="machine/1")
        job = await first.given(processors=1)
        await first.gone()
        # Of the same machine and name, but of another spool, or of one that nothing is known of.
        for former in ("", "machin", "machine/1", "other"):
            other = Voice(story, boot_id="place.other/1")
            other.former = former
            assert "has only just left and may still run its jobs" in (await refusal(other)).reason
        again = Voice(story, boot_id="place.spool/1")
        again.former = "machine"
        await again.joined()
        assert [launch.attempt.job_id for launch in again.of("welcome")[0].attempts] == [job]
        await again.gone()
        # From now on the spool counts, and a start of the release before is another agent.
        other = Voice(story, boot_id="place.other/1")
        other.former = "machine"
        assert (await refusal(other)).retry_s > 0.0
        assert (await refusal(Voice(story, boot_id="machine/2"))).retry_s > 0.0
        await joined(story, boot_id="place.spool/2")


async def test_an_agent_without_an_identity_has_the_name_of_its_own_start_alone() -> None:
    async with ticking() as (story, _):
        for boot in ("bare", "/1"):
            first = Voice(story, f"hand{boot}", boot)
            await first.joined(nodes(f"n{len(boot)}-[1-4]"))
            again = Voice(story, f"hand{boot}", boot)
            await again.joined(nodes(f"n{len(boot)}-[1-4]"))
            assert (await refusal(Voice(story, f"hand{boot}", "other"))).retry_s == 0.0


async def test_a_server_that_was_started_again_still_knows_whose_a_name_is() -> None:
    async with ticking() as (story, _):
        first = await joined(story, boot_id="here/1")
        await story.submit(processors=1)
        await first.hears("launch")
        await first.gone()
        journal = story.journal
    async with ticking(MemoryJournal(journal.entries, 2)) as (story, watch):
        assert (await refusal(Voice(story, boot_id="there/1"))).retry_s > HELD_S - 5.0
        again = await joined(story, boot_id="here/2")
        await again.gone()
        # It was heard of in this life, by the clock of the test.
        assert (await refusal(Voice(story, boot_id="there/1"))).retry_s == pytest.approx(HELD_S)
        watch.wait(HELD_S)
        await joined(story, boot_id="there/1")


async def test_of_two_that_come_at_the_same_moment_one_is_refused() -> None:
    async with ticking() as (story, _):
        pair = [Voice(story, boot_id=f"{number}/1") for number in range(2)]
        for voice in pair:
            voice.register(nodes())
        await story.until(lambda: all(voice.heard for voice in pair))
        assert sorted(voice.heard[0].WhichOneof("content") for voice in pair) == ["refused", "welcome"]
        [loser] = [voice for voice in pair if voice.of("refused")]
        assert loser.of("refused")[0].retry_s == 0.0
        assert [fact.boot_id for fact in story.journal.facts(ReportsTaken)] != [loser.boot_id]


async def test_an_administrator_releases_a_name_and_the_first_is_sent_away() -> None:
    async with ticking() as (story, _):
        first = await joined(story, boot_id="here/1")
        await story.core.hub.release("hand", "root")
        await story.until(first.task.done)
        [refused] = first.of("refused")
        assert (refused.reason, refused.retry_s) == ("root has released the name hand for another agent", 0.0)
        [fact] = story.journal.facts(CommandTaken)
        assert (fact.by, fact.detail) == ("root", {"agent": "hand"})
        await joined(story, boot_id="there/1")


async def test_a_release_outlasts_the_server() -> None:
    async with ticking() as (story, _):
        first = await joined(story, boot_id="here/1")
        await first.gone()
        await story.core.hub.release("hand", "root")
        journal = story.journal
    async with ticking(MemoryJournal(journal.entries, 2)) as (story, _):
        await joined(story, boot_id="there/1")
        assert story.core.state.taken["hand"] == ("there/1", 0)


async def test_what_an_earlier_start_says_late_does_not_count() -> None:
    async with ticking() as (story, _):
        first = await joined(story, boot_id="here/1")
        job = await first.given(processors=1)
        second = Voice(story, boot_id="here/2")
        second.register(nodes())
        first.report(wire.Report.ENDED, job, exit_code=9)
        await second.hears("welcome")
        await story.settled()
        assert story.state.taken["hand"] == ("here/2", 0)
        if story.status(job) == "running":
            second.report(wire.Report.ENDED, job)
        await story.until(lambda: story.run(job).over)
        second.report(wire.Report.LAUNCHED)
        await second.hears("acknowledge", 1)
        await story.until(lambda: story.state.taken["hand"] == ("here/2", second.serial))


async def test_what_is_reported_while_another_start_takes_the_name_does_not_count() -> None:
    async with ticking() as (story, _):
        first = await joined(story, boot_id="here/1")
        job = await first.given(processors=1)
        written, append = asyncio.Event(), story.journal.append

        async def slowly(entries: Sequence[Entry]) -> None:
            await written.wait()
            await append(entries)

        story.journal.append = slowly  # type: ignore[method-assign]
        second = Voice(story, boot_id="here/2")
        second.register(nodes())
        await story.until(lambda: story.core.hub.holders.of("hand", story.state) == "here/2")
        assert not second.heard
        first.report(wire.Report.ENDED, job, exit_code=9)
        # The second word is read when the first has been handled.
        first.said.put_nowait(wire.AgentMessage(heartbeat=wire.Heartbeat()))
        await first.hears("acknowledge")
        written.set()
        await second.hears("welcome")
        await story.settled()
        assert story.status(job) == "running"


@pytest.mark.parametrize("boot_id", ["", "x" * 256, "a\nb"])
async def test_a_boot_id_that_cannot_be_is_refused(boot_id: str) -> None:
    async with ticking() as (story, _):
        refused = await refusal(Voice(story, boot_id=boot_id))
        assert "boot_id" in refused.reason
        assert refused.retry_s == 0.0


async def test_a_disk_that_is_full_for_a_while_ends_no_agent() -> None:
    async with ticking() as (story, _):
        story.journal.failures = [StateFull("no room")] * 2
        voice = Voice(story, boot_id="here/1")
        voice.register(nodes())
        await voice.hears("welcome")
        assert not story.journal.failures


async def test_agents_that_come_leave_and_are_refused_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "molokini.server.agents")

    def logged() -> list[tuple[str, str]]:
        said = [(one.levelname, one.getMessage()) for one in caplog.records]
        caplog.clear()
        return said

    async with ticking() as (story, watch):
        await joined(story, boot_id="here/1")
        assert logged() == [("INFO", "agent hand from this process is connected, with 4 nodes")]
        await refusal(Voice(story, boot_id="there/1"))
        [(level, text)] = logged()
        assert level == "WARNING"
        assert text.startswith("agent 'hand' from this process is refused: agent hand is connected already")
        again = await joined(story, boot_id="here/2")
        assert [level for level, _ in logged()] == ["INFO", "INFO"]
        await again.gone()
        assert logged() == [("INFO", "agent hand from this process has left")]
        watch.wait(HELD_S + 1)
        assert [text.partition(":")[0] for _, text in logged()] == ["4 nodes are lost"]
        await story.settled()
        watch.wait(HELD_S + 1)
        assert logged() == [], "said once"
        await joined(story, boot_id="there/1")
        watch.now_s += HELD_S
        await joined(story, boot_id="elsewhere/1")
        assert "long silent, is replaced by the one from" in logged()[-2][1]


async def test_the_list_says_who_is_there_and_for_how_long_a_name_is_held() -> None:
    async with ticking() as (story, watch):
        here = await joined(story, "a", boot_id="here/1", offers=[nodes("a[1-2]")])
        gone = await joined(story, "b", boot_id="there/1", offers=[nodes("b[1-3]", processors=1)])
        await story.submit(processors=1)
        await here.hears("launch")
        await gone.gone()
        watch.wait(5.0)
        first, second = story.core.hub.agents()
        assert (first.name, first.connected, first.nodes, first.attempts) == ("a", True, 2, 1)
        assert (second.name, second.connected, second.nodes, second.attempts) == ("b", False, 3, 0)
        assert (first.peer, second.peer) == ("this process", "")
        assert (second.silent_s, second.held_s) == (5.0, HELD_S - 5.0)


def test_an_identity_ends_at_the_first_slash() -> None:
    assert [identity_of(one) for one in ("a/1", "a/1/2", "a", "/1", "")] == ["a", "a", "a", "", ""]


def test_an_agent_that_this_server_never_heard_of_keeps_no_name() -> None:
    """Such as an agent without nodes, where the server was started again: it has no jobs to wait for."""
    heard_s: dict[str, float] = {}
    holders = Holders({}, heard_s, lambda: 100.0, HEARTBEAT_S, HELD_S)
    assert holders.left_s("hand") == 0.0
    heard_s["hand"] = 70.0
    assert holders.left_s("hand") == HELD_S - 30.0
    heard_s["hand"] = 100.0 - HELD_S
    assert holders.left_s("hand") == 0.0
