"""What README.md and docs/policies.md show is true: policies run; files, options and columns exist."""

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.cycle import verbs
from molokini.tables.tables import Tables
from tests.clients.running import EXAMPLE, ROOT, Ran

Command = Callable[..., Ran]
TEXT = (ROOT / "README.md").read_text()
POLICIES = (ROOT / "docs" / "policies.md").read_text()


def test_the_policy_runs(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "window.py"
    path.write_text(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[0])
    arguments = ("--policy", "fcfs", "--policy", f"{path}?window=1", "--policy", path, "--jobs", 300)
    found = molokini("compare", EXAMPLE, *arguments, "--json", "-").json
    fcfs, narrow, wide = (row["metrics"] for row in found["results"])
    assert narrow == fcfs  # a window of one is FCFS
    assert wide["mean_wait_s"] < fcfs["mean_wait_s"]


def test_the_page_on_policies(molokini: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, script = re.findall(r"```python\n(.*?)```", POLICIES, re.DOTALL)
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


def test_the_page_on_policies_names_what_there_is() -> None:
    rows = [row.split("|")[1] for row in POLICIES.splitlines() if row.startswith("| `")]
    names = {
        name
        for row in rows
        for code in re.findall(r"`([^`]+)`", row)
        for name in re.findall(r"[a-z_]{3,}", code)
    }
    known = {
        *Tables.__annotations__,
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


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (ROOT / link).exists(), link


def test_every_option_exists(molokini: Command) -> None:
    commands = [["simulate"], ["compare"], ["policies"], ["workload", "info"], ["workload", "convert"]]
    commands += [["up"], ["submit"], ["verify"]]
    known = "".join(molokini(*command, "--help").out for command in commands)
    for option in re.findall(r"--[a-z][a-z-]+", TEXT):
        assert option in known, option
