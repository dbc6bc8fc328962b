"""Maui's traces: read as the guide says, written back word by word, bad lines refused with their place."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadFile
from molokini.model.resources import Resource
from molokini.workloads.maui_jobs import MauiJob, job_of, read_maui_jobs, words_of, write_maui_jobs
from molokini.workloads.maui_nodes import MauiNode, machine_of, node_of, read_maui_nodes, write_maui_nodes
from molokini.workloads.maui_nodes import words_of as node_words
from molokini.workloads.maui_trace import Ran, read_trace, trace_jobs, write_trace
from tests.core.workloads.builders import raw, workload

LINE = (
    "J1.srv 0 4 ann lab 3600 Completed [batch:1] 1000000000 1000000060 1000000060 1000001860 [NONE] [NONE] "
    "LINUX >= 0 >= 0 [NONE] 1000000000 4 -1 std:std [BACKFILL] acct1 run.sh [NONE] 0 7200.00 DEFAULT 1 512 "
    "0 0 0 0 n1:n2 base [NONE] [NONE] [NONE] [NONE] [NONE]"
)
NODE = (
    "COMPUTENODE AVAILABLE 0 n1 base 4096 2048 10240 4 0 1 1 LINUX x86 [fast] [batch:4] [ethernet] 1.0 "
    "[NONE] [NONE] [NONE]"
)
WORD = st.text("abcXYZ019._-", min_size=1, max_size=8).filter(lambda text: text != "NONE")
WORDS = st.lists(WORD, max_size=3).map(tuple)
MAYBE = st.one_of(st.just(""), WORD)
SECONDS = st.integers(0, 2**40).map(float)


def changed(line: str, field: int, text: str) -> str:
    words = line.split()
    words[field - 1] = text
    return " ".join(words)


def trace(folder: Path, *lines: str) -> Path:
    return raw(folder, "".join(line + "\n" for line in ("VERSION 230", "# jobs", *lines)).encode(), "w.trace")


def test_a_job_is_read_field_by_field_and_written_as_it_stood() -> None:
    job = job_of(tuple(LINE.split()))
    assert (job.name, job.user, job.group, job.account) == ("J1.srv", "ann", "lab", "acct1")
    assert (job.tasks, job.processors, job.limit_s, job.run_s) == (4, 4, 3600, 1800)
    assert (job.first_queue, job.requested_qos, job.flags, job.hosts) == (
        "batch",
        "std",
        ("BACKFILL",),
        ("n1", "n2"),
    )
    assert (job.used_processor_seconds, job.task_memory_mb, job.bypass) == (7200, 512, 0)
    assert " ".join(words_of(job)) == LINE


def test_the_last_reserved_field_may_be_missing() -> None:
    assert job_of(tuple(LINE.split()[:-1])) == job_of(tuple(LINE.split()))


@given(
    st.builds(
        MauiJob,
        name=WORD,
        tasks=st.integers(1, 10**6),
        user=MAYBE,
        limit_s=SECONDS,
        queue=WORDS,
        submit_s=SECONDS,
        start_s=SECONDS,
        end_s=SECONDS,
        features=WORDS,
        flags=WORDS,
        hosts=WORDS,
        required_hosts=WORDS,
        bypass=st.integers(-1, 100),
        processors_per_task=st.integers(1, 64),
        used_processor_seconds=st.integers(0, 10**9).map(lambda hundredths: hundredths / 100),
        node_set=MAYBE,
    )
)
def test_any_job_comes_back(job: MauiJob) -> None:
    assert job_of(words_of(job)) == job


@given(
    st.builds(
        MauiNode,
        name=WORD,
        state=st.sampled_from(["AVAILABLE", "DEFINED", "DRAINED"]),
        processors=st.integers(1, 10**4),
        memory_mb=st.integers(0, 10**9),
        swap_mb=st.integers(0, 10**9),
        disk_mb=st.integers(0, 10**9),
        speed=st.floats(0.01, 100),
        features=WORDS,
        queues=WORDS,
        networks=WORDS,
        reserved=st.tuples(MAYBE, MAYBE, MAYBE),
    )
)
def test_any_node_comes_back(node: MauiNode) -> None:
    assert node_of(node_words(node)) == node


def test_a_node_is_read_field_by_field_and_written_as_it_stood() -> None:
    node = node_of(tuple(NODE.split()))
    assert (node.name, node.processors, node.memory_mb, node.swap_mb, node.disk_mb) == (
        "n1",
        4,
        2048,
        4096,
        10240,
    )
    assert (node.slot, node.slots_used, node.features, node.queues) == (1, 1, ("fast",), ("batch:4",))
    assert " ".join(node_words(node)) == NODE
    assert node_of(tuple(changed(NODE, 18, "MATLAB:6").split())).generic == "MATLAB:6"


def test_files_come_back(tmp_path: Path) -> None:
    jobs = [job_of(tuple(changed(LINE, 1, f"J{k}").split())) for k in range(1, 4)]
    nodes = [node_of(tuple(changed(NODE, 4, f"n{k}").split())) for k in range(1, 4)]
    write_maui_jobs(jobs, tmp_path / "w.trace")
    write_maui_nodes(nodes, tmp_path / "r.trace")
    assert read_maui_jobs(tmp_path / "w.trace") == jobs
    assert read_maui_nodes(tmp_path / "r.trace") == nodes


def test_the_machine_is_of_what_is_available() -> None:
    down = node_of(tuple(changed(changed(NODE, 2, "DEFINED"), 4, "n2").split()))
    machine = machine_of([node_of(tuple(NODE.split())), down])
    assert machine.processors == 4
    assert machine.nodes[0].capacity[Resource.MEMORY_KB] == 2048 * 1024
    assert machine.nodes[0].capacity[Resource.DISK_KB] == 10240 * 1024


@pytest.mark.parametrize(
    ("field", "text", "names"),
    [
        (3, "four", r"field 3 \(tasks\): 'four'"),
        (3, "0", "1 or more"),
        (6, "1:00:00", r"field 6 \(limit_s\)"),
        (9, "nan", r"field 9 \(submit_s\)"),
        (32, "0", "1 or more each"),
        (33, "512G", r"field 33 \(task_memory_mb\)"),
    ],
)
def test_a_bad_field_is_refused_with_its_line(tmp_path: Path, field: int, text: str, names: str) -> None:
    with pytest.raises(BadFile, match=r"w\.trace:4: .*" + names):
        read_maui_jobs(trace(tmp_path, LINE, changed(LINE, field, text)))


@pytest.mark.parametrize(
    ("field", "text"), [(1, "DISK"), (2, "UP"), (6, "x"), (9, "0"), (18, "1000"), (18, "0")]
)
def test_a_bad_node_is_refused(tmp_path: Path, field: int, text: str) -> None:
    with pytest.raises(BadFile, match=r"r\.trace:1: "):
        read_maui_nodes(raw(tmp_path, changed(NODE, field, text).encode(), "r.trace"))


def test_a_node_twice_no_node_and_too_few_fields_are_refused(tmp_path: Path) -> None:
    for lines, why in ((f"{NODE}\n{NODE}", "twice"), ("# none", "no node"), ("COMPUTENODE n1", "21")):
        with pytest.raises(BadFile, match=why):
            read_maui_nodes(raw(tmp_path, lines.encode(), "r.trace"))


def test_a_trace_is_a_workload_with_its_names(tmp_path: Path) -> None:
    second = changed(changed(changed(LINE, 1, "J2.srv"), 4, "bob"), 9, "1000000030")
    never = changed(changed(changed(second, 1, "J3.srv"), 11, "0"), 12, "0")
    found = read_trace(trace(tmp_path, LINE, second, never), strict=True)
    assert found.number.tolist() == [1, 2, 3]
    assert found.submit_s.tolist() == [0, 30, 30]
    assert found.run_s.tolist() == [1800, 1800, 3600]
    assert found.estimate_s.tolist() == [3600] * 3
    assert [found.name_of("user", row) for row in range(3)] == ["ann", "bob", "bob"]
    assert found.name_of("queue", 0) == "batch"
    assert found.header.first("UnixStartTime") == "1000000000"


def test_a_run_of_no_time_lasts_a_second(tmp_path: Path) -> None:
    assert read_trace(trace(tmp_path, changed(LINE, 12, "1000000060"))).run_s.tolist() == [1]


def test_bad_lines_are_counted_or_if_strict_refused(tmp_path: Path) -> None:
    path = trace(tmp_path, LINE, "too few", changed(LINE, 3, "x"))
    assert read_trace(path).skipped == {"wrong_field_count": 1, "not_a_number": 1}
    with pytest.raises(BadFile, match=r":4: fields: 2"):
        read_trace(path, strict=True)


def test_a_schedule_is_written_as_statistics(tmp_path: Path) -> None:
    jobs = workload((0, 10, 2), (5, 7, 1), header=("; UnixStartTime: 1000",), estimate=20)
    ran = Ran(np.array([1.0, np.nan]), np.array([11.0, np.nan]))
    first, second = trace_jobs(jobs, ran)
    assert (first.start_s, first.end_s, first.used_processor_seconds, first.state) == (
        1001,
        1011,
        20,
        "Completed",
    )
    assert (second.state, second.end_s, second.allocated_tasks, second.submit_s) == ("NotRun", 0, 0, 1005)
    write_trace(jobs, tmp_path / "s.trace", ran)
    again = read_trace(tmp_path / "s.trace", strict=True)
    assert again.run_s.tolist() == [10, 20]
    assert again.submit_s.tolist() == [0, 5]


@pytest.mark.parametrize("header", [(), ("; UnixStartTime: 0",), ("; UnixStartTime: 1000",)])
def test_run_times_survive_whether_waits_are_told_or_not(tmp_path: Path, header: tuple[str, ...]) -> None:
    jobs = workload((0, 10, 2), (5, 7, 1), (6, 20, 1), header=header, estimate=20)
    jobs.records[0, 2] = 0  # It started at the log's second 0; of the others nobody knows.
    write_trace(jobs, tmp_path / "a.trace")
    once = read_trace(tmp_path / "a.trace", strict=True)
    assert once.run_s.tolist() == [10, 7, 20]
    write_trace(once, tmp_path / "b.trace")
    again = read_trace(tmp_path / "b.trace", strict=True)
    assert again.records.tolist() == once.records.tolist()


def test_a_job_that_never_ran_comes_back_as_one(tmp_path: Path) -> None:
    jobs = workload((0, 10, 2), (5, 7, 1), estimate=20)
    write_trace(jobs, tmp_path / "a.trace", Ran(np.array([1.0, np.nan]), np.array([11.0, np.nan])))
    write_trace(read_trace(tmp_path / "a.trace"), tmp_path / "b.trace")
    states = [job.state for job in read_maui_jobs(tmp_path / "b.trace")]
    assert states == ["Completed", "NotRun"]
