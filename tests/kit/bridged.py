"""Two servers: one has nodes and jobs and decides nothing, the other has neither and decides for it."""

import heapq
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from molokini.model.job_specs import JobSpec
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.foreign_rm.bridge import Bridge
from molokini.server.turn.checks import Limits
from molokini.server.turn.submitting import Submit
from tests.kit.serving import Served, served
from tests.kit.wiki import Talker, key_file, with_port

LEAST_S = 3600.0
"""No look comes by itself in a test."""


class Made(NamedTuple):
    """A job of a made workload; whole seconds, as they are on the wire."""

    submit_s: int
    processors: int
    estimate_s: int
    run_s: int
    nodes: int = 0
    """On so many nodes, with the same number of processors on each; 0: on any."""


def workload(count: int, processors: int, seed: int, load: float = 1.1) -> list[Made]:
    """Jobs that come a little faster than so many processors can run them."""
    dice, at_s, found = Random(seed), 0.0, []
    for _ in range(count):
        run_s = dice.choice([5, 20, 60, 200, 700]) + dice.randint(0, 9)
        width = min(processors, 2 ** dice.randint(0, 5) + dice.randint(0, 1))
        estimate_s = run_s if dice.random() < 0.3 else run_s * dice.randint(1, 4) + 7
        found.append(Made(int(at_s), width, estimate_s, run_s))
        # Several of one instant, now and then.
        at_s += 0 if dice.random() < 0.2 else run_s * width / processors / load * 2 * dice.random()
    return found


async def submitted(one: Served, jobs: Sequence[Made]) -> list[int]:
    """The numbers of *jobs*, which come to *one* now."""
    specs: list[JobSpec] = [
        {
            "estimate_s": float(job.estimate_s),
            "resources": {"processors": job.processors, **({"nodes": job.nodes} if job.nodes else {})},
            "outcome": {"run_s": float(job.run_s)},
        }
        for job in jobs
    ]
    found: list[int] = await one.core.reactor.post(Submit("ann", specs, Limits()))
    return found


def on_nodes(jobs: Sequence[Made], seed: int) -> list[Made]:
    """The same, half of them on nodes: up to four, with up to four processors on each."""
    dice = Random(seed)
    found = []
    for job in jobs:
        if dice.random() < 0.5:
            nodes = dice.randint(1, 4)
            job = job._replace(nodes=nodes, processors=nodes * dice.randint(1, 4))
        found.append(job)
    return found


class Pair:
    """The two, and the clock of both."""

    def __init__(self, manager: Served, scheduler: Served, talker: Talker) -> None:
        self.manager, self.scheduler, self.talker = manager, scheduler, talker
        assert scheduler.server.bridge is not None
        self.bridge: Bridge = scheduler.server.bridge

    async def settle(self) -> None:
        """Look and order until nothing is left to be ordered."""
        while await self.bridge.cycle():
            await self.manager.advance(0)

    async def to(self, at_s: float) -> None:
        await self.manager.advance(at_s - self.manager.core.clock.now())


@asynccontextmanager
async def bridged(
    folder: Path, policy: str, offers: list[NodeOffer] | None = None, **settings: object
) -> AsyncIterator[Pair]:
    """The two of them; *settings* are those of the second."""
    for name in ("manager", "scheduler"):
        (folder / name).mkdir(exist_ok=True)
    async with with_port(folder / "manager", offers=offers) as (manager, talker):
        given = {
            "manager__address": f"127.0.0.1:{talker.port}",
            "manager__key_file": str(key_file(folder)),
            "manager__poll_s": LEAST_S,
            **settings,
        }
        async with served(folder / "scheduler", policy, [], **given) as scheduler:
            pair = Pair(manager, scheduler, talker)
            # It looks when the test says so, and at no instant between.
            await pair.bridge.stop()
            yield pair


async def run_by_itself(
    folder: Path, policy: str, jobs: Sequence[Made], offers: list[NodeOffer]
) -> list[float]:
    """When each of *jobs* starts on a server with *policy*."""
    async with served(folder, policy, offers) as one:
        for at_s in sorted({job.submit_s for job in jobs}):
            await one.advance(at_s - one.core.clock.now())
            await submitted(one, [job for job in jobs if job.submit_s == at_s])
            await one.advance(0)
        await one.advance(1e6)
        return starts(one, len(jobs))


def starts(one: Served, count: int) -> list[float]:
    """The first start of each job."""
    elements = [one.core.state.jobs[number].element for number in range(1, count + 1)]
    return [-1.0 if e is None or e.first_start_s is None else e.first_start_s for e in elements]


async def run_bridged(pair: Pair, jobs: Sequence[Made]) -> list[float]:
    """When each starts on the first server, where the second decides: it looks whenever a thing happens."""
    due = sorted({float(job.submit_s) for job in jobs})
    running: set[int] = set()
    # A policy may want a pass where nothing happens, such as at the beginning of a reservation.
    reactor = pair.scheduler.core.reactor
    while (at_s := min([*due[:1], reactor.wake_s])) < float("inf"):
        while due and due[0] == at_s:
            heapq.heappop(due)
        await pair.to(at_s)
        await submitted(pair.manager, [job for job in jobs if job.submit_s == at_s])
        await pair.settle()
        for number, job in enumerate(jobs, 1):
            known = pair.manager.core.state.jobs.get(number)
            element = known.element if known is not None else None
            if element is not None and element.start_s is not None and number not in running:
                running.add(number)
                heapq.heappush(due, element.start_s + min(job.run_s, job.estimate_s))
    return starts(pair.manager, len(jobs))
