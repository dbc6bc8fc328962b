"""A table of sacct: each column as Slurm prints it, and tables of Slurm read."""

from datetime import UTC, timedelta, timezone

import pytest

from molokini.accounting import sacct
from molokini.accounting.record import SkippedLine
from molokini.accounting.sacct_reading import is_row, read
from molokini.model.facts import NO_INDEX, Ending
from tests.kit.accounting import BARE, jobs_of, placed, reasons_of, record

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
        "Suspended": "00:00:00",
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
        ({"suspended_s": 61.0}, "Suspended", "00:01:01"),
        ({"suspended_s": 61.0}, "ElapsedRaw", "3539"),
        ({"indices": "0-9"}, "JobID", "68350_[0-9]"),
        ({"ending": Ending.CANCELLED}, "State", "CANCELLED by 1001"),
        ({"ending": Ending.TIMED_OUT}, "State", "TIMEOUT"),
        ({"ending": Ending.NODE_LOST}, "State", "NODE_FAIL"),
        ({"ending": Ending.FAILED, "exit_code": 3}, "ExitCode", "3:0"),
        ({"ending": Ending.FAILED, "signal": 9}, "ExitCode", "0:9"),
        ({"start_s": None, "ending": Ending.CANCELLED}, "Start", "Unknown"),
        ({"estimate_s": 0}, "Timelimit", "UNLIMITED"),
        ({"ending": Ending.CANCELLED, "uid": 0}, "State", "CANCELLED by 0"),
        ({"ending": Ending.CANCELLED, "uid": -1}, "State", "CANCELLED"),
        ({"eligible_s": None}, "Eligible", "2013-04-09T13:01:47"),
        ({"attempt": 1}, "Restarts", "0"),
        ({"attempt": 0}, "Restarts", "0"),
        ({"estimate_s": 90061}, "Timelimit", "1-01:01:01"),
        ({"name": "a|b\nc"}, "JobName", "a_b_c"),
    ],
)
def test_states_have_the_words_of_slurm(changes: dict[str, object], column: str, cell: str) -> None:
    assert sacct.line_of(record(**changes), UTC).split("|")[sacct.COLUMNS.index(column)] == cell


def test_what_is_not_known_is_said_as_slurm_says_it() -> None:
    assert sacct.line_of(BARE, UTC) == (
        "9||||||||COMPLETED|0:0|1970-01-01T00:01:40|1970-01-01T00:01:40|1970-01-01T00:03:20|"
        "1970-01-01T00:04:20|60|00:00:00|UNLIMITED|1|0|0|0||00:00:00|None assigned|0||"
    )


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
        (DONE.replace("|4|", "|four|"), "not_a_number"),
        (DONE.replace("|4|", "|99999999999|"), "out_of_range"),
        (DONE.replace("12|", "job|", 1), "not_a_number"),
        (DONE.replace("12|", "0|", 1), "not_a_number"),
        (DONE.replace("2013-04-09T13:01:47", ""), "missing_field"),
        (DONE.replace("2013-04-09T13:01:47", "1969-12-31T23:59:59"), "out_of_range"),
        (DONE.replace("2013-04-09T13:01:47", "٣"), "not_a_number"),
        (DONE.replace("|4|", "|2147483648|"), "out_of_range"),
        (DONE.replace("|4|", "|-1|"), "out_of_range"),
        (JOB.format(state="RUNNING", start="2013-04-09T13:03:20", end="2013-04-09T14:03:20"), "not_ended"),
        (JOB.format(state="COMPLETED", start="Unknown", end="Unknown"), "not_ended"),
        (DONE[:-20], "wrong_field_count"),
        (DONE + "|", "wrong_field_count"),
        (DONE.replace("|0:0|", "|0:0|0|"), "wrong_field_count"),
    ],
)
def test_what_is_no_job_has_a_reason(row: str, reason: str) -> None:
    assert reasons_of(read, HEADER, row) == [(2, reason)]


def test_an_hour_that_comes_twice_in_autumn_is_kept() -> None:
    row = JOB.format(state="COMPLETED", start="2026-10-25T02:50:00", end="2026-10-25T02:20:00")
    [job] = jobs_of(read, HEADER, row.replace("01:00:00", "00:30:00"))
    assert job.ran_s == 1800
    assert [one.note for one in job.odd] == ["hour_later.End"]


def test_who_started_it_and_what_it_asked_of_nodes() -> None:
    cells = {
        "JobID": "7+1",
        "User": "ann",
        "Account": "a",
        "QOS": "high",
        "Partition": "p",
        "Submit": "100",
        "Start": "200",
        "End": "300",
        "State": "COMPLETED",
        "ReqCPUS": "8",
        "AllocCPUS": "16",
        "ReqNodes": "2",
        "Priority": "4711",
        "Flags": "SchedBackfill,StartReceived",
        "SubmitLine": "sbatch -N 2-4 --exclusive x",
    }
    head, row = "|".join(cells), "|".join(cells.values())
    [job] = jobs_of(read, head, row)
    assert (job.account, job.qos, job.priority, job.started_by) == ("a", "high", 4711, "backfill")
    assert (job.wanted_nodes, job.most_nodes, job.alone, job.of_several) == (2, 4, True, True)


@pytest.mark.parametrize(
    ("number", "raw", "priority"), [("12", "12", 4711), ("12_3", "15", None), ("12_4", "12", 4711)]
)
def test_a_priority_is_that_of_the_submission(number: str, raw: str, priority: float | None) -> None:
    """Elements get records of their own when they start, but for the last one, which has the array's."""
    head, row = "JobIDRaw|Priority|" + HEADER, f"{raw}|4711|" + DONE.replace("12|", f"{number}|", 1)
    [job] = jobs_of(read, head, row)
    assert job.priority == priority


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("sbatch -t 10 --time-min=1 x", (600.0, 60.0)),
        ("sbatch --time=1-2:30 --time-min 1:0:30 x", (95_400.0, 3660.0)),
        ("sbatch -t10 --time-min=0:40 x", (600.0, 60.0)),
        # A least limit that is no shorter one changes nothing: Timelimit holds.
        ("sbatch -t 10 --time-min=20 x", (180.0, 0.0)),
        ("sbatch --time-min=1 x", (180.0, 0.0)),
        ("sbatch -t soon --time-min=1 x", (180.0, 0.0)),
        ("sbatch -t 10 x", (180.0, 0.0)),
    ],
)
def test_the_command_line_tells_the_least_limit_and_the_one_asked_for(
    line: str, limits: tuple[float, float]
) -> None:
    """Timelimit has the limit with which such a job was started."""
    head = f"{HEADER}|Timelimit|SubmitLine"
    [job] = jobs_of(read, head, f"{DONE}|00:03:00|{line}")
    assert (job.estimate_s, job.least_s) == limits


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


def cells(**changes: str) -> tuple[str, str]:
    """Header and line of ``DONE`` with cells changed or added."""
    row = dict(zip(HEADER.split("|"), DONE.split("|"), strict=True)) | changes
    return "|".join(row), "|".join(row.values())


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"JobID": "12_3"}, "index", 3),
        ({"JobID": "12"}, "index", NO_INDEX),
        ({"JobID": "12_[0-9]"}, "indices", "0-9"),
        ({"JobID": "12+2"}, "number", 14),
        ({"UID": "0"}, "uid", 0),
        ({"UID": ""}, "uid", -1),
        ({"Eligible": "2013-04-09T13:01:50"}, "eligible_s", 1365512510.0),
        ({"Submit": "1970-01-01T00:00:00"}, "submitted_s", 0.0),
        ({"Submit": "2013-04-09T15:01:47+02:00"}, "submitted_s", 1365512507.0),
        # Suspensions are no part of the time that it ran.
        ({"Elapsed": "00:30:00"}, "end_s", 1365514400.0),
        ({"Elapsed": "Unknown"}, "end_s", 1365516200.0),
        ({"ElapsedRaw": "60"}, "end_s", 1365512660.0),
        ({"End": "Unknown"}, "end_s", 1365516200.0),
        ({"Start": "Unknown"}, "start_s", 1365512600.0),
        ({"Start": "Unknown", "Elapsed": "00:00:00"}, "start_s", None),
        ({"Start": "Unknown", "Elapsed": "Unknown"}, "start_s", None),
        ({"State": "CANCELLED by 7", "AllocCPUS": "0"}, "start_s", 1365512600.0),
        (
            {"State": "CANCELLED by 7", "Elapsed": "Unknown", "Start": "2013-04-09T14:03:20"},
            "start_s",
            1365516200.0,
        ),
        (
            {"State": "CANCELLED", "AllocCPUS": "0", "Elapsed": "0", "Start": "2013-04-09T14:03:20"},
            "start_s",
            None,
        ),
        (
            {"State": "FAILED", "AllocCPUS": "0", "Elapsed": "0", "Start": "2013-04-09T14:03:20"},
            "start_s",
            1365516200.0,
        ),
        ({"State": "NODE_FAIL"}, "ending", Ending.NODE_LOST),
        ({"State": "CANCELLED+"}, "ending", Ending.CANCELLED),
        ({"ExitCode": "3:9"}, "exit_code", 3),
        ({"ExitCode": "3:9"}, "signal", 9),
        ({"ExitCode": "3"}, "signal", 0),
        ({"ExitCode": ""}, "exit_code", 0),
        ({"ReqCPUS": "6"}, "processors", 6),
        ({"ReqCPUS": "6"}, "allocated", 4),
        ({"AllocCPUS": "", "NCPUS": "5"}, "allocated", 5),
        ({"AllocCPUS": "2147483647"}, "allocated", 2**31 - 1),
        ({"AllocCPUS": "2K"}, "allocated", 2048),
        ({"AllocCPUS": "1M"}, "allocated", 1 << 20),
        ({"ReqCPUS": "0.00K"}, "processors", 4),
        ({"AllocCPUS": "", "AllocTRES": "billing=9,cpu=8,mem=16G,node=2"}, "allocated", 8),
        ({"ReqTRES": "cpu=1K,mem=16G"}, "processors", 1024),
        ({"ReqTRES": "cpu=4,mem=16G"}, "memory_kb", 4 << 20),
        ({"AllocNodes": "3"}, "held_nodes", 3),
        ({"NNodes": "2K"}, "held_nodes", 2048),
        ({"AllocTRES": "billing=9,node=2"}, "held_nodes", 2),
        ({"State": "LAUNCH_FAILED"}, "ending", Ending.NOT_STARTED),
        ({"ReqNodes": "2"}, "wanted_nodes", 2),
        ({"ReqNodes": "1"}, "wanted_nodes", 0),
        ({"Timelimit": "00:10:00"}, "estimate_s", 600.0),
        ({"Timelimit": "UNLIMITED"}, "estimate_s", 0.0),
        ({"Timelimit": "Unknown"}, "estimate_s", 5400.0),
        ({"Timelimit": "Unknown", "TimelimitRaw": ""}, "estimate_s", 0.0),
        ({"TimelimitRaw": "UNLIMITED"}, "estimate_s", 0.0),
        ({"TimelimitRaw": "N/A"}, "estimate_s", 0.0),
        ({"TimelimitRaw": ""}, "estimate_s", 0.0),
        ({"TotalCPU": "01:59:00"}, "cpu_s", 7140.0),
        ({"TotalCPU": ""}, "cpu_s", 0.0),
        ({"MaxRSS": "900K"}, "used_kb", 900),
        ({"Restarts": "2"}, "attempt", 3),
        ({"ReqMem": "4Gn"}, "memory_kb", 1 << 20),
        ({"ReqMem": "4G", "AllocCPUS": "0"}, "memory_kb", 4 << 20),
        ({"ReqMem": ""}, "memory_kb", 0),
    ],
)
def test_what_a_cell_says_is_kept(changes: dict[str, str], field: str, value: object) -> None:
    [job] = jobs_of(read, *cells(**changes))
    assert getattr(job, field) == value


def test_a_job_that_never_started_has_no_attempt() -> None:
    [job] = jobs_of(read, *cells(State="CANCELLED", Start="Unknown", Elapsed="", Restarts="0"))
    assert (job.start_s, job.attempt) == (None, 0)


def test_the_raw_number_does_where_there_is_no_other() -> None:
    [job] = jobs_of(read, HEADER.replace("JobID|", "JobIDRaw|"), DONE)
    assert job.number == 12


def test_times_are_those_of_the_zone_that_is_given() -> None:
    found = list(read(placed([HEADER, DONE]), timezone(timedelta(hours=2))))
    assert [one[1].submitted_s for one in found if isinstance(one, tuple)] == [1365512507.0 - 7200]


def test_a_step_lends_nothing_to_another_job() -> None:
    lost = DONE.replace("11|", "12|", 1).replace("12|", "11.0|", 1) + "2M"
    small = DONE.replace("12|", "12.0|", 1) + "1K"
    found = [HEADER, DONE.replace("12|", "11.0|", 1) + "9M", DONE + "3K", lost, small]
    assert reasons_of(read, *found) == [(2, "job_step"), (4, "job_step"), (5, "job_step")]
    jobs = [one[1] for one in read(placed(found)) if isinstance(one, tuple)]
    assert [(job.number, job.used_kb) for job in jobs] == [(12, 3)]


def test_before_a_header_and_without_one_nothing_is_a_job() -> None:
    assert reasons_of(read, DONE, "JobID", HEADER, DONE) == [
        (1, "wrong_field_count"),
        (2, "wrong_field_count"),
    ]


@pytest.mark.parametrize(
    ("column", "text", "note"),
    [
        *[(name, "x", f"not_understood.{name}") for name in ("ReqNodes", "UID", "Timelimit", "TimelimitRaw")],
        *[(name, "x", f"not_understood.{name}") for name in ("TotalCPU", "MaxRSS", "ReqMem", "Restarts")],
        *[
            (name, "x", f"not_understood.{name}")
            for name in ("ExitCode", "Eligible", "Elapsed", "ElapsedRaw")
        ],
        *[(name, "x", f"not_understood.{name}") for name in ("ReqCPUS", "NNodes", "State")],
        ("AllocTRES", "node=x", "not_understood.AllocTRES"),
        ("ReqTRES", "mem=x", "not_understood.ReqTRES"),
        ("ReqCPUS", "9.19K", "rounded.ReqCPUS"),
    ],
)
def test_a_job_goes_without_a_column_that_is_not_understood(column: str, text: str, note: str) -> None:
    [job] = jobs_of(read, *cells(**{column: text}))
    assert [odd.note for odd in job.odd] == [note]
    assert text.rpartition("=")[2] in job.odd[0].cause
    assert (job.number, job.end_s, job.allocated) == (12, 1365516200.0, 4)


@pytest.mark.parametrize(
    ("asked", "given", "generic"),
    [
        ("cpu=4,gres/gpu:a100=2,gres/gpu=2,gres/shard=3,node=1", "", "gres/gpu:2,gres/shard:3"),
        ("cpu=4,gres/gpu:a100=2,gres/gpu:h100=1", "", "gres/gpu:3"),
        ("cpu=4,gres/gpu=0", "cpu=4,gres/gpu=5", ""),
        ("", "cpu=4,gres/gpu=5", "gres/gpu:5"),
        ("cpu=4", "", ""),
    ],
)
def test_generic_resources_are_those_asked_for(asked: str, given: str, generic: str) -> None:
    [job] = jobs_of(read, *cells(ReqTRES=asked, AllocTRES=given, Constraints="a&b"))
    assert (job.generic, job.constraint, job.odd) == (generic, "a&b", ())


def test_a_table_of_slurm_without_noconvert_is_read() -> None:
    """Columns and values as Slurm 18 prints them: also a count of 0 with a unit."""
    head = (
        "JobID|User|State|Submit|Start|End|NCPUS|NNodes|ReqNodes|ReqCPUS|Timelimit|ElapsedRaw|ReqMem|MaxRSS"
    )
    times = "2019-05-01T10:00:00|2019-05-01T10:00:10|2019-05-01T13:33:35"
    row = f"43974388|ann|CANCELLED by 7|{times}|2|1|0.00K|2|5-00:00:00|12805|8000Mc|1.50G"
    [job] = jobs_of(read, head, row)
    assert (job.processors, job.ran_s, job.estimate_s) == (2, 12805, 432000)
    assert (job.memory_kb, job.used_kb, job.odd) == (8_192_000, 1536 << 10, ())


@pytest.mark.parametrize("separator", [";", "\t", ",", ";|;", "^"])
def test_another_delimiter_is_known_by_the_header(separator: str) -> None:
    [job] = jobs_of(read, *(line.replace("|", separator) for line in (HEADER, DONE)))
    assert (job.number, job.processors) == (12, 4)


def test_the_text_of_a_user_may_hold_a_bar_where_there_is_one_alone() -> None:
    head = HEADER.replace("JobName|", "") + "|SubmitLine"
    row = DONE.replace("|t1|", "|") + "|sbatch --wrap 'a | b || c'"
    assert jobs_of(read, head, row)[0].command == "sbatch --wrap 'a | b || c'"
    [left] = read(placed([f"{HEADER}|SubmitLine", f"{DONE}|a|b"]))
    assert isinstance(left, SkippedLine)
    assert left.cause == (
        "16 cells where the header has 15; SubmitLine or JobName may hold '|': "
        "print the table with another --delimiter"
    )


def test_a_table_without_its_header_says_what_to_do() -> None:
    [left] = read(placed([DONE]))
    assert isinstance(left, SkippedLine)
    assert left.cause == (
        "no line above names the columns: print the table without --noheader, "
        "or write their names (JobID|...) above it"
    )
    assert is_row(DONE)
    assert not is_row("12|ann|4|5")


def test_a_row_has_its_times_in_seconds_since_1970_too() -> None:
    assert is_row("1|ann|batch|1700001000|1700001000|1700001600|600|COMPLETED|16")
    assert is_row("1|ann|batch|1700001000|1700001000|1700001600|600|CANCELLED by 7|16")
    assert not is_row("1|ann|batch|1700001000|1700001000|1700001600|600|16")
    assert not is_row("1|ann|batch|600|COMPLETED|16")


ARRAYS = """\
JobID|User|Submit|Start|End|State|AllocCPUS|SubmitLine
7_0|ann|1000|1000|1010|COMPLETED|1|sbatch --array=0-9%4 a.sh
7_1|ann|1000|1000|1010|COMPLETED|1|sbatch --array=0-9%4 a.sh
8_3|ann|1000|1000|1010|COMPLETED|1|sbatch -a 1-3 a.sh
9|ann|1000|1000|1010|COMPLETED|1|sbatch a.sh --array=1-3%2x
7_[2-9%3]|ann|1000|Unknown|Unknown|PENDING|0|sbatch --array=0-9%4 a.sh
10_[2,4,...%5]|ann|1000|None|1005|CANCELLED|0|
"""


def test_arrays_tell_how_many_of_their_elements_may_run() -> None:
    found = list(read(placed(ARRAYS.splitlines())))
    limits = [one[1].array_limit for one in found if not isinstance(one, SkippedLine)]
    assert limits == [4, 4, None, None, 5]
    assert [one.waiting for one in found if isinstance(one, SkippedLine)] == [(7, 3)]


def test_a_column_tells_the_limit_of_an_array() -> None:
    text = "JobID|Submit|Start|End|AllocCPUS|ArrayTaskThrottle\n7_0|1|2|3|1|6\n"
    ((_, record),) = (one for one in read(placed(text.splitlines())) if not isinstance(one, SkippedLine))
    assert record.array_limit == 6


@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({"Constraints": "a&(b/c)"}, "a&(b|c)"),
        ({"Constraints": "(null)", "SubmitLine": "sbatch -C b x"}, ""),
        ({"SubmitLine": "sbatch -C a&b x"}, "a&b"),
        ({"SubmitLine": "sbatch -Ca x"}, "a"),
        ({"SubmitLine": "sbatch --constraint=[a/b] x"}, "[a|b]"),
        ({"SubmitLine": "sbatch --constraint 'a,b'"}, "a,b"),
        ({"SubmitLine": "sbatch --cluster-constraint=a x"}, ""),
        ({"SubmitLine": "sbatch x"}, ""),
        ({}, ""),
    ],
)
def test_features_are_those_of_the_column_else_of_the_command_line(
    columns: dict[str, str], constraint: str
) -> None:
    [job] = jobs_of(read, *cells(**columns))
    assert job.constraint == constraint


def test_an_expression_may_hold_what_parts_cells_where_no_other_text_does() -> None:
    head = f"{HEADER}|Constraints".replace("JobName|", "")
    [job] = jobs_of(read, head, f"{DONE}|a|b".replace("t1|", "", 1))
    assert job.constraint == "a|b"
