"""How long other calls of a real server wait while it answers a what-if."""

import asyncio
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.live import server
from molokini.client import Client, job_spec

JOBS = 5_000
_BASE_S = 5.0
_PAUSE_S = 0.005


async def delays(jobs: int = JOBS) -> list[dict[str, Any]]:
    """The longest and the median call without and with a question under way, in milliseconds."""
    loop = asyncio.get_running_loop()
    with TemporaryDirectory() as folder:
        async with (
            server(Path(folder), "live") as (address, token, _pid),
            Client.connect(address, token=token) as one,
            Client.connect(address, token=token) as other,
        ):
            wide = job_spec({"processors": 1024, "estimate_s": 3600.0, "outcome": {"run_s": 1e6}})
            await one.submit_many([wide] * jobs)
            stop: asyncio.Future[None] = loop.create_future()
            loop.call_later(_BASE_S, stop.set_result, None)
            alone = await _calls(one, stop)
            asked = other.what_if(24.0, policies=["fcfs", "conservative"], seeds=10)
            began = time.perf_counter()
            beside = await _calls(one, asyncio.ensure_future(asked))
            took_s = time.perf_counter() - began
    what = f"whatif on a real server, {jobs:,} jobs wait"
    return [
        _row(f"{what}: it takes", took_s, "s", None),
        _row("the same: a call meanwhile, median", 1000 * median(beside), "ms", None),
        _row("the same: a call without it, median", 1000 * median(alone), "ms", None),
        _row("the same: longest call meanwhile", 1000 * max(beside), "ms", 100),
        _row("the same: longest call without it", 1000 * max(alone), "ms", None),
    ]


async def _calls(client: Client, until: "asyncio.Future[Any]") -> list[float]:
    found = []
    while not until.done():
        began = time.perf_counter()
        await client.cluster()
        found.append(time.perf_counter() - began)
        await asyncio.sleep(_PAUSE_S)
    await until
    return found


def _row(what: str, value: float, unit: str, most: float | None) -> dict[str, Any]:
    wanted = None if most is None else f"at most {most:g} {unit}"
    reached = None if most is None else value <= most
    return {"what": what, "value": round(value, 2), "unit": unit, "wanted": wanted, "reached": reached}


if __name__ == "__main__":
    for each in asyncio.run(delays()):
        print(each)
