"""What is printed for people: in a pipe one row a line, on a terminal no wider than it is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.clients.command_runs import EXAMPLE, Ran, terminal
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]
COMMANDS = {
    "simulate": ("simulate", EXAMPLE, "--policy", "easy", "--by", "size,queue"),
    "compare": (
        "compare",
        EXAMPLE,
        "--policy",
        "fcfs",
        "--policy",
        "easy",
        "--policy",
        "easy?order=shortest",
    ),
    "info": ("workload", "info", EXAMPLE),
    "policies": ("policies",),
    "policy": ("policies", "sita-e"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_blanks_at_the_end_of_a_line(molokini: Command, name: str) -> None:
    lines = molokini(*COMMANDS[name]).out.split("\n")
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.quick(one_in=8)
@pytest.mark.parametrize(
    ("name", "columns"),
    [(name, columns) for name in ("simulate", "compare", "info", "policy") for columns in (80, 60)],
)
def test_on_a_terminal_nothing_is_wider_than_it_is(name: str, columns: int) -> None:
    ran = terminal(columns, *COMMANDS[name])
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.split("\n")
    assert [line for line in lines if line != line.rstrip()] == []
    assert [line for line in lines if cell_len(line) > columns] == []


@pytest.mark.deep
def test_a_bar_comes_and_goes_on_standard_error(small: Path) -> None:
    arguments = ("compare", small, "--policy", "fcfs", "--policy", "easy")
    ran = terminal(40, *arguments, streams=("stdout", "stderr"))
    assert ran.code == 0
    assert "100%" in ran.out
    assert "Traceback" not in ran.out
    assert "against fcfs" in ran.out.rsplit("100%", 1)[1]


def test_a_title_is_one_line_in_a_pipe(molokini: Command, tmp_path: Path) -> None:
    name = f"{'a-machine-of-a-long-name-' * 5}log.swf"
    path = log(tmp_path, "; MaxProcs: 4", record(1, 0, 10, 1), record(2, 0, 10, 1), name=name)
    assert f"{name} under fcfs: 2 jobs, 4 processors\n" in molokini("simulate", path, "--policy", "fcfs").out
    compared = molokini("compare", path, "--policy", "fcfs", "--policy", "easy").out
    assert f"{name}: 2 jobs, 4 processors\n" in compared


def test_one_policy_in_a_pipe_is_one_line_a_parameter(molokini: Command) -> None:
    out = molokini("policies", "sita-e").out
    [line] = [line for line in out.splitlines() if line.startswith(" cutoffs")]
    assert "one partition more than cutoffs" in line
    assert "workload info LOG --sita H" in line
