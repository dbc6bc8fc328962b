"""docs/testing.md is true: its examples run, alone and as the steps of its workflows say.

Those with programs of others need the interpreter that MOLOKINI_CLIENTS_PYTHON names; the pytest and the
Molokini that run there are ours.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.torture.real_processes import ROOTS

TEXT = (Path(__file__).parents[2] / "docs" / "testing.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
NAMED = {text[2 : text.index("\n")]: text for text in PROGRAMS if text.startswith("# test_")}
TESTS = [text for text in PROGRAMS if "def test_" in text and text not in NAMED.values()]
SCRIPTS = [text for text in PROGRAMS if "def test_" not in text]
WORKFLOWS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)]

CLIENTS = os.environ.get("MOLOKINI_CLIENTS_PYTHON", "")
needs_clients = pytest.mark.skipif(not CLIENTS, reason="MOLOKINI_CLIENTS_PYTHON names no interpreter")
LONGEST_S = 180

RUNNER = """\
import site, sys
site.addsitedir({packages!r})
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""
"""Stands for the command pytest of an environment in which all is installed."""


@pytest.fixture
def runner(tmp_path: Path) -> "Iterator[Runner]":
    with Runner.at(tmp_path) as made:
        yield made


class Runner:
    """A machine of a CI: runs the steps of a job as GitHub does, each in a shell of its own."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self._temp = folder / "checkout", folder / "temp"
        self._path, self._variables = folder / "path", folder / "variables"
        self._bin = folder / "installed"
        self._session = folder / "session"
        for one in (self.checkout, self._temp, self._bin, folder / "home"):
            one.mkdir()
        for file in (self._path, self._variables):
            file.touch()

    @classmethod
    @contextmanager
    def at(cls, folder: Path) -> "Iterator[Runner]":
        """One in *folder*; what its steps have left running ends with it, as with GitHub's."""
        made = cls(folder)
        made._install()
        try:
            yield made
        finally:
            made._end()

    def run(self, step: str) -> "subprocess.CompletedProcess[str]":
        """Run the lines of one step."""
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step]
        done = subprocess.Popen(
            words,
            cwd=self.checkout,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        with self._session.open("a") as file:
            file.write(f"{done.pid}\n")
        out, _ = done.communicate(timeout=LONGEST_S)
        return subprocess.CompletedProcess(words, done.returncode, out)

    def _install(self) -> None:
        """The commands of an environment with Molokini, pytest and the programs."""
        packages = sysconfig.get_path("purelib")
        (self._bin / "run_pytest.py").write_text(RUNNER.format(packages=packages))
        lines = {
            "pytest": f"exec {CLIENTS} {self._bin / 'run_pytest.py'}",
            "molokini": f"exec {shlex.quote(sys.executable)} -m molokini.clients.command",
            # What a step would install is there, or the step fails.
            "pip": f"exec {sys.executable} {Path(__file__).with_name('installed.py')} {CLIENTS}",
        }
        for name, line in lines.items():
            (self._bin / name).write_text(f'#!/bin/sh\n{line} "$@"\n')
            (self._bin / name).chmod(0o755)

    def _environment(self) -> dict[str, str]:
        dropped = ("MOLOKINI_", "PBS_", "SLURM_", "LSB_", "PYTEST_")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        added = reversed(self._path.read_text().splitlines())
        path = [*added, str(self._bin), *([str(Path(CLIENTS).parent)] if CLIENTS else []), os.environ["PATH"]]
        files = {"GITHUB_PATH": self._path, "GITHUB_ENV": self._variables, "RUNNER_TEMP": self._temp}
        return {
            **inherited,
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": ROOTS,
            "HOME": str(self._temp.parent / "home"),
            # What is compiled already need not be compiled for each machine anew.
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
            **{name: str(file) for name, file in files.items()},
            **dict(line.split("=", 1) for line in self._variables.read_text().splitlines()),
        }

    def _end(self) -> None:
        for number in self._session.read_text().split() if self._session.exists() else ():
            try:
                os.killpg(int(number), signal.SIGTERM)
            except ProcessLookupError:
                continue


def steps(workflow: dict[str, Any], **matrix: str) -> list[str]:
    """What the steps of the workflow's only job run, those that are actions of others left out."""
    [job] = workflow["jobs"].values()
    for step in job["steps"]:
        assert step.keys() <= {"uses", "with", "name", "run"}, step
        assert step.get("uses", "actions/checkout@v4").startswith(
            ("actions/checkout@", "actions/setup-python@")
        )
    found = [step["run"] for step in job["steps"] if "run" in step]
    return [re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda m: matrix[m[1]], one) for one in found]


def test_tests_run(tmp_path: Path) -> None:
    for number, text in enumerate(TESTS):
        (tmp_path / f"test_{number}.py").write_text(text)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, env=own(), timeout=LONGEST_S
    )
    assert done.returncode == 0, done.stdout
    assert f"{len(TESTS)} passed" in done.stdout


@pytest.mark.dear("the page's own scripts, each with a cluster")
@pytest.mark.deep
@pytest.mark.parametrize("text", SCRIPTS, ids=range(len(SCRIPTS)))
def test_scripts_run(tmp_path: Path, text: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        cwd=tmp_path, capture_output=True, text=True, env=own(), timeout=LONGEST_S,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "COMPLETED\n", "")


def own() -> dict[str, str]:
    """The environment of a program of its own: the options of the run that it is a part of are not for it."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return {**kept, "PYTHONPATH": ROOTS}


@pytest.mark.deep
@needs_clients
@pytest.mark.parametrize("named", WORKFLOWS[0]["jobs"]["tests"]["strategy"]["matrix"]["include"], ids=str)
def test_programs_of_others_as_the_workflow_runs_them(runner: Runner, named: dict[str, str]) -> None:
    (runner.checkout / named["tests"]).write_text(NAMED[named["tests"]])
    for step in steps(WORKFLOWS[0], **named):
        done = runner.run(step)
        assert done.returncode == 0, done.stdout
    assert f"{NAMED[named['tests']].count('def test_')} passed" in done.stdout


@pytest.mark.deep
def test_a_cluster_beside_the_steps(runner: Runner) -> None:
    for step in steps(WORKFLOWS[1]):
        done = runner.run(step)
        assert done.returncode == 0, f"{step}\n{done.stdout}"


def test_all_of_the_page_is_run() -> None:
    assert (len(TESTS), len(SCRIPTS), len(WORKFLOWS)) == (2, 1, 2)
    [named] = [job["strategy"]["matrix"]["include"] for job in WORKFLOWS[0]["jobs"].values()]
    assert {row["tests"] for row in named} == set(NAMED)
    assert len(NAMED) >= 3
