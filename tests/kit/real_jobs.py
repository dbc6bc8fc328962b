"""Real jobs of this machine under an executor that is played by hand: launches, orders and reports."""

import asyncio
import fcntl
import os
import signal
import sys
import termios
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from molokini.agents.clocks import ScaledClock
from molokini.agents.lease import Lease
from molokini.agents.offset import ClockOffset
from molokini.agents.unheard import Unheard
from molokini.processes.executor import ProcessExecutor
from molokini.processes.launch_records import Rules
from molokini.processes.spool import Spool
from molokini.processes.starters import with_starter
from molokini.proto.v1.agent_service_pb2 import (
    AttemptRef,
    Launch,
    Order,
    RatedAttempt,
    Report,
    SlicedAttempt,
    Welcome,
)
from molokini.proto.v1.jobs_pb2 import Allocation, JobSpec, Resources
from molokini.supervisor.cgroups import ControlGroup, bases, remove_bases
from molokini.supervisor.records import CONTROL
from molokini.supervisor.trees import Descendants, alive
from tests.kit.waiting import DEADLINE_S


def rules(**more: Any) -> Rules:
    """Jobs run as whoever runs the tests, in control groups where these can be written."""
    return Rules(**{"grace_s": 0.3, "groups": bases("molokini-test"), **more})


def launch(
    number: int,
    *argv: str,
    folder: Path,
    attempt: int = 1,
    limit_s: float = 0.0,
    user: str = "nobody",
    nodes: Sequence[tuple[str, int]] = (("here", 1),),
    **spec: Any,
) -> Launch:
    """A launch of a command that writes into *folder*."""
    memory_kb = spec.pop("memory_kb", 0)
    made = JobSpec(argv=argv, **{"working_directory": str(folder), **spec})
    if memory_kb:
        made.resources.CopyFrom(Resources(memory_kb=memory_kb))
    return Launch(
        attempt=AttemptRef(job_id=number, array_index=-1, attempt=attempt),
        user=user,
        spec=made,
        allocation=[Allocation(node=node, processors=processors) for node, processors in nodes],
        limit_s=limit_s,
    )


class RealNode:
    """An executor at work, and its reports."""

    def __init__(self, spool: Path, said: Rules, offset: ClockOffset | None, forks: bool) -> None:
        self.reports: list[Report] = []
        self.sliced: list[SlicedAttempt] = []
        self.spool, self.said = Spool(spool), said
        if said.groups:
            # As an agent has them: of its own folder.
            said = replace(said, groups=bases(Spool.group_of(spool)))
        if not forks:
            said = with_starter(said, spool)
        self.groups = said.groups
        self.executor = ProcessExecutor(
            self.reports.append, self.spool, said, ScaledClock(), time.monotonic, "here", offset
        )
        self.executor.slicer.tell = self.sliced.append
        self.rated: list[RatedAttempt] = []
        self.executor.rates.tell = self.rated.append
        self.lease = Lease()

    def welcome(self, *launches: Launch) -> None:
        self.executor.welcome(Welcome(now_s=1000.0, attempts=launches), Unheard(self.reports))

    @property
    def slicer(self) -> int:
        """The process that slices."""
        return self.executor.slicer.pid

    def tree(self, label: str) -> Descendants:
        """The processes of an attempt."""
        supervisor = self.spool.supervisor(label) or -1
        return ControlGroup(supervisor, self.groups, label) if self.groups else Descendants(supervisor)

    def launch(self, wanted: Launch) -> None:
        self.executor.launch(wanted)

    def order(self, number: int, kind: "Order.Kind", attempt: int = 1, **more: Any) -> None:
        ref = AttemptRef(job_id=number, array_index=-1, attempt=attempt)
        self.executor.order(Order(kind=kind, attempt=ref, at_s=1000.0, **more))

    def unread(self, label: str) -> int:
        """Bytes of orders that the supervisor of an attempt has not read."""
        with open(os.open(self.spool.path(label) / CONTROL, os.O_RDWR | os.O_NONBLOCK), "rb") as file:
            return int.from_bytes(fcntl.ioctl(file, termios.FIONREAD, bytes(4)), sys.byteorder)

    async def run(self, number: int, *argv: str, folder: Path, **more: Any) -> Report:
        """Launch a job, and the report of its end."""
        self.launch(launch(number, *argv, folder=folder, **more))
        return await self.report(number)

    async def killed(self, number: int) -> Report:
        """Order the end of a job, and its report."""
        self.order(number, Order.KILL)
        return await self.report(number)

    def kill_supervisor(self, label: str = "1-1") -> int:
        """Kill the supervisor of an attempt; its process."""
        supervisor = self.spool.supervisor(label)
        assert supervisor
        os.kill(supervisor, signal.SIGKILL)
        return supervisor

    async def report(self, number: int) -> Report:
        """The report of the end of a job, when it has come."""
        await until(lambda: any(one.attempt.job_id == number for one in self.reports))
        return next(one for one in self.reports if one.attempt.job_id == number)

    async def pid(self, number: int, attempt: int = 1) -> int:
        """The first process of a job, when it is there."""
        label = f"{number}-{attempt}"
        await until(lambda: self.spool.record(label).started is not None)
        started = self.spool.record(label).started
        assert started is not None
        return int(started["pid"])


async def until(condition: Callable[[], bool]) -> None:
    """Wait until *condition* holds."""
    async with asyncio.timeout(DEADLINE_S):
        while not condition():
            await asyncio.sleep(0.005)


async def gone(pids: Sequence[int]) -> None:
    """Wait until none of these processes is alive."""
    await until(lambda: not any(map(alive, pids)))


def sleeping(spool: Path) -> list[int]:
    """The processes of job 1 that sleep, wherever they have gone."""
    mark = f"MOLOKINI_NODE_FILE={spool}/jobs/1-1/nodes".encode()
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            variables = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
            command = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if mark in variables and command.startswith(b"sleep\x00100"):
            found.append(int(name))
    return found


@asynccontextmanager
async def real_node(
    folder: Path, said: Rules | None = None, offset: ClockOffset | None = None, forks: bool = False
) -> AsyncIterator[RealNode]:
    """A node at work; its jobs go on after it, as after an agent that was killed.

    *forks*: it is one of those without a C compiler.
    """
    node = RealNode(folder, said or rules(), offset, forks)
    work = asyncio.ensure_future(node.executor.work(node.lease))
    try:
        yield node
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        node.executor.stop()
        remove_bases(node.said.groups)


@asynccontextmanager
async def at_work(folder: Path, said: Rules | None = None, **more: Any) -> AsyncIterator[RealNode]:
    """The same, welcomed by a server that knows of no attempts."""
    async with real_node(folder, said, **more) as made:
        made.welcome()
        yield made


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[RealNode]:
    """A node at work."""
    async with at_work(tmp_path / "spool") as made:
        yield made


@pytest.fixture(params=[True, False], ids=["control group", "descendants"])
async def each_node(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RealNode]:
    """The same with and without control groups."""
    async with at_work(tmp_path / "spool", rules() if request.param else rules(groups={})) as made:
        yield made
