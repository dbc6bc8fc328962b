"""While a server that starts compiles its policy, agents are answered: their jobs outlive the compiler."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from molokini.agents.agent import EmulatedAgent
from molokini.app.memory_link import join
from molokini.app.serving import LiveServer
from molokini.client import Client, Patience
from molokini.proto.v1.job_service_pb2 import SubmitRequest
from molokini.proto.v1.job_service_pb2_grpc import JobServiceStub
from molokini.server.config import load_config
from molokini.server.state.jobs import JobStatus
from molokini.server.turn.running_policy import RunningPolicy
from tests.kit.live import nodes
from tests.kit.serving import Served
from tests.kit.waiting import DEADLINE_S

STARTING = "the server is starting; try again when it says that it is ready"


class SlowCompiler:
    """Stands in for the compiler: it returns when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.done = threading.Event(), threading.Event()
        monkeypatch.setattr(RunningPolicy, "compile", self._compile)

    def _compile(self) -> None:
        self.begun.set()
        assert self.done.wait(DEADLINE_S)


async def opened(folder: Path, **overrides: object) -> LiveServer:
    given = {"server.journal": str(folder / "state"), "server.listen": "127.0.0.1:0", "policy.name": "easy"}
    return await LiveServer.open(load_config(None, {**given, **overrides}))


async def refused(server: str, token: str) -> tuple[grpc.StatusCode, str | None]:
    """What a submit comes back with, without the repetitions of our client."""
    async with grpc.aio.insecure_channel(server) as channel:
        stub: Any = JobServiceStub(channel)  # type: ignore[no-untyped-call]
        bearer = (("authorization", f"Bearer {token}"),)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Submit(SubmitRequest(), metadata=bearer, wait_for_ready=True)
    return caught.value.code(), caught.value.details()


def agent() -> EmulatedAgent:
    return EmulatedAgent("distant", [nodes()], follows_clock=False, monotonic=time.monotonic)


async def test_agents_are_answered_and_callers_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = await opened(tmp_path, **{"server.new": True})
    compiler = SlowCompiler(monkeypatch)
    starting = asyncio.create_task(live.start())
    talk = None
    try:
        async with asyncio.timeout(DEADLINE_S):
            await asyncio.to_thread(compiler.begun.wait, DEADLINE_S)
            talk = asyncio.create_task(join(agent(), live.core.hub))
            while len(live.core.state.machine.nodes) < 4:
                await asyncio.sleep(0.01)
            assert not starting.done()
            token = Served(live).token("ann")
            server = f"127.0.0.1:{live.port}"
            assert await refused(server, token) == (grpc.StatusCode.UNAVAILABLE, STARTING)
            async with Client.connect(server, token, patience=Patience(timeout_s=DEADLINE_S)) as client:
                submission = asyncio.create_task(client.submit(processors=1, estimate_s=60))
                assert live.core.reactor.passes == 0
                compiler.done.set()
                await starting
                job = live.core.state.jobs[await submission]
                while job.status is not JobStatus.RUNNING:
                    await asyncio.sleep(0.01)
    finally:
        compiler.done.set()
        await asyncio.gather(starting, return_exceptions=True)
        await live.stop()
        if talk is not None:
            talk.cancel()
            await asyncio.gather(talk, return_exceptions=True)


async def test_stopping_does_not_wait_for_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = await opened(tmp_path, **{"server.new": True})
    compiler = SlowCompiler(monkeypatch)
    starting = asyncio.create_task(live.start())
    try:
        async with asyncio.timeout(DEADLINE_S / 2):
            while not compiler.begun.is_set():
                await asyncio.sleep(0.01)
            live.core.reactor.arrived.set()
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            await live.stop()
        assert live.core.reactor.passes == 0
        assert not compiler.done.is_set()
    finally:
        compiler.done.set()
