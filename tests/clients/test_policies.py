"""Policies: the list of those there are, and files that are dropped in."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.policies import policy_names
from tests.clients.command_runs import EXAMPLE, ROOT, Ran, shell, without_run

Command = Callable[..., Ran]

PLAIN = '''
"""First come, first served, as nobody would write it for numba."""
from collections import deque

from molokini.model.policy import Policy
from molokini.cycle.verbs import start

POLICY = Policy(name="mine", summary="a policy of my own", promise="none", source="nowhere")


class Queue:
    def __init__(self, view):
        self.rows = deque(int(row) for row in view.queue.waiting[view.queue.head : view.queue.tail])

    def heads(self):
        while self.rows:
            yield self.rows.popleft()


def schedule(view, now):
    try:
        for row in Queue(view).heads():
            if view.jobs.width[row] > view.machine.idle or not start(view, row):
                raise StopIteration(row)
    except StopIteration:
        pass
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "policies"
    made.mkdir()
    (made / "mine.py").write_text(PLAIN)
    return made


def test_every_policy_is_listed_under_its_family_in_a_line_or_in_that_of_its_kind(molokini: Command) -> None:
    ran = molokini("policies")
    assert ran.code == 0
    blocks = [block.splitlines() for block in ran.out.split("\n\n")]
    assert blocks.pop() == ["molokini policies NAME: what it promises, its source, its parameters"]
    families = {heading: [line.split()[0] for line in told] for heading, *told in blocks}
    assert list(families)[:2] == ["without reservations", "backfilling"]
    assert families["over several clusters"] == ["conservative-worstfit", "easy-worstfit", "fcfs-worstfit"]
    assert families["backfilling"] == ["conservative", "easy", "easy-depth"]
    assert families["divisible loads with deadlines"] == ["ORDER-CUT-NODES"]
    [divisible] = [line for line in ran.out.splitlines() if "ORDER-CUT-NODES" in line]
    single = [name for names in families.values() for name in names if name.islower()]
    assert len(single) == len(set(single))
    for name in set(policy_names()) - set(single):
        assert all(f" {part} (" in divisible for part in name.split("-")), name
    assert divisible.endswith("[release, port, take, k]")
    assert "the head of the queue [fit, spread, order]\n" in ran.out
    for name in families["over several clusters"]:
        [line] = [line for line in ran.out.splitlines() if line.split()[:1] == [name]]
        assert line.endswith(" [fit, spread]"), "as before it was another name"
    assert "of the Maui scheduler [96 parameters]\n" in ran.out
    assert "backfill_depth" in molokini("policies", "maui").out


def test_policies_from_files_stand_among_the_others_and_broken_ones_behind(
    molokini: Command, folder: Path
) -> None:
    (folder / "broken.py").write_text("POLICY = 1\n")
    blocks = molokini("policies", "--policy-dir", folder).out.split("\n\n")
    assert blocks[-3].split() == ["others", "mine", "a", "policy", "of", "my", "own"]
    assert blocks[-2].startswith("cannot be used\n  broken ")


def test_json(molokini: Command) -> None:
    found = molokini("policies", "--json", "-").json
    assert found["schema"] == "molokini.policies/1"
    depth = next(policy for policy in found["policies"] if policy["name"] == "easy-depth")["parameters"][0]
    assert set(depth) == {"name", "type", "default", "unit", "allowed", "meaning", "source"}
    assert (depth["type"], depth["default"], depth["unit"]) == ("integer", 4, "jobs")


def test_one_policy_in_full(molokini: Command) -> None:
    ran = molokini("policies", "easy")
    assert "promises: the head starts no later" in ran.out
    assert "one of queue, shortest, best-fit" in ran.out
    assert "no parameters" in molokini("policies", "firstfit").out


@pytest.mark.deep
def test_a_dropped_in_file_runs_everywhere(molokini: Command, small: Path, folder: Path) -> None:
    mine = ("--policy", "mine", "--policy-dir", folder)
    simulated = molokini("simulate", small, *mine, "--json", "-")
    assert simulated.json["policy"]["name"] == "mine"
    compared = molokini("compare", small, "--policy", "fcfs", *mine, "--json", "-", "--workers", 2).json
    assert [row["policy"] for row in compared["results"]] == ["fcfs", "mine"]
    assert compared["results"][0]["metrics"] == compared["results"][1]["metrics"]
    listed = molokini("policies", "--policy-dir", folder, "--json", "-").json["policies"]
    assert "a policy of my own" in {policy["summary"] for policy in listed}


def test_by_path_and_by_environment(
    molokini: Command, small: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert molokini("simulate", small, "--policy", folder / "mine.py").code == 0
    assert molokini("simulate", small, "--policy", "mine").code == 2
    monkeypatch.setenv("MOLOKINI_POLICY_PATH", os.pathsep.join([str(tmp_path / "nowhere"), str(folder)]))
    assert molokini("simulate", small, "--policy", "mine").code == 0
    assert "mine" in molokini("policies").out


def test_plain_python_gives_what_its_compiled_twin_gives(
    molokini: Command, folder: Path, tmp_path: Path
) -> None:
    for name, path in (("mine", folder / "mine.py"), ("fcfs", "fcfs")):
        arguments = ("--policy", path, "--jobs", 300, "--schedule", tmp_path / f"{name}.csv")
        assert molokini("simulate", EXAMPLE, *arguments).code == 0
    assert (tmp_path / "mine.csv").read_bytes() == (tmp_path / "fcfs.csv").read_bytes()


def test_a_copy_of_a_shipped_policy_is_compiled_from_where_it_is(
    molokini: Command, small: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copied.py"
    copy.write_text((ROOT / "core/molokini/policies/fcfs.py").read_text())
    one = molokini("simulate", small, "--policy", copy, "--json", "-").json
    two = molokini("simulate", small, "--policy", "fcfs", "--json", "-").json
    assert one["policy"].pop("name") == "copied", "results do not bear the name of another policy"
    assert two["policy"].pop("name") == "fcfs"
    assert without_run(one) == without_run(two)
    listed = molokini("policies", "--policy-dir", tmp_path, "--json", "-").json["policies"]
    assert [policy["name"] for policy in listed].count("fcfs") == 1


def test_a_policy_that_fails_says_so_in_one_line(molokini: Command, small: Path, folder: Path) -> None:
    (folder / "broken.py").write_text(PLAIN.replace("    try:\n", "    {}['no such key']\n    try:\n"))
    for workers in (1, 2):
        arguments = ("--policy", "broken", "--policy", "fcfs", "--policy-dir", folder, "--workers", workers)
        ran = molokini("compare", small, *arguments)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert "broken.py:" in ran.err
        assert "KeyError: 'no such key'" in ran.err
        assert "internal error" not in ran.err


def test_a_broken_file_does_not_hide_the_others(molokini: Command, folder: Path) -> None:
    (folder / "half.py").write_text("def schedule(")
    ran = molokini("policies", "--policy-dir", folder)
    assert ran.code == 0
    assert re.search(r"cannot be used\n  half +", ran.out)
    assert "a policy of my own" in ran.out


@pytest.mark.deep
def test_in_a_shell_of_its_own(small: Path, folder: Path) -> None:
    ran = shell("simulate", small, "--policy", "mine", "--json", "-", MOLOKINI_POLICY_PATH=str(folder))
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["metrics"]["finished_jobs"] == 4
