"""Scheduling by hand, against a real server: start, pause and resume, and what reports count."""

import json
from collections.abc import Iterator

import pytest

from molokini.testing import Cluster, cluster
from tests.clients.command_runs import command, environment


@pytest.fixture(scope="module")
def one() -> Iterator[Cluster]:
    with cluster(nodes=2, processors=2, policy="fcfs") as made:
        yield made


def said(one: Cluster, *words: object, code: int = 0) -> str:
    """What ``molokini`` prints; where it refuses, its one line of why."""
    done = one.run(*command(*words), env=environment(**one.variables("")))
    assert done.returncode == code, done
    assert (done.stderr if code else done.stdout) != ""
    return str(done.stderr if code else done.stdout)


def submit(one: Cluster, processors: int) -> int:
    spec = {"estimate_s": 100, "resources": {"processors": processors}}
    return int(one.call("JobService", "Submit", spec=spec)["job_id"])


def states(one: Cluster, *numbers: int) -> list[str]:
    one.clock.advance(0)
    return [one.job(number)["state"] for number in numbers]


@pytest.mark.deep
def test_by_hand(one: Cluster) -> None:
    """The third passes the second, which does not fit beside the first; then nothing starts for a while."""
    first, second, third, fourth = (submit(one, wide) for wide in (2, 4, 1, 1))
    assert states(one, first, second, third, fourth) == ["RUNNING", "WAITING", "WAITING", "WAITING"]
    done = one.run(*command("start", third, "--node", "node002"), env=environment(**one.variables("")))
    assert (done.returncode, done.stderr) == (0, "")
    assert states(one, second, third, fourth) == ["WAITING", "RUNNING", "WAITING"]
    assert one.job(third)["allocation"][0]["node"] == "node002"
    assert f"job {third}" in said(one, "start", third, code=1)
    assert said(one, "scheduling", "pause", "--reason", "a look").split()[:2] == ["scheduling", "paused"]
    one.clock.advance(1000)
    assert states(one, first, second, third, fourth) == ["COMPLETED", "WAITING", "COMPLETED", "WAITING"]
    assert json.loads(said(one, "scheduling", "resume", "--json"))["paused"] is False
    assert states(one, second, fourth) == ["RUNNING", "WAITING"]
    found = json.loads(said(one, "scheduling", "pause", "--after", 3, "--json"))
    assert (found["schema"], found["paused"], found["passes_left"]) == ("molokini.scheduling/1", True, 3)
    assert "goes on" in said(one, "scheduling", "resume")


def test_statistics_begin_anew(one: Cluster) -> None:
    assert json.loads(said(one, "statistics", "reset", "--json"))["since_s"] == one.clock.now_s


@pytest.mark.deep
def test_what_cannot_be(one: Cluster) -> None:
    assert "--after: -1 is not allowed" in said(one, "scheduling", "pause", "--after", -1, code=2)
    assert "no job 999" in said(one, "start", 999, code=1)
