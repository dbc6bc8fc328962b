"""``--workload NAME``: workloads that a model makes, and whose each ``--set`` is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.experiments import simulate
from tests.clients.command_runs import Ran, without_run

Command = Callable[..., Ran]
SHORT = ("simulate", "--workload", "divisible", "--set", "time=100000")


def test_policy_and_workload_each_take_their_parameters(molokini: Command) -> None:
    ran = molokini(*SHORT, "--policy", "edf-opr-k", "--set", "k=3", "--set", "load=0.8", "--json", "-")
    assert (ran.code, ran.err) == (0, "")
    made, policy = ran.json["workload"]["generated"], ran.json["policy"]
    assert made["name"] == "divisible"
    assert (made["parameters"]["load"], made["parameters"]["nodes"]) == (0.8, 16)
    assert policy == {"name": "edf-opr-k", "parameters": {"port": "unlimited", "take": "latest", "k": 3}}
    assert ran.json["cluster"]["processors"] == 16
    metrics = ran.json["metrics"]
    assert metrics["missed_deadlines"] == 0
    assert metrics["reject_ratio"] == metrics["refused_jobs"] / metrics["jobs"]
    assert 1 <= metrics["mean_nodes"] <= 3


def test_both_loads_are_told(molokini: Command) -> None:
    shown = molokini(*SHORT, "--policy", "edf-opr-mn", "--set", "load=0.8").out
    assert "load: 0.8000 nominal, " in shown
    assert "reject_ratio" in shown
    assert "missed_deadlines" in shown


def test_the_same_seed_gives_the_same_results(molokini: Command) -> None:
    once, again, other = (
        molokini(*SHORT, "--policy", "fifo-epr-an", "--seed", seed, "--json", "-").json for seed in (5, 5, 6)
    )
    assert without_run(once) == without_run(again)
    assert once["metrics"] != other["metrics"]


def test_the_first_jobs_alone(molokini: Command) -> None:
    assert molokini(*SHORT, "--policy", "fcfs", "--jobs", 7, "--json", "-").json["metrics"]["jobs"] == 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((*SHORT, "--policy", "edf-opr-mn", "--set", "sigmas=3"), "did you mean 'sigma'?"),
        ((*SHORT, "--policy", "edf-opr-k", "--set", "kk=3"), "did you mean 'k'?"),
        ((*SHORT, "--policy", "edf-opr-k", "--set", "k=17"), "at most the machine's 16"),
        ((*SHORT, "--policy", "edf-opr-kk"), "no policy named 'edf-opr-kk'; did you mean 'edf-opr-k'?"),
        ((*SHORT, "--policy", "edf-opr-mn", "--set", "cps=-1"), "cps: '-1' is not allowed"),
        ((*SHORT, "--policy", "edf-opr-mn", "--jobs", 0), "--jobs: 0 is not allowed"),
        ((*SHORT, "--policy", "edf-opr-mn", "--seed", -1), "--seed: -1 is not allowed"),
        (("simulate", "--workload", "divisble", "--policy", "fcfs"), "did you mean 'divisible'?"),
        (("simulate", "--workload", "divisible", "a.swf", "--policy", "fcfs"), "give a LOG, or --workload"),
        (("simulate", "--policy", "fcfs"), "give a LOG, or --workload"),
        (("simulate", "divisble?time=3", "--policy", "fcfs"), "did you mean 'divisible'?"),
        (("simulate", "das?jobs", "--policy", "fcfs"), "KEY=VALUE"),
        (("simulate", "lublin?job=3", "--policy", "fcfs"), "did you mean 'jobs'?"),
        (("simulate", "lublin?load=0", "--policy", "fcfs"), "load: '0' is not allowed"),
        (("simulate", "lublin?seed=x", "--policy", "fcfs"), "seed: 'x' is not allowed"),
        (("simulate", "lublin", "--policy", "fcfs", "--set", "lod=1"), "did you mean 'load'?"),
        (("compare", "lublin?seed=3", "--policy", "fcfs", "--seeds", "2"), "has a seed of its own"),
        (("workload", "info", "lublin", "--set", "job=3"), "did you mean 'jobs'?"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(molokini: Command, arguments: tuple[str], told: str) -> None:
    ran = molokini(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


SPEC = "lublin?jobs=200&processors=64&load=0.9"


def test_a_model_is_one_wherever_a_log_is_taken(molokini: Command, tmp_path: Path) -> None:
    """As LOG, as --workload, with --set, under its former spelling."""
    ways = (
        ("simulate", SPEC),
        ("simulate", "--workload", SPEC),
        ("simulate", f"synthetic:{SPEC}"),
        ("simulate", "lublin", "--set", "jobs=200", "--set", "processors=64", "--set", "load=0.9"),
        ("simulate", "--workload", "lublin?jobs=200&load=0.9", "--set", "processors=64"),
        ("simulate", f"{SPEC}&seed=0", "--seed", "5"),
    )
    found = [molokini(*way, "--policy", "easy", "--json", "-").json for way in ways]
    assert all(one["metrics"] == found[0]["metrics"] for one in found)
    assert [one["workload"]["generated"]["name"] for one in found] == ["lublin"] * len(ways)
    assert found[-1]["workload"]["generated"]["parameters"]["seed"] == 0
    assert molokini("workload", "convert", SPEC, tmp_path / "made.swf").code == 0
    written = molokini("simulate", tmp_path / "made.swf", "--policy", "easy", "--json", "-").json
    assert written["metrics"] == found[0]["metrics"]
    info = molokini("workload", "info", "lublin", "--set", "jobs=200", "--json", "-").json
    assert info["jobs"] == 200
    python = simulate(SPEC, policy="easy")
    assert python.document["metrics"] == found[0]["metrics"]


def test_files_go_before_models(molokini: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert molokini("workload", "convert", "lublin?jobs=7", "seven.swf").code == 0
    Path("seven.swf").rename("lublin")
    assert molokini("workload", "info", "lublin", "--json", "-").json["jobs"] == 7
    assert molokini("workload", "info", "lublin?jobs=9", "--json", "-").json["jobs"] == 9
    assert "--set gives values to a model" in molokini("workload", "info", "lublin", "--set", "jobs=3").err


@pytest.mark.deep
def test_several_models_are_compared(molokini: Command) -> None:
    given = ("compare", "lublin?jobs=100&load=0.5", "lublin?jobs=100&load=0.9", "hard?jobs=100")
    found = molokini(
        *given, "--policy", "fcfs", "--policy", "easy", "--seeds", 2, "--workers", 1, "--json", "-"
    )
    assert (found.code, found.err) == (0, "")
    names = [one["generated"]["name"] for one in found.json["workloads"]]
    assert names == ["lublin", "lublin", "hard"]
    assert len({row["workload"] for row in found.json["table"]}) == 3
    assert len({row["seed"] for row in found.json["results"]}) == 2


def test_a_model_of_plain_jobs_may_have_users_for_a_configuration(molokini: Command, tmp_path: Path) -> None:
    (tmp_path / "maui.cfg").write_text("BACKFILLPOLICY FIRSTFIT\n")
    ran = molokini(
        "simulate", SPEC, "--policy", "maui", "--maui-config", tmp_path / "maui.cfg", "--json", "-"
    )
    assert ran.code == 0, ran.err
    assert ran.json["metrics"]["jobs"] == 200
