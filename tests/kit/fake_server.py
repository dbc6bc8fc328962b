"""A server to talk to: ``molokini.v1`` in memory, over real gRPC on loopback, with faults on demand.

It keeps just enough state for a client to be tried on: jobs move when a test says so. It runs on a loop in a
thread of its own, so that tests may block, start processes, or have a loop themselves.

    with FakeServer() as server:
        server.faults.lose_answers("Submit", 1)
        ...
        server.end(1, exit_code=137)
"""

import asyncio
import threading
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc

from molokini.proto.v1.agent_service_pb2_grpc import add_AgentServiceServicer_to_server
from molokini.proto.v1.cluster_service_pb2_grpc import add_ClusterServiceServicer_to_server
from molokini.proto.v1.job_service_pb2_grpc import add_JobServiceServicer_to_server
from molokini.proto.v1.jobs_pb2 import JobState
from tests.kit.fake_agents import FakeAgentService
from tests.kit.fake_cluster import FakeClusterService
from tests.kit.fake_faults import Faults
from tests.kit.fake_jobs import FakeJobService, FakeState

R = TypeVar("R")


class FakeServer:
    """The server; its port stays the same when it is stopped and started again."""

    def __init__(self, credentials: grpc.ServerCredentials | None = None, token: str = "") -> None:
        self.state = FakeState()
        self.cluster = FakeClusterService(self.state)
        self.agents = FakeAgentService()
        self.faults = Faults(token)
        self.port = 0
        self._credentials = credentials
        self._server: Any = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake-server", daemon=True)

    @property
    def target(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Listen, at the port of the last time if there was one."""
        self.run(self._start())

    def stop(self) -> None:
        """Cut all connections and listen no more; the state is kept."""
        self.run(self._stop())

    def change(self, job_id: int, state: JobState, **fields: Any) -> None:
        """Put a job into *state*, with its event."""
        self.run(self.state.change(job_id, state, **fields))

    def end(self, job_id: int, exit_code: int = 0, signal: int = 0) -> None:
        """The job has ended, well or not."""
        ending = JobState.FAILED if exit_code or signal else JobState.COMPLETED
        self.change(job_id, ending, exit_code=exit_code, signal=signal, end_s=self.state.now_s)

    def run(self, work: Any) -> Any:
        """Run a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _start(self) -> None:
        self._server = grpc.aio.server(interceptors=[self.faults], options=[("grpc.so_reuseport", 0)])
        add_JobServiceServicer_to_server(FakeJobService(self.state), self._server)  # type: ignore[no-untyped-call]
        add_ClusterServiceServicer_to_server(self.cluster, self._server)  # type: ignore[no-untyped-call]
        add_AgentServiceServicer_to_server(self.agents, self._server)  # type: ignore[no-untyped-call]
        address = f"127.0.0.1:{self.port}"
        if self._credentials is None:
            self.port = self._server.add_insecure_port(address)
        else:
            self.port = self._server.add_secure_port(address, self._credentials)
        await self._server.start()

    async def _stop(self) -> None:
        await self._server.stop(grace=None)

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
