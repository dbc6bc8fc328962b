import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.workloads.filters import in_window
from molokini.workloads.info import SCHEMA, sita_cutoffs, workload_info
from molokini.workloads.swf import read_swf
from tests.core.workloads.builders import log, record, workload

JOBS = [(0.0, 10.0, 1), (10.0, 20.0, 3), (20.0, 0.0, 4), (40.0, 30.0, 8)]


def test_a_small_log_by_hand(tmp_path: Path) -> None:
    lines = [record(n + 1, s, r, p, requested_s=20, user=n % 2) for n, (s, r, p) in enumerate(JOBS)]
    info = workload_info(read_swf(log(tmp_path, "; MaxProcs: 8", *lines, record(9, run=-1))))
    assert next(iter(info.items())) == ("schema", SCHEMA)
    assert (info["file"], info["jobs"], info["skipped"]) == ("log.swf", 4, {"run_time_negative": 1})
    assert info["header"] == [{"label": "MaxProcs", "value": "8"}]
    assert info["span"] == {"first_submit_s": 0.0, "last_submit_s": 40.0, "days": 40 / 86400}
    assert info["sizes"]["power_of_two_share"] == 0.75
    assert (info["sizes"]["min"], info["sizes"]["mean"], info["sizes"]["median"]) == (1, 4.0, 3.5)
    assert [(c["from_processors"], c["to_processors"], c["jobs"]) for c in info["sizes"]["classes"]] == [
        (1, 1, 1), (2, 2, 0), (3, 4, 2), (5, 8, 1),
    ]  # fmt: skip
    # Of 310 processor-seconds: 10 of the job of one, 60 of the job of three, 240 of the job of eight.
    assert [c["work_share"] for c in info["sizes"]["classes"]] == [10 / 310, 0.0, 60 / 310, 240 / 310]
    assert (info["run_s"]["mean"], info["run_s"]["median"], info["run_s"]["max"]) == (15.0, 15.0, 30.0)
    assert info["run_s"]["cv"] == pytest.approx(np.std([10, 20, 0, 30]) / 15)
    assert info["estimates"] == {
        "jobs_with_estimate": 4,
        "past_estimate_share": 0.25,
        "mean_accuracy": pytest.approx((0.5 + 1 + 1) / 3),
        "median_accuracy": 1.0,
    }
    assert (info["users"], info["groups"], info["queues"], info["zero_run_jobs"]) == (2, 0, 0, 1)
    assert info["arrivals"]["jobs_per_hour_of_day"] == [4] + [0] * 23
    assert info["arrivals"]["interarrival_s"]["mean"] == pytest.approx(40 / 3)
    assert info["work_processor_s"] == 10 + 60 + 240
    assert info["offered_load"] == pytest.approx((10 + 60 + 160) / (8 * 40))


def test_what_is_undefined_is_null() -> None:
    jobs = workload(*JOBS)
    for part in (jobs, in_window(jobs, 40, 41), in_window(jobs, 20, 21), in_window(jobs, 50, 60)):
        text = json.dumps(workload_info(part), allow_nan=False)
        assert json.loads(text)["offered_load"] is None
    assert workload_info(jobs)["estimates"]["mean_accuracy"] is None


def test_sita_cutoffs_by_hand() -> None:
    jobs = workload(*((0.0, run, 1) for run in (1.0, 1.0, 2.0, 4.0, 8.0)))
    assert sita_cutoffs(jobs, 1) == []
    assert sita_cutoffs(jobs, 2) == [4.0]
    assert sita_cutoffs(jobs, 4) == [2.0, 4.0, 4.0]
    wide = workload((0, 1, 30), (0, 10, 1), (0, 20, 1))
    assert sita_cutoffs(wide, 2) == [1.0]


def test_sita_cutoffs_of_estimates_share_the_true_work() -> None:
    jobs = workload((0, 1, 1), (0, 9, 1), (0, 10, 1))
    jobs.estimate_s[:] = [50, 20, 30]
    assert sita_cutoffs(jobs, 2, by_estimate=True) == [20.0]


@given(runs=st.lists(st.integers(1, 10_000), min_size=1, max_size=60), hosts=st.integers(1, 8))
def test_sita_shares_are_equal_up_to_one_length_of_jobs(runs: list[int], hosts: int) -> None:
    jobs = workload(*((0.0, float(run), 1) for run in runs))
    cutoffs = sita_cutoffs(jobs, hosts)
    assert len(cutoffs) == hosts - 1
    assert cutoffs == sorted(cutoffs)
    total = sum(runs)
    largest = max(runs.count(run) * run for run in set(runs))
    for host, cutoff in enumerate(cutoffs, start=1):
        assert abs(sum(run for run in runs if run <= cutoff) - total * host / hosts) <= largest


def test_cutoffs_need_hosts_and_work() -> None:
    with pytest.raises(BadValue):
        sita_cutoffs(workload((0, 1, 1)), 0)
    with pytest.raises(BadValue):
        sita_cutoffs(workload((0, 0, 1)), 2)
