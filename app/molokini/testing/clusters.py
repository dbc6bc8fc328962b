"""A live cluster in this process: its commands in a folder, its clock to turn, its outcomes to say."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from molokini.app.process_agent import local_agent
from molokini.app.serving import SOCKET, LiveServer
from molokini.app.up import MOST_NODES, MOST_PROCESSORS
from molokini.clients.live.shim_files import write_shims
from molokini.compat.answering import FOLDER
from molokini.compat.table import commands
from molokini.compat.tool import SYSTEMS
from molokini.compat.transport import GATEWAY
from molokini.compat.unix_transport import Gateway
from molokini.compiled.compilation import interpreting
from molokini.model.errors import BadValue, Conflict
from molokini.processes import capacity
from molokini.processes.agent import ProcessAgent
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.config import load_config
from molokini.testing.faults import Faults
from molokini.testing.hosting import host
from molokini.testing.outcomes import Outcomes
from molokini.testing.scripted import Scripted

EMULATE, PROCESS = "emulate", "process"
_NODES = 4
_LEASE_S = 3600.0
"""A test that stands in a debugger loses no job."""
_ANSWERS = "answers"
_SERVER, _TOKEN_FILE = "MOLOKINI_SERVER", "MOLOKINI_TOKEN_FILE"


class Clock:
    """The scheduling clock."""

    def __init__(self, transport: Gateway) -> None:
        self._transport = transport

    @property
    def now_s(self) -> float:
        """Its instant, seconds."""
        return float(self._transport.call("ClusterService", "GetClock", {}).get("now_s", 0.0))

    def advance(self, seconds: float) -> float:
        """Turn it forward; everything on the way has happened when this returns. The new instant, seconds."""
        asked = {"advance_s": seconds}
        return float(self._transport.call("ClusterService", "ChangeClock", asked).get("now_s", 0.0))


class Cluster:
    """A server with its nodes, and what a test does with it."""

    def __init__(self, folder: Path, server: LiveServer, outcomes: Outcomes, faults: Faults) -> None:
        self.folder = folder
        """All that it keeps; it goes with the cluster."""
        self.outcomes, self.faults = outcomes, faults
        self._state = folder / "state"
        self._server = server
        self._transport = Gateway(str(self._state / SOCKET))
        self.clock = Clock(self._transport)

    @property
    def bin(self) -> Path:
        """The folder with the batch commands."""
        return self.folder / "bin"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of this process, and those by which any program finds the commands and the server."""
        return {**os.environ, **self.variables(os.environ.get("PATH", os.defpath))}

    def variables(self, path: str) -> dict[str, str]:
        """The variables that are the cluster's own; *path*: what the commands are put in front of."""
        return {
            "PATH": f"{self.bin}{os.pathsep}{path}",
            GATEWAY: f"unix:{self._state / SOCKET}",
            _SERVER: f"127.0.0.1:{self._server.port}",
            _TOKEN_FILE: str(self._state / "token"),
            FOLDER: str(self.folder / _ANSWERS),
        }

    def run(self, *words: object, **more: Any) -> "subprocess.CompletedProcess[str]":
        """Run a command as a shell finds it; *more* is for ``subprocess.run``. It is not checked."""
        given = {"capture_output": True, "text": True, "check": False, "env": self.environment, **more}
        found: subprocess.CompletedProcess[str] = subprocess.run([str(word) for word in words], **given)
        return found

    def call(self, service: str, method: str, **fields: Any) -> dict[str, Any]:
        """Call a method of the server, as docs/gateway.md has them; what is not set is left out."""
        return self._transport.call(service, method, fields)

    def jobs(self, **wanted: Any) -> list[dict[str, Any]]:
        """All jobs, ended ones too; *wanted*: fields of ListJobsRequest."""
        asked = {"include_ended": True, "page_size": 10_000, **wanted}
        return list(self.call("JobService", "ListJobs", **asked).get("jobs", ()))

    def job(self, number: int | str) -> dict[str, Any]:
        """One job; *number* as a command has printed it (``7``, ``7.molokini``)."""
        digits = str(number).partition(".")[0]
        if not digits.isdigit():
            raise BadValue("number", number, "the number of a job, as its submission has printed it")
        return self.call("JobService", "GetJob", job={"id": int(digits)})

    def wait(self, *numbers: int, timeout_s: float = 60.0) -> list[dict[str, Any]]:
        """The jobs, when all have ended, or at the time-out: for clocks that run by themselves."""
        refs = [{"id": number} for number in numbers]
        return list(self.call("JobService", "WaitJobs", jobs=refs, timeout_s=timeout_s).get("jobs", ()))


@contextmanager
def cluster(
    *,
    nodes: int | None = None,
    processors: int = 16,
    policy: str = "easy",
    parameters: Mapping[str, object] | None = None,
    clock: str = "stepped",
    mode: str = EMULATE,
    systems: Sequence[str] = SYSTEMS,
    compiled: bool = False,
    **config: Any,
) -> Iterator[Cluster]:
    """A live cluster while the block lasts; nothing of it is left behind.

    *nodes* (4 unless said) with *processors* each pretend to run jobs, by a *clock* that is ``stepped``
    (turned by the test), ``virtual`` (jumps), ``scaled`` (with ``clock__rate=60``) or ``real``. With *mode*
    ``process`` this machine is the one node, with *processors*, and jobs really run. *config*: keys of the
    configuration, such as ``limits__burst=5``. *compiled*: decide by machine code, for thousands of jobs;
    where none is kept yet, making it takes seconds.
    """
    if mode not in (EMULATE, PROCESS):
        raise BadValue("mode", mode, f"{EMULATE} or {PROCESS}")
    if mode == PROCESS and clock not in ("stepped", "real"):
        raise Conflict("clock", f"real jobs take real time; the clock is {clock}")
    _check_sizes(nodes, processors, mode)
    kind = "real" if mode == PROCESS else clock
    folder = Path(tempfile.mkdtemp(prefix="molokini-"))
    try:
        given = {
            "server.listen": "127.0.0.1:0",
            "server.journal": str(folder / "state"),
            "server.new": True,
            "server.snapshot_every": 0,
            "clock.kind": kind,
            "policy.name": policy,
            "agents.lease_s": _LEASE_S,
            **{f"policy.parameters.{name}": value for name, value in (parameters or {}).items()},
            **{name.replace("__", "."): value for name, value in config.items()},
        }
        outcomes, faults = Outcomes(), Faults(folder / _ANSWERS)
        known = commands()
        write_shims(folder / "bin", {name: known[name] for name in systems}, str(folder / "state"))
        with nullcontext() if compiled else interpreting():
            server, agent = host().run(_started(given, outcomes, faults, nodes or _NODES, processors, mode))
        try:
            yield Cluster(folder, server, outcomes, faults)
        finally:
            host().run(server.stop())
            if agent is not None:
                agent.end_jobs()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_sizes(nodes: int | None, processors: int, mode: str) -> None:
    if mode == PROCESS and nodes is not None:
        raise Conflict("nodes", "with mode process this machine is the one node; processors says what it has")
    if nodes is not None and not 1 <= nodes <= MOST_NODES:
        raise BadValue("nodes", nodes, f"from 1 to {MOST_NODES:,}")
    if not 1 <= processors <= MOST_PROCESSORS:
        raise BadValue("processors", processors, f"from 1 to {MOST_PROCESSORS:,}")


async def _started(
    given: dict[str, Any], outcomes: Outcomes, faults: Faults, nodes: int, processors: int, mode: str
) -> tuple[LiveServer, ProcessAgent | None]:
    live, agent = await LiveServer.open(load_config(None, given)), None
    live.around = lambda servicer: Scripted(servicer, outcomes, faults, live.core.state.present_s)
    try:
        await live.start()
        if mode == PROCESS:
            offer = NodeOffer(names=capacity.name(), processors=processors, memory_kb=capacity.memory_kb())
            agent = local_agent(offer, live.folder)
            live.stand(agent, agent.follows)
        else:
            names = f"node[{1:03}-{nodes:03}]"
            live.emulate([NodeOffer(names=names, processors=processors)])
        await live.ready(1 if mode == PROCESS else nodes)
    except BaseException:
        await live.stop()
        raise
    return live, agent
