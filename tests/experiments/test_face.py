"""The face of ``molokini.experiments``: its names are there, and commands and Python agree on them."""

import subprocess
import sys
from dataclasses import MISSING, fields
from inspect import signature

import pytest

import molokini.experiments
from molokini.clients.arguments.runs import CapacityArguments, CompareArguments, SimulateArguments
from molokini.experiments import capacity, simulate
from molokini.experiments.asked import Saturation, Several, Simulation
from molokini.model.errors import BadValue
from tests.clients.command_runs import EXAMPLE, environment, without_run
from tests.experiments.test_simulating import Command


def test_every_name_of_the_face_is_there() -> None:
    for name in molokini.experiments.__all__:
        home = {"Workload": "molokini.workloads."}.get(name, "molokini.experiments.")
        home = "molokini.parallel." if name in ("Dask", "InProcess", "Processes") else home
        assert getattr(molokini.experiments, name).__module__.startswith(home), name
    assert {*molokini.experiments.__all__} >= {
        "simulate",
        "compare",
        "sweep",
        "Swept",
        "capacity",
        "Result",
        "Comparison",
        "Workload",
    }
    assert dir(molokini.experiments) == sorted(molokini.experiments.__all__)
    with pytest.raises(AttributeError, match="simulat"):
        _ = molokini.experiments.simulat


def test_naming_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, molokini.experiments, molokini.experiments.asked; "
        "sys.exit(','.join(m for m in ('numpy', 'numba', 'matplotlib', 'pandas') if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("asked", "arguments"),
    [(Simulation, SimulateArguments), (Several, CompareArguments), (Saturation, CapacityArguments)],
)
def test_arguments_in_python_are_options_with_the_same_defaults(asked: type, arguments: type) -> None:
    options = {field.name: field.default for field in fields(arguments)}
    for field in fields(asked):
        mine, theirs = field.default, options[field.name]
        if field.name in ("load_factor", "run_time_factor"):
            mine, theirs = float(str(mine)), float(str(theirs))
        assert mine == theirs, field.name
    needed = {field.name for field in fields(asked) if field.default is MISSING}
    assert needed == {name for name, default in options.items() if default is MISSING}


def test_signatures_name_types_and_not_the_command_line() -> None:
    told = str(signature(simulate))
    assert "processors: int | None = None" in told
    assert "Annotated" not in told


def test_capacity_is_what_the_command_writes(molokini: Command) -> None:
    words = ("--policy", "fcfs", "--full-queue", "--jobs", 200, "--seeds", 2, "--json", "-")
    ran = molokini("capacity", EXAMPLE, *words)
    found = capacity(EXAMPLE, policy="fcfs", full_queue=True, jobs=200, seeds=2)
    assert without_run(found) == without_run(ran.json)
    with pytest.raises(BadValue, match="--tolerance"):
        capacity(EXAMPLE, policy="fcfs", tolerance=2)
