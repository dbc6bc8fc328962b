"""What a fault row is given: a cluster under load, chance by the run's seed, and a place for its figures."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.torture.checking import Verdict, compare, judge
from tests.torture.cluster import HEARTBEAT_S, LEASE_S, MARGIN_S, Cluster
from tests.torture.load import Load

SILENCE_S = LEASE_S + MARGIN_S + 2 * HEARTBEAT_S + 1.0
"""After so long without a word the server has given an agent up."""
STUCK_S = 30.0
"""Jobs that do not get fewer for so long, without new ones, are stuck."""


class Skipped(Exception):
    """The row cannot be tried on this machine; the text says what is missing."""


@dataclass
class Rig:
    """*scale* 1 is a row's small form; the rows multiply their counts by it."""

    folder: Path
    rng: random.Random
    scale: float
    cluster: Cluster
    load: Load
    verdict: Verdict = field(default_factory=Verdict)
    figures: dict[str, Any] = field(default_factory=dict)
    """What the row that runs has measured."""
    kills: int = 0
    """Of processes of clusters that are gone; those of the cluster at hand it counts itself."""
    recoveries_s: list[float] = field(default_factory=list)

    def times(self, count: float) -> int:
        """*count* by the scale, at least 1."""
        return max(1, round(count * self.scale))

    @asynccontextmanager
    async def apart(self, name: str, **more: Any) -> "AsyncIterator[Rig]":
        """The same on a cluster of its own, judged at its end and counted here."""
        folder = self.folder / f"{name}-{self.rng.randrange(10**6):06d}"
        async with judged(folder, self.rng, self.scale, **more) as rig:
            rig.figures = self.figures
            yield rig
        self.verdict.merge(rig.verdict)
        self.kills += rig.kills
        self.recoveries_s += rig.recoveries_s


@asynccontextmanager
async def judged(
    folder: Path,
    rng: random.Random,
    scale: float,
    *,
    rate: float = 40.0,
    most: int = 100_000,
    nodes: int = 16,
    **more: Any,
) -> AsyncIterator[Rig]:
    """A cluster under load; a block that ends without an error is brought to rest and judged."""
    async with Cluster(folder, rng, **more) as cluster:
        load = Load(cluster, rng, clients=4, rate=rate, most=most)
        rig = Rig(folder, rng, scale, cluster, load)
        await cluster.start_server()
        for name in ("one", "two"):
            await cluster.start_agent(name, nodes)
        for name in ("one", "two"):
            await cluster.agent_ready(name)
        load.start()
        yield rig
        await rest(rig)
        rig.kills += cluster.kills
        rig.recoveries_s += cluster.recoveries_s


async def rest(rig: Rig) -> None:
    """No new jobs; wait until none is left or nothing moves; compare with the server, then the journal."""
    cluster = rig.cluster
    rig.load.check()
    await rig.load.stop()
    async with cluster.client() as client:
        left, since_s = -1, time.monotonic()
        while True:
            now_left = sum([1 async for _ in client.jobs(page_size=5000)])
            if now_left != left:
                left, since_s = now_left, time.monotonic()
            if not left or time.monotonic() > since_s + STUCK_S:
                break
            await asyncio.sleep(0.1)
        jobs = rig.load.jobs()
        rig.verdict.merge(await compare(client, jobs))
    status = await cluster.stop_server()
    if status != 0:
        rig.verdict.add("stuck", f"the server ended with status {status} when it was told to stop")
    rig.verdict.merge(await judge(cluster.settings["server.journal"], jobs))
