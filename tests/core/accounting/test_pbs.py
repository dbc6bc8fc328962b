"""PBS's accounting log: each column as the reference has it, and logs of OpenPBS and Torque read."""

from datetime import UTC

import pytest

from molokini.accounting import pbs
from molokini.accounting.pbs_reading import read
from molokini.accounting.record import SkippedLine
from molokini.model.facts import NO_INDEX, Ending
from tests.kit.accounting import BARE, jobs_of, placed, reasons_of, record

TORQUE = (
    "04/09/2013 15:01:47;E;68350.srv;user=ann group=lab jobname=t1 queue=batch ctime=1365512507 "
    "qtime=1365512507 etime=1365512507 start=1365512600 owner=ann@login exec_host=n1/0+n1/1 "
    "Resource_List.nodes=1:ppn=2 Resource_List.walltime=01:00:00 session=4242 end=1365516200 Exit_status=0 "
    "resources_used.cput=01:59:00 resources_used.mem=2048kb "
    "resources_used.vmem=4096kb resources_used.walltime=01:00:00"
)
"""The example of the reference."""
BEGIN = (
    "user=ann group=lab account=acct1 project=_pbs_project_default jobname=t1 queue=batch ctime=1365512507 "
    "qtime=1365512507 etime=1365512510"
)
RUNNING = (
    "start=1365512600 exec_host=n1/0*2+n2/0*2 exec_vnode=(n1:ncpus=2)+(n2:ncpus=2) Resource_List.mem=2048kb "
    "Resource_List.ncpus=4 Resource_List.nodect=2 Resource_List.place=scatter Resource_List.select=2:ncpus=2 "
    "Resource_List.walltime=01:00:00 session=0"
)
END = (
    "end=1365516200 Exit_status=0 resources_used.cput=01:59:00 resources_used.mem=2048kb "
    "resources_used.ncpus=4 resources_used.walltime=01:00:00 run_count=2"
)


def texts(*args: object, **changes: object) -> list[str]:
    return [line.text for line in pbs.lines_of(record(**changes), "srv", UTC)]


def test_a_job_has_the_records_q_s_and_e_column_by_column() -> None:
    assert texts() == [
        f"04/09/2013 13:01:47;Q;68350.srv;{BEGIN}",
        f"04/09/2013 13:03:20;S;68350.srv;{BEGIN} {RUNNING}",
        f"04/09/2013 14:03:20;E;68350.srv;{BEGIN} {RUNNING} {END}",
    ]


def test_what_is_not_known_has_no_column() -> None:
    begin = "user= group= project=_pbs_project_default jobname= queue= ctime=100 qtime=100 etime=100"
    end = "end=260 Exit_status=0 resources_used.walltime=00:01:00 run_count=1"
    assert [line.text for line in pbs.lines_of(BARE, "srv", UTC)] == [
        f"01/01/1970 00:01:40;Q;9.srv;{begin}",
        f"01/01/1970 00:03:20;S;9.srv;{begin} start=200 session=0",
        f"01/01/1970 00:04:20;E;9.srv;{begin} start=200 session=0 {end}",
    ]


def test_an_end_that_is_noted_later_stands_at_that_instant() -> None:
    late = pbs.ended(BARE, "srv", UTC, at_s=300.0)
    assert late.at_s == 300.0
    assert late.text.startswith("01/01/1970 00:05:00;E;9.srv;")
    assert " end=260 " in late.text


def test_who_deleted_a_job_is_its_user_or_whoever_else_it_was() -> None:
    waited = record(start_s=None, nodes=(), allocated=0, ending=Ending.CANCELLED)
    by = [pbs.ended(waited, "srv", UTC, by=name).text.split(";")[3] for name in ("", "root")]
    assert by == ["requestor=ann@srv", "requestor=root@srv"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"nodes": (("n1", 1), ("n2", 3))}, "exec_host=n1/0+n2/0*3 exec_vnode=(n1:ncpus=1)+(n2:ncpus=3)"),
        # Three processors are not to be had as equal chunks of two nodes.
        (
            {"processors": 3},
            "Resource_List.nodect=1 Resource_List.place=scatter Resource_List.select=1:ncpus=3",
        ),
        ({"wanted_nodes": 0}, "Resource_List.place=free Resource_List.select=1:ncpus=4"),
        ({"processors": 0, "allocated": 8}, "Resource_List.mem=4096kb Resource_List.ncpus=8"),
        ({"memory_kb": 0}, "exec_vnode=(n1:ncpus=2)+(n2:ncpus=2) Resource_List.ncpus=4"),
        ({"estimate_s": 0}, "Resource_List.select=2:ncpus=2 session=0"),
        ({"cpu_s": 0.0}, "Exit_status=0 resources_used.mem"),
        ({"used_kb": 0}, "resources_used.cput=01:59:00 resources_used.ncpus"),
    ],
)
def test_what_a_job_asked_for_and_used_has_words_of_its_own(changes: dict[str, object], words: str) -> None:
    assert f" {words}" in texts(**changes)[-1]


def test_a_job_that_never_started_was_deleted_or_aborted() -> None:
    cancelled = texts(start_s=None, nodes=(), allocated=0, ending=Ending.CANCELLED)
    assert [line.split(";")[1] for line in cancelled] == ["Q", "D"]
    assert cancelled[1] == "04/09/2013 14:03:20;D;68350.srv;requestor=ann@srv"
    refused = texts(start_s=None, nodes=(), allocated=0, ending=Ending.REFUSED)
    assert refused[1] == "04/09/2013 14:03:20;A;68350.srv;"


def test_elements_and_whole_arrays_are_named_as_pbs_names_them() -> None:
    assert texts(index=3)[0].split(";")[2] == "68350[3].srv"
    assert texts(indices="0-9")[0].split(";")[2] == "68350[].srv"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 0),
        ({"ending": Ending.FAILED, "exit_code": 3}, 3),
        ({"ending": Ending.FAILED, "signal": 9}, 265),
        ({"ending": Ending.CANCELLED}, 271),
        ({"ending": Ending.TIMED_OUT}, -29),
        ({"ending": Ending.NODE_LOST}, -20),
        ({"ending": Ending.FAILED}, -1),
    ],
)
def test_exit_statuses_are_those_of_the_reference(changes: dict[str, object], status: int) -> None:
    assert f" Exit_status={status} " in texts(**changes)[-1]


def test_values_with_blanks_stand_in_quotes() -> None:
    line = texts(account="my project", name='a "b" c')[0]
    assert ' account="my project" ' in line
    assert " jobname=\"a 'b' c\" " in line


def test_a_record_of_torque_is_read() -> None:
    [job] = jobs_of(read, TORQUE)
    assert (job.number, job.user, job.group, job.name, job.queue) == (68350, "ann", "lab", "t1", "batch")
    assert (job.submitted_s, job.start_s, job.end_s) == (1365512507, 1365512600, 1365516200)
    assert (job.processors, job.allocated, job.nodes) == (2, 2, (("n1", 2),))
    assert (job.estimate_s, job.cpu_s, job.used_kb, job.ending) == (3600, 7140, 2048, Ending.COMPLETED)


@pytest.mark.parametrize(
    ("held", "processors"),
    [
        ("exec_host=n1/0-3+n2/0-3", 8),
        ("exec_host=n1/0,2,4", 3),
        ("exec_host=n1/0*4+n2/0*4", 8),
        ("exec_host=n1/0", 1),
        ("exec_host=n1", 1),
        ("exec_host=n1/2-4,7", 4),
        # Virtual nodes without processors: those of the hosts.
        ("exec_host=n1/0*3 exec_vnode=(n1:mem=10kb)", 3),
        ("exec_host=n1/0*9 exec_vnode=(n1:ncpus=3)+(n2:mem=10kb)", 3),
        ("exec_host=n1/0+n1/1 total_execution_slots=16 unique_node_count=2", 16),
        ("exec_host=n1/0 exec_vnode=(n1:ncpus=3:mem=10kb+n1b:ncpus=2)+(n2:ncpus=4)", 9),
    ],
)
def test_processors_are_those_of_the_hosts(held: str, processors: int) -> None:
    [job] = jobs_of(read, TORQUE.replace("exec_host=n1/0+n1/1", held))
    assert job.allocated == processors


@pytest.mark.parametrize(
    ("asked", "processors"),
    [
        ("nodes=4", 4),
        ("nodes=2:ppn=4+1:ppn=8:big#shared", 16),
        ("nodes=n1:ppn=3+n2:ppn=2", 5),
        ("select=2:ncpus=8:mpiprocs=8+ncpus=1:mem=1gb", 17),
        ("select=3", 3),
        ("ncpus=12", 12),
        ("procs=7", 7),
        ("ncpus=-1", 0),
        ("walltime=5", 0),
        ("nodes=1234567890:ppn=3", 3),
        ("nodes=٣:ppn=2", 2),
    ],
)
def test_processors_asked_for_are_those_of_the_resource_list(asked: str, processors: int) -> None:
    [job] = jobs_of(read, TORQUE.replace("nodes=1:ppn=2", asked))
    assert job.processors == processors


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("start=1365512600", "start=0"), "never_started"),
        (("start=1365512600 ", ""), "missing_field"),
        (("Exit_status=0 ", ""), "missing_field"),
        (("end=1365516200", "end=1_000"), "not_a_number"),
        (("end=1365516200", "end=1365512599"), "out_of_range"),
        (("end=1365516200", "end=99999999999999999"), "out_of_range"),
        (("Exit_status=0", "Exit_status=-11"), "requeued_attempt"),
        (("Exit_status=0", "Exit_status=nan"), "not_a_number"),
        (("68350.srv", "srv.68350"), "not_a_number"),
        (("1:ppn=2", "1:ppn=999999999999"), "out_of_range"),
        (("2048kb", "2048 kilobytes"), None),
        (("ctime=1365512507 qtime=1365512507 ", ""), "missing_field"),
        (("ctime=1365512507 ", ""), None),
        (("ctime=1365512507", "ctime=-1"), "out_of_range"),
        (("end=1365516200", "stop=1365516200"), "missing_field"),
        (("end=1365516200", "end=1365512600"), None),
        (("68350.srv", "0.srv"), "not_a_number"),
        (("Exit_status=0", "Exit_status=-18"), "requeued_attempt"),
        (("Exit_status=0", "Exit_status=-13"), None),
        (("nodes=1:ppn=2", "ncpus=2147483648"), "out_of_range"),
        (("nodes=1:ppn=2", "ncpus=2147483647"), None),
        ((";E;68350.srv;", ";E;68350.srv "), "wrong_field_count"),
        ((";E;", ";L;"), "other_record"),
        ((";E;", ";"), "wrong_field_count"),
        (("04/09/2013", "2013-04-09"), "wrong_field_count"),
    ],
)
def test_what_is_no_job_has_a_reason(change: tuple[str, str], reason: str | None) -> None:
    assert reasons_of(read, TORQUE.replace(*change)) == ([(1, reason)] if reason else [])


def test_a_job_deleted_while_it_ran_is_one_job() -> None:
    deleted = "04/09/2013 15:00:00;D;68350.srv;requestor=ann@login"
    waiting = "04/09/2013 15:00:00;D;9.srv;requestor=ann@login"
    found = list(
        read(placed([deleted, waiting, waiting, TORQUE.replace("Exit_status=0", "Exit_status=271")]))
    )
    left = [(one.place.line, one.reason) for one in found if isinstance(one, SkippedLine)]
    assert left == [(3, "other_record"), (1, "other_record"), (2, "never_started")]
    assert len(found) - len(left) == 1


def test_the_wall_limit_and_a_deletion_are_told_apart_by_the_limit() -> None:
    killed = TORQUE.replace("Exit_status=0", "Exit_status=271")
    assert jobs_of(read, killed)[0].ending is Ending.TIMED_OUT
    assert jobs_of(read, killed.replace("walltime=01:00:00 session", "walltime=02:00:00 session"))[
        0
    ].ending is (Ending.CANCELLED)


@pytest.mark.parametrize(
    ("status", "ending", "code", "signal"),
    [
        (0, Ending.COMPLETED, 0, 0),
        (1, Ending.FAILED, 1, 0),
        (255, Ending.FAILED, 255, 0),
        (256, Ending.FAILED, 0, 0),
        (265, Ending.FAILED, 0, 9),
        # A shell that a signal has ended: 256, 128 and the number of the signal.
        (393, Ending.FAILED, 0, 9),
        (-1, Ending.FAILED, 0, 0),
        (-29, Ending.TIMED_OUT, 0, 0),
        (-20, Ending.NODE_LOST, 0, 0),
    ],
)
def test_exit_statuses_say_how_a_job_ended(status: int, ending: Ending, code: int, signal: int) -> None:
    [job] = jobs_of(read, TORQUE.replace("Exit_status=0", f"Exit_status={status}"))
    assert (job.ending, job.exit_code, job.signal) == (ending, code, signal)


def test_without_a_limit_a_deletion_is_none_of_the_limit() -> None:
    killed = TORQUE.replace("Exit_status=0", "Exit_status=271")
    [job] = jobs_of(read, killed.replace("Resource_List.walltime=01:00:00 ", ""))
    assert (job.ending, job.estimate_s) == (Ending.CANCELLED, 0.0)


@pytest.mark.parametrize(
    ("name", "number", "index"),
    [("68350", 68350, NO_INDEX), ("7[12].srv", 7, 12), ("7[].srv", 7, NO_INDEX), ("7-12.srv", 7, 12)],
)
def test_elements_are_known_by_their_names(name: str, number: int, index: int) -> None:
    [job] = jobs_of(read, TORQUE.replace("68350.srv", name))
    assert (job.number, job.index) == (number, index)


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        (("ctime=1365512507 qtime", "ctime=1365512400 qtime"), "submitted_s", 1365512400.0),
        (("ctime=1365512507 ", ""), "submitted_s", 1365512507.0),
        (
            ("ctime=1365512507 qtime=1365512507", "ctime=1365512400 qtime=1365512507"),
            "eligible_s",
            1365512507.0,
        ),
        (("group=lab", "group=lab project=_pbs_project_default"), "account", ""),
        (("group=lab", "group=lab project=p7"), "account", "p7"),
        (("group=lab", "group=lab project=p7 account=a1"), "account", "a1"),
        (("group=lab", 'group="the lab"'), "group", "the lab"),
        (("Exit_status=0", "Exit_status=0 run_count=3"), "attempt", 3),
        (("Exit_status=0", "Exit_status=0"), "attempt", 1),
        (("nodes=1:ppn=2", "nodes=1:ppn=2 Resource_List.pmem=3mb"), "memory_kb", 3072),
        (("nodes=1:ppn=2", "nodes=1:ppn=2 Resource_List.mem=3mb"), "memory_kb", 1536),
        # Nothing says for how many processors: for those that it had, which are two as well; or for one.
        (("nodes=1:ppn=2", "mem=3mb"), "memory_kb", 1536),
        (("exec_host=n1/0+n1/1 Resource_List.nodes=1:ppn=2", "Resource_List.mem=3mb"), "memory_kb", 3072),
        (("nodes=1:ppn=2", "nodes=1:ppn=2"), "memory_kb", 0),
        (("nodes=1:ppn=2", "nodect=3 Resource_List.place=scatter:excl"), "wanted_nodes", 3),
        (("nodes=1:ppn=2", "nodect=3 Resource_List.place=free"), "wanted_nodes", 0),
        (("nodes=1:ppn=2", "nodect=3"), "wanted_nodes", 0),
    ],
)
def test_what_a_field_says_is_kept(change: tuple[str, str], field: str, value: object) -> None:
    assert change[0] in TORQUE
    [job] = jobs_of(read, TORQUE.replace(*change))
    assert getattr(job, field) == value


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (("n1/0+n1/1", "n1/zero"), "exec_host"),
        (("n1/0+n1/1", "n1/0*999999999+n2/0*999999999+n3/0*999999999"), "exec_host"),
        (("01:00:00 session", "1:2:3:4 session"), "walltime"),
        (("resources_used.mem=", "resources_used.mem=x"), "resources_used.mem"),
        (("resources_used.cput=", "resources_used.cput=x"), "cput"),
        (("session=", "etime=x session="), "etime"),
        (("session=", "run_count=x session="), "run_count"),
        (("session=", "Resource_List.pmem=x session="), "mem"),
    ],
)
def test_a_job_goes_without_a_field_that_is_not_understood(change: tuple[str, str], field: str) -> None:
    line = TORQUE.replace(*change)
    assert line != TORQUE
    [job] = jobs_of(read, line)
    assert [odd.field for odd in job.odd] == [field]
    assert (job.number, job.processors, job.end_s) == (68350, 2, 1365516200.0)


def test_processors_that_a_job_held_are_needed_where_none_were_asked_for() -> None:
    line = TORQUE.replace("Resource_List.nodes=1:ppn=2 ", "").replace("n1/0+n1/1", "n1/zero")
    assert reasons_of(read, line) == [(1, "not_a_number")]


def test_instants_may_have_fractions() -> None:
    [job] = jobs_of(read, TORQUE.replace("ctime=1365512507", "ctime=1365512507.25"))
    assert job.submitted_s == 1365512507.25
