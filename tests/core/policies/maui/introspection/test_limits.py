"""Limits beside what is used of them, against schedules that can be told by hand."""

from typing import Any

import pytest

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue
from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, PairLimit, Qos
from molokini.policies.maui.configuration.words import LimitKind
from molokini.reports import report
from molokini.reports.snapshot import ReportRequest
from molokini.reports.stopped import picture_of
from tests.kit.maui import Whose, maui, nodes
from tests.kit.pictured import NUMBERS
from tests.kit.workloads import Job

# At 60 s ann has 6 of 12 processors to 100 s; one of hers waits for room, and one is wider than she may have.
# Bob, who has no line, has 4 to 210 s.
JOBS = (Job(0, 100, 6), Job(10, 200, 4), Job(20, 50, 3), Job(30, 50, 11))
WHOSE = (Whose("ann"), Whose("bob"), Whose("ann"), Whose("ann"))
LIMITED = MauiSettings(
    users={
        "ann": Credential(
            priority=5,
            active={LimitKind.PROCESSORS: Limit(8, 9), LimitKind.PROCESSOR_SECONDS: Limit(600, 600)},
            idle={LimitKind.JOBS: 3},
            max_processors_per_job=30,
            qos_default="high",
        ),
        "cy": Credential(active={LimitKind.JOBS: Limit(1, 1)}),
    },
    qos={"high": Qos(active_override={LimitKind.JOBS: Limit(2, 3)})},
)


def shown(settings: MauiSettings = LIMITED, **asked: Any) -> dict[str, dict[str, Any]]:
    replay = maui(JOBS, settings, WHOSE, machine=12)
    replay.run(60.0)
    found = report("limits", picture_of(replay, 60.0, NUMBERS), ReportRequest(**asked))
    return {one["name"]: one for one in found["credentials"]}


def test_a_limit_stands_beside_what_the_jobs_that_run_use() -> None:
    found = shown(by="user")
    assert list(found) == ["ann", "bob", "cy"]
    ann = found["ann"]
    limits = {one["limit"]: (one["soft"], one["hard"], one["used"]) for one in ann["limits"]}
    assert limits["MAXPROC"] == (8, 9, 6)
    # Its estimate leaves 40 s of the 6 processors.
    assert limits["MAXPS"] == (600, 600, 240)
    assert limits["MAXPROCPERJOB"] == (30, 30, None)
    assert (ann["jobs_active"], ann["processors_active"], ann["priority"]) == (1, 6, 5)
    assert (ann["jobs_idle"], ann["jobs_blocked"], ann["qos_default"]) == (1, 1, "high")
    assert limits["MAXIJOB"] == (3, 3, 1)
    bob = found["bob"]
    assert (bob["jobs_active"], bob["processors_active"], bob["limits"]) == (1, 4, [])


@pytest.mark.parametrize(("end_s", "used"), [(60.5, 3), (60.0, 0), (50.0, 0)])
def test_a_job_that_runs_on_past_its_estimate_has_nothing_left_to_use(end_s: float, used: float) -> None:
    replay = maui(JOBS, LIMITED, WHOSE, machine=12)
    replay.run(60.0)
    jobs = replay.tables.jobs
    jobs.expected_end_s[jobs.number == 1] = end_s
    [ann] = report("limits", picture_of(replay, 60.0, NUMBERS), ReportRequest(by="user", user="ann"))[
        "credentials"
    ]
    assert {one["limit"]: one["used"] for one in ann["limits"]}["MAXPS"] == used


def test_who_has_a_line_and_no_job_is_shown_with_nothing_in_use() -> None:
    [limit] = shown(by="user")["cy"]["limits"]
    assert limit == {"limit": "MAXJOB", "of": "jobs", "soft": 1, "hard": 1, "used": 0}


def test_a_qos_shows_what_it_puts_in_the_place_of_the_limits_of_others() -> None:
    found = shown(by="qos")
    assert found["high"]["jobs_active"] == 1
    assert found["high"]["limits"] == [{"limit": "OMAXJOB", "of": "jobs", "soft": 2, "hard": 3, "used": None}]


def test_one_name_alone_and_no_such_type() -> None:
    assert list(shown(by="user", user="ann")) == ["ann"]
    assert set(shown()) >= {"ann", "bob", "cy", "high"}
    with pytest.raises(BadValue, match="queue"):
        shown(by="colour")


def test_each_user_of_a_class_counts_by_himself_in_a_limit_of_pairs() -> None:
    pair = PairLimit(LimitKind.PROCESSORS, CredentialType.USER, Limit(8, 8))
    settings = MauiSettings(groups={"staff": Credential(pairs=(pair,))})
    whose = tuple(Whose(one.user, "staff") for one in WHOSE)
    replay = maui(JOBS, settings, whose, machine=12)
    replay.run(60.0)
    found = report("limits", picture_of(replay, 60.0, NUMBERS), ReportRequest(by="group"))["credentials"]
    pairs = {one["pair_name"]: one["limits"] for one in found if one["pair_name"]}
    assert {name: one["used"] for name, [one] in pairs.items()} == {"ann": 6, "bob": 4}
    assert {one["limit"] for [one] in pairs.values()} == {"MAXPROC[USER]"}


def test_everything_is_in_the_partition_default_where_there_are_none() -> None:
    replay = maui(JOBS[:2], MauiSettings(), WHOSE[:2], machine=nodes(4, 4))
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS)
    [only] = report("partitions", p)["partitions"]
    assert only == {
        "partition": "DEFAULT",
        "nodes": 4,
        "nodes_up": 4,
        "processors": 16,
        "processors_up": 16,
        "processors_free": 6,
        "jobs_active": 2,
        "jobs_waiting": 0,
    }
    for name in ("queue", "windows", "partitions"):
        assert report(name, p, ReportRequest(partition="DEFAULT")) == report(name, p)
