"""What Maui's commands show, over small schedules that can be told by hand."""

import json
from dataclasses import replace
from typing import Any

import pytest

from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.machine import Machine
from molokini.model.reservations import Reservation
from molokini.policies import load_policy
from molokini.policies.maui.configuration.settings import Bucket, Credential, Limit, MauiSettings, Weight
from molokini.policies.maui.configuration.words import Component, Factor, LimitKind, ReservationPolicy
from molokini.reports import REPORTS, report
from molokini.reports.snapshot import Blocked, ClusterSnapshot, ReportRequest
from molokini.reports.stopped import picture_of
from molokini.sim.replay import Options, Replay
from tests.kit.maui import NAMES, maui, nodes
from tests.kit.pictured import JOBS, NUMBERS, SETTINGS, picture
from tests.kit.workloads import Job, workload_of


def shown(name: str, p: ClusterSnapshot | None = None, **asked: Any) -> dict[str, Any]:
    found = report(name, p or picture(), ReportRequest(**asked))
    assert list(found)[:3] == ["schema", "now_s", "policy"]
    return dict(json.loads(json.dumps(found, allow_nan=False)))


def test_the_queue_has_what_runs_what_may_start_and_what_may_not() -> None:
    found = shown("queue")
    [one] = found["active"]
    assert (one["job"], one["user"], one["group"], one["queue"]) == ("1", "ann", "staff", "long")
    assert (one["start_s"], one["remaining_s"], one["processors"]) == (0.0, 40.0, 6)
    assert (one["nodes"], one["partition"]) == ({}, None)
    [two] = found["idle"]
    assert (two["job"], two["queue_time_s"], two["reserved_s"]) == ("2", 50.0, 100.0)
    assert two["expansion_factor"] == pytest.approx((50 + 50) / 50)
    assert found["totals"]["processors_active"] == 6
    assert (found["totals"]["processors"], found["totals"]["nodes"]) == (8, None)


def test_the_queue_of_one_user_and_one_of_its_lists() -> None:
    found = shown("queue", user="bob")
    assert ([one["job"] for one in found["idle"]], found["active"], found["blocked"]) == (["2"], [], [])
    assert (found["user"], found["totals"]["active"], found["totals"]["processors_active"]) == ("bob", 0, 0)
    whole = shown("queue")
    assert set(whole) - set(found) == set()
    for name in ("active", "idle", "blocked"):
        one = shown("queue", by=name)
        assert (one[name], one["totals"]) == (whole[name], whole["totals"])
        assert {"active", "idle", "blocked"} & set(one) == {name}
    with pytest.raises(BadValue, match="active, idle or blocked"):
        shown("queue", by="ready")


@pytest.mark.parametrize(
    ("whose", "jobs"),
    [
        ({"group": "staff"}, ["1", "2", "9"]),
        ({"queue": "long", "user": "ann"}, ["1"]),
        ({"qos": "high"}, []),
        ({"account": "phys"}, ["9"]),
        ({"user": "bob", "account": "phys"}, []),
    ],
)
def test_a_queue_of_credentials_has_jobs_that_have_all(whose: dict[str, str], jobs: list[str]) -> None:
    held = Blocked("9", "held", "held", user="ann", group="staff", account="phys")
    found = shown("queue", replace(picture(), blocked=(held,)), **whose)
    listed = [one["job"] for kind in ("active", "idle", "blocked") for one in found[kind]]
    assert listed == jobs
    assert {name: found[name] for name in whose} == whose
    assert found["totals"]["active"] + found["totals"]["idle"] + found["totals"]["blocked"] == len(jobs)


def test_a_report_knows_the_calendar_where_the_log_or_the_clock_does() -> None:
    assert shown("queue")["calendar_zero_s"] is None
    dated = replace(picture(), second_zero_s=1.7e9)
    assert shown("queue", dated)["calendar_zero_s"] == 1.7e9
    assert shown("queue", replace(picture(), now=1.7e9))["calendar_zero_s"] == 0.0


def test_a_job_beyond_a_hard_limit_is_blocked_and_told_why() -> None:
    limited = MauiSettings(users={"bob": Credential(active={LimitKind.PROCESSORS: Limit(4, 4)})})
    p = picture(settings=limited)
    [two] = shown("blocked", p)["jobs"]
    assert (two["job"], two["rule"]) == ("2", "over-hard-limit")
    assert two["reason"] == "never: the job alone needs 8, the hard limit MaxProcPerUser is 4"
    assert two["what_would_help"] == ["raising the hard limit MaxProcPerUser to 8 or more", "asking for less"]
    assert (two["never"], shown("start", p, job="2")["never"]) == (True, True)
    assert shown("queue", p)["idle"] == []
    assert shown("queue", p)["totals"]["blocked"] == 1
    assert shown("blocked")["jobs"] == []


def test_a_job_beyond_a_limit_with_others_waits_for_their_ends() -> None:
    limited = MauiSettings(groups={"staff": Credential(active={LimitKind.PROCESSORS: Limit(8, 8)})})
    [two] = shown("blocked", picture(settings=limited))["jobs"]
    assert two["reason"] == "the hard limit MaxProcPerGroup would be exceeded (8, 6 in use, 8 requested)"
    assert (two["what_would_help"], two["never"]) == (["the end of running jobs of this group"], False)


def test_the_reason_is_of_the_pass_that_has_looked_last() -> None:
    # The second job is beyond its soft limit, within the hard one, and in the way of a reservation: that is
    # what backfill within hard limits finds, and a higher soft limit would change nothing.
    limited = MauiSettings(groups={"staff": Credential(active={LimitKind.PROCESSORS: Limit(8, 12)})})
    jobs = (Job(0, 100, 6), Job(10, 50, 4))
    kept = Reservation("kept", 8, 0.0, 1000.0, {"user": (str(NAMES["cy"]),)})
    machine = maui(jobs, limited, machine=16, reservations=(kept,))
    machine.run(60.0)
    p = picture_of(machine, 60.0, NUMBERS)
    found = shown("job", p, job="2")
    assert (found["rule"], found["reason"]) == (
        "reserved-for-others",
        "4 processors are requested, 2 are free and not reserved for others: "
        "reservation kept keeps 8 processors until 1000 s",
    )


def test_a_job_of_negative_priority_is_blocked_where_those_are_rejected() -> None:
    p = picture(settings=SETTINGS.choosing(negative_priority=False, reject_negative=True))
    assert [one["rule"] for one in shown("blocked", p)["jobs"]] == ["negative-priority"]
    assert {one["job"] for one in shown("priorities", p)["jobs"]} == {"2", "3"}


def test_priorities_are_told_by_components_that_add_up() -> None:
    found = shown("priorities")
    [two] = found["jobs"]
    points = {name: one["points"] for name, one in two["components"].items()}
    # Bob has had nothing: 2 x (30 - 0); 10 x 7; 60 points a minute that it waits.
    assert points == {"fairshare": 60.0, "credential": 70.0, "service": pytest.approx(50.0)}
    assert two["priority"] == pytest.approx(180.0)
    assert two["components"]["service"]["percent"] == pytest.approx(100 * 50 / 180)
    assert two["components"]["credential"]["factors"] == {"user": 70.0}
    assert found["contribution_percent"]["fairshare"] == pytest.approx(100 * 60 / 180)
    weights = {one["component"]: one for one in found["weights"]}
    assert weights["service"]["factors"]["queue-time"] == 60.0
    assert not two["set_by_hand"]


def test_fairshare_has_windows_and_shares_of_what_was_delivered() -> None:
    found = shown("fairshare")
    # Windows of 50 s: in that of now 6 processors for 10 s; before, 6 for 50 s and 2 for 30 s.
    assert found["total_by_window_hours"] == pytest.approx([60 / 3600, 360 / 3600, 0.0])
    assert found["weights"] == [1.0, 0.5, 0.25]
    assert found["total_hours"] == pytest.approx((60 + 180) / 3600)
    by = {(one["type"], one["name"]): one for one in found["credentials"]}
    ann, high = by["user", "ann"], by["qos", "high"]
    assert (ann["percent"], ann["target"], ann["target_kind"], ann["off_target"]) == (
        100.0,
        50.0,
        "target",
        True,
    )
    assert high["percent"] == pytest.approx(100 * 30 / 240)
    assert high["percent_by_window"] == pytest.approx([0.0, 100 * 60 / 360, 0.0])
    bob = by["user", "bob"]
    assert (bob["percent"], bob["off_target"]) == (0.0, True)


def test_windows_are_wide_and_short_first_and_end_where_reservations_begin() -> None:
    assert [(one["processors"], one["duration_s"]) for one in shown("windows")["windows"]] == [(2, 40.0)]
    assert shown("windows", duration_s=41.0)["windows"] == []
    assert shown("windows", processors=3)["windows"] == []
    empty = picture(now=300.0)
    assert [(one["processors"], one["duration_s"]) for one in shown("windows", empty)["windows"]] == [
        (8, None)
    ]


def test_what_an_administrator_keeps_is_a_window_for_those_alone_whom_it_admits() -> None:
    ours = Reservation("ours", 2, 80.0, 90.0, {"user": (str(NAMES["cy"]),)})
    kept = picture(reservations=[ours])
    assert [(one["processors"], one["duration_s"]) for one in shown("windows", kept)["windows"]] == [
        (2, 20.0)
    ]
    assert [one["duration_s"] for one in shown("windows", kept, user="cy")["windows"]] == [40.0]
    assert [one["duration_s"] for one in shown("windows", kept, user="nobody")["windows"]] == [20.0]
    lines = {one["reservation"]: one for one in shown("reservations", kept)["reservations"]}
    assert (lines["ours"]["type"], lines["ours"]["state"], lines["ours"]["access"]) == (
        "user",
        "idle",
        {"user": ["cy"]},
    )


@pytest.mark.parametrize(
    ("asked", "start_s", "by"),
    [
        ({"job": "1"}, 0.0, "running"),
        ({"job": "2"}, 100.0, "reservation"),
        ({"processors": 2, "duration_s": 40.0}, 60.0, "earliest"),
        ({"processors": 2, "duration_s": 41.0}, 150.0, "earliest"),
        ({"processors": 8, "duration_s": 1.0}, 150.0, "earliest"),
    ],
)
def test_starts_are_reserved_or_the_earliest_beside(asked: dict[str, Any], start_s: float, by: str) -> None:
    found = shown("start", **asked)
    assert (found["start_s"], found["by"]) == (start_s, by)


def test_reservations_are_those_of_active_jobs_and_of_those_promised() -> None:
    lines = [
        (one["reservation"], one["state"], one["start_s"], one["end_s"])
        for one in shown("reservations")["reservations"]
    ]
    assert lines == [("1", "running", 0.0, 100.0), ("2", "idle", 100.0, 150.0)]


def test_statistics_are_of_finished_jobs_and_of_what_is_left() -> None:
    found = shown("statistics", by="user")
    totals = found["totals"]
    assert (totals["jobs_completed"], totals["jobs_successful"], totals["jobs_active"]) == (1, 1, 1)
    assert totals["dedicated_processor_hours"] == pytest.approx(60 / 3600)
    assert totals["backlog_hours"] == pytest.approx((8 * 50 + 6 * 40) / 8 / 3600)
    assert totals["mean_expansion_factor"] == 1.0
    [ann] = found["credentials"]
    assert (ann["name"], ann["jobs_active"], ann["jobs_completed"], ann["fairshare_target"]) == (
        "ann",
        1,
        1,
        50.0,
    )


def test_one_job_has_its_reason_and_the_parts_of_its_priority() -> None:
    found = shown("job", job="2")
    assert (found["rule"], found["in_front"], found["idle_processors"]) == ("reserved-later", 0, 2)
    assert found["priority"] == pytest.approx(sum(part["product"] for part in found["priority_parts"]))
    assert shown("job", job="1")["state"] == "running"


def test_nodes_have_their_jobs() -> None:
    p = picture(machine=nodes(2, 4))
    found = shown("nodes", p)
    assert [(one["state"], one["processors_free"]) for one in found["nodes"]] == [("busy", 0), ("running", 2)]
    assert [one["jobs"] for one in found["nodes"]] == [["1"], ["1"]]
    one = shown("node", p, node="node2")
    assert [(job["job"], job["processors_here"]) for job in one["running"]] == [("1", 2)]
    assert (shown("queue", p)["totals"]["nodes_active"], found["totals"]["processors_free"]) == (2, 2)
    with pytest.raises(UnknownName, match="node9"):
        shown("node", p, node="node9")


def test_under_another_policy_there_is_all_but_priorities_fairshare_and_limits() -> None:
    replay = Replay(
        workload_of(JOBS), Machine.counted(8), load_policy("easy"), options=Options(interpreted=True)
    )
    replay.run(60.0)
    before = replay.tables.copy()
    p = picture_of(replay, 60.0, NUMBERS)
    for name in REPORTS:
        if name in ("priorities", "fairshare", "limits"):
            with pytest.raises(BadValue, match="maui"):
                shown(name, p)
        elif name == "matrix":
            with pytest.raises(BadValue, match="gs, bgs, mgs, mbgs or buddy-gang"):
                shown(name, p)
        elif name != "node":
            shown(name, p, job="2")
    assert (replay.tables.jobs.record == before.jobs.record).all(), "a report changes nothing"


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match="quue"):
        report("quue", picture())
    with pytest.raises(UnknownName, match="17"):
        shown("job", job="17")
    with pytest.raises(BadInput, match="duration"):
        shown("start")
    with pytest.raises(BadValue, match="9"):
        shown("start", processors=9, duration_s=1.0)
    with pytest.raises(BadValue, match="by"):
        shown("statistics", by="colour")


def test_of_a_job_that_a_rule_blocks_no_start_is_told_but_the_rule() -> None:
    limited = MauiSettings(users={"bob": Credential(active={LimitKind.PROCESSORS: Limit(4, 4)})})
    found = shown("start", picture(settings=limited), job="2")
    assert (found["by"], found["start_s"], found["end_s"]) == ("blocked", None, None)
    assert found["rule"] == "over-hard-limit"
    assert "MaxProcPerUser" in found["reason"]
    assert found["otherwise_s"] == 100.0


def test_of_a_job_that_the_policy_does_not_see_its_start_is_told_by_what_keeps_it() -> None:
    held = replace(picture(), blocked=(Blocked("9", "held", "held by user", processors=4, estimate_s=60.0),))
    found = shown("start", held, job="9")
    assert (found["by"], found["start_s"], found["rule"], found["reason"]) == (
        "blocked",
        None,
        "held",
        "held by user",
    )


@pytest.mark.parametrize(
    ("changes", "priority", "bound"),
    [
        (
            {
                "chosen": {**SETTINGS.chosen, "negative_priority": False, "reject_negative": False},
                "factors": {Factor.USER: Weight(-9)},
            },
            1.0,
            "at-least-1",
        ),
        ({"factors": {Factor.USER: Weight(1e9)}}, 1e9, "at-most-1000000000"),
        ({}, None, None),
    ],
)
def test_bounds_are_a_part_of_a_priority(
    changes: dict[str, Any], priority: float | None, bound: str | None
) -> None:
    p = picture(now=60.0, settings=replace(SETTINGS, **changes))
    for one in shown("priorities", p)["jobs"]:
        parts = shown("job", p, job=one["job"])["priority_parts"]
        assert sum(part["product"] for part in parts) == pytest.approx(one["priority"])
        if priority is None:
            assert one["bounds"] is None
        elif one["priority"] == priority:
            assert one["bounds"]["bound"] == bound
    found = {one["priority"]: one["bounds"] for one in shown("priorities", p)["jobs"]}
    assert priority is None or found[priority]["bound"] == bound


def test_what_the_cap_of_a_component_takes_away_is_one_of_its_parts() -> None:
    capped = replace(SETTINGS, components={**SETTINGS.components, Component.CREDENTIAL: Weight(1, cap=50)})
    found = shown("job", picture(settings=capped), job="2")
    parts = {part["subcomponent"]: part for part in found["priority_parts"]}
    assert (parts["user"]["product"], parts["cap"]["product"]) == (70.0, -20.0)
    assert sum(part["product"] for part in parts.values()) == pytest.approx(found["priority"])


@pytest.mark.parametrize(
    ("policy", "firm"), [(ReservationPolicy.CURRENT_HIGHEST, False), (ReservationPolicy.HIGHEST, True)]
)
def test_the_first_reservation_is_firm_unless_all_are(policy: ReservationPolicy, firm: bool) -> None:
    """The second may start later than it says: the one ahead of it may take an earlier place."""
    settings = MauiSettings(buckets=(Bucket(depth=2),), chosen={"reservation": policy})
    replay = maui([Job(0, 100, 6), Job(10, 50, 8), Job(20, 50, 8)], settings)
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS)
    assert [(shown("start", p, job=job)["start_s"], shown("start", p, job=job)["firm"]) for job in "23"] == [
        (100.0, True),
        (150.0, firm),
    ]
    assert "firm" not in shown("start", p, job="1")
