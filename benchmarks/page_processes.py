"""The server process of the page's benchmark: it says which of its steps held its loop longest.

A turn can be delayed by one step of something else at most. What a step takes is counted in processor time
of its thread: what other processes do meanwhile is no fault of ours.
"""

import asyncio
import json
import sys
import time
from asyncio.events import Handle
from pathlib import Path
from typing import Any

from benchmarks.live import CONFIG
from molokini.app.serving import LiveServer, node_offers
from molokini.server.config import load_config

_WEB = ("aiohttp", "server/web")
"""In the names of files whose tasks serve the page."""


class Steps:
    """The longest step of the page's tasks since the figure was read last."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        run = Handle._run

        def timed(handle: Any) -> None:
            begin = time.thread_time()
            run(handle)
            took = time.thread_time() - begin
            if took > self.longest_s and _is_of_page(handle):
                self.longest_s = took

        setattr(Handle, "_run", timed)  # noqa: B010


def _is_of_page(handle: Any) -> bool:
    task = getattr(handle._callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        return False
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and any(word in code.co_filename for word in _WEB)


async def main(folder: Path) -> None:
    """Serve; a line on standard input asks for the longest step, and begins again."""
    path = folder / "bench.toml"
    path.write_text(CONFIG)
    config = load_config(path, {"server.journal": str(folder), "web.listen": "127.0.0.1:0"})
    server = await LiveServer.started(config)
    server.emulate(node_offers(config))
    await server.ready(64)
    assert server.gateway is not None
    steps = Steps()
    place = {"grpc": f"127.0.0.1:{server.port}", "web": f"127.0.0.1:{server.gateway.port}"}
    print(json.dumps({**place, "link": server.gateway.page.link()}), flush=True)
    server.heed_signals()
    loop = asyncio.get_running_loop()

    def asked() -> None:
        if sys.stdin.readline():
            print(steps.longest_s, flush=True)
            steps.longest_s = 0.0
        else:
            loop.remove_reader(sys.stdin)

    loop.add_reader(sys.stdin, asked)
    await server.until_told()
    await server.stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
