"""What README.md shows is true: its policy runs, and the files and options that it names exist."""

import re
from collections.abc import Callable
from pathlib import Path

from tests.clients.running import EXAMPLE, ROOT, Ran

Command = Callable[..., Ran]
TEXT = (ROOT / "README.md").read_text()


def test_the_policy_runs(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "window.py"
    path.write_text(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[0])
    arguments = ("--policy", "fcfs", "--policy", f"{path}?window=1", "--policy", path, "--jobs", 300)
    found = molokini("compare", EXAMPLE, *arguments, "--json", "-").json
    fcfs, narrow, wide = (row["metrics"] for row in found["results"])
    assert narrow == fcfs  # a window of one is FCFS
    assert wide["mean_wait_s"] < fcfs["mean_wait_s"]


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (ROOT / link).exists(), link


def test_every_option_exists(molokini: Command) -> None:
    commands = [["simulate"], ["compare"], ["policies"], ["workload", "info"], ["workload", "convert"]]
    commands += [["up"], ["submit"], ["verify"]]
    known = "".join(molokini(*command, "--help").out for command in commands)
    for option in re.findall(r"--[a-z][a-z-]+", TEXT):
        assert option in known, option
