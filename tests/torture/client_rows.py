"""Fault rows about clients: answers that are lost, cancels that race with ends, floods."""

import asyncio
import contextlib
import time

from molokini.client.errors import ServerError
from tests.torture.cluster import HASTY, PATIENT
from tests.torture.rig import Rig

SLOWEST_S = 1.0
"""Another user's submit during a flood: 95 of 100 are answered within so long."""


async def f20(rig: Rig) -> None:
    """Answers are lost after the commit; clients ask again with their key and get the same id."""
    relay = rig.cluster.users
    before = relay.lost_answers
    for _ in range(rig.times(15)):
        relay.lose_answers(rig.rng.randint(1, 4))
        await asyncio.sleep(rig.rng.uniform(0.05, 0.3))
    relay.heal()
    rig.figures["answers lost"] = relay.lost_answers - before


async def f21(rig: Rig) -> None:
    """Jobs are cancelled at the moment of their end, and the answers to some of the cancels are lost."""
    ledger = rig.load.ledger(f"races-{rig.rng.randrange(10**9)}")
    async with rig.cluster.client(HASTY) as client:
        jobs = [
            (f"{ledger.path.stem}-{k}", {"run_s": round(rig.rng.uniform(0.02, 0.2), 4)})
            for k in range(rig.times(100))
        ]
        began_s = time.monotonic()
        numbers = await rig.load.submit_together(client, ledger, jobs)

        async def race(key: str, job: int, run_s: float) -> None:
            await asyncio.sleep(began_s + run_s + rig.rng.gauss(0.02, 0.02) - time.monotonic())
            ledger.cancels(key)
            if rig.rng.random() < 0.1:
                rig.cluster.users.lose_answers(1)
            for _ in range(2):
                with contextlib.suppress(ServerError):
                    await client.cancel([job])

        await asyncio.gather(
            *(race(key, job, outcome["run_s"]) for (key, outcome), job in zip(jobs, numbers, strict=True))
        )
    rig.cluster.users.heal()
    ledger.close()


async def f40(rig: Rig) -> None:
    """One user submits thousands of jobs, others poll without a pause, a third wants one job at a time."""
    ledger = rig.load.ledger(f"flood-{rig.rng.randrange(10**9)}")
    cluster = rig.cluster
    over = asyncio.Event()
    polls = 0

    async def poll() -> None:
        nonlocal polls
        async with cluster.client(PATIENT, "poller") as client:
            while not over.is_set():
                async for _ in client.jobs(users=["poller"]):
                    pass
                polls += 1

    pollers = [asyncio.create_task(poll()) for _ in range(4)]
    others = asyncio.create_task(_one_by_one(rig, over))
    began_s = time.monotonic()
    count = rig.times(2000)
    try:
        async with cluster.client(PATIENT, "flooder") as client:
            for start in range(0, count, 500):
                jobs = [
                    (f"{ledger.path.stem}-{k}", {"run_s": 0.01})
                    for k in range(start, min(count, start + 500))
                ]
                await rig.load.submit_together(client, ledger, jobs)
        await asyncio.sleep(1.0)
    finally:
        over.set()
        await asyncio.gather(*pollers)
    waits_s = sorted(await others)
    p95_s = waits_s[int(0.95 * (len(waits_s) - 1))]
    rig.figures["polls a second"] = round(polls / (time.monotonic() - began_s))
    rig.figures["others' submit p95_s"] = round(p95_s, 3)
    assert p95_s < SLOWEST_S, f"another user's submit took {p95_s:.2f} s (p95 of {len(waits_s)})"
    ledger.close()


async def _one_by_one(rig: Rig, over: asyncio.Event) -> list[float]:
    """Seconds that each of another user's submits took."""
    ledger = rig.load.ledger(f"modest-{rig.rng.randrange(10**9)}")
    waits_s = []
    async with rig.cluster.client(PATIENT, "modest") as client:
        number = 0
        while not over.is_set():
            number += 1
            began_s = time.monotonic()
            await rig.load.submit_together(
                client, ledger, [(f"{ledger.path.stem}-{number}", {"run_s": 0.01})]
            )
            waits_s.append(time.monotonic() - began_s)
            await asyncio.sleep(0.02)
    ledger.close()
    return waits_s
