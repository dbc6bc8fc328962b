"""The page: how large it is, how soon it is there, what a frame takes, and what it costs the server.

Where there is no Chromium, or no playwright, the rows that need them are left out.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

import grpc
import numpy as np
import psutil

from benchmarks.live import QUICK, job_stub, row, spec
from molokini.page.assets import Asset, assets
from molokini.page.columns import column
from molokini.page.single import document, loaded_by
from molokini.proto.v1 import job_service_pb2 as wire

JOBS = 10_000 if QUICK else 100_000
NODES, PROCESSORS = 10_000, 16
STREAMS = 100 if QUICK else 1_000
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")

_TIMED = """
const ask = window.requestAnimationFrame;
window.frames_ms = [];
window.requestAnimationFrame = (draw) => ask((now) => {
  const begin = performance.now();
  draw(now);
  window.frames_ms.push(performance.now() - begin);
});
"""
"""Before any script of the page: what the script of a frame takes."""
_PANNED = """async () => {
  const canvas = document.querySelector(".chart canvas");
  window.frames_ms.length = 0;
  for (let k = 0; k < 240; k++) {
    const deltaX = k % 80 < 40 ? 7 : -7;
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaX, bubbles: true, cancelable: true }));
    await new Promise((done) => setTimeout(done, 16));
  }
  return window.frames_ms;
}"""
_SEEN = """
window.seen_ms = 0;
new MutationObserver(() => {
  if (!window.seen_ms && document.querySelector(".card")) {
    requestAnimationFrame(() => (window.seen_ms ||= performance.now()));
  }
}).observe(document, { childList: true, subtree: true });
"""
"""Before any script of the page: when the first view is there, from the beginning of the navigation on."""


def rows() -> list[dict[str, Any]]:
    """Sizes; frames; then a live server with many jobs, and one with many open pages."""
    made = [*_sizes(), *_frames()]
    made += asyncio.run(_with_many_jobs())
    return made + asyncio.run(_with_many_pages())


def _sizes() -> list[dict[str, Any]]:
    loaded = [assets()[name] for name in loaded_by("main.js")]
    return [
        row("what a browser loads", _kb(loaded, "body"), "kB", -250),
        row("the same, compressed", _kb(loaded, "compressed"), "kB", -80),
        row(f"one file with {JOBS:,} jobs on {NODES:,} nodes", len(_file().encode()) / 1e6, "MB", -6),
    ]


def _kb(loaded: list[Asset], what: str) -> float:
    return sum(len(getattr(asset, what)) for asset in loaded) / 1e3


def _file() -> str:
    """A run of many jobs on many nodes, side by side from the first node on, as a page of one file."""
    drawn = np.random.default_rng(1)
    nodes = drawn.choice([1, 1, 2, 4, 8, 16, 64, 256], JOBS)
    run_s = np.ceil(drawn.lognormal(7.5, 1.2, JOBS))
    # Each begins where the machine was full once more by those before it.
    start_s = np.floor(np.cumsum(nodes * run_s) / NODES / 0.85)
    first = np.cumsum(nodes) - nodes
    on = np.concatenate(
        [np.arange(begin, begin + count) % NODES for begin, count in zip(first, nodes, strict=True)]
    )
    users = drawn.integers(0, 60, JOBS)
    zero = np.zeros(JOBS, dtype=np.int64)
    common = {"submit": start_s, "estimate": run_s * 1.4, "processors": nodes * PROCESSORS, "user": users}
    places = {"first": first, "count": nodes, "node": on, "processors": np.full(len(on), PROCESSORS)}
    data = {
        "schema": "molokini.page/1",
        "title": "many jobs on many nodes",
        "processors": NODES * PROCESSORS,
        "nodes": [{"name": f"node{k:05d}", "processors": PROCESSORS} for k in range(NODES)],
        "names": {"user": [f"user{k}" for k in range(60)], "queue": ["default"], "account": [""]},
        "states": ["COMPLETED"],
        "columns": {
            **{name: column(values) for name, values in common.items()},
            **{name: column(zero) for name in ("queue", "account")},
            "id": column(np.arange(1, JOBS + 1)),
        },
        "runs": [
            {
                "policy": "easy",
                "parameters": {},
                "metrics": {},
                "columns": {"start": column(start_s), "end": column(start_s + run_s), "state": column(zero)},
                "places": {name: column(values) for name, values in places.items()},
            }
        ],
    }
    return document("many jobs", data)


# In a browser.


@contextmanager
def _browser() -> Iterator[Any]:
    """Chromium, or None where there is none."""
    path = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        yield None
        return
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def _frames() -> list[dict[str, Any]]:
    """Script time of frames while a chart of all jobs is panned, all in sight and closer."""
    made = []
    with tempfile.TemporaryDirectory() as folder, _browser() as browser:
        if browser is None:
            return []
        path = Path(folder) / "many.html"
        path.write_text(_file())
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(180_000)
        page.add_init_script(_TIMED)
        page.goto(f"file://{path}#/time")
        page.wait_for_selector(".legend li")
        for name, closer in (("all in sight", 0), ("a tenth in sight", 5)):
            page.hover(".chart canvas")
            for _ in range(closer):
                page.mouse.wheel(0, -300)
            page.wait_for_timeout(1000)
            took = np.array(page.evaluate(_PANNED))
            made += [
                row(f"script of a frame while panning, {name} (median)", float(np.median(took)), "ms", -6),
                row(f"script of a frame, {name} (99 %)", float(np.quantile(took, 0.99)), "ms", -12),
            ]
    return made


def _first_views(origin: str, token: str, times: int) -> list[float]:
    """Seconds from the navigation to the first view, in a new browser's profile each time."""
    found = []
    with _browser() as browser:
        if browser is None:
            return []
        for _ in range(times):
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            page = context.new_page()
            page.goto(f"http://{origin}/healthz")
            said = {
                "method": "POST",
                "headers": {"Content-Type": "application/json"},
                "body": json.dumps({"token": token}),
            }
            page.evaluate("(said) => fetch('/login', said).then((one) => one.text())", said)
            page.add_init_script(_SEEN)
            page.goto(f"http://{origin}/#/now")
            until_s = time.monotonic() + 60
            while not (seen := page.evaluate("window.seen_ms")):
                assert time.monotonic() < until_s, "no first view"
                page.wait_for_timeout(20)
            found.append(seen / 1e3)
            context.close()
    return found


# A live server.


class Host:
    """A server in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process = process
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        self.grpc, self.web = told["grpc"], told["web"]
        self.token = (folder / "token").read_text().strip()

    def longest_step_ms(self) -> float:
        """The longest step of the page's tasks since this was asked last."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline()) * 1e3

    def cpu_s(self) -> float:
        """Seconds of processor that the server has used."""
        times = psutil.Process(self._process.pid).cpu_times()
        return times.user + times.system


@asynccontextmanager
async def _host(folder: Path) -> AsyncIterator[Host]:
    command = [sys.executable, "-m", "benchmarks.page_processes", str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield await asyncio.to_thread(Host, process, folder)
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()


async def _with_many_jobs() -> list[dict[str, Any]]:
    """The first view, a scrape and the longest step, with a long queue."""
    with tempfile.TemporaryDirectory() as folder:
        async with _host(Path(folder)) as host, grpc.aio.insecure_channel(host.grpc) as channel:
            await _fill(job_stub(channel), host, JOBS)
            # What submissions leave to be done is none of a scrape's.
            await asyncio.sleep(5.0)
            await asyncio.to_thread(host.longest_step_ms)
            scrapes = []
            for _ in range(9):
                begin = time.perf_counter()
                body = await _got(host, "/metrics")
                scrapes.append(time.perf_counter() - begin)
                assert b"molokini_jobs{" in body
            made = [row(f"/metrics with {JOBS:,} jobs (median)", median(scrapes[1:]) * 1e3, "ms", -20)]
            views = await asyncio.to_thread(_first_views, host.web, host.token, 3 if QUICK else 5)
            if views:
                made.append(row(f"first view with {JOBS:,} jobs (median)", median(views), "s", -1))
            longest = await asyncio.to_thread(host.longest_step_ms)
            return [*made, row("longest step of all that between two turns", longest, "ms", -5)]


async def _fill(stub: Any, host: Host, count: int) -> None:
    metadata = (("authorization", f"Bearer {host.token}"),)

    async def batches() -> AsyncIterator[wire.SubmitManyRequest]:
        for first in range(0, count, 500):
            yield wire.SubmitManyRequest(specs=[spec()] * min(500, count - first))

    async for _ in stub.SubmitMany(batches(), metadata=metadata):
        pass


async def _got(host: Host, path: str) -> bytes:
    reader, writer = await _connected(host)
    writer.write(_get(host, path, "Connection: close\r\n"))
    body = await reader.read()
    writer.close()
    return body


async def _connected(host: Host) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    name, _, port = host.web.rpartition(":")
    return await asyncio.open_connection(name, int(port))


def _get(host: Host, path: str, more: str = "") -> bytes:
    head = f"GET {path} HTTP/1.1\r\nHost: {host.web}\r\nAuthorization: Bearer {host.token}\r\n{more}\r\n"
    return head.encode()


async def _with_many_pages() -> list[dict[str, Any]]:
    """Submissions a second, in turn without open streams of events and with very many."""
    alone: list[float] = []
    beside: list[float] = []
    cost: dict[bool, list[float]] = {False: [], True: []}
    longest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        async with _host(Path(folder)) as host, grpc.aio.insecure_channel(host.grpc) as channel:
            stub = job_stub(channel)
            await _submitted(stub, host, 0.5)
            for _ in range(2 if QUICK else 5):
                alone.append(await _submitted(stub, host, 3.0, cost[False]))
                readers = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "benchmarks.page", "--read", host.web, host.token, str(STREAMS)),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                )
                assert readers.stdin is not None
                assert readers.stdout is not None
                assert (await readers.stdout.readline()).strip() == str(STREAMS).encode()
                await asyncio.to_thread(host.longest_step_ms)
                beside.append(await _submitted(stub, host, 3.0, cost[True]))
                longest = max(longest, await asyncio.to_thread(host.longest_step_ms))
                readers.stdin.close()
                await readers.wait()
    return [
        row("submissions, no page open", median(alone), "/s", None),
        row(
            f"submissions, {STREAMS:,} streams of events open, of that",
            median(beside) / median(alone),
            "",
            0.9,
        ),
        row(
            "the server's processor time for a submission beside them, of that",
            median(cost[True]) / median(cost[False]),
            "",
            -1.1,
        ),
        row("longest step of the streams between two turns", longest, "ms", -5),
    ]


async def _submitted(stub: Any, host: Host, seconds: float, cost: list[float] | None = None) -> float:
    """Submissions a second of eight clients over one channel; to *cost*: the server's seconds for one."""
    request, metadata = wire.SubmitRequest(spec=spec()), (("authorization", f"Bearer {host.token}"),)
    until, count, begin = time.perf_counter() + seconds, 0, time.perf_counter()
    before = host.cpu_s()

    async def one() -> None:
        nonlocal count
        while time.perf_counter() < until:
            await stub.Submit(request, metadata=metadata)
            count += 1

    await asyncio.gather(*(one() for _ in range(8)))
    if cost is not None:
        cost.append((host.cpu_s() - before) / count)
    return count / (time.perf_counter() - begin)


async def _read(address: str, token: str, count: int) -> None:
    """Open *count* streams of events as the page does, and read them until standard input ends."""
    name, _, port = address.rpartition(":")
    head = (
        f"GET /events?brief=1 HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    loop, opened, all_open = asyncio.get_running_loop(), 0, asyncio.Event()

    class Reader(asyncio.Protocol):
        began = False

        def connection_made(self, transport: Any) -> None:
            transport.write(head)

        def data_received(self, data: bytes) -> None:
            nonlocal opened
            if not self.began:
                self.began = True
                opened += data.startswith(b"HTTP/1.1 200")
                if opened == count:
                    all_open.set()

    for _ in range(count):
        await loop.create_connection(Reader, name, int(port))
    await all_open.wait()
    print(opened, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    # A thousand goodbyes would take their time.
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        asyncio.run(_read(sys.argv[2], sys.argv[3], int(sys.argv[4])))
    print(json.dumps(rows(), indent=1))
