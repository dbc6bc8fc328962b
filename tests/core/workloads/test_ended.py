"""Ended jobs of logs, traces and schedules, and what they add up to by user, class and day."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.workloads.ended import EndedJobs, ended_statistics, profile
from molokini.workloads.ended_readers import read_ended
from tests.core.workloads.builders import log, raw, record
from tests.core.workloads.test_maui_traces import LINE, changed, trace

HOUR = 3600


def lines(found: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in found["by"][kind]}


def test_statistics_leave_out_what_nobody_knows() -> None:
    jobs = EndedJobs(
        np.array([HOUR, np.nan, 0.0]),
        np.array([2.0 * HOUR, HOUR, np.nan]),
        np.array([2, 3, 8]),
        np.array([4.0 * HOUR, HOUR / 2, HOUR]),
    )
    found = ended_statistics(jobs)
    assert (found["jobs_completed"], found["jobs_successful"]) == (3, None)
    assert (found["dedicated_processor_hours"], found["requested_processor_hours"]) == (7.0, 9.5)
    assert (found["mean_queue_hours"], found["mean_expansion_factor"]) == (1.0, 1.5)
    assert found["mean_estimate_accuracy"] == 0.75
    nobody = ended_statistics(jobs.take(np.array([], dtype=np.intp)))
    assert (nobody["jobs_completed"], nobody["mean_queue_hours"], nobody["max_queue_hours"]) == (
        0,
        None,
        None,
    )


def test_a_log_is_told_by_user_group_class_and_day(tmp_path: Path) -> None:
    day = 86400
    path = log(
        tmp_path,
        record(
            number=1, submit_s=0, wait_s=HOUR, run_s=HOUR, processors=4, user=7, group=2, queue=1, status=1
        ),
        record(
            number=2, submit_s=10, wait_s=0, run_s=2 * HOUR, processors=1, user=8, group=2, queue=1, status=0
        ),
        record(
            number=3, submit_s=day, wait_s=0, run_s=HOUR, processors=2, user=7, group=2, queue=-1, status=1
        ),
        record(number=4, submit_s=day, wait_s=-1, run_s=0, processors=2, user=7, group=2, queue=1, status=5),
    )
    jobs = read_ended(str(path))
    assert (len(jobs), jobs.calendar, jobs.skipped) == (3, "seconds of the log", {"never_started": 1})
    found = profile(jobs, ["user", "group", "class", "day"])
    seven, eight = lines(found, "user")["7"], lines(found, "user")["8"]
    assert list(lines(found, "user")) == ["7", "8"], "those with the most work first"
    assert (seven["dedicated_processor_hours"], seven["share_of_processor_hours"]) == (6.0, 0.75)
    assert (seven["mean_queue_hours"], seven["mean_expansion_factor"], seven["jobs_successful"]) == (
        0.5,
        1.5,
        2,
    )
    assert (eight["jobs_successful"], eight["backfilled_share"]) == (0, None)
    assert {name: one["jobs_completed"] for name, one in lines(found, "class").items()} == {"1": 2, "": 1}
    assert list(lines(found, "day")) == ["day 0", "day 1"]
    for told in found["by"].values():
        for name in ("jobs_completed", "dedicated_processor_hours"):
            assert sum(one[name] for one in told) == found["totals"][name]
    with pytest.raises(BadValue, match="user, group, class, day"):
        profile(jobs, ["account"])


def test_days_of_a_log_are_those_of_its_calendar(tmp_path: Path) -> None:
    # 2001-09-09 01:46:40 UTC; in Stockholm it is two hours later, and the job ends after midnight there.
    head = "; UnixStartTime: 1000000000\n; TimeZoneString: Europe/Stockholm\n"
    line = "1 {submit} 0 100 1 -1 -1 1 100 -1 1 7 1 -1 1 -1 -1 -1\n"
    text = head + line.format(submit=0) + line.format(submit=20 * HOUR + 1000).replace("1 ", "2 ", 1)
    jobs = read_ended(str(raw(tmp_path, text.encode(), "dated.swf")))
    assert jobs.calendar == "Europe/Stockholm"
    assert [one["name"] for one in profile(jobs, ["day"])["by"]["day"]] == ["2001-09-09", "2001-09-10"]


def test_a_trace_knows_accounts_and_who_was_backfilled(tmp_path: Path) -> None:
    plain = changed(changed(LINE, 25, "[NONE]"), 26, "acct2")
    idle = changed(changed(changed(LINE, 7, "NotRun"), 11, "0"), 12, "0")
    jobs = read_ended(str(trace(tmp_path, LINE, plain, idle, "too few words")))
    assert jobs.skipped == {"never_started": 1, "wrong_field_count": 1}
    found = profile(jobs, ["account", "qos", "day"])
    assert {name: one["backfilled_share"] for name, one in lines(found, "account").items()} == {
        "acct1": 1.0,
        "acct2": 0.0,
    }
    assert (found["totals"]["backfilled_share"], found["totals"]["jobs_successful"]) == (0.5, 2)
    assert found["totals"]["dedicated_processor_hours"] == 2 * 4 * 1800 / HOUR
    assert list(lines(found, "qos")) == ["std"]
    assert list(lines(found, "day")) == ["2001-09-09"]
    with pytest.raises(BadFile, match="fields"):
        read_ended(str(trace(tmp_path, LINE, "too few words")), strict=True)
    assert read_ended(str(trace(tmp_path, plain))).backfilled is None, "nobody has noted any"


def test_a_daily_file_is_known_by_its_records_and_a_log_too(tmp_path: Path) -> None:
    daily = raw(tmp_path, f"VERSION 230\n{LINE}\n".encode(), "Sun_Sep_09_2001")
    assert "account" in read_ended(str(daily)).names
    plain = log(tmp_path, record(user=7), name="accounting")
    assert list(read_ended(str(plain)).names) == ["user", "day"]


SCHEDULE = """job,submit_s,start_s,end_s,processors,estimate_s,run_s,suspended_s
1,0,3600,7200,4,3600,3600,0
2,10,10,7210,1,7200,7200,0
3,20,,,2,3600,,
"""


def test_a_schedule_has_days_and_with_its_log_users(tmp_path: Path) -> None:
    path = str(raw(tmp_path, SCHEDULE.encode(), "s.csv"))
    jobs = read_ended(path)
    assert (list(jobs.names), jobs.skipped) == (["day"], {"not_finished": 1})
    whole = profile(jobs, ["day"])["totals"]
    assert (whole["mean_queue_hours"], whole["dedicated_processor_hours"]) == (0.5, 6.0)
    logged = log(tmp_path, *(record(number=number, user=number % 2) for number in (1, 2, 3)))
    found = profile(read_ended(path, str(logged)), ["user"])
    assert {name: one["mean_queue_hours"] for name, one in lines(found, "user").items()} == {
        "0": 0.0,
        "1": 1.0,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("job,submit_s\n1,2\n", "column 'start_s' of a schedule is missing"),
        (SCHEDULE + "4,x,1,2,1,1,1,0\n", "a number, or nothing"),
        (SCHEDULE + "4,1\n", "a number, or nothing"),
        (SCHEDULE + "9,0,1,2,1,1,1,0\n", "job 9 is not in the log"),
    ],
)
def test_a_schedule_that_is_none_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    path = str(raw(tmp_path, text.encode(), "bad.csv"))
    logged = log(tmp_path, *(record(number=number) for number in (1, 2, 3)))
    with pytest.raises(BadFile, match=words):
        read_ended(path, str(logged))


def test_a_log_goes_with_a_schedule_alone(tmp_path: Path) -> None:
    path = str(log(tmp_path, record()))
    with pytest.raises(BadInput, match="--log is of a schedule"):
        read_ended(path, path)
