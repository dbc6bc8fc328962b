"""Clients that submit, cancel and requeue jobs of some milliseconds, and write down what they were told."""

import asyncio
import contextlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from molokini.client.client import Client
from molokini.client.errors import ServerError
from molokini.client.specs import job_spec
from tests.torture.cluster import HASTY, Cluster
from tests.torture.ledger import Asked, Ledger, read

SETTLE_S = 60.0


class Load:
    """*clients* clients that together submit *rate* jobs a second at most, and *most* jobs in all."""

    def __init__(self, cluster: Cluster, rng: random.Random, clients: int, rate: float, most: int) -> None:
        self.cluster, self._rng = cluster, rng
        self._pause_s, self._most = clients / rate, most
        self._stopping = asyncio.Event()
        self.paths = [cluster.folder / f"client-{k}.ledger" for k in range(clients)]
        self.submitted = 0
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        for path in self.paths:
            rng = random.Random(self._rng.random())
            self._tasks.append(asyncio.create_task(self._client(path, rng)))

    async def stop(self) -> None:
        """No new jobs; every key that has no answer yet is asked for until it has one."""
        self._stopping.set()
        async with asyncio.timeout(SETTLE_S):
            await asyncio.gather(*self._tasks)

    def ledger(self, name: str) -> Ledger:
        """One more ledger, for a row that submits jobs of its own."""
        path = self.cluster.folder / f"{name}.ledger"
        self.paths.append(path)
        return Ledger(path)

    def follow(self, tasks: "Sequence[asyncio.Task[None]]") -> None:
        """Wait at the end for these submits of a row, too: their keys are to be answered."""
        self._tasks += tasks

    async def submit_together(
        self, client: Client, ledger: Ledger, jobs: Sequence[tuple[str, dict[str, Any]]], **wishes: Any
    ) -> list[int]:
        """Submit (key, outcome) pairs as one; their ids."""
        common: dict[str, Any] = {"estimate_s": 60.0, "requeue": True}
        for key, outcome in jobs:
            ledger.asks(key, outcome | common)
        specs = [
            job_spec({"outcome": outcome, "submission_key": key, **common, **wishes}) for key, outcome in jobs
        ]
        while True:
            try:
                answers = await client.submit_many(specs)
            except ServerError as error:
                ledger.failed(jobs[0][0], f"{type(error).__name__}: {error}")
                await asyncio.sleep(0.05)
                continue
            numbers = []
            for (key, _), job in zip(jobs, answers, strict=True):
                assert isinstance(job, int), job
                ledger.answered(key, job)
                numbers.append(job)
            return numbers

    def check(self) -> None:
        """Raise what has made a client fail."""
        for task in self._tasks:
            if task.done():
                task.result()

    def jobs(self) -> dict[str, Asked]:
        """What the ledgers say."""
        return read(path for path in self.paths if path.exists())

    async def _client(self, path: Path, rng: random.Random) -> None:
        ledger = Ledger(path)
        try:
            async with self.cluster.client(HASTY) as client:
                for key, fields in _wishes(path.stem, rng):
                    if self._stopping.is_set() or self.submitted >= self._most:
                        break
                    self.submitted += 1
                    await self._one(client, ledger, rng, key, fields)
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._stopping.wait(), rng.random() * 2 * self._pause_s)
        finally:
            ledger.close()

    async def _one(
        self, client: Client, ledger: Ledger, rng: random.Random, key: str, fields: dict[str, Any]
    ) -> None:
        common = {name: fields[name] for name in ("estimate_s", "requeue")}
        ledger.asks(key, fields["outcome"] | common)
        job = await submitted(client, ledger, key, fields)
        drawn = rng.random()
        if drawn < 0.05:
            # The same key once more: the same id, and no second job.
            await submitted(client, ledger, key, fields)
        elif drawn < 0.13:
            await asyncio.sleep(rng.random() * fields["outcome"]["run_s"])
            ledger.cancels(key)
            with contextlib.suppress(ServerError):
                await client.cancel([job])
        elif drawn < 0.18:
            ledger.requeues(key)
            with contextlib.suppress(ServerError):
                await client.requeue([job])


async def submitted(client: Client, ledger: Ledger, key: str, fields: dict[str, Any]) -> int:
    """The id for *key*, however often that takes."""
    while True:
        try:
            job = await client.submit(key=key, **fields)
        except ServerError as error:
            ledger.failed(key, f"{type(error).__name__}: {error}")
            await asyncio.sleep(0.05)
        else:
            ledger.answered(key, job)
            return job


def _wishes(name: str, rng: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    number = 0
    while True:
        number += 1
        run_s = round(10 ** rng.uniform(-2, -0.3), 4)
        outcome: dict[str, Any] = {"run_s": run_s}
        estimate_s = 60.0
        drawn = rng.random()
        if drawn < 0.1:
            outcome["exit_code"] = rng.randint(1, 255)
        elif drawn < 0.15:
            outcome["signal"] = 11
        elif drawn < 0.2:
            estimate_s = run_s / 2
        fields = {
            "outcome": outcome,
            "estimate_s": estimate_s,
            "processors": rng.choice((1, 1, 2, 4, 8)),
            "requeue": rng.random() < 0.9,
        }
        yield f"{name}-{number}", fields
