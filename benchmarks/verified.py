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
from molokini.model.policy import Kind, Parameter
from molokini.policies import load_policy, policy_names
from molokini.workloads.generated import generated
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload

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
    for name, parameters in _settings():
        kind = _kind(name)
        workload, processors = workloads[kind]
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


def _settings() -> Iterator[tuple[str, dict[str, str]]]:
    for name in policy_names():
        yield name, {}
        if _kind(name) != _LOADS and name != "maui":
            for parameter in load_policy(name).declaration.parameters:
                for value in _others(parameter):
                    yield name, {parameter.name: value}


def _others(parameter: Parameter) -> list[str]:
    if parameter.kind is Kind.CHOICE:
        return [one for one in parameter.choices if one not in (parameter.default, parameter.counted)]
    if parameter.kind is Kind.LIST:
        return ["600,7200"]
    return [str(int(parameter.high if parameter.default == parameter.low else parameter.low))]


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
