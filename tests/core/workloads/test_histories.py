"""A site's own history as a workload: found by its content, numbered as in SWF, hostile lines counted."""

import gzip
import os
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.accounting.formats import READERS, Site, writer_of
from molokini.accounting.record import Record
from molokini.model.errors import BadFile, UnknownName
from molokini.model.facts import Ending
from molokini.workloads.blocks import LINE_BYTES
from molokini.workloads.ended_readers import read_ended
from molokini.workloads.readers import format_of, read_workload
from molokini.workloads.workload import SWF_FIELDS, Workload
from tests.core.accounting.test_pbs import TORQUE
from tests.core.workloads.test_maui_traces import LINE
from tests.kit.accounting import record

FORMS = tuple(READERS)
JOBS = (
    record(number=5, submitted_s=1365512500.0),
    record(
        number=7, index=0, submitted_s=1365512600.0, start_s=1365512700.0, user="bob", ending=Ending.FAILED
    ),
    record(number=7, index=1, submitted_s=1365512600.0, start_s=1365512800.0, user="bob"),
    record(number=8, submitted_s=1365512600.0, start_s=None, nodes=(), allocated=0, ending=Ending.CANCELLED),
    record(number=9, submitted_s=1365512900.0, estimate_s=0, queue="long", ending=Ending.CANCELLED),
)


def written(form: str, jobs: tuple[Record, ...] = JOBS) -> bytes:
    writer = writer_of(form, Site("srv", UTC))
    lines = [line.text for job in jobs for line in writer.lines(job)]
    return "".join(f"{text}\n" for text in [*writer.header(), *lines]).encode()


def saved(folder: Path, body: bytes, name: str = "history") -> str:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(body)
    return str(path)


def column(log: Workload, name: str) -> list[float]:
    found: list[float] = log.records[:, SWF_FIELDS.index(name)].tolist()
    return found


@pytest.mark.parametrize("form", FORMS)
def test_a_history_is_found_by_its_content_and_numbered_as_in_swf(tmp_path: Path, form: str) -> None:
    path = saved(tmp_path, written(form), "any.name")
    assert format_of(path) == form
    log = read_workload(path)
    index = {"lsf": [5, 7, 10, 9]}.get(form, [5, 10, 11, 9])
    assert log.number.tolist() == index  # LSF has no index 0: its idx 0 is a job that is no array
    assert log.submit_s.tolist() == [0, 100, 100, 400]
    assert column(log, "wait_s")[:3] == [100, 100, 200]
    assert log.run_s.tolist() == [3600, 3500, 3400, 3600]
    assert log.estimate_s.tolist() == [3600, 3600, 3600, 3600]
    assert log.notes["estimate_from_run_time"] == 1
    assert log.processors.tolist() == [4, 4, 4, 4]
    assert column(log, "status") == [1, 0, 1, 5]
    assert log.user.tolist() == [1, 2, 2, 1]
    assert [log.name_of("user", row) for row in range(4)] == ["ann", "bob", "bob", "ann"]
    assert [log.name_of("queue", row) for row in range(4)] == ["batch", "batch", "batch", "long"]
    assert log.skipped["never_started"] == 1
    assert log.header.first("UnixStartTime") == "1365512500"


def test_numbers_that_began_anew_are_other_jobs(tmp_path: Path) -> None:
    """A server whose counter was set back: the second job 12 is no attempt of the first."""
    first = record(number=12, submitted_s=1365512500.0, start_s=1365512600.0)
    again = record(number=12, submitted_s=1365512700.0, start_s=1365512800.0, user="bob")
    last = record(number=13, submitted_s=1365512900.0, start_s=1365513000.0)
    log = read_workload(saved(tmp_path, written("pbs", (first, again, last))))
    assert log.number.tolist() == [12, 14, 13]
    assert [log.name_of("user", row) for row in range(3)] == ["ann", "bob", "ann"]


def test_the_name_can_be_overruled(tmp_path: Path) -> None:
    path = saved(tmp_path, written("pbs"), "log.swf")
    assert len(read_workload(path)) == 4
    with pytest.raises(BadFile, match="no usable record"):
        read_workload(path, form="swf")
    with pytest.raises(BadFile, match="no usable record"):
        read_workload(path, form="lsf")
    with pytest.raises(UnknownName, match="did you mean 'sacct'"):
        read_workload(path, form="sact")


def test_a_trace_of_maui_is_found_by_its_content(tmp_path: Path) -> None:
    path = saved(tmp_path, f"VERSION 230\n{LINE}\n".encode(), "Tue_Apr_09_2013")
    assert format_of(path) == "trace"
    assert read_workload(path).run_s.tolist() == [1800]
    assert len(read_ended(path)) == 1


@pytest.mark.parametrize("form", FORMS)
def test_packed_files_and_carriage_returns_are_read_alike(tmp_path: Path, form: str) -> None:
    body = written(form)
    plain = read_workload(saved(tmp_path, body))
    for number, changed in enumerate((gzip.compress(body), body.replace(b"\n", b"\r\n"))):
        log = read_workload(saved(tmp_path, changed, f"changed{number}"))
        np.testing.assert_array_equal(log.records, plain.records)
        assert log.skipped == plain.skipped


def test_a_folder_is_read_file_by_file_and_others_are_counted(tmp_path: Path) -> None:
    lines = written("pbs").splitlines(keepends=True)
    for number, line in enumerate(lines):
        saved(tmp_path, line, f"acct/201304{number:02d}")
    saved(tmp_path, b"what is here\n", "acct/README")
    saved(tmp_path, b"", "acct/20130499")
    log = read_workload(tmp_path / "acct", strict=True)
    assert len(log) == 4
    assert log.notes["files_passed_over"] == 2
    with pytest.raises(BadFile, match="holds no file of the format lsf"):
        read_workload(tmp_path / "acct", form="lsf")


def test_a_folder_without_accounting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"the folder holds no accounting \(pbs, lsf, sacct\)"):
        read_workload(tmp_path)


def test_a_table_for_people_is_refused_with_what_to_do(tmp_path: Path) -> None:
    body = b"JobID           JobName  Partition\n------------ ---------- ----------\n"
    with pytest.raises(BadFile, match="print it with sacct --parsable2"):
        read_workload(saved(tmp_path, body))


def test_a_job_that_was_requeued_is_its_last_attempt(tmp_path: Path) -> None:
    again = TORQUE.replace("start=1365512600", "start=1365516300").replace("end=1365516200", "end=1365516400")
    other = TORQUE.replace("ctime=1365512507", "ctime=1375512507").replace("13655126", "13755126")
    body = "\n".join([TORQUE, again, other.replace("13655162", "13755162")])
    log = read_workload(saved(tmp_path, body.encode()))
    assert log.skipped == {"requeued_attempt": 1}
    # The number of the first job came round again, years later.
    assert log.number.tolist() == [68350, 68351]
    assert log.run_s.tolist() == [100, 3600]


def test_a_record_of_a_wide_job_may_be_long(tmp_path: Path) -> None:
    hosts = "+".join(f"node{number:05d}/{slot}" for number in range(1000) for slot in range(16))
    body = TORQUE.replace("n1/0+n1/1", hosts).replace("1:ppn=2", "1000:ppn=16")
    assert len(body) > 3 * LINE_BYTES
    assert read_workload(saved(tmp_path, body.encode())).processors.tolist() == [16_000]


HOSTILE = [
    (b"\x00", "not_text"),
    (b"end=13x5516200 ", "not_a_number"),
    (b"end=\xb2 ", "not_a_number"),
    (b"end=-5 ", "out_of_range"),
    (b"end=1e9 ", "not_a_number"),
]


@pytest.mark.parametrize(("text", "reason"), HOSTILE, ids=lambda value: str(value))
def test_hostile_lines_are_counted_or_refused_with_their_place(
    tmp_path: Path, text: bytes, reason: str
) -> None:
    bad = TORQUE.encode().replace(b"end=1365516200 ", text)
    path = saved(tmp_path, b"\n".join([TORQUE.encode(), bad, b""]))
    assert read_workload(path).skipped == {reason: 1}
    with pytest.raises(BadFile) as refused:
        read_workload(path, strict=True)
    assert str(refused.value).startswith(f"{path}:2: ")
    assert "\n" not in str(refused.value)
    assert "end" in str(refused.value) or "NUL" in str(refused.value)


def test_other_encodings_are_read_letter_by_letter(tmp_path: Path) -> None:
    for name, encoding in (("Grün", "utf-8"), ("Grün", "latin-1")):
        body = TORQUE.replace("user=ann", f"user={name}").encode(encoding)
        assert read_workload(saved(tmp_path, body)).name_of("user", 0) == "Grün"


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_whatever_becomes_of_a_line_it_is_a_job_or_counted(
    tmp_path_factory: pytest.TempPathFactory, form: str, data: st.DataObject
) -> None:
    body = bytearray(written(form))
    first = body.index(b"\n") + 1
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(first, len(body) - 1))
        size = data.draw(st.integers(0, 30))
        body[at : at + size] = data.draw(st.binary(max_size=4))
    path = tmp_path_factory.mktemp("hostile") / "log"
    path.write_bytes(body)
    try:
        log = read_workload(path, form=form)
    except BadFile as error:
        refusal = str(error)
        log = None
    if log is None:
        assert "\n" not in refusal
        return
    assert np.isfinite(log.records).all()
    assert (log.run_s >= 0).all()
    assert (log.processors > 0).all()


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, written("pbs"))
    os.close(writing)
    try:
        assert len(read_workload(f"/dev/fd/{reading}", form="pbs")) == 4
    finally:
        os.close(reading)


def test_profiles_know_whose_jobs_they_were(tmp_path: Path) -> None:
    jobs = read_ended(saved(tmp_path, written("sacct")))
    assert set(jobs.names["user"]) == {"ann", "bob"}
    assert set(jobs.names["day"]) == {"2013-04-09"}


def test_a_history_of_attempts_alone_says_so(tmp_path: Path) -> None:
    never = replace(JOBS[3], number=1)
    with pytest.raises(BadFile, match=r"no usable record among \d \(1 never_started"):
        read_workload(saved(tmp_path, written("lsf", (never,))))


@pytest.mark.parametrize("form", FORMS)
def test_the_first_jobs_of_a_history_alone_may_be_read(tmp_path: Path, form: str) -> None:
    path = saved(tmp_path, written(form))
    whole = read_workload(path)
    assert len(whole) > 1
    some = read_workload(path, limit=1)
    assert some.number.tolist() == whole.number.tolist()[:1]
    assert some.skipped == whole.skipped


@pytest.mark.parametrize(
    ("name", "form"),
    [("log", "trace"), ("log.txt", "trace"), ("log.trace", "trace"), ("log.swf", "swf"), ("log.csv", "csv")],
)
def test_a_line_as_long_as_a_traces_is_one_unless_named_otherwise(
    tmp_path: Path, name: str, form: str
) -> None:
    assert format_of(saved(tmp_path, LINE.encode() + b"\n", name)) == form


def test_a_field_that_a_job_goes_without_is_counted_by_its_name_or_refused(tmp_path: Path) -> None:
    body = written("lsf").replace(b' 3600 0 0 "', b' x 0 0 "', 1)
    log = read_workload(saved(tmp_path, body))
    assert (log.notes["not_understood.runLimit"], len(log)) == (1, 4)
    with pytest.raises(BadFile, match=r"history:1: runLimit: 'x' is not a whole number"):
        read_workload(saved(tmp_path, body), strict=True)


def test_a_history_without_a_job_says_what_is_wrong_with_its_first_line(tmp_path: Path) -> None:
    lines = TORQUE.replace(";E;", ";Q;"), TORQUE.replace("start=1", "start=x")
    body = "\n".join(lines).encode()
    with pytest.raises(BadFile) as refused:
        read_workload(saved(tmp_path, body))
    assert str(refused.value).endswith(
        "history: no usable record among 2 (1 not_a_number, 1 other_record); "
        "line 2: start: 'x365512600' is not a number"
    )
    saved(tmp_path, body, "acct/20130409")
    with pytest.raises(BadFile, match="line 2: 20130409: start: 'x365512600'"):
        read_workload(tmp_path / "acct")


def test_a_table_of_slurm_in_seconds_without_its_header_is_told_that_it_lacks_it(tmp_path: Path) -> None:
    row = b"1|ann|staff|a|batch|1700001000|1700001000|1700001600|600|COMPLETED|16\n"
    with pytest.raises(BadFile, match="line 1: no line above names the columns: print the table without"):
        read_workload(saved(tmp_path, row))


NODES = (
    "User|AllocNodes|JobID|State|Submit|Start|End|Elapsed|Timelimit",
    "u1|4|100|COMPLETED|2022-10-19T00:10:00|2022-10-19T01:00:00|2022-10-19T02:00:00|01:00:00|02:00:00",
    "u2|0|101|CANCELLED by 7|2022-10-19T00:20:00|None|2022-10-19T02:30:00|00:00:00|Partition_Limit",
)


def test_a_table_of_nodes_alone_is_read_with_the_processors_of_each(tmp_path: Path) -> None:
    path = saved(tmp_path, "\n".join(NODES).encode())
    with pytest.raises(BadFile) as refused:
        read_workload(path)
    assert str(refused.value).endswith(
        "no usable record among 2 (1 no_processors, 1 never_started); line 2: job 100 says that it held "
        "4 nodes, and nothing of processors: print AllocCPUS, NCPUS, ReqCPUS, AllocTRES, ReqTRES too "
        "(one will do), or give --procs-per-node M"
    )
    log = read_workload(path, per_node=128)
    assert (log.processors.tolist(), log.notes["processors_from_nodes"]) == ([512], 1)


def test_a_table_without_its_header_is_known_and_says_what_to_do(tmp_path: Path) -> None:
    path = saved(tmp_path, NODES[1].encode())
    with pytest.raises(BadFile, match="line 1: no line above names the columns: print the table without"):
        read_workload(path)
