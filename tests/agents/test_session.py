"""The conversation: registration, welcome, numbering, acknowledgement, heartbeats and the lease."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from molokini.agents.lease import Lease
from molokini.agents.offset import QUICK, QUICK_S, ClockOffset
from molokini.agents.session import WELCOME_S, RegistrationRefused, Session, WireBroken
from molokini.agents.unheard import Unheard
from molokini.model.errors import BadValue
from molokini.proto.v1.agent_service_pb2 import (
    Acknowledge,
    AgentMessage,
    AttemptRef,
    Grant,
    Order,
    RatedAttempt,
    Refused,
    Register,
    ServerMessage,
    SlicedAttempt,
    Welcome,
)
from tests.kit.agents import Hands, ServerSide, agent, launch, nothing_more, order, ref, said, welcomed
from tests.kit.waiting import DEADLINE_S


async def test_registration_comes_first_and_says_who_is_there() -> None:
    one = agent(nodes="node[01-20]")
    server = ServerSide(one)
    registration = await server.welcomed()
    assert (registration.agent, registration.boot_id) == ("a", one.boot_id)
    assert [offer.names for offer in registration.nodes] == ["node[01-20]"]
    assert registration.follows_clock
    assert not registration.attempts
    await server.close()


async def test_a_refusal_is_an_error_with_its_reason() -> None:
    server = ServerSide(agent())
    await server.registered()
    server.send(Refused(reason="node1 belongs to another agent"))
    with pytest.raises(RegistrationRefused, match="node1 belongs to another agent"):
        await server.task


async def test_words_before_a_welcome_or_a_second_welcome_break_the_wire() -> None:
    early = ServerSide(agent())
    early.send(launch(1, 0.0))
    with pytest.raises(WireBroken, match="launch"):
        await early.task
    twice = ServerSide(agent())
    await twice.welcomed()
    twice.send(Welcome())
    with pytest.raises(WireBroken, match="welcome"):
        await twice.task


async def test_a_word_of_a_newer_server_is_ignored(server: ServerSide) -> None:
    server.send_raw(ServerMessage.FromString(b"\xf2\x3f\x00"))
    server.send(launch(1, 0.0, 5.0))
    assert [said(report) for report in await server.run_to_end()] == [("ENDED", 1, 5.0)]


async def test_a_server_that_never_welcomes_is_given_up() -> None:
    clock = Hands()
    server = ServerSide(agent(clock))
    await server.registered()
    clock.now += WELCOME_S
    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(WireBroken, match="did not answer"):
            await server.task


async def test_what_sending_raises_ends_the_connection() -> None:
    async def never() -> AsyncIterator[ServerMessage]:
        await asyncio.get_running_loop().create_future()
        yield ServerMessage()

    async def fails(message: AgentMessage) -> None:
        raise ConnectionResetError("cut")

    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(ConnectionResetError):
            await agent().run(never(), fails)


async def test_unacknowledged_reports_are_sent_again_in_order_after_the_welcome() -> None:
    one = agent()
    server = await welcomed(one)
    server.send(*(launch(job, 0.0, float(job)) for job in range(1, 6)))
    first = await server.run_to_end(until_s=4.0)
    assert [report.serial for report in first] == [1, 2, 3, 4]
    server.send(Acknowledge(serial=2))
    await server.close()

    server = ServerSide(one)
    registration = await server.registered()
    assert [attempt.job_id for attempt in registration.attempts] == [5]
    with nothing_more(server):
        await asyncio.sleep(0)
    # The server has not heard the ends of 3 and 4, and believes that they run.
    server.send(Welcome(now_s=4.0, attempts=[launch(job, 0.0, float(job)) for job in (3, 4, 5)]))
    again, _ = await server.granted(4.0)
    assert again == first[2:]
    rest = await server.run_to_end()
    assert [(report.serial, *said(report)) for report in rest] == [(5, "ENDED", 5, 5.0)]
    await server.close()


async def test_an_attempt_that_the_welcome_does_not_name_is_ended_in_silence() -> None:
    one = agent()
    server = await welcomed(one)
    server.send(launch(1, 0.0, 5.0), launch(2, 0.0, 6.0))
    await server.granted(0.0)
    await server.close()
    server = await welcomed(one, now_s=1.0, attempts=[launch(2, 0.0, 6.0)])
    assert [said(report) for report in await server.run_to_end()] == [("ENDED", 2, 6.0)]
    await server.close()


async def test_heartbeats_come_twice_as_often_as_is_wanted() -> None:
    clock = Hands()
    server = await welcomed(agent(clock), heartbeat_s=10.0)
    server.send(launch(1, 0.0, 5.0))
    await server.granted(0.0)
    for beat in range(1, 4):
        clock.now += 5.0
        message = await asyncio.wait_for(server._from_agent.get(), DEADLINE_S)
        assert message.heartbeat.running == 1, f"beat {beat}"
    await server.close()


@pytest.mark.parametrize("heartbeat_s", [0.0, 10.0, 1000.0])
async def test_a_server_that_answers_heartbeats_keeps_the_lease_alive(heartbeat_s: float) -> None:
    """Also where the server asks for beats too seldom for its own lease, or for none."""
    clock = Hands()
    server = await welcomed(agent(clock), heartbeat_s=heartbeat_s, lease_s=20.0)
    server.send(launch(1, 0.0, 5.0))
    await server.granted(0.0)
    for _ in range(10):
        clock.now += 5.0
        await asyncio.wait_for(server._from_agent.get(), DEADLINE_S)
        server.send(Acknowledge(serial=0))
    assert [said(report) for report in await server.run_to_end()] == [("ENDED", 1, 5.0)]
    await server.close()


async def test_silence_for_the_length_of_the_lease_ends_all_jobs_and_the_connection() -> None:
    clock = Hands()
    one = agent(clock)
    server = await welcomed(one, heartbeat_s=10.0, lease_s=20.0)
    server.send(launch(1, 0.0, 50.0), launch(2, 0.0, 60.0))
    await server.granted(7.0)
    clock.now += 20.0
    await asyncio.wait_for(server.task, DEADLINE_S)

    server = ServerSide(one)
    registration = await server.registered()
    assert not registration.attempts
    # The server believes one of them to run; of the other it knows.
    server.send(Welcome(now_s=30.0, attempts=[launch(2, 0.0, 60.0)]))
    reports, done = await server.granted(30.0)
    assert [said(report) for report in reports] == [("KILLED", 2, 7.0)]
    assert "lease" in reports[0].reason
    assert not done.HasField("next_s")
    await server.close()


async def test_an_agent_that_was_stopped_for_longer_than_the_lease_does_not_go_on() -> None:
    """F15: the server's old words wait in a buffer when it wakes, and a job seems to be due."""
    clock = Hands()
    one = agent(clock, follows_clock=False)
    server = await welcomed(one, heartbeat_s=10.0, lease_s=20.0)
    server.send(launch(1, 0.0, 15.0), launch(2, 0.0, 25.0))
    await server.heard()
    # Nothing runs between this and what the agent finds when it wakes.
    clock.now += 100.0
    server.send(Acknowledge(serial=0), launch(3, 0.0, 1.0))
    await asyncio.wait_for(server.task, DEADLINE_S)
    server = await welcomed(one, now_s=100.0, attempts=[launch(1, 0.0, 15.0), launch(2, 0.0, 25.0)])
    reports = [await server.report(), await server.report()]
    # The first had ended before the lease did; its report comes from the outbox.
    assert [said(report) for report in reports] == [("ENDED", 1, 15.0), ("KILLED", 2, 20.0)]
    await server.close()


async def test_a_lease_runs_on_while_there_is_no_connection() -> None:
    clock = Hands()
    one = agent(clock)
    server = await welcomed(one, lease_s=20.0)
    server.send(launch(1, 0.0, 50.0))
    await server.granted(1.0)
    await server.close()
    clock.now += 21.0
    server = ServerSide(one)
    assert not (await server.registered()).attempts
    await server.close()


async def test_a_connection_in_time_saves_the_jobs() -> None:
    clock = Hands()
    one = agent(clock)
    server = await welcomed(one, lease_s=20.0)
    server.send(launch(1, 0.0, 50.0))
    await server.granted(1.0)
    await server.close()
    clock.now += 19.0
    server = ServerSide(one)
    registration = await server.welcomed(now_s=1.0, attempts=[launch(1, 0.0, 50.0)], lease_s=20.0)
    assert list(registration.attempts) == [ref(1)]
    assert [said(report) for report in await server.run_to_end()] == [("ENDED", 1, 50.0)]
    await server.close()


async def test_old_words_repeated_and_shuffled_do_nothing(server: ServerSide) -> None:
    """F22, at the agent: repeated launches, orders to attempts that are gone, old acknowledgements."""
    server.send(launch(1, 0.0, 5.0), launch(1, 0.0, 5.0), launch(1, 0.0, 9.0, attempt=2))
    server.send(launch(1, 0.0, 5.0), order(Order.SUSPEND, 1, 1.0, attempt=1), order(Order.RESUME, 9, 1.0))
    server.send(Acknowledge(serial=99), order(Order.SIGNAL, 1, 1.0, signal=9, attempt=1), Acknowledge())
    reports = await server.run_to_end()
    assert [(*said(report), report.attempt.attempt) for report in reports] == [("ENDED", 1, 9.0, 2)]


async def test_a_kill_is_always_answered(server: ServerSide) -> None:
    server.send(launch(1, 0.0, 5.0), order(Order.KILL, 1, 2.0), order(Order.KILL, 1, 2.0))
    server.send(order(Order.KILL, 8, 3.0))
    reports, done = await server.granted(3.0)
    wanted = [("KILLED", 1, 2.0), ("KILLED", 1, 2.0), ("KILLED", 8, 3.0)]
    assert [said(report) for report in reports] == wanted
    assert not done.HasField("next_s")


@pytest.mark.parametrize(("nodes", "field"), [("n[1-3", "names"), ("n[0-10000]", "names"), ("", "names")])
async def test_offers_that_cannot_be_are_refused(nodes: str, field: str) -> None:
    with pytest.raises(BadValue, match=f"^{field}: "):
        agent(nodes=nodes)


async def test_what_was_left_to_send_is_not_said_before_the_next_registration() -> None:
    one = agent()
    to_agent: asyncio.Queue[ServerMessage | None] = asyncio.Queue()
    sent: list[str | None] = []

    async def incoming() -> AsyncIterator[ServerMessage]:
        while (message := await to_agent.get()) is not None:
            yield message

    async def send(message: AgentMessage) -> None:
        sent.append(message.WhichOneof("content"))
        if len(sent) > 1:
            # The link is full: this word never goes out, and what follows it waits.
            await asyncio.Event().wait()

    broken = asyncio.ensure_future(one.run(incoming(), send))
    to_agent.put_nowait(ServerMessage(welcome=Welcome(now_s=0.0)))
    for turn in range(3):
        to_agent.put_nowait(ServerMessage(grant=Grant(now_s=float(turn), turn=turn)))
    async with asyncio.timeout(DEADLINE_S):
        while len(sent) < 2 or not to_agent.empty():
            await asyncio.sleep(0)
        to_agent.put_nowait(None)
        await broken
    assert sent == ["register", "done"]
    server = ServerSide(one)
    # Answers to the grants of a connection that is over are nobody's business any more.
    await server.welcomed()
    reports, done = await server.granted(5.0)
    assert (reports, done.turn) == ([], 1)
    await server.close()


class Still:
    """An executor without any attempt, whose session a test talks to."""

    running = 0

    def attempts(self) -> list[AttemptRef]:
        return []

    def welcome(self, welcome: Welcome, unheard: Unheard) -> None:
        pass

    def acknowledged(self, reports: object) -> None:
        pass

    def lease_ran_out(self, at: float) -> None:
        pass

    async def work(self, lease: Lease) -> None:
        await asyncio.get_running_loop().create_future()


async def test_the_clock_of_the_server_is_asked_for_with_the_welcome_and_then_quickly() -> None:
    clock, offset = Hands(), ClockOffset()
    session = Session(Register(agent="a", boot_id="b"), lambda _: Still(), clock, 0.002, offset)  # type: ignore[arg-type, return-value]
    server = ServerSide(session)  # type: ignore[arg-type]
    await server.welcomed(heartbeat_s=1000.0)
    # An acknowledgement of reports has no instant of the server.
    server.send(Acknowledge(serial=0))
    await server.heard()
    assert (offset.known, offset.own_s(0.0)) == (False, 0.0)
    async with asyncio.timeout(DEADLINE_S):
        for _ in range(QUICK):
            asked = (await server._from_agent.get()).heartbeat
            assert asked.sent_s == clock.now
            server.send(Acknowledge(serial=0, sent_s=asked.sent_s, server_s=clock.now - 400.0))
            await server.heard()
            assert offset.own_s(0.0) == 400.0
            clock.now += QUICK_S
    await asyncio.sleep(0.02)
    clock.now += 10 * QUICK_S
    await asyncio.sleep(0.02)
    assert server._from_agent.empty(), "the next one is due with the other heartbeats"
    await server.close()
    assert (offset.known, offset.own_s(0.0)) == (True, 400.0)
    server = ServerSide(session)  # type: ignore[arg-type]
    await server.registered()
    assert (offset.known, offset.own_s(0.0)) == (False, 400.0), "the server may be another one"
    await server.kill()


async def test_what_is_told_in_passing_is_told_to_a_server_that_listens_alone() -> None:
    """It is worth nothing later, so none of it is kept for the next connection."""
    session = Session(Register(agent="a", boot_id="b"), lambda _: Still(), Hands(), 0.002)  # type: ignore[arg-type, return-value]
    session.tell(RatedAttempt(attempt=ref(1)))
    server = ServerSide(session)  # type: ignore[arg-type]
    await server.registered()
    session.tell(SlicedAttempt(attempt=ref(1)))
    server.send(Welcome())
    await server.heard()
    session.tell(RatedAttempt(attempt=ref(2)))
    session.tell(SlicedAttempt(attempt=ref(3)))
    told = [await server.next() for _ in range(2)]
    assert [one.WhichOneof("content") for one in told] == ["rated", "sliced"]
    assert (told[0].rated.attempt, told[1].sliced.attempt) == (ref(2), ref(3))
    await server.close()
