"""Two parallel jobs that share two real nodes: coscheduled by their messages, and left to the kernel.

A server and two agents on this machine; each node is one processor, to which its agent and all of its jobs
are bound. Both jobs have a task on each node, exchange messages after each few milliseconds of computing, and
run for as long as each other. In one run first without the local policy, then with it.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import live
from molokini.process_sim.node_daemon import NodeDaemon
from molokini.process_sim.policies.message_driven import NEEDS
from tests.kit.exchanging import COMMAND
from tests.kit.real_cluster import cluster
from tests.kit.real_jobs import at_work, launch, until

GMET, SLICE = "1s", "4s"
_UNITS, _BYTES = "400", "800"
_JOBS = 2


def rows() -> list[dict[str, Any]]:
    """Rates of iterations, requests, and how long they took."""
    seconds = 6.0 if live.QUICK else 30.0
    found = {name: _measured(name == "coscheduled", seconds) for name in ("uncoordinated", "coscheduled")}
    rates = {name: sum(one["iterations_per_s"] for one in jobs) for name, (jobs, _) in found.items()}
    asked = found["coscheduled"][1]
    kinds = {
        kind: sum(one["answer"] == kind for one in asked if one["request"] == "schedule")
        for kind in ("scheduled", "discarded", "present")
    }
    handled_ms = asyncio.run(_requests(200 if live.QUICK else 2000))
    return [
        live.row("two jobs on two nodes, uncoordinated", rates["uncoordinated"], "iterations/s", None),
        live.row("the same, coscheduled", rates["coscheduled"], "iterations/s", None),
        live.row(
            "coscheduled over uncoordinated", rates["coscheduled"] / rates["uncoordinated"], "times", None
        ),
        *(live.row(f"requests of tasks, {kind}", count, "requests", None) for kind, count in kinds.items()),
        live.row("a request is handled, 99th percentile", handled_ms, "ms", -5.0),
    ]


_ASKS = """
import os, socket, struct, sys
end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
end.connect(os.environ["MOLOKINI_LOCAL_SOCKET"])
for code in (1, *[3] * int(sys.argv[1])):
    end.send(struct.pack("<qq", code, int(os.environ["MOLOKINI_JOB_ID"])))
    assert struct.unpack("<qq", end.recv(16))[0] != 4
"""


async def _requests(count: int) -> float:
    """Milliseconds in the agent from the arrival of a request to its answer, the 99th of a hundred."""
    with tempfile.TemporaryDirectory(prefix="mk") as name:
        folder = Path(name)
        os.chmod(folder, 0o755)
        async with at_work(folder / "spool") as node:
            node.executor.coschedule(NodeDaemon(NEEDS.values("benchmark", {"gmet": "10ms"})), 15.0)
            for number in range(1, _JOBS + 1):
                node.launch(launch(number, sys.executable, "-c", _ASKS, str(count), folder=folder))
            for number in range(1, _JOBS + 1):
                await node.report(number)
            assert node.executor.local is not None
            served = sorted(node.executor.local.served_ns)
            return served[round(0.99 * (len(served) - 1))] / 1e6


def _measured(coscheduled: bool, seconds: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What both jobs say at their ends, and the requests of both nodes."""
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        return asyncio.run(_run(Path(folder), coscheduled, seconds))


async def _run(
    folder: Path, coscheduled: bool, seconds: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    processors = sorted(os.sched_getaffinity(0))
    async with cluster(folder) as here:
        for k, name in enumerate(("one", "two")):
            policy = ("--local", "message-driven", "--set", f"gmet={GMET}", "--set", f"slice={SLICE}")
            more = (*policy, "--requests", folder / f"requests-{name}") if coscheduled else ()
            bound = ("taskset", "-c", str(processors[k % len(processors)]))
            await here.agent(name, more=more, processors=_JOBS, inside=bound)
        options = ("--seconds", str(seconds), "--units", _UNITS, "--bytes", _BYTES, "--address", "127.0.0.1")
        ids = [
            await here.client.submit(
                argv=[*COMMAND, *options],
                nodes=2,
                processors_per_node=1,
                estimate_s=600.0,
                working_directory=str(folder),
            )
            for _ in range(_JOBS)
        ]
        outputs = [folder / f"molokini-{number}.out" for number in ids]
        await until(lambda: all(path.exists() and path.read_text().endswith("\n") for path in outputs))
        asked = [
            json.loads(line) for path in folder.glob("requests-*") for line in path.read_text().splitlines()
        ]
        return [json.loads(path.read_text()) for path in outputs], asked
