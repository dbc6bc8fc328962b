"""The JSON gateway on its Unix socket, asked by a client of the standard library alone."""

import asyncio
import json
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import grpc

from benchmarks.live import QUICK, rate_of, row, server, spec
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import job_service_pb2_grpc as stubs

JOBS = "/molokini.v1.JobService/"
CLOCK = "/molokini.v1.ClusterService/GetClock"
SPEC = {
    "name": "bench",
    "argv": ["./a.out", "--steps", "100"],
    "resources": {"processors": 1024},
    "estimate_s": 1e6,
    "outcome": {"run_s": 1e6},
}
LISTED = 10_000
SUBMIT = json.dumps({"spec": SPEC}).encode()


class Local:
    """HTTP over a Unix socket as a command does it that must be quick: to import http.client takes longer."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))

    def ask(self, path: str, body: bytes) -> bytes:
        """The answer to one call."""
        self._socket.sendall(_request(path, body))
        said = bytearray()
        while (end := said.find(b"\r\n\r\n")) < 0:
            said += self._received()
        assert said.startswith(b"HTTP/1.1 200 "), said
        whole = end + 4 + _length(said[:end])
        while len(said) < whole:
            said += self._received()
        return bytes(said[end + 4 :])

    def submit_many(self, specs: list[dict[str, Any]]) -> None:
        """One batch; the answer is a stream, whose end is an empty chunk."""
        self._socket.sendall(_request(JOBS + "SubmitMany", json.dumps({"specs": specs}).encode()))
        said = b""
        while not said.endswith(b"\r\n0\r\n\r\n"):
            said += self._received()
        assert b"job_ids" in said, said

    def close(self) -> None:
        """Be gone."""
        self._socket.close()

    def _received(self) -> bytes:
        part = self._socket.recv(1 << 20)
        assert part, "the server has closed the connection"
        return part


def _request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _length(head: bytes | bytearray) -> int:
    return int(head.lower().partition(b"content-length:")[2].split()[0])


def rows() -> list[dict[str, Any]]:
    """Submissions and listings."""
    return asyncio.run(_rows())


async def _rows() -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with server(Path(folder), "live") as (address, token, _pid):
            path = Path(folder) / "socket"
            made += await asyncio.to_thread(_one_after_another, path, address, token)
            made.append(row("submit, 8 connections", await _eight(path), "/s", 1_000))
    with tempfile.TemporaryDirectory() as folder:
        async with server(Path(folder), "live"):
            made += await asyncio.to_thread(_listings, Path(folder) / "socket")
    return made


def _one_after_another(path: Path, address: str, token: str) -> list[dict[str, Any]]:
    """Single submissions, in turn by each transport: what a machine does in a second differs from the
    next."""
    kept: list[float] = []
    single: list[float] = []
    over_grpc: list[float] = []
    request, metadata = wire.SubmitRequest(spec=spec()), (("authorization", f"Bearer {token}"),)

    def reconnected() -> None:
        with _connected(path) as local:
            local.ask(JOBS + "Submit", SUBMIT)

    with _connected(path) as local, grpc.insecure_channel(address) as channel:
        stub = stubs.JobServiceStub(channel)  # type: ignore[no-untyped-call]
        for _ in range(5 if QUICK else 10):
            kept += [_took(lambda: local.ask(JOBS + "Submit", SUBMIT)) for _ in range(50)]
            single += [_took(reconnected) for _ in range(50)]
            over_grpc += [_took(lambda: stub.Submit(request, metadata=metadata)) for _ in range(50)]
    return [
        row("submit over gRPC, one channel (median)", median(over_grpc) * 1e3, "ms", None),
        row("submit over one connection (median)", median(kept) * 1e3, "ms", -5),
        row("submit with a connection of its own (median)", median(single) * 1e3, "ms", -5),
    ]


async def _eight(path: Path) -> float:
    """Submissions a second over eight connections; the client writes and reads bytes, no more."""
    request = _request(JOBS + "Submit", SUBMIT)
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(8):
        free.put_nowait(await asyncio.open_unix_connection(str(path)))

    async def submit() -> None:
        reader, writer = await free.get()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        await reader.readexactly(_length(head))
        free.put_nowait((reader, writer))

    rate = await rate_of(submit, 8, 1.0 if QUICK else 3.0)
    while not free.empty():
        free.get_nowait()[1].close()
    return rate


def _listings(path: Path) -> list[dict[str, Any]]:
    made = []
    with _connected(path) as local:
        for first in range(0, LISTED, 500):
            specs = [
                {**SPEC, "name": f"job{job}", "argv": ["./a.out", str(job)]}
                for job in range(first, first + 500)
            ]
            local.submit_many(specs)
        for what, fields in (("all fields", []), ("state, user and spec", ["state", "user", "spec"])):
            request = json.dumps({"page_size": LISTED, "fields": fields}).encode()
            took = []
            for _ in range(3 if QUICK else 9):
                begin = time.perf_counter()
                body = local.ask(JOBS + "ListJobs", request)
                took.append(time.perf_counter() - begin)
            assert len(json.loads(body)["jobs"]) == LISTED
            made.append(row(f"listing {LISTED:,} jobs, {what} (median)", median(took), "s", -0.15))
        made.append(row("another call while they are listed (longest)", _meanwhile(path, local), "ms", -20))
    return made


def _meanwhile(path: Path, local: Local) -> float:
    """Milliseconds of the longest of many small calls while one long listing after another is made."""
    over = threading.Event()

    def list_all() -> None:
        request = json.dumps({"page_size": LISTED}).encode()
        while not over.is_set():
            local.ask(JOBS + "ListJobs", request)

    listing = threading.Thread(target=list_all)
    listing.start()
    with _connected(path) as other:
        longest = max(_took(lambda: other.ask(CLOCK, b"{}")) for _ in range(50 if QUICK else 200))
    over.set()
    listing.join()
    return longest * 1e3


def _took(what: Any) -> float:
    begin = time.perf_counter()
    what()
    return time.perf_counter() - begin


@contextmanager
def _connected(path: Path) -> Iterator[Local]:
    local = Local(path)
    try:
        yield local
    finally:
        local.close()


if __name__ == "__main__":
    print(json.dumps(rows(), indent=1))
