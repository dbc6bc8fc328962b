"""Two parallel jobs that share two real nodes: coscheduled by their messages, and left to the kernel.

A server and two agents on this machine; each node is one processor, to which its agent and all of its jobs
are bound. Both jobs have a task on each node, exchange messages after each few milliseconds of computing, and
run for as long as each other. In one run, in turn without the local policy and with it.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import live
from molokini.process_sim.node_daemon import NodeDaemon
from molokini.process_sim.policies.message_driven import NEEDS
from molokini.studies.results import Interval, interval
from tests.kit.exchanging import COMMAND
from tests.kit.real_cluster import cluster
from tests.kit.real_jobs import at_work, launch, until

GMET, SLICE = "1s", "4s"
_UNITS, _BYTES = "400", "800"
_JOBS = 2
_PAIRS = 5
"""Runs of each kind, in turn."""


def rows() -> list[dict[str, Any]]:
    """Rates of iterations and which is faster, requests, and how long they took."""
    seconds, pairs = (6.0, 2) if live.QUICK else (10.0, _PAIRS)
    alone, driven, asked = [], [], list[dict[str, Any]]()
    for _ in range(pairs):
        alone.append(_rate(_measured(False, seconds)[0]))
        jobs, requests = _measured(True, seconds)
        driven.append(_rate(jobs))
        asked += requests
    ratio = interval([one / other for one, other in zip(driven, alone, strict=True)])
    kinds = {
        kind: sum(one["answer"] == kind for one in asked if one["request"] == "schedule")
        for kind in ("scheduled", "discarded", "present")
    }
    handled_ms, answered_ms = asyncio.run(_requests(200 if live.QUICK else 2000))
    return [
        live.row("two jobs on two nodes, uncoordinated", fmean(alone), "iterations/s", None),
        live.row("the same, coscheduled", fmean(driven), "iterations/s", None),
        live.row(f"coscheduled over uncoordinated: {direction(ratio)}", ratio.mean, "times", None),
        live.row("the same, 95% from", ratio.low, "times", None),
        live.row("the same, 95% to", ratio.high, "times", None),
        *(live.row(f"requests of tasks, {kind}", count, "requests", None) for kind, count in kinds.items()),
        live.row("a request is handled, 99th percentile", handled_ms, "ms", -5.0),
        live.row("the same, seen by the task", answered_ms, "ms", -5.0),
    ]


def direction(ratio: Interval) -> str:
    """Which is faster, if the interval tells."""
    if ratio.low > 1:
        return "faster"
    return "slower" if ratio.high < 1 else "undecided"


def _rate(jobs: Sequence[Mapping[str, Any]]) -> float:
    """Iterations a second of all jobs together."""
    return sum(float(one["iterations_per_s"]) for one in jobs)


_ASKS = """
import json, os, socket, struct, sys, time
end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
end.connect(os.environ["MOLOKINI_LOCAL_SOCKET"])
took = []
for code in (1, *[3] * int(sys.argv[1])):
    began = time.monotonic_ns()
    end.send(struct.pack("<qq", code, int(os.environ["MOLOKINI_JOB_ID"])))
    assert struct.unpack("<qq", end.recv(16))[0] != 4
    took.append(time.monotonic_ns() - began)
json.dump(took, open("took " + os.environ["MOLOKINI_JOB_ID"], "w"))
"""


async def _requests(count: int) -> tuple[float, float]:
    """Milliseconds from the arrival of a request in the agent to its answer, and from its sending.

    The 99th of a hundred each; both jobs ask at once.
    """
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
            seen = [one for path in folder.glob("took *") for one in json.loads(path.read_text())]
            assert len(seen) == _JOBS * (count + 1)
            return _late_ms(node.executor.local.served_ns), _late_ms(seen)


def _late_ms(times_ns: Sequence[int]) -> float:
    ordered = sorted(times_ns)
    return ordered[round(0.99 * (len(ordered) - 1))] / 1e6


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
