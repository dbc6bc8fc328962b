"""Server processes of the live benchmark: the real one, and one whose method does nothing."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc

from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import job_service_pb2_grpc as stubs
from molokini.server.services.arriving import Arriving


class NoOp(stubs.JobServiceServicer):
    async def Submit(self, request: wire.SubmitRequest, context: Any) -> wire.SubmitResponse:  # noqa: N802
        return wire.SubmitResponse(job_id=1)

    async def SubmitStream(  # noqa: N802
        self, requests: AsyncIterator[wire.SubmitRequest], context: Any
    ) -> AsyncIterator[wire.SubmitStreamResponse]:
        arriving = Arriving(requests, 1000)
        while batch := await arriving.next_batch():
            answers = [wire.SubmitResponse(tag=request.tag, job_id=1) for request in batch]
            yield wire.SubmitStreamResponse(answers=answers)


async def no_op() -> None:
    server = grpc.aio.server()
    stubs.add_JobServiceServicer_to_server(NoOp(), server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"ready 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


async def live(folder: Path) -> None:
    from benchmarks.live import CONFIG
    from molokini.app.serving import LiveServer, node_offers
    from molokini.server.config import load_config

    path = folder / "bench.toml"
    path.write_text(CONFIG)
    config = load_config(path, {"server.journal": str(folder)})
    # As `serve` and `up` start it, with what they do for a process of their own.
    server = await LiveServer.started(config)
    port = server.port
    server.emulate(node_offers(config))
    await server.ready(64)
    print(f"ready 127.0.0.1:{port}", flush=True)
    server.heed_signals()
    await server.until_told()
    await server.stop()


if __name__ == "__main__":
    asyncio.run(no_op() if sys.argv[1] == "no-op" else live(Path(sys.argv[2])))
