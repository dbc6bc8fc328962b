"""Runs of a workload live and simulated, as ``molokini verify`` makes them; and what there is to run."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from molokini.app.verifying import History, history_of, live_run, simulated_history
from molokini.model.errors import BadInput
from molokini.model.policy import Kind, Parameter
from molokini.policies import load_policy, policy_names
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared/data"
LOGS = {
    "example": ROOT / "examples/kth-sp2-month.swf.gz",
    "SDSC-BLUE": DATA / "SDSC-BLUE-2000-4.2-cln.swf.gz",
    "HPC2N": DATA / "HPC2N-2002-2.1-cln.swf.gz",
    "lublin": DATA / "lublin_256.swf.gz",
}
"""The one in the repository, and some that lie beside it."""
MAUI = "maui"


def head_of(log: str, jobs: int, faster: int = 10) -> tuple[Workload, int]:
    """The first *jobs* of a log, so much *faster* that they meet; and its processors."""
    if not LOGS[log].exists():
        pytest.skip(f"{LOGS[log].name} is not here")
    workload = read_workload(LOGS[log], limit=jobs)
    assert workload.machine_processors is not None
    first_s = workload.submit_s[0]
    crowded = first_s + (workload.submit_s - first_s) // faster
    return replace(workload, submit_s=crowded), int(workload.machine_processors)


def both(
    workload: Workload, processors: int, policy: str, folder: Path, **parameters: str
) -> tuple[History, History]:
    """What happened live, and simulated."""
    run = live_run(workload, processors, policy, folder, parameters=parameters, synced=False)
    asyncio.run(run)
    live = asyncio.run(history_of(folder, len(workload)))
    return live, simulated_history(workload, processors, policy, parameters=parameters)


def settings() -> Iterator[tuple[str, dict[str, str]]]:
    """Every policy of the table as it is, and once for each of its parameters with another value."""
    for name in policy_names():
        yield name, {}
        if name != MAUI:
            # Which has so many that they go into files: test_verify_maui.py has those.
            for parameter in load_policy(name).declaration.parameters:
                for value in others(parameter):
                    if _stands_alone(name, parameter.name, value):
                        yield name, {parameter.name: value}


def _stands_alone(policy: str, parameter: str, value: str) -> bool:
    """Whether the policy takes this value beside its other defaults."""
    try:
        load_policy(policy).declaration.values({parameter: value})
    except BadInput:
        return False
    return True


def others(parameter: Parameter) -> list[str]:
    """Values of a parameter beside its default, in text."""
    match parameter.kind:
        case Kind.CHOICE:
            return [choice for choice in parameter.choices if choice != parameter.default]
        case Kind.INTEGER | Kind.NUMBER:
            assert isinstance(parameter.default, int | float)
            higher, lower = parameter.default + 1, parameter.default - 1
            other = higher if higher <= parameter.high else lower
            # A share may be neither a whole one more nor a whole one less.
            return [f"{other if other >= parameter.low else parameter.high / 4:g}"]
        case Kind.LIST:
            return ["60,600,7200"]
        case Kind.SHARES:
            return list(parameter.choices[:1])
        case Kind.TEXT:
            return []


def named(setting: tuple[str, dict[str, str]]) -> str:
    """What a test of it is called."""
    name, parameters = setting
    return name + "".join(f"-{key}={value}" for key, value in parameters.items())
