"""What README.md, docs/simulate.md and docs/policies.md show is true: policies run, options exist."""

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.cycle import verbs
from molokini.model.machine import Machine
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from tests.clients.command_runs import EXAMPLE, ROOT, Ran

Command = Callable[..., Ran]
TEXT = (ROOT / "README.md").read_text()
SIMULATE = (ROOT / "docs" / "simulate.md").read_text()
POLICIES = (ROOT / "docs" / "policies.md").read_text()


def test_the_example_of_a_policy_runs(molokini: Command) -> None:
    path = ROOT / "examples" / "window.py"
    arguments = ("--policy", "fcfs", "--policy", f"{path}?window=1", "--policy", path, "--jobs", 300)
    found = molokini("compare", EXAMPLE, *arguments, "--json", "-").json
    fcfs, narrow, wide = (row["metrics"] for row in found["results"])
    assert narrow == fcfs  # a window of one is FCFS
    assert wide["mean_wait_s"] < fcfs["mean_wait_s"]


def test_the_page_on_policies(molokini: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, _, script = re.findall(r"```python\n(.*?)```", POLICIES, re.DOTALL)
    path = tmp_path / "patience.py"
    path.write_text(policy)
    specs = [part for name in ("fcfs", f"{path}?patience_s=0", path) for part in ("--policy", name)]
    found = molokini("compare", EXAMPLE, *specs, "--jobs", 300, "--json", "-").json
    fcfs, none, patient = (row["metrics"] for row in found["results"])
    assert none == fcfs  # without patience nobody is passed
    assert patient["mean_wait_s"] < fcfs["mean_wait_s"]
    monkeypatch.chdir(tmp_path)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(script.replace("examples/kth", f"{ROOT}/examples/kth"), {})
    one = molokini(
        "simulate", EXAMPLE, "--policy", f"{path}?patience_s=600", "--jobs", 300, "--json", "-"
    ).json
    assert float(shown.getvalue()) == one["metrics"]["mean_wait_s"]


def test_the_kinds_of_parameters_and_memory_on_the_page_are_what_it_says() -> None:
    _, kinds, _ = re.findall(r"```python\n(.*?)```", POLICIES, re.DOTALL)
    names: dict[str, Any] = {}
    # Annotations are looked up in the module of a class.
    exec(compile(kinds, "page", "exec"), names)
    declared = {one.name: one.default for one in names["WindowParameters"].declared()}
    assert declared == {"depth": 4, "share": 0.5, "order": "queue", "cutoffs": (3600.0,)}
    t = make_tables(Machine.counted(1), [7.0, 0.25, 1.0, 60.0, 600.0])
    parameters, mine = names["parameters"](t), names["mine"](t)
    assert (parameters.depth, parameters.share, parameters.order, parameters.cutoffs[1]) == (
        7,
        0.25,
        1,
        600.0,
    )
    mine.start_s[3], mine.planned[3], mine.next_s, mine.left[59] = 1.5, 1, 2.5, 3.5
    assert (mine.start_s[3], mine.planned[3], mine.next_s, mine.left[59]) == (1.5, 1, 2.5, 3.5)


def test_the_page_on_policies_names_what_there_is() -> None:
    rows = [row.split("|")[1] for row in POLICIES.splitlines() if row.startswith("| `")]
    names = {
        name
        for row in rows
        for code in re.findall(r"`([^`]+)`", row)
        for name in re.findall(r"[a-z_]{3,}", code)
    }
    known = {
        *Tables.children,
        *Tables.columns(),
        *(name for part in Tables.children.values() for name in part.layout),
        *vars(verbs),
        "view",
        "row",
        "at_s",
        "refusal",
        "rule",
        "limit",
        "value",
        "front",
    }
    assert len(names) > 30
    assert names - known == set()


def test_the_readme_is_short() -> None:
    assert TEXT.count("\n") <= 130


def test_every_option_exists(molokini: Command) -> None:
    commands = [["simulate"], ["compare"], ["policies"], ["workload", "info"], ["workload", "convert"]]
    commands += [["up"], ["submit"], ["jobs"], ["shims"], ["capacity"]]
    known = "".join(molokini(*command, "--help").out for command in commands)
    for option in re.findall(r"--[a-z][a-z-]+", TEXT + SIMULATE):
        assert option in known, option
