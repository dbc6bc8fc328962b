from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from molokini.metrics import breakdown, measure, number
from molokini.metrics.breakdown import every_class, size_class, size_class_name
from molokini.model.errors import UnknownName
from molokini.sim.schedule import Schedule
from tests.kit.schedules import Ran, schedule, schedules

STORY = schedule(
    Ran(0, 0, 30, processors=1, user=7, queue=2),
    Ran(0, 10, 600, processors=3, user=5, queue=2),
    Ran(0, 20, 90000, processors=4, user=7, queue=1),
    Ran(9, None, 5, processors=2, user=1),
)


def test_size_classes_are_powers_of_two() -> None:
    sizes = np.array([1, 2, 3, 4, 5, 8, 9, 1024, 1025])
    assert [size_class_name(int(index)) for index in size_class(sizes)] == [
        *("1", "2", "3-4", "3-4", "5-8", "5-8", "9-16"),
        *("513-1024", "1025-2048"),
    ]


@pytest.mark.parametrize(
    ("by", "classes"),
    [
        ("size", {"1": 1, "3-4": 2}),
        ("user", {"5": 1, "7": 2}),
        ("queue", {"1": 1, "2": 2}),
        ("run_time", {"under 1 min": 1, "10-60 min": 1, "1 day or more": 1}),
    ],
)
def test_rows_in_order_with_counts(by: str, classes: dict[str, int]) -> None:
    assert {row["class"]: row["jobs"] for row in breakdown(STORY, by)} == classes
    assert [row["class"] for row in breakdown(STORY, by)] == list(classes)


def test_a_class_is_called_as_the_log_calls_it() -> None:
    names = {"user": ("", *(f"u{number}" for number in range(1, 7)))}
    workload = replace(STORY.workload, names=names, group=np.full(4, -1))
    named = replace(STORY, workload=workload)
    # The names end at 6; what has none goes by its number.
    assert [(row["class"], row["name"]) for row in breakdown(named, "user")] == [("5", "u5"), ("7", "7")]
    assert [row["name"] for row in breakdown(named, "queue")] == ["1", "2"]
    assert [(row["class"], row["name"]) for row in breakdown(named, "group")] == [("-1", "unknown")]
    assert [(row["class"], row["name"]) for row in breakdown(named, "size")] == [("1", "1"), ("3-4", "3-4")]


def test_metrics_of_a_class_are_those_of_its_jobs() -> None:
    of_user_7 = breakdown(STORY, "user")[1]
    assert of_user_7["mean_wait_s"] == 10
    assert of_user_7["share_of_jobs"] == pytest.approx(2 / 3)
    assert of_user_7["share_of_work"] == pytest.approx((30 + 360000) / (30 + 1800 + 360000))


def test_nothing_finished_gives_no_rows() -> None:
    assert breakdown(schedule(Ran(0, None, 5))) == []


def test_no_work_has_no_share() -> None:
    assert breakdown(schedule(Ran(0, 0, 0)))[0]["share_of_work"] is None


def test_unknown_breakdown() -> None:
    with pytest.raises(UnknownName, match="run_time"):
        breakdown(STORY, "runtime")


@given(schedules())
def test_the_classes_together_are_the_whole(story: Schedule) -> None:
    rows = breakdown(story, "size")
    counts = [row["jobs"] for row in rows]
    means = [row["mean_wait_s"] for row in rows]
    total = sum(
        c * m for c, m in zip(counts, means, strict=True) if isinstance(c, int) and isinstance(m, float)
    )
    assert total / len(story.workload) == pytest.approx(number(measure(story), "mean_wait_s"))


def test_of_each_class_the_row_of_the_policy_under_which_most_ended() -> None:
    """The second has a class more; of what both have, each time the fuller row, in the order of classes."""
    one = [{"class": "1", "jobs": 5}, {"class": "3-4", "jobs": 9}]
    other = [{"class": "1", "jobs": 6}, {"class": "2", "jobs": 1}, {"class": "3-4", "jobs": 8}]
    found = every_class({"one": one, "other": other})
    assert [(row["class"], row["jobs"]) for row in found] == [("1", 6), ("2", 1), ("3-4", 9)]
