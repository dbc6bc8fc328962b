"""What reports say of partitions: where nodes are, who may use them, and what is free there."""

from typing import Any

import pytest

from molokini.model.errors import UnknownName
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.states import NodeState
from molokini.policies.maui.configuration.configured import Configured
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import Credential, MauiSettings
from molokini.policies.maui.configuration.words import Allocation
from molokini.reports import report
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from molokini.reports.stopped import picture_of
from tests.kit.maui import Whose, maui, nodes
from tests.kit.pictured import NUMBERS
from tests.kit.workloads import Job

NAMES = ["n1", "n2", "n3"]
HALVES = MauiSettings(
    users={"ann": Credential(partition_list=("old",)), "cy": Credential(partition_list=("gone",))},
    nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines={"n2": NodeLine(partition="old")}),
)
# One of ann on 3 of old's 4 processors up to 100, and one that waits for it; one of bob on DEFAULT's 8.
JOBS = (Job(0, 100, 3), Job(1, 50, 2), Job(2, 300, 6))
WHOSE = (Whose("ann"), Whose("ann"), Whose("bob"))


def picture(settings: MauiSettings = HALVES) -> ClusterSnapshot:
    replay = maui(JOBS, settings, WHOSE, machine=nodes(3, 4))
    replay.run(60.0)
    return picture_of(replay, 60.0, NUMBERS, NAMES, Configured(settings=settings))


def test_nodes_say_in_which_they_are() -> None:
    found = report("nodes", picture())["nodes"]
    assert [one["partition"] for one in found] == ["DEFAULT", "old", "DEFAULT"]
    assert [one["partition"] for one in report("nodes", picture(MauiSettings()))["nodes"]] == [None] * 3


def test_a_job_says_which_it_may_use_and_why_it_does_not_run_in_each() -> None:
    found = report("job", picture(), ReportRequest(job="2"))
    assert found["partitions"] == ["old"]
    assert found["by_partition"] == [
        {
            "partition": "DEFAULT",
            "may_use": False,
            "processors": 8,
            "processors_free": 2,
            "reason": "the job may not use it",
        },
        {
            "partition": "old",
            "may_use": True,
            "processors": 4,
            "processors_free": 1,
            "reason": "insufficient idle processors: 1 of 2",
        },
    ]
    assert report("job", picture(), ReportRequest(job="3"))["partitions"] == ["DEFAULT", "gone", "old"]
    assert report("job", picture(MauiSettings()), ReportRequest(job="3"))["partitions"] is None


def test_a_job_is_told_of_each_class_of_nodes_why_no_task_of_it_fits() -> None:
    default, old = report("job", picture(), ReportRequest(job="2"))["by_node_class"]
    assert (default["partition"], default["nodes"], default["processors_each"]) == ("DEFAULT", 2, 4)
    assert default["reasons"] == {"the job may not use the partition": 2}
    assert (old["partition"], old["nodes_with_room"], old["tasks_now"], old["reasons"]) == ("old", 1, 1, {})
    assert report("job", picture(), ReportRequest(job="3"))["by_node_class"] == []


def test_a_full_node_and_one_that_is_down_are_told_apart() -> None:
    replay = maui((Job(0, 100, 4), Job(1, 50, 12)), MauiSettings(), WHOSE[:2], machine=nodes(3, 4))
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS, NAMES)
    p.tables.nodes.state[1] = NodeState.DOWN
    [one] = report("job", p, ReportRequest(job="2"))["by_node_class"]
    assert one["reasons"] == {"down": 1, "too few processors free now": 1}
    assert (one["nodes"], one["nodes_with_room"], one["tasks_now"]) == (3, 1, 4)


def test_the_queue_of_one_has_who_runs_there_and_who_may() -> None:
    found = report("queue", picture(), ReportRequest(partition="old"))
    assert [[one["job"] for one in found[kind]] for kind in ("active", "idle", "blocked")] == [
        ["1"],
        ["2"],
        [],
    ]
    assert found["totals"] == {
        "active": 1,
        "idle": 1,
        "blocked": 0,
        "processors_active": 3,
        "processors": 4,
        "nodes_active": 1,
        "nodes": 1,
    }
    [one] = found["active"]
    assert (one["nodes"], one["partition"]) == ({"n2": 3}, "old")
    other = report("queue", picture(), ReportRequest(partition="DEFAULT"))
    assert [[one["job"] for one in other[kind]] for kind in ("active", "idle")] == [["3"], []]
    with pytest.raises(UnknownName, match="no partition named 'odl'"):
        report("queue", picture(), ReportRequest(partition="odl"))


def test_the_queue_of_one_has_the_held_jobs_that_may_run_there() -> None:
    jobs, whose = (*JOBS, Job(3, 50, 8)), (*WHOSE, Whose("bob"))
    holds = [AgendaEvent(1.5, EventKind.HELD, 1), AgendaEvent(3.5, EventKind.HELD, 3)]
    replay = maui(jobs, HALVES, whose, machine=nodes(3, 4), facts=holds)
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS, NAMES, Configured(settings=HALVES))

    def held(partition: str = "", user: str = "") -> list[str]:
        found = report("queue", p, ReportRequest(partition=partition, user=user))
        assert found["totals"]["blocked"] == len(found["blocked"])
        return [one["job"] for one in found["blocked"]]

    # Ann may use old alone; bob may use all.
    assert (held(), held("old"), held("DEFAULT")) == (["2", "4"], ["2", "4"], ["4"])
    assert (held("old", "ann"), held("DEFAULT", "ann")) == (["2"], [])


def test_each_has_its_nodes_processors_and_jobs() -> None:
    default, gone, old = report("partitions", picture())["partitions"]
    names = ("partition", "nodes", "processors", "processors_free", "jobs_active", "jobs_waiting")
    assert [old[name] for name in names] == ["old", 1, 4, 1, 1, 1]
    assert [default[name] for name in names] == ["DEFAULT", 2, 8, 2, 1, 0]
    assert (gone["nodes"], gone["processors_up"]) == (0, 0)
    assert report("partitions", picture(), ReportRequest(partition="old"))["partitions"] == [old]


def test_windows_of_one_are_no_wider_than_what_is_free_there() -> None:
    def windows(partition: str) -> list[tuple[int, float | None]]:
        found = report("windows", picture(), ReportRequest(partition=partition))
        return [(one["processors"], one["duration_s"]) for one in found["windows"]]

    assert windows("old") == [(1, None)]
    assert windows("DEFAULT") == [(2, None)]
    assert windows("gone") == []
    # No job spans partitions.
    assert windows("") == [(2, None)]
    with pytest.raises(UnknownName):
        windows("none")


def test_a_reservation_is_in_the_way_in_its_partition_alone() -> None:
    """Ann's third job has all of old reserved from 100 on, for ever so long; DEFAULT knows nothing of it."""
    jobs = (Job(0, 100, 3), Job(1, 500, 4), Job(2, 300, 6))
    replay = maui(jobs, HALVES, WHOSE, machine=nodes(3, 4))
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS, NAMES, Configured(settings=HALVES))

    def windows(partition: str) -> list[tuple[int, float | None]]:
        found = report("windows", p, ReportRequest(partition=partition))
        return [(one["processors"], one["duration_s"]) for one in found["windows"]]

    assert windows("old") == [(1, 40.0)]
    assert windows("DEFAULT") == [(2, None)]
    held = {one["reservation"]: one["nodes"] for one in report("reservations", p)["reservations"]}
    assert held["2"] == {"n2": 4}

    def start(processors: int, duration_s: float, user: str = "") -> float:
        asked = ReportRequest(processors=processors, duration_s=duration_s, user=user)
        return float(report("start", p, asked)["start_s"])

    def inside(**asked: Any) -> str | None:
        found: str | None = report("start", p, ReportRequest(**asked))["partition"]
        return found

    assert (inside(job="1"), inside(job="2"), inside(job="3")) == ("old", "old", "DEFAULT")
    assert inside(processors=2, duration_s=41.0, user="bob") == "DEFAULT"
    assert inside(processors=1, duration_s=40.0, user="ann") == "old"
    assert (start(1, 40, "ann"), start(1, 41, "ann"), start(2, 1, "ann")) == (60, 600, 600)
    assert (start(2, 41, "bob"), start(3, 41, "bob"), start(4, 40)) == (60, 302, 302)
    assert report("start", p, ReportRequest(job="2"))["start_s"] == 100


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_reservation_of_any_width_says_on_which_node_it_is(width: int) -> None:
    jobs = (Job(0, 100, 4), Job(1, 500, width))
    replay = maui(jobs, HALVES, WHOSE[:2], machine=nodes(3, 4))
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS, NAMES, Configured(settings=HALVES))
    found = report("reservations", p)["reservations"]
    assert [one["nodes"] for one in found] == [{"n2": 4}, {"n2": width}]


def test_windows_are_of_one_partition_that_the_asker_may_use_and_start_agrees() -> None:
    """Old has 3 free up to 100, when ann's job has all of it reserved; DEFAULT has 2."""
    jobs = (Job(0, 100, 1), Job(1, 500, 4), Job(2, 300, 6))
    replay = maui(jobs, HALVES, WHOSE, machine=nodes(3, 4))
    replay.run(60.0)
    p = picture_of(replay, 60.0, NUMBERS, NAMES, Configured(settings=HALVES))

    def windows(user: str = "", partition: str = "") -> list[tuple[int, float | None]]:
        found = report("windows", p, ReportRequest(user=user, partition=partition))
        return [(one["processors"], one["duration_s"]) for one in found["windows"]]

    assert windows() == windows("bob") == [(3, 40.0), (2, None)]
    assert windows("ann") == windows("ann", "old") == [(3, 40.0)]
    assert windows("ann", "DEFAULT") == []
    for user in ("", "ann", "bob"):
        for width, length_s in windows(user):
            asked = ReportRequest(processors=width, duration_s=length_s or 1e6, user=user)
            assert report("start", p, asked)["start_s"] == 60
            assert (
                report("start", p, ReportRequest(processors=width + 1, duration_s=100, user=user))["start_s"]
                != 60
            )
