"""``--workload NAME``: workloads that a model makes, and whose each ``--set`` is."""

from collections.abc import Callable

import pytest

from tests.clients.running import Ran, without_run

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
    ],
)
def test_what_cannot_be_is_refused_in_one_line(molokini: Command, arguments: tuple[str], told: str) -> None:
    ran = molokini(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1
