"""A table of sacct: each column as Slurm prints it, and tables of Slurm read."""

from datetime import UTC

import pytest

from molokini.accounting import sacct
from molokini.accounting.sacct_reading import read
from molokini.model.facts import Ending
from tests.kit.accounting import jobs_of, placed, reasons_of, record

HEADER = (
    "JobID|JobName|User|Account|Partition|State|ExitCode|Submit|Start|End|Elapsed|TimelimitRaw|AllocCPUS|"
    "MaxRSS"
)
JOB = "12|t1|ann|lab|batch|{state}|0:0|2013-04-09T13:01:47|{start}|{end}|01:00:00|90|4|"
DONE = JOB.format(state="COMPLETED", start="2013-04-09T13:03:20", end="2013-04-09T14:03:20")


def test_every_column_stands_under_its_name() -> None:
    cells = sacct.line_of(record(), UTC).split("|")
    assert dict(zip(sacct.header().split("|"), cells, strict=True)) == {
        "JobID": "68350",
        "JobName": "t1",
        "User": "ann",
        "UID": "1001",
        "Group": "lab",
        "Account": "acct1",
        "Partition": "batch",
        "QOS": "high",
        "State": "COMPLETED",
        "ExitCode": "0:0",
        "Submit": "2013-04-09T13:01:47",
        "Eligible": "2013-04-09T13:01:50",
        "Start": "2013-04-09T13:03:20",
        "End": "2013-04-09T14:03:20",
        "ElapsedRaw": "3600",
        "Timelimit": "01:00:00",
        "ReqNodes": "2",
        "ReqCPUS": "4",
        "AllocCPUS": "4",
        "ReqMem": "512Kc",
        "MaxRSS": "2048K",
        "TotalCPU": "01:59:00",
        "NodeList": "n1,n2",
        "Restarts": "1",
        "WorkDir": "/home/ann",
        "SubmitLine": "run.sh a",
    }


@pytest.mark.parametrize(
    ("changes", "column", "cell"),
    [
        ({"index": 3}, "JobID", "68350_3"),
        ({"indices": "0-9"}, "JobID", "68350_[0-9]"),
        ({"ending": Ending.CANCELLED}, "State", "CANCELLED by 1001"),
        ({"ending": Ending.TIMED_OUT}, "State", "TIMEOUT"),
        ({"ending": Ending.NODE_LOST}, "State", "NODE_FAIL"),
        ({"ending": Ending.FAILED, "exit_code": 3}, "ExitCode", "3:0"),
        ({"ending": Ending.FAILED, "signal": 9}, "ExitCode", "0:9"),
        ({"start_s": None, "ending": Ending.CANCELLED}, "Start", "Unknown"),
        ({"estimate_s": 0}, "Timelimit", "UNLIMITED"),
        ({"estimate_s": 90061}, "Timelimit", "1-01:01:01"),
        ({"name": "a|b\nc"}, "JobName", "a_b_c"),
    ],
)
def test_what_has_words_of_its_own_has_those_of_slurm(
    changes: dict[str, object], column: str, cell: str
) -> None:
    assert sacct.line_of(record(**changes), UTC).split("|")[sacct.COLUMNS.index(column)] == cell


def test_a_table_of_slurm_is_read_whatever_its_columns() -> None:
    [job] = jobs_of(read, HEADER, DONE)
    assert (job.number, job.name, job.user, job.account, job.queue) == (12, "t1", "ann", "lab", "batch")
    assert (job.submitted_s, job.start_s, job.end_s) == (1365512507, 1365512600, 1365516200)
    assert (job.processors, job.allocated, job.estimate_s) == (4, 4, 5400)


def test_a_table_that_ends_its_lines_with_a_bar_is_read_too() -> None:
    assert len(jobs_of(read, HEADER + "|", DONE + "|")) == 1


def test_steps_lend_their_memory_and_are_counted() -> None:
    batch = DONE.replace("12|", "12.batch|", 1).replace("|ann|", "||") + "900K"
    step = DONE.replace("12|", "12.0|", 1) + "2M"
    found = [HEADER, DONE, batch, step, DONE.replace("12|", "13|", 1)]
    assert reasons_of(read, *found) == [(3, "job_step"), (4, "job_step")]
    jobs = [one[1] for one in read(placed(found)) if isinstance(one, tuple)]
    assert [(job.number, job.used_kb) for job in jobs] == [(12, 2048), (13, 0)]


def test_a_line_that_is_no_job_leaves_those_around_it_as_they_are() -> None:
    found = [HEADER, DONE, DONE.replace("COMPLETED", "REQUEUED"), DONE.replace("12|", "13|", 1)]
    assert reasons_of(read, *found) == [(3, "requeued_attempt")]
    jobs = [one[1] for one in read(placed(found)) if isinstance(one, tuple)]
    assert [job.number for job in jobs] == [12, 13]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (JOB.format(state="RUNNING", start="2013-04-09T13:03:20", end="Unknown"), "not_ended"),
        (JOB.format(state="PENDING", start="Unknown", end="Unknown"), "not_ended"),
        (DONE.replace("COMPLETED", "REQUEUED"), "requeued_attempt"),
        (DONE.replace("2013-04-09T14", "2013-04-09T12"), "out_of_range"),
        (DONE.replace("2013-04-09T14", "2013-13-09T14"), "not_a_number"),
        (DONE.replace("01:00:00", "one hour"), "not_a_number"),
        (DONE.replace("|4|", "|four|"), "not_a_number"),
        (DONE.replace("|4|", "|99999999999|"), "out_of_range"),
        (DONE.replace("12|", "job|", 1), "not_a_number"),
        (DONE[:-20], "wrong_field_count"),
        (DONE + "|", "wrong_field_count"),
    ],
)
def test_what_is_no_job_has_a_reason(row: str, reason: str) -> None:
    assert reasons_of(read, HEADER, row) == [(2, reason)]


def test_a_job_called_like_a_column_is_no_header() -> None:
    assert len(jobs_of(read, HEADER, DONE.replace("|t1|", "|JobID|"), DONE.replace("12|", "13|", 1))) == 2


@pytest.mark.parametrize(
    ("asked", "memory_kb"),
    [("4Gc", 4 << 20), ("4Gn", 2 << 20), ("4G", 1 << 20), ("4000", 1_024_000), ("0", 0)],
)
def test_memory_is_of_a_processor_a_node_or_the_job(asked: str, memory_kb: int) -> None:
    head = HEADER + "|ReqMem|ReqNodes"
    [job] = jobs_of(read, head, DONE + f"|{asked}|2")
    assert job.memory_kb == memory_kb


def test_epoch_seconds_are_times_too() -> None:
    row = DONE.replace("2013-04-09T13:01:47", "1365512507").replace("2013-04-09T13:03:20", "1365512600")
    assert jobs_of(read, HEADER, row)[0].start_s == 1365512600
