"""The study of co-allocation: it is found, its cases run, and what does not depend on chance is right."""

import re
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from molokini.metrics.capacity import full_queue
from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.studies.bucur2001_coallocation.coallocation_cases import (
    POLICY,
    Example,
    Full,
    Loaded,
    cases,
    curve,
    mix_of,
    run,
)
from molokini.studies.bucur2001_coallocation.coallocation_claims import met
from molokini.studies.bucur2001_coallocation.freed import freed_share, placements
from molokini.studies.catalogue import names, study_of
from molokini.studies.claims import Verdict
from molokini.studies.replays import jobs_of_model
from molokini.studies.report import report_of
from molokini.studies.running import run_study
from molokini.studies.study import Point, Size

NAME = "bucur2001-coallocation"


def test_it_is_found_by_its_name() -> None:
    assert NAME in names()
    assert study_of(NAME).name == NAME


def test_every_case_stands_once() -> None:
    assert len(cases()) == len(set(cases()))


@pytest.mark.parametrize(
    ("spread", "row"),
    [
        ("balance", {"messages": 216, "messages_a_task": 12, "messages_of_the_longest": 12}),
        ("fill", {"messages": 192, "messages_a_task": 192 / 18, "messages_of_the_longest": 16}),
    ],
)
def test_the_numerical_example(spread: str, row: dict[str, float]) -> None:
    assert run(Point(Example(spread), 1, 1.0)) == row


def test_communication_makes_less_of_the_machine_compute() -> None:
    without, slow = (run(Point(Full("ordered", ratio), 1, 0.02)) for ratio in (0, 100))
    assert without["held"] == pytest.approx(without["computing"])
    assert slow["held"] is not None
    assert slow["computing"] is not None
    assert slow["computing"] < slow["held"] / 1.5


def test_more_load_is_more_utilization() -> None:
    less, more = (run(Point(Loaded("flexible", load), 1, 0.02)) for load in (0.2, 0.4))
    assert less["utilization"] == pytest.approx(0.2, abs=0.05)
    assert more["utilization"] == pytest.approx(0.4, abs=0.08)
    assert (less["response_s"] or 0) < (more["response_s"] or 0)


def test_mixes_and_their_curves() -> None:
    assert [mix_of(percent) for percent in (0, 10, 100)] == [
        "flexible",
        "ordered:0.1,flexible:0.9",
        "ordered",
    ]
    assert {point.mix for point in curve(mix_of(90))} == {mix_of(90)}


def test_what_meets_table_1() -> None:
    assert met(0.031, 0.0387)
    assert not met(0.031, 0.0231)
    assert met(0.00006, 0.002)
    assert not met(0.00006, -0.002)


@pytest.mark.deep
def test_all_of_it_is_judged(tmp_path: Path) -> None:
    study = study_of(NAME)
    report = report_of(run_study(study, Size("tiny", 2, 0.005), tmp_path, 1))
    assert sum(report.verdicts.values()) == len(study.claims)
    assert report.verdicts[Verdict.UNTESTABLE] == 0
    assert report.findings[0][1].verdict is Verdict.HOLDS
    assert [picture.name for picture in report.pictures] == [f"figure-{k}" for k in (1, 2, 4, 5, 6, 7)]


def test_the_page_in_docs_is_of_a_full_run_and_shows_what_exists() -> None:
    pages = Path(__file__).parents[2] / "docs" / "studies"
    text = (pages / f"{NAME}.md").read_text()
    count = len(cases())
    assert f": {count:,} cases with seeds 1 to " in text
    for claim in study_of(NAME).claims:
        assert f"| {claim.place} | {claim.text} | **" in text
    shown = set(re.findall(rf"\]\(({NAME}/[^)]+)\)", text))
    assert len(shown) == 6
    for picture in shown:
        assert (pages / picture).is_file()


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["ordered", "unordered", "flexible"])
def test_only_shorter_times_of_wide_jobs_have_the_sign_of_table_1(kind: str) -> None:
    compared = (Full(kind, 100, iterations="given-up"), Full(kind, 0), Full(kind, 100))
    given_up, without, added = (run(Point(case, 1, 0.1))["held"] or 0.0 for case in compared)
    assert given_up < without < added


@pytest.mark.parametrize("kind", ["ordered", "unordered"])
def test_what_the_head_is_denied_by_looking_at_every_moment(kind: str) -> None:
    """Against plain loops: between any two events, who holds what and where the head could go."""
    workload = jobs_of_model("das", "bucur2001", 3, jobs=120, mix=kind, ratio=50)
    values = load_policy(POLICY).declaration.values({})
    assert workload.platform is not None
    assert workload.components is not None
    schedule = full_queue(workload, Machine.of_platform(workload.platform), load_policy(POLICY), values)
    where = placements(schedule, workload.components, 4, 8).tolist()
    start, end = schedule.start_s.tolist(), schedule.end_s.tolist()
    computed = (schedule.end_s - workload.run_s).tolist()
    events = sorted({*start, *end, *computed})
    last, area = max(start), 0.0
    for one, two in pairwise(events):
        now = (one + two) / 2
        head = next((job for job in range(120) if start[job] > now), None)
        if head is None or now > last:
            continue
        idle, stepping = [8] * 4, [0] * 4
        for job in range(120):
            for cluster in range(4):
                idle[cluster] -= where[job][cluster] * (start[job] < now < end[job])
                stepping[cluster] += where[job][cluster] * (start[job] < now < computed[job])
        assert min(idle) >= 0
        if sum(idle) < sum(where[head]):
            continue
        asked = [where[head]] if kind == "ordered" else list(permutations(where[head]))
        could = [
            sum(max(0, want - free) for want, free in zip(wants, idle, strict=True))
            for wants in asked
            if all(want <= free + more for want, free, more in zip(wants, idle, stepping, strict=True))
        ]
        area += (two - one) * (sum(could) / len(could) if could else 0.0)
    assert area > 0
    assert freed_share(schedule, 4, 8) == pytest.approx(area / 32 / last)


def test_without_communication_nobody_is_denied_anything_by_it() -> None:
    for kind in ("ordered", "unordered", "flexible", "total"):
        assert run(Point(Full(kind, 0), 1, 0.02))["freed"] == 0.0
    assert run(Point(Full("flexible", 100), 1, 0.02))["freed"] == 0.0
    assert run(Point(Full("ordered", 100, iterations="given-up"), 1, 0.02))["freed"] is None


def test_jobs_without_a_component_for_each_cluster_are_refused() -> None:
    workload = jobs_of_model("das", "bucur2001", 3, jobs=20, mix="flexible", ratio=50)
    assert workload.platform is not None
    policy = load_policy(POLICY)
    schedule = full_queue(
        workload, Machine.of_platform(workload.platform), policy, policy.declaration.values({})
    )
    with pytest.raises(BadValue, match="a component for each cluster"):
        freed_share(schedule, 4, 8)


def test_what_else_may_be_compared_at_full_queues() -> None:
    # Without communication sizes and times are independent: all of them are the share that is held.
    row = run(Point(Full("total", 0), 1, 0.1))
    assert row["computing"] == row["held"]
    assert row["product"] == pytest.approx(row["held"], abs=0.02)
    assert 0.7 < (row["before_ends"] or 0.0) < 0.8
