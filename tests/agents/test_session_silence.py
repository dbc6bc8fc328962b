"""Heartbeats and the lease where a connection breaks, comes late, or ends in the middle of something."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from molokini.agents.session import RegistrationRefused
from molokini.proto.v1.agent_service_pb2 import AgentMessage, Refused, ServerMessage, Welcome
from tests.kit.agents import Hands, ServerSide, agent, launch, resumed, said, welcomed
from tests.kit.waiting import DEADLINE_S

LOOKS = 0.02
"""Real seconds in which an agent looks at its clock some times."""


async def test_no_heartbeat_goes_before_the_welcome_and_the_lease_counts_from_the_registration() -> None:
    """A beat that a server may not have taken yet vouches for nothing."""
    clock = Hands()
    one = agent(clock)
    server = await welcomed(one, heartbeat_s=2.0)
    await server.granted(0.0)
    await server.close()

    server = ServerSide(one)
    await server.registered()
    clock.now += 15.0
    await asyncio.sleep(LOOKS)
    assert server._from_agent.empty(), "nothing but the registration"
    server.send(Welcome(lease_s=20.0), launch(1, 0.0, 50.0))
    await server.heard()
    clock.now += 5.0
    await asyncio.wait_for(server.task, DEADLINE_S)
    server = ServerSide(one)
    assert not (await server.registered()).attempts
    await server.close()


async def test_a_new_connection_begins_a_lease_of_its_own() -> None:
    clock = Hands()
    one = agent(clock)
    server = await welcomed(one, lease_s=20.0)
    server.send(launch(1, 0.0, 50.0))
    await server.granted(1.0)
    await server.close()
    clock.now += 19.0
    server = await welcomed(one, now_s=1.0, attempts=[launch(1, 0.0, 50.0)], lease_s=20.0)
    await server.granted(1.0)
    clock.now += 10.0
    await asyncio.sleep(LOOKS)
    assert [said(report) for report in await server.run_to_end()] == [("ENDED", 1, 50.0)]
    await server.close()


async def test_an_agent_that_looks_late_sends_one_heartbeat_and_not_all_that_it_has_missed() -> None:
    clock = Hands()
    server = await welcomed(agent(clock), heartbeat_s=10.0)
    await server.granted(0.0)
    clock.now += 100.0
    async with asyncio.timeout(DEADLINE_S):
        while server._from_agent.empty():
            await asyncio.sleep(0)
    await asyncio.sleep(LOOKS)
    await server.granted(1.0)
    assert server.heartbeats == 1
    await server.close()


async def test_a_refusal_explains_why_a_word_could_not_be_sent() -> None:
    over = asyncio.Event()

    async def incoming() -> AsyncIterator[ServerMessage]:
        await over.wait()
        yield ServerMessage(refused=Refused(reason="no such node"))

    async def send(message: AgentMessage) -> None:
        await over.wait()
        raise ConnectionResetError("cut")

    task = asyncio.ensure_future(agent().run(incoming(), send))
    await asyncio.sleep(LOOKS)
    over.set()
    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(RegistrationRefused, match="no such node"):
            await task


async def test_what_comes_when_the_lease_has_just_ended_is_not_obeyed() -> None:
    """No lease would hold for a job that is begun then, as long as there is no other connection."""
    clock = Hands()
    one = agent(clock)
    server = await welcomed(one, lease_s=20.0)
    await server.granted(0.0)

    class Late(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "lease" in record.getMessage():
                server.send(launch(1, 0.0, 50.0))

    late, log = Late(), logging.getLogger("molokini.agents.session")
    log.addHandler(late)
    try:
        clock.now += 20.0
        await asyncio.wait_for(server.task, DEADLINE_S)
    finally:
        log.removeHandler(late)
    server = ServerSide(one)
    assert not (await server.registered()).attempts
    await server.close()


async def test_a_lease_that_ends_before_any_grant_ends_jobs_at_the_instant_of_the_welcome() -> None:
    clock = Hands()
    one = agent(clock)
    server = ServerSide(one)
    first = resumed(launch(1, 3.0, 50.0), work_s=0.0, updated_s=3.0)
    await server.welcomed(now_s=7.0, attempts=[first], lease_s=20.0)
    await server.heard()
    clock.now += 20.0
    await asyncio.wait_for(server.task, DEADLINE_S)
    server = await welcomed(one, now_s=30.0, attempts=[first])
    assert said(await server.report()) == ("KILLED", 1, 7.0)
    await server.close()


async def test_that_a_lease_has_ended_a_job_is_told_once() -> None:
    clock = Hands()
    one = agent(clock)
    server = await welcomed(one, lease_s=20.0)
    server.send(launch(1, 0.0, 50.0))
    await server.granted(7.0)
    clock.now += 20.0
    await asyncio.wait_for(server.task, DEADLINE_S)
    for _ in range(2):
        server = await welcomed(one, now_s=30.0, attempts=[launch(1, 0.0, 50.0)])
        reports, _ = await server.granted(30.0)
        assert [(report.serial, *said(report)) for report in reports] == [(1, "KILLED", 1, 7.0)]
        await server.close()
