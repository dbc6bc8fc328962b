from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.workloads.header import header_integer
from molokini.workloads.tools.cleaning import clean
from molokini.workloads.tools.filter_language import read_filter
from molokini.workloads.tools.flurries import flurries
from molokini.workloads.tools.notes import filters_in
from molokini.workloads.tools.whole import WholeLog, read_whole, write_whole
from molokini.workloads.workload import SWF_FIELDS
from tests.core.workloads.test_real_logs import COUNTS, CURIE, KTH, at_hand
from tests.core.workloads.tools.small_logs import log_of, logs

ARCHIVED = [name for name in COUNTS if not name.startswith("lublin")]


def test_filters_count_one_after_the_other_and_the_header_tells_them() -> None:
    log = log_of(*({"user": user} for user in (1, 1, 2, 2, 2)))
    result = clean(log, [read_filter("user=1"), read_filter("job<=3")])
    assert [(one.filter, one.jobs) for one in result.removed] == [("user=1", 2), ("job<=3", 1)]
    assert result.log.column("number").tolist() == [4, 5]
    assert filters_in(result.log.header) == [("user=1", 2), ("job<=3", 1)]
    assert header_integer(result.log.header, "MaxRecords") == 2
    assert len(log) == 5


def test_without_filters_the_log_stays_as_it_is() -> None:
    log = log_of({"user": 1})
    assert clean(log, []).log is log


@given(logs(), st.integers(-1, 5), st.integers(1, 999))
def test_cleaning_twice_is_cleaning_once_and_loses_nothing_else(log: WholeLog, user: int, job: int) -> None:
    filters = [read_filter(f"user={user}"), read_filter(f"job<={job}")]
    once = clean(log, filters)
    assert np.array_equal(clean(once.log, filters).log.records, once.log.records)
    kept = (log.column("user") != user) & (log.column("number") > job)
    assert np.array_equal(once.log.records, log.records[kept])
    assert sum(one.jobs for one in once.removed) == len(log) - len(once.log)


def test_oddities_are_counted() -> None:
    log = log_of(
        {"submit_s": 10, "run_s": 20, "requested_s": 10, "requested_processors": 65, "wait_s": -3, "user": 1},
        {"submit_s": 5, "run_s": 0, "cpu_s": 3, "allocated_processors": 1, "number": 1, "user": 1},
        {"submit_s": 20, "run_s": -1, "allocated_processors": 1, "user": 1},
    )
    assert clean(log, []).oddities == {
        "no job": 2,
        "wider than the machine": 1,
        "run time above the requested time": 1,
        "run time 0": 1,
        "processor time above the run time": 1,
        "submitted before the record above": 1,
        "number of another record": 1,
        "negative wait_s": 1,
        "unknown wait_s": 2,
        "unknown run_s": 1,
        "unknown requested_s": 2,
    }


def _with_flurry(log: WholeLog, user: int, jobs: int, first_s: float, gap_s: float) -> WholeLog:
    """*log* with more jobs of *user* at the end, all of one size and nearly one run time."""
    number = log.column("number").max()
    more = np.full((jobs, len(SWF_FIELDS)), -1.0)
    for name, values in {
        "number": np.arange(1, jobs + 1) + number,
        "submit_s": first_s + gap_s * np.arange(jobs),
        "wait_s": 0.0,
        "run_s": 60.0 + np.arange(jobs) % 7,
        "allocated_processors": 2.0,
        "user": float(user),
    }.items():
        more[:, SWF_FIELDS.index(name)] = values
    return WholeLog(log.name, np.concatenate([log.records, more]), log.header)


def test_a_flurry_is_found_and_its_filter_removes_it_alone() -> None:
    # A month of jobs of 20 users, each with runs of its own.
    rows = range(800)
    plain = log_of(
        *({"submit_s": 3000.0 * row, "user": row % 20, "run_s": 1.7 ** (row % 17)} for row in rows), *[]
    )
    assert flurries(plain) == []
    wild = _with_flurry(plain, 77, 900, 1_300_000, 300)
    (found,) = flurries(wild)
    assert (found.user, found.jobs, found.processors, found.same_size, found.same_run) == (77, 900, 2, 1, 1)
    assert found.first_job == 801
    assert found.last_job == 1700
    cleaned = clean(wild, [read_filter(found.filter)])
    assert np.array_equal(cleaned.log.records, plain.records)
    assert cleaned.flurries == ()


def test_many_jobs_that_are_not_alike_are_no_flurry() -> None:
    log = log_of(*({"submit_s": row, "user": 1, "run_s": 3.0 ** (row % 10)} for row in range(500)))
    assert flurries(log) == []


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("name", ARCHIVED)
def test_the_archives_filters_leave_the_archives_cleaned_log(name: str, tmp_path: Path) -> None:
    log = read_whole(at_hand(name))
    told = filters_in(log.header)
    assert told
    # What was removed is not in our copies, so each filter finds nothing more, and the log is as it was.
    result = clean(log, [read_filter(text) for text, _ in told])
    assert [one.jobs for one in result.removed] == [0] * len(told)
    assert np.array_equal(result.log.records, log.records)
    # MaxJobs less what the filters removed: the counts in the header are of one filter after the other.
    assert (header_integer(log.header, "MaxJobs") or 0) - sum(jobs for _, jobs in told) == len(log)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("name", [KTH, CURIE])
def test_records_that_the_archive_removed_go_again(name: str, tmp_path: Path) -> None:
    log = read_whole(at_hand(name))
    told = filters_in(log.header)
    raw = log
    if name == KTH:
        first = log.records[:14].copy()
        first[:, 0] = np.arange(1, 15)
        raw = WholeLog(log.name, np.concatenate([first, log.records]), log.header)
    else:
        early = log.records[:5].copy()
        early[:, 0], early[:, 1] = np.arange(1, 6), 0
        user = log.records[:100].copy()
        user[:, 0], user[:, 11] = np.arange(274_118, 274_218) + 0.5, 204
        raw = WholeLog(log.name, np.concatenate([early, user, log.records]), log.header)
    result = clean(raw, [read_filter(text) for text, _ in told])
    assert sum(one.jobs for one in result.removed) == len(raw) - len(log) > 0
    write_whole(result.log, tmp_path / "cleaned.swf.gz")
    assert np.array_equal(read_whole(tmp_path / "cleaned.swf.gz").records, log.records)
