"""The live server under load: durable submissions, listings, passes over a long queue, restarts.

Server and client are processes of their own on loopback; the ceiling is a server of the same library whose
method does nothing, measured in the same run.
"""

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import count, islice, repeat
from pathlib import Path
from statistics import median
from typing import Any

import grpc

from benchmarks.replays import LOGS
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import job_service_pb2_grpc as stubs
from molokini.proto.v1 import jobs_pb2

QUICK = os.environ.get("MOLOKINI_BENCH_QUICK") == "1"
CONFIG = """
[server]
listen = "127.0.0.1:0"
new = true
[limits]
requests_per_second = 1000000
burst = 1000000
concurrent_rpcs = 10000
[[nodes]]
names = "node[001-064]"
processors = 16
"""


def spec(run_s: float = 1e6, processors: int = 1024) -> jobs_pb2.JobSpec:
    """A job as a script would submit it; by default as wide as the machine, so that all but one wait."""
    return jobs_pb2.JobSpec(
        name="bench",
        argv=["./a.out", "--steps", "100"],
        resources=jobs_pb2.Resources(processors=processors),
        estimate_s=1e6,
        outcome=jobs_pb2.Outcome(run_s=run_s),
    )


@asynccontextmanager
async def server(folder: Path, kind: str) -> AsyncIterator[tuple[str, str, int]]:
    """A server process of *kind* (live, no-op): (address, token, pid)."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.live_processes", kind, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = await asyncio.to_thread(process.stdout.readline)
        address = line.split()[-1]
        token = (folder / "token").read_text().strip() if kind == "live" else ""
        yield address, token, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()


def job_stub(channel: grpc.aio.Channel) -> Any:
    """The generated stub, which has no types."""
    return stubs.JobServiceStub(channel)  # type: ignore[no-untyped-call]


async def rate_of(call: Callable[[], Awaitable[Any]], clients: int, seconds: float) -> float:
    """Calls a second of *clients* coroutines that call one after another."""
    count, until = 0, time.perf_counter() + seconds

    async def one() -> None:
        nonlocal count
        while time.perf_counter() < until:
            await call()
            count += 1

    begin = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(clients)))
    return count / (time.perf_counter() - begin)


async def submissions(seconds: float = 0.75, rounds: int = 5) -> list[dict[str, Any]]:
    """Unary, streamed and batched submissions; the ceilings are those of a server that does nothing.

    Unary calls go to the two servers in turn, and the medians of the rounds are compared: what a machine does
    in a second may differ by a third from the second before.
    """
    eight: list[float] = []
    many: list[float] = []
    ceiling: list[float] = []
    many_ceiling: list[float] = []
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        async with (
            server(Path(ours), "live") as (address, token, _pid),
            grpc.aio.insecure_channel(address) as channel,
            server(Path(theirs), "no-op") as (idle_address, _, _),
            grpc.aio.insecure_channel(idle_address) as idle_channel,
        ):
            # The very calls that the real server gets, with a token of the same length.
            real = (job_stub(channel), (("authorization", f"Bearer {token}"),))
            idle = (job_stub(idle_channel), (("authorization", f"Bearer {'x' * len(token)}"),))
            for stub, meta in (real, idle):
                await _submitted(stub, meta, 8, 0.5)
            for _ in range(rounds):
                eight.append(await _submitted(*real, 8, seconds))
                ceiling.append(await _submitted(*idle, 8, seconds))
                many.append(await _submitted(*real, 32, seconds))
                many_ceiling.append(await _submitted(*idle, 32, seconds))
            streamed = await _streamed(*real, 8_000 if QUICK else 30_000)
            alike = await batched(*real, 20_000 if QUICK else 100_000)
            unlike = await batched(*real, 20_000 if QUICK else 100_000, _different())
            stream_ceiling = await _streamed(*idle, 8_000 if QUICK else 30_000)
    return [
        row("no-op unary, 8 clients (the ceiling)", median(ceiling), "/s", None),
        row("submit unary, 8 clients, ratio to the ceiling", median(eight) / median(ceiling), "", 0.65),
        row("submit unary, 8 clients", median(eight), "/s", None),
        row("no-op unary, 32 clients (the ceiling)", median(many_ceiling), "/s", None),
        row("submit unary, 32 clients, ratio to the ceiling", median(many) / median(many_ceiling), "", None),
        row("submit unary, 32 clients", median(many), "/s", 3_000),
        row("no-op, singles over one stream (the ceiling)", stream_ceiling, "/s", None),
        row("single submits over one stream", streamed, "/s", 8_000),
        row("submit-many, batches of 500 like jobs", alike, "/s", 60_000),
        row("submit-many, batches of 500 different jobs", unlike, "/s", 60_000),
    ]


async def _submitted(stub: Any, meta: Any, clients: int, seconds: float) -> float:
    request = wire.SubmitRequest(spec=spec())
    return await rate_of(lambda: stub.Submit(request, metadata=meta), clients, seconds)


async def _streamed(stub: Any, meta: Any, jobs: int) -> float:
    async def requests() -> AsyncIterator[wire.SubmitRequest]:
        for tag in range(jobs):
            yield wire.SubmitRequest(spec=spec(), tag=tag)

    begin, answered = time.perf_counter(), 0
    async for made in stub.SubmitStream(requests(), metadata=meta):
        answered += sum(1 for answer in made.answers if answer.job_id)
    assert answered == jobs
    return jobs / (time.perf_counter() - begin)


def _different() -> Iterator[wire.SubmitManyRequest]:
    """Batches of jobs with a name, arguments and a run time of their own each."""
    numbers = count()
    while True:
        made = [spec(1e6 + number) for number in islice(numbers, 500)]
        for number, one in enumerate(made):
            one.name, one.argv[2] = f"bench{one.outcome.run_s:.0f}", str(number)
        yield wire.SubmitManyRequest(specs=made)


async def batched(
    stub: Any, meta: Any, jobs: int, batches: Iterator[wire.SubmitManyRequest] | None = None
) -> float:
    """Jobs a second in batches of 500: *batches*, which are made before, or always the same."""
    if batches is None:
        batches = repeat(wire.SubmitManyRequest(specs=[spec() for _ in range(500)]))
    ready = list(islice(batches, jobs // 500))

    async def requests() -> AsyncIterator[wire.SubmitManyRequest]:
        for batch in ready:
            yield batch

    begin, answered = time.perf_counter(), 0
    async for answer in stub.SubmitMany(requests(), metadata=meta):
        answered += sum(1 for number in answer.job_ids if number)
    assert answered == jobs
    return jobs / (time.perf_counter() - begin)


async def long_queue(jobs: int = 100_000) -> list[dict[str, Any]]:
    """A queue of 100,000: one user's listing, a pass with nothing to start, memory, restart."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with (
            server(Path(folder), "live") as (address, token, pid),
            grpc.aio.insecure_channel(
                address, options=[("grpc.max_receive_message_length", 64 << 20)]
            ) as channel,
        ):
            stub, meta = job_stub(channel), (("authorization", f"Bearer {token}"),)
            before_kb = _memory_kb(pid)
            await batched(stub, meta, jobs)
            while_busy = (_memory_kb(pid) - before_kb) * 1024 / jobs
            grown = (await _settled_kb(pid) - before_kb) * 1024 / jobs
            listing = [
                await _timed(stub.ListJobs(wire.ListJobsRequest(page_size=100), metadata=meta))
                for _ in range(10)
            ]
            single = [
                await _timed(stub.Submit(wire.SubmitRequest(spec=spec()), metadata=meta)) for _ in range(20)
            ]
        rows.append(row("listing 100 jobs of a queue of 100,000 (median)", median(listing) * 1e3, "ms", -20))
        rows.append(row("submit and pass over 100,000 waiting (median)", median(single) * 1e3, "ms", -20))
        rows.append(row("the same, longest of 20", max(single) * 1e3, "ms", -1000))
        rows.append(row("server memory a queued job", grown, "bytes", -2000))
        rows.append(row("the same, while a snapshot may be written", while_busy, "bytes", None))
        begin = time.perf_counter()
        async with server(Path(folder), "live") as (address, token, pid):
            rows.append(row("restart to serving with 100,000 queued", time.perf_counter() - begin, "s", -5))
    return rows


async def _timed(call: Awaitable[Any]) -> float:
    begin = time.perf_counter()
    await call
    return time.perf_counter() - begin


async def _settled_kb(pid: int) -> int:
    """Memory when it has not changed for some seconds: a snapshot has its own while it is written."""
    found, since = _memory_kb(pid), time.monotonic()
    until = since + 60.0
    while time.monotonic() < min(until, since + 5.0):
        await asyncio.sleep(0.25)
        now_kb = _memory_kb(pid)
        if abs(now_kb - found) > 256:
            found, since = now_kb, time.monotonic()
    return found


def _memory_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


async def idle_cluster(jobs: int = 100) -> list[dict[str, Any]]:
    """From submit to running on an idle cluster in real time, and how many ends a second it keeps up with."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with (
            server(Path(folder), "live") as (address, token, _pid),
            grpc.aio.insecure_channel(address) as channel,
        ):
            stub, meta = job_stub(channel), (("authorization", f"Bearer {token}"),)
            waits = [await _until_running(stub, meta) for _ in range(jobs)]
            ends = await _ends(stub, meta, 4_000 if QUICK else 20_000)
    rows.append(row("idle cluster: submit to running (median)", median(waits) * 1e3, "ms", -20))
    rows.append(row("ends of jobs a second, real time", ends, "/s", 2_000))
    return rows


async def _until_running(stub: Any, meta: Any) -> float:
    events = stub.WatchJobs(wire.WatchJobsRequest(only_new=True), metadata=meta)
    reading = asyncio.ensure_future(events.read())
    await asyncio.sleep(0.01)
    begin = time.perf_counter()
    answer = await stub.Submit(wire.SubmitRequest(spec=spec(0.01, 1)), metadata=meta)
    while True:
        event = await reading
        if event.kind == "started" and event.job_id == answer.job_id:
            break
        reading = asyncio.ensure_future(events.read())
    took = time.perf_counter() - begin
    events.cancel()
    return took


async def _ends(stub: Any, meta: Any, jobs: int) -> float:
    """Jobs of 0.2 s on 1,024 processors: more than 5,000 could end in a second."""
    begin = time.perf_counter()
    batch = wire.SubmitManyRequest(specs=[spec(0.2, 1) for _ in range(500)])

    async def requests() -> AsyncIterator[wire.SubmitManyRequest]:
        for _ in range(jobs // 500):
            yield batch

    last = 0
    async for answer in stub.SubmitMany(requests(), metadata=meta):
        last = answer.job_ids[-1]
    while True:
        listed = await stub.ListJobs(wire.ListJobsRequest(page_size=1), metadata=meta)
        if not listed.jobs:
            return jobs / (time.perf_counter() - begin)
        assert listed.jobs[0].id <= last
        await asyncio.sleep(0.05)


def whole_log() -> list[dict[str, Any]]:
    """KTH-SP2 through the live server on virtual time, compared with the simulator."""
    log = LOGS / "KTH-SP2-1996-2.1-cln.swf.gz"
    if not log.exists():
        return []
    command = [sys.executable, "-m", "molokini.clients.command", "verify", str(log), "--policy", "easy"]
    jobs = ["--jobs", "2000"] if QUICK else []
    done = subprocess.run([*command, *jobs, "--json", "-"], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    seconds, count = report["run"]["elapsed_s"], report["workload"]["jobs"]
    return [
        row(f"KTH-SP2, {count:,} jobs, live on virtual time", seconds, "s", -60),
        row("the same: largest difference to the simulator", report["differences"]["start_s"], "s", -0.0),
    ]


def rows() -> list[dict[str, Any]]:
    """Everything, in the order of the issue."""
    made = asyncio.run(submissions())
    made += asyncio.run(long_queue(20_000 if QUICK else 100_000))
    return made + asyncio.run(idle_cluster()) + whole_log()


def row(what: str, value: float, unit: str, wanted: float | None) -> dict[str, Any]:
    """*wanted* is the least; with a minus sign, the most."""
    most = wanted is not None and math.copysign(1, wanted) < 0
    reached = None if wanted is None else (value <= -wanted if most else value >= wanted)
    said = "" if wanted is None else f"{'at most' if most else 'at least'} {abs(wanted):,g} {unit}"
    return {"what": what, "value": round(value, 3), "unit": unit, "wanted": said.strip(), "reached": reached}


def main() -> None:
    """Print the rows as JSON."""
    print(json.dumps({"cores": os.cpu_count(), "rows": rows()}, indent=1))


if __name__ == "__main__":
    main()
