import json

import numpy as np
import pytest
from hypothesis import given

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.calendar import calendar, instant_in_log
from molokini.workloads.downtime import downtimes
from molokini.workloads.fits.fitting import fit_log
from molokini.workloads.header import parse_header
from molokini.workloads.statistics.all import statistics
from molokini.workloads.statistics.people import (
    correlations,
    estimate_quality,
    memory,
    run_by_size,
    top_users,
    zipf,
)
from molokini.workloads.statistics.rhythm import hours_of_week, queue_against_load, weeks
from molokini.workloads.tools.cleaning import clean
from molokini.workloads.tools.merging import merge
from molokini.workloads.tools.selecting import select
from molokini.workloads.tools.splitting import SplitRequest, split
from molokini.workloads.tools.whole import WholeLog
from tests.core.workloads.builders import workload
from tests.core.workloads.tools.small_logs import DATED, log_of, logs
from tests.kit.workloads import Job, job_lists, workload_of

DAY_S = 86400.0
STOCKHOLM = parse_header(DATED)


def test_summer_time_ends_within_a_log() -> None:
    # Second 0 is Monday 14:00:31; clocks went back on Sunday 27 October 1996 at 3:00.
    before = instant_in_log(STOCKHOLM, "1996-10-27 01:30:00")
    after = instant_in_log(STOCKHOLM, "1996-10-27 12:00:00")
    assert before is not None
    assert after is not None
    assert after - before == 11.5 * 3600
    found = calendar(STOCKHOLM, np.array([0.0, before, after, after + 12 * 3600]))
    assert found.hour.tolist() == [14, 1, 12, 0]
    assert found.weekday.tolist() == [0, 6, 6, 0]
    assert found.week.tolist() == [found.week[0], found.week[0] + 4, found.week[0] + 4, found.week[0] + 5]
    assert np.diff(found.month).tolist() == [1, 0, 0]


def test_without_a_date_days_are_those_of_the_log() -> None:
    found = calendar(parse_header(()), np.array([0.0, 6 * DAY_S, 7 * DAY_S + 3600]))
    assert (found.weekday.tolist(), found.hour.tolist(), found.week.tolist()) == (
        [0, 6, 0],
        [0, 0, 1],
        [0, 0, 1],
    )
    assert not found.dated


def test_downtime_is_a_gap_that_is_long_for_its_hour() -> None:
    gaps = [600.0] * 432 + [7300.0] + [600.0] * 432 + [12_100.0] + [600.0] * 432
    submit_s = np.concatenate([[0.0], np.cumsum(gaps)])
    hour = (submit_s // 3600 % 24).astype(np.int64)
    found = downtimes(submit_s, hour)
    # 20 medians of 600 s are 12,000 s: the first long gap is none.
    assert found.length_s.tolist() == [12_100.0]
    assert found.kept(len(gaps)).sum() == len(gaps) - 1
    assert len(downtimes(np.empty(0), np.empty(0, np.int64))) == 0


def test_hours_of_the_week_are_means_over_its_days() -> None:
    log = workload(*((day * DAY_S + 3600.0 * 5, 1, 1) for day in (0, 7, 7, 14)))
    found = hours_of_week(log)
    assert found["jobs_per_hour"][0][5] == pytest.approx(4 / 3)
    assert sum(map(sum, found["jobs_per_hour"])) == pytest.approx(4 / 3)
    assert found["days"][0] == "day 1"


def test_load_of_weeks() -> None:
    log = workload((0, 604_800, 2), (604_800, 302_400, 2), (604_800 * 1.5, 0, 1), header=("; MaxProcs: 4",))
    found = weeks(log)
    assert [one["jobs"] for one in found] == [1, 2]
    assert [one["offered_load"] for one in found] == [0.5, 0.5]


def test_queue_against_load_as_the_log_tells() -> None:
    header = ("; MaxProcs: 4",)
    rows = [(0, 0, 100, 4), (10, 90, 50, 4), (20, 130, 10, 1), (160, 0, 5, 1)]
    log = log_of(
        *(
            {"submit_s": submit, "wait_s": wait, "run_s": run, "requested_processors": width}
            for submit, wait, run, width in rows
        ),
        header=header,
    ).jobs()
    found = queue_against_load(log)
    assert found is not None
    jobs = np.array(found["jobs"])
    # The first finds its own processors busy: an instant is looked at once all of it has happened.
    assert jobs.sum() == 4
    assert jobs[0].sum() == 3
    assert jobs[1, 9] == 1
    assert found["queue_from"][:4] == [0, 1, 2, 4]


def test_estimates_users_memory_and_sizes() -> None:
    log = log_of(
        {"run_s": 10, "requested_s": 100, "user": 1, "requested_processors": 1, "requested_memory_kb": 100},
        {"run_s": 100, "requested_s": 100, "user": 1, "requested_processors": 2, "requested_memory_kb": 200},
        {"run_s": 120, "requested_s": 100, "user": 2, "requested_processors": 4, "used_memory_kb": 50},
        {"run_s": 40, "requested_s": 50, "user": -1, "requested_processors": 3, "used_memory_kb": -1},
    ).jobs()
    found = estimate_quality(log)
    assert found is not None
    assert (found["exact"], found["past"], found["distinct"]) == (0.25, 0.25, 2)
    assert found["accuracy"][2] == found["accuracy"][16] == 0.25
    assert found["modes"][0] == {"estimate_s": 100.0, "share": 0.75}
    users = top_users(log)
    assert [(one["user"], one["jobs"], one["median_run_s"]) for one in users["top"]] == [
        (1, 2, 55),
        (2, 1, 120),
    ]
    told = memory(log)
    assert told is not None
    assert told["requested_kb"]["p50"] == 150
    assert told["used_over_requested"]["jobs"] == 0
    assert [(one["to_processors"], one["jobs"], one["p50"]) for one in run_by_size(log)] == [
        (1, 1, 10.0),
        (2, 1, 100.0),
        (4, 2, 80.0),
    ]


def test_correlations_know_order_and_direction() -> None:
    log = workload(*((place, 2.0**place, 20 - place) for place in range(1, 20)))
    pairs = correlations(log)["pairs"]
    assert pairs["processors run_s"]["spearman"] == pytest.approx(-1)
    assert pairs["run_s work_processor_s"]["spearman"] > 0.9
    assert pairs["run_s estimate_s"] == {"jobs": 0, "spearman": None, "pearson_of_logs": None}
    scipys = [0.2, 0.2, 0.1, 0.9, 0.5]
    few = workload(*((place, 10 * one, place) for place, one in enumerate(scipys, 1)))
    # Ranks of ties are shared: 2.5, 2.5, 1, 5, 4 against 1 to 5.
    assert correlations(few)["pairs"]["processors run_s"]["spearman"] == pytest.approx(
        5.5 / np.sqrt(9.5 * 10)
    )


@given(job_lists())
def test_every_log_has_statistics_that_json_can_hold(jobs: list[Job]) -> None:
    found = statistics(workload_of(jobs))
    assert json.loads(json.dumps(found, allow_nan=False)).keys() == found.keys()


@given(logs())
def test_every_dated_log_has_statistics_too(log: WholeLog) -> None:
    if (log.widths > 0).any() and (log.jobs().submit_s.size if _any_job(log) else 0):
        found = statistics(log.jobs())
        json.dumps(found, allow_nan=False)
        assert sum(one["jobs"] for one in found["weeks"]) == len(log.jobs())


def _any_job(log: WholeLog) -> bool:
    return bool(((log.column("run_s") >= 0) & (log.widths > 0)).any())


@pytest.mark.deep
def test_a_log_of_ages_takes_no_more_memory_than_another() -> None:
    far = 2.0**53
    jobs = [{"submit_s": far * place / 99, "run_s": 1 + place, "user": far - place} for place in range(100)]
    log = log_of(
        *({**job, "requested_processors": 1, "wait_s": 0} for job in jobs), header=("; MaxProcs: 4",)
    )
    found = statistics(log.jobs())
    json.dumps(found, allow_nan=False)
    assert found["weeks"] == []
    assert sum(map(sum, found["hours_of_week"]["jobs_per_hour"])) > 0
    assert clean(log, []).flurries == ()
    fit_log(log.jobs())
    with pytest.raises(BadValue, match="such windows"):
        select(log, 0.5, 60.0)
    with pytest.raises(BadInput, match=r"parts|spans"):
        split(log, "day", SplitRequest())
    with pytest.raises(BadInput, match="too large to be renumbered"):
        merge([log, log])


def test_zipf_of_jobs_by_rank() -> None:
    for beta in (0.8, 1.0):
        counts = np.rint(100_000 * np.arange(1.0, 60.0) ** -beta).astype(np.int64)
        found = zipf(np.random.Generator(np.random.Philox(1)).permutation(counts))
        assert found is not None
        assert found["beta"] == pytest.approx(beta, abs=0.002)
        assert found["r_squared"] > 0.999
        assert found["ranks"] == 59
    assert zipf(np.array([100, 50, 4, 3, 2])) is None, "too few users with jobs enough"
