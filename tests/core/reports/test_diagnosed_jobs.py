"""``diagnose -j``, ``-S`` and ``-R`` of replays: what is odd about jobs, and what the scheduler does."""

from dataclasses import replace
from typing import Any

import pytest

from molokini.model.errors import UnknownName
from molokini.model.states import NodeState
from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings
from molokini.policies.maui.configuration.words import LimitKind
from molokini.reports import report
from molokini.reports.snapshot import AgentText, Blocked, ClusterSnapshot, Link, ReportRequest, Scheduler
from molokini.reports.stopped import picture_of
from molokini.sim.replay import Overrun
from tests.kit.maui import Whose, maui, nodes
from tests.kit.pictured import NUMBERS, picture
from tests.kit.workloads import Job


def jobs(p: ClusterSnapshot, **asked: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report("jobs", p, ReportRequest(**asked))["jobs"]
    return found


def test_active_jobs_come_first_and_waiting_ones_tell_why() -> None:
    p = replace(picture(), blocked=(Blocked("9", "held", "held", user="bob", count=3),))
    one, two, nine = jobs(p)
    assert [line["job"] for line in (one, two, nine)] == ["1", "2", "9"]
    assert (one["rule"], one["warnings"], two["rule"]) == (None, [], "reserved-later")
    assert (nine["rule"], nine["user"], nine["priority"]) == ("held", "bob", None)
    assert set(one) == set(two) == set(nine), "all lines have the same names"
    assert report("jobs", p)["totals"] == {"jobs": 5, "jobs_active": 1, "warnings": 0}
    assert [line["job"] for line in jobs(p, job="2")] == ["2"]
    with pytest.raises(UnknownName, match="no open job named '17'"):
        jobs(p, job="17")


def test_a_job_beyond_its_limit_and_one_on_a_node_that_is_down_are_told() -> None:
    replay = maui((Job(0, 100, 6, 20),), whose=[Whose()], machine=nodes(2, 4), overrun=Overrun.EXTEND)
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS, ["n1", "n2"])
    p.tables.nodes.state[1] = NodeState.DOWN
    [one] = jobs(p)
    assert one["warnings"] == ["runs past its limit by 40 s", "runs on node n2, which is down"]


def test_a_job_that_can_never_start_and_one_that_is_wider_than_what_is_in_service() -> None:
    limited = MauiSettings(users={"bob": Credential(active={LimitKind.PROCESSORS: Limit(4, 4)})})
    p = picture(settings=limited)
    assert jobs(p, job="2")[0]["warnings"] == ["never starts under the present limits"]
    p.tables.machine.processors = 6
    assert jobs(p, job="2")[0]["warnings"][0] == "asks for 8 processors, and 6 are in service"


def test_a_start_that_did_not_last_is_told() -> None:
    p = picture()
    [two] = p.waiting()
    p.tables.jobs.attempt[two] += 2
    assert jobs(p, job="2")[0]["warnings"] == ["was started 2 times before"]


def test_a_replay_tells_its_passes_and_a_policy_its_settings() -> None:
    found = report("scheduler", picture(settings=MauiSettings(chosen={"max_starts": 4})))
    assert (found["mode"], found["clock"]["kind"], found["most_starts_per_iteration"]) == (
        "replay",
        "replay",
        4,
    )
    assert (found["backfill"], found["reservations"], found["poll_interval_s"]) == (
        "FIRSTFIT",
        "CURRENTHIGHEST",
        None,
    )
    assert found["iterations"] >= 3, "three jobs have come"
    assert found["jobs"] == {"active": 1, "waiting": 1, "blocked": 0}


def test_what_is_wrong_with_the_scheduler_is_told() -> None:
    ill = Scheduler(mode="live", paused=True, troubled=True, failures=2, last_failure="it fell over")
    warnings = report("scheduler", replace(picture(), scheduler=ill))["warnings"]
    assert [text.split()[1] for text in warnings] == ["clock", "journal", "policy"]


def test_agents_that_are_silent_gone_or_without_nodes_are_told() -> None:
    agents = (
        AgentText("a", True, "ipv4:1", 4, 4, 16, 2, 1.0, 34.0),
        AgentText("b", True, "ipv4:2", 4, 3, 16, 0, 20.0, 15.0),
        AgentText("c", False, "", 2, 0, 8, 0, None, 0.0),
    )
    p = replace(picture(), link=Link(agents, heartbeat_s=5.0, lease_s=30.0, margin_s=5.0))
    found = report("agents", p)
    assert [one["lease_left_s"] for one in found["agents"]] == [34.0, 15.0, None]
    assert found["warnings"] == [
        "agent b has been silent for 20 s",
        "agent b: 1 of 4 nodes are not up",
        "agent c is not connected",
        "agent c: 2 of 2 nodes are not up",
    ]
