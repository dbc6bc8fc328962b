"""An executor on real time wakes by itself for what it has just learned of."""

import asyncio
import time
from collections.abc import Callable
from math import inf

import pytest

from molokini.agents.clocks import ScaledClock
from molokini.agents.emulated import EmulatedExecutor
from molokini.agents.failures import Failures
from molokini.agents.lease import Lease
from molokini.agents.timing import OwnTime
from molokini.agents.unheard import Unheard
from molokini.proto.v1.agent_service_pb2 import Launch, Order, Report, Welcome
from tests.kit.agents import launch, order
from tests.kit.waiting import DEADLINE_S


def soon() -> Launch:
    return launch(1, 0.0, 0.01)


TOLD: dict[str, Callable[[OwnTime], object]] = {
    "a welcome": lambda own: own.welcome(Welcome(attempts=[soon()]), Unheard([])),
    "a launch": lambda own: own.launch(soon()),
    "an order": lambda own: own.order(order(Order.SET_RATE, 2, 0.0, rate=1e12)),
}


@pytest.mark.parametrize("word", TOLD)
async def test_what_it_is_told_while_it_sleeps_happens_at_its_instant(word: str) -> None:
    reports: asyncio.Queue[Report] = asyncio.Queue()
    nodes = EmulatedExecutor(reports.put_nowait, ["node1"], Failures(0, 0.0, 0.0))
    own = OwnTime(nodes, ScaledClock(), time.monotonic, look_s=inf)
    own.welcome(Welcome(attempts=[launch(2, 0.0, 1e10, estimate_s=1e10)]), Unheard([]))
    work = asyncio.create_task(own.work(Lease()))
    try:
        async with asyncio.timeout(DEADLINE_S):
            await asyncio.sleep(0.01)
            TOLD[word](own)
            report = await reports.get()
            while report.kind == Report.LAUNCHED:
                report = await reports.get()
        assert report.kind == Report.ENDED
        assert report.attempt.job_id == (2 if word == "an order" else 1)
        assert report.at_s < DEADLINE_S
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
