"""A resource manager that speaks the Wiki protocol as a test wants it to, quirks included."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from molokini.server.config.wiki import Manager
from molokini.server.foreign_rm.bridge import Bridge
from molokini.server.wiki.client import WikiClient
from molokini.server.wiki.messages import Shared, WikiError, message, opened, read_message, request_of
from tests.kit.live import MemoryJournal, Story, live
from tests.kit.wiki import SHARED

DROP, GARBAGE, HALF, STRANGER = "drop", "garbage", "half", "stranger"
"""What may come in the place of an answer."""


class FakeManager:
    """Nodes and jobs are texts of fields by name, such as ``STATE=Idle;TASKS=2``."""

    def __init__(self) -> None:
        self.nodes: dict[str, str] = {}
        self.jobs: dict[str, str] = {}
        self.extra_jobs = ""
        """Put behind the listing as it is."""
        self.orders: list[str] = []
        """What was ordered, in order: the command and what stands behind it."""
        self.troubles: deque[tuple[str, str]] = deque()
        """(Beginning of a request, what happens to the next one that begins so): a constant, or an answer."""
        self.carry_out: Callable[[str], None] = self.run
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            _, data = opened(SHARED, await read_message(reader), time.time())
            trouble = self._trouble(data)
            answer = trouble if trouble.startswith("SC=") else self._answer(data, trouble)
            sent = message(Shared(key="666") if trouble == STRANGER else SHARED, "fake", answer, time.time())
            if trouble != DROP:
                cut = {GARBAGE: b"HTTP/1.1 200 OK\r\n\r\n", HALF: sent[:-3]}
                # As Slurm does: the size counts a zero at the end.
                whole = b"%08d\n" % (len(sent) - 8) + sent[9:] + b"\0"
                writer.write(cut.get(trouble, whole))
                await writer.drain()
        except (WikiError, ConnectionError):
            self.orders.append("broken")
        finally:
            writer.close()

    def _trouble(self, data: str) -> str:
        if self.troubles and data.startswith(f"CMD={self.troubles[0][0]}"):
            return self.troubles.popleft()[1]
        return ""

    def _answer(self, data: str, trouble: str) -> str:
        request = request_of("", data)
        if request.command == "GETNODES":
            return self._listed(self.nodes)
        if request.command == "GETJOBS":
            return self._listed(self.jobs) + self.extra_jobs
        more = "".join(f" {key}={value}" for key, value in request.more.items())
        self.orders.append(f"{request.command} {request.argument}{more}")
        if trouble != DROP:
            self.carry_out(data)
        return f"SC=0;RESPONSE=job {request.argument} is done with"

    @staticmethod
    def _listed(found: dict[str, str]) -> str:
        return f"SC=0 ARG={len(found)}#" + "#".join(f"{name}:{said}" for name, said in found.items())

    def run(self, data: str) -> None:
        """The order *data* becomes true."""
        request = request_of("", data)
        states = {"STARTJOB": "Running", "RESUMEJOB": "Running", "SUSPENDJOB": "Suspended"}
        states |= {"CANCELJOB": "Removed", "REQUEUEJOB": "Idle"}
        if request.argument not in self.jobs:
            return
        if request.command in states:
            self.set(request.argument, STATE=states[request.command])
        if request.command == "STARTJOB":
            self.set(request.argument, TASKLIST=request.more["TASKLIST"])

    def set(self, name: str, **fields: str) -> None:
        """Change fields of a job."""
        said = dict(one.partition("=")[::2] for one in self.jobs[name].strip(";").split(";"))
        self.jobs[name] = ";".join(f"{key}={value}" for key, value in {**said, **fields}.items()) + ";"


class Watch:
    """A monotonic clock that a test turns."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Scene:
    """A fake resource manager, a server of ours that looks at it, and the words to tell a test in."""

    def __init__(self, fake: FakeManager, story: Story, bridge: Bridge, watch: Watch) -> None:
        self.fake, self.story, self.bridge, self.watch = fake, story, bridge, watch

    async def look(self, after_s: float = 1.0) -> None:
        """One look, *after_s* seconds of real time later, and what it leads to."""
        self.watch.now_s += after_s
        await self.bridge.cycle()

    def states(self) -> dict[str, str]:
        """Where each job stands here that has a number here, by its name there."""
        jobs = self.story.state.jobs
        return {
            name: str(jobs[known.number].status)
            for name, known in self.bridge.jobs.by_name.items()
            if known.number in jobs
        }

    def reason(self, name: str) -> str:
        element = self.story.state.jobs[self.bridge.jobs.by_name[name].number].element
        return str(element.reason)


@asynccontextmanager
async def scene(policy: str = "easy", journal: MemoryJournal | None = None) -> AsyncIterator[Scene]:
    """Two nodes of two processors, and no jobs yet; nothing was looked at."""
    fake, watch = FakeManager(), Watch()
    fake.nodes = {"n1": "STATE=Idle;CPROC=2;", "n2": "STATE=Idle;CPROC=2;"}
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        async with live(policy, [], journal) as story:
            address = f"127.0.0.1:{fake.port}"
            client = WikiClient(address, SHARED, "molokini")
            bridge = Bridge(story.core, Manager(address=address, poll_s=10.0), client, watch)
            yield Scene(fake, story, bridge, watch)
    finally:
        server.close()
