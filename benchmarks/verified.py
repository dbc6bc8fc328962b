"""Every policy live and simulated, on larger heads than the tests have: the differences, and what it takes.

A policy for divisible loads gets loads, one for several clusters jobs over clusters, any other a log in a
fifth of its time, so that its jobs meet.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.policies import load_policy
from molokini.workloads.generated import generated
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload
from tests.kit.verified import settings as every_setting

JOBS = 1000
ROOT = Path(__file__).parents[1]
LOGS = (ROOT.parent / "shared/data/HPC2N-2002-2.1-cln.swf.gz", ROOT / "examples/kth-sp2-month.swf.gz")
NODES = 16
LOADS = {"nodes": str(NODES), "time": "1.4e6", "load": "0.9"}
CLUSTERS = {"clusters": "4", "nodes": "8", "ratio": "50", "jobs": str(JOBS)}
SHARING_JOBS = 200
"""Where all jobs share, every start and end is a fact about each of the others."""
_SHARING = "ps"
_LOADS, _CLUSTERS, _LOG = "loads", "clusters", "log"


def rows() -> list[dict[str, Any]]:
    """One line for each policy, and one for each other value of its choices and numbers."""
    workloads = {_LOADS: _loads(), _CLUSTERS: _over_clusters(), _LOG: _log()}
    made = []
    for name, parameters in settings():
        kind = _kind(name)
        workload, processors = workloads[kind]
        if load_policy(name).declaration.in_blocks:
            # Its machine is a power of two.
            processors = 1 << (processors - 1).bit_length()
        if name == _SHARING:
            workload = workload.take(slice(0, SHARING_JOBS))
        began_s, before_s = time.perf_counter(), time.process_time()
        differences = _differences(workload, processors, name, parameters)
        made.append(
            {
                "policy": name + "".join(f"?{key}={value}" for key, value in parameters.items()),
                "workload": workload.name,
                "jobs": len(workload),
                "difference": max(differences.values()),
                "seconds": round(time.perf_counter() - began_s, 1),
                "cpu_s": round(time.process_time() - before_s, 1),
                "reached": not any(differences.values()),
            }
        )
    return made


def settings() -> Iterator[tuple[str, dict[str, str]]]:
    """Every policy, and once for each other value of its parameters; divisible ones with their own alone."""
    for name, parameters in every_setting():
        if not parameters or _kind(name) != _LOADS:
            yield name, parameters


def _kind(name: str) -> str:
    """For what the policy is."""
    if load_policy(name).schedule is load_policy("edf-opr-mn").schedule:
        return _LOADS
    return _CLUSTERS if name.endswith("-worstfit") else _LOG


def _loads() -> tuple[Workload, int]:
    model = generated("divisible")
    return model.make(model.values(LOADS), 1), NODES


def _over_clusters() -> tuple[Workload, int]:
    model = generated("das")
    workload = model.make(model.values(CLUSTERS), 1)
    assert workload.platform is not None
    return workload, workload.platform.processors


def _log() -> tuple[Workload, int]:
    workload = read_workload(next(log for log in LOGS if log.exists()), limit=JOBS)
    processors = workload.machine_processors
    assert processors is not None
    first_s = workload.submit_s[0]
    return replace(workload, submit_s=first_s + (workload.submit_s - first_s) // 5), int(processors)


def _differences(
    workload: Workload, processors: int, policy: str, parameters: Mapping[str, str]
) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        run = live_run(workload, processors, policy, state, parameters=parameters, synced=False)
        asyncio.run(run)
        live = asyncio.run(history_of(state, len(workload)))
    return live.differences(simulated_history(workload, processors, policy, parameters=parameters))
