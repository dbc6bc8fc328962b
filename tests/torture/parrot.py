"""An agent that is not to be relied on: it repeats reports, mixes their order, and tells tales."""

import asyncio
import contextlib
import random
from types import TracebackType
from typing import Any

import grpc
import grpc.aio

from molokini.proto.v1.agent_service_pb2 import (
    AgentMessage,
    AttemptRef,
    Heartbeat,
    Launch,
    NodeOffer,
    Order,
    Register,
    Report,
    ServerMessage,
)

_METHOD = "/molokini.v1.AgentService/Connect"
NODES = "parrot[1-4]"
FEATURE = "parrot"
"""What jobs ask for that are meant for it."""


class Parrot:
    """Runs what it is told to run and reports every end truly, but never once, and seldom in order."""

    def __init__(self, rng: random.Random, target: str, token: str) -> None:
        self._rng, self._target, self._token = rng, target, token
        self.others: list[tuple[int, int]] = []
        """Jobs and attempts that were seen on other agents, for tales; they can never be its own."""
        self._boot = f"parrot/{rng.randrange(2**64):016x}"
        self._serial = 0
        self._said: list[AgentMessage] = []
        """Every report that it ever made."""
        self._outgoing: asyncio.Queue[AgentMessage] = asyncio.Queue()
        self._running: dict[tuple[int, int, int], asyncio.TimerHandle] = {}
        self._now_s = 0.0
        self._since_s = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def said(self) -> int:
        return len(self._said)

    async def __aenter__(self) -> "Parrot":
        self._task = asyncio.create_task(self._live())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        done = await asyncio.gather(self._task, return_exceptions=True)
        for timer in self._running.values():
            timer.cancel()
        if not isinstance(done[0], asyncio.CancelledError):
            raise AssertionError(f"the server has thrown an agent out for good: {done[0]!r}")

    async def _live(self) -> None:
        async with grpc.aio.insecure_channel(self._target) as channel:
            connect: Any = channel.stream_stream(
                _METHOD,
                request_serializer=AgentMessage.SerializeToString,
                response_deserializer=ServerMessage.FromString,
            )
            while True:
                call = connect(metadata=[("authorization", f"Bearer {self._token}")])
                try:
                    await self._converse(call)
                except grpc.aio.AioRpcError as error:
                    # A write into a stream that has ended is told as an error of the library itself.
                    if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL):
                        raise
                finally:
                    call.cancel()
                await asyncio.sleep(0.2)

    async def _converse(self, call: Any) -> None:
        register = Register(
            agent="parrot",
            boot_id=self._boot,
            nodes=[NodeOffer(names=NODES, processors=8, features=[FEATURE])],
        )
        await call.write(AgentMessage(register=register))
        both = (asyncio.create_task(self._listen(call)), asyncio.create_task(self._talk(call)))
        try:
            done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except asyncio.InvalidStateError:
            return  # a write after the end, of which the reader has not been told yet
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _listen(self, call: Any) -> None:
        async for message in call:
            self._hear(message)

    def _hear(self, message: ServerMessage) -> None:
        match message.WhichOneof("content"):
            case "welcome":
                self._now_s, self._since_s = message.welcome.now_s, asyncio.get_running_loop().time()
                for launch in message.welcome.attempts:
                    self._launch(launch)
                for old in self._said:
                    self._outgoing.put_nowait(old)
            case "launch":
                self._launch(message.launch)
            case "order" if message.order.kind == Order.KILL:
                self._end(message.order.attempt, Report(kind=Report.KILLED))
            case "refused":
                raise AssertionError(message.refused.reason)

    def _launch(self, launch: Launch) -> None:
        ref, outcome = launch.attempt, launch.spec.outcome
        key = (ref.job_id, ref.array_index, ref.attempt)
        if key in self._running or any(_key(one.report.attempt) == key for one in self._said):
            return
        run_s = min(outcome.run_s, launch.limit_s)
        late = run_s < outcome.run_s
        report = Report(
            kind=Report.ENDED,
            exit_code=0 if late else outcome.exit_code,
            signal=15 if late else outcome.signal,
            timed_out=late,
        )
        loop = asyncio.get_running_loop()
        self._running[key] = loop.call_later(run_s, self._end, ref, report)

    def _end(self, ref: AttemptRef, report: Report) -> None:
        timer = self._running.pop(_key(ref), None)
        if timer is not None:
            timer.cancel()
        elif report.kind == Report.ENDED:
            return
        report.attempt.CopyFrom(ref)
        self._report(report)
        if self._rng.random() < 0.3:
            self._tell_tales(ref)

    def _report(self, report: Report) -> None:
        self._serial += 1
        report.serial = self._serial
        report.at_s = self._now_s + asyncio.get_running_loop().time() - self._since_s
        message = AgentMessage(report=report)
        self._said.append(message)
        self._outgoing.put_nowait(message)

    def _tell_tales(self, ref: AttemptRef) -> None:
        """Ends of attempts that are over or have never been, of jobs that are not, of nodes of others."""
        false = (
            AttemptRef(job_id=ref.job_id, array_index=ref.array_index, attempt=ref.attempt - 1),
            AttemptRef(job_id=ref.job_id, array_index=ref.array_index, attempt=ref.attempt + 1000),
            AttemptRef(job_id=ref.job_id, array_index=7, attempt=ref.attempt),
            AttemptRef(job_id=2**40, array_index=-1, attempt=1),
            # Jobs of other agents, which may run at this very moment.
            *(AttemptRef(job_id=job, array_index=-1, attempt=attempt) for job, attempt in self.others),
        )
        self._report(Report(kind=Report.ENDED, attempt=self._rng.choice(false), exit_code=99))
        self._report(Report(kind=Report.NODE_LOST, node="one-node001", reason="hearsay"))

    async def _talk(self, call: Any) -> None:
        """Send what is to be said, in the order of chance, some of it again, and some old story besides."""
        held: list[AgentMessage] = []
        loop = asyncio.get_running_loop()
        beat_s = loop.time()
        while True:
            with contextlib.suppress(TimeoutError):
                held.append(await asyncio.wait_for(self._outgoing.get(), 0.05))
            while not self._outgoing.empty():
                held.append(self._outgoing.get_nowait())
            self._rng.shuffle(held)
            keep = self._rng.randint(0, min(2, len(held)))
            for message in held[keep:]:
                for _ in range(self._rng.choice((1, 1, 2, 3))):
                    await call.write(message)
            held = held[:keep]
            if self._said and self._rng.random() < 0.2:
                await call.write(self._rng.choice(self._said))
            if loop.time() > beat_s + 0.2:
                beat_s = loop.time()
                await call.write(AgentMessage(heartbeat=Heartbeat(running=len(self._running))))


def _key(ref: AttemptRef) -> tuple[int, int, int]:
    return ref.job_id, ref.array_index, ref.attempt
