"""What people read on a terminal: instants, work, counts; and which jobs a listing is about."""

import json
from collections.abc import Callable

import pytest

from molokini.clients.live.reasons import _reason
from molokini.model.instants import instant
from molokini.proto.v1.cluster_service_pb2 import Clock
from molokini.proto.v1.job_service_pb2 import Explanation
from molokini.proto.v1.jobs_pb2 import JobState, NodeSlices
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]


def test_instants_of_a_cluster_that_goes_by_the_calendar_are_dates() -> None:
    assert [instant(value) for value in (0.0, 60.5, 999_999_999.0)] == ["0 s", "60.5 s", "999999999 s"]
    assert instant(1_795_253_143.59172) == "2026-11-21 09:25:43Z"
    assert instant(1_795_253_143.99999) == "2026-11-21 09:25:43Z"
    assert [instant(value) for value in (1e15, float("inf"))] == ["1e+15 s", "inf s"]
    assert [instant(value) for value in (459.571133646241, 0.1 + 0.2)] == ["459.571 s", "0.3 s"]


def test_a_listing_of_ended_states_needs_no_further_word(molokini: Command, server: FakeServer) -> None:
    for _ in range(2):
        molokini("submit", "--", "true")
    server.end(1)
    shown = molokini("jobs", "--state", "completed").out.splitlines()
    assert [line.split()[0] for line in shown] == ["job", "1"]
    assert len(molokini("jobs", "--state", "waiting").out.splitlines()) == 2


def test_work_is_shown_where_it_is_known(molokini: Command, server: FakeServer) -> None:
    molokini("submit", "--", "true")
    server.change(1, JobState.RUNNING, attempt=1)
    assert "0:00:00" in molokini("jobs").out
    server.end(1)
    assert "0:00:00" not in molokini("jobs", "--all").out
    assert "\nwork " not in molokini("job", 1).out
    server.change(1, JobState.COMPLETED, work_s=90.0)
    assert "0:01:30" in molokini("jobs", "--all").out


def test_start_end_and_elapsed_time_are_shown_and_in_the_json(molokini: Command, server: FakeServer) -> None:
    for _ in range(3):
        molokini("submit", "--", "true")
    server.change(1, JobState.RUNNING, start_s=40.0, elapsed_s=60.0, expected_end_s=3640.0)
    server.change(2, JobState.COMPLETED, start_s=50.0, end_s=140.0, elapsed_s=90.0)
    header, running, ended, waiting = molokini("jobs", "--all").out.splitlines()
    assert header.split()[6:9] == ["start", "end", "elapsed"]
    assert " 40 s  3640 s  0:01:00" in running
    assert " 50 s   140 s  0:01:30" in ended
    assert " s" not in waiting
    found = molokini("jobs", "--all", "--json").json["jobs"]
    names = ("start_s", "end_s", "expected_end_s", "elapsed_s")
    assert [[job[name] for name in names] for job in found] == [
        [40.0, None, 3640.0, 60.0],
        [50.0, 140.0, None, 90.0],
        [None, None, None, None],
    ]


def test_counts_of_elements_are_in_the_order_of_a_life(molokini: Command, server: FakeServer) -> None:
    molokini("submit", "--array", "1-9", "--", "true")
    server.state.jobs[1].elements.update({"not-started": 1, "completed": 3, "running": 2, "waiting": 4})
    assert "4 waiting, 2 running, 3 completed, 1 not-started" in molokini("jobs").out


@pytest.mark.parametrize(("script", "lines"), [("a\nb\n", "2 lines"), ("a", "1 line")])
def test_lines_of_a_script(molokini: Command, server: FakeServer, script: str, lines: str) -> None:
    molokini("submit", "--", "true")
    server.state.jobs[1].spec.script = script
    assert f"script     {lines}\n" in molokini("job", 1).out


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (Clock.REAL, "2033-05-18 03:33:20Z"),
        (Clock.SCALED, "2000000000 s"),
        (Clock.STEPPED, "2000000000 s"),
        (Clock.VIRTUAL, "2000000000 s"),
    ],
)
def test_a_clock_shows_a_date_by_its_kind(
    molokini: Command, server: FakeServer, kind: Clock.Kind, shown: str
) -> None:
    server.cluster.clock.kind, server.cluster.clock.now_s = kind, 2e9
    assert f"now    {shown}\n" in molokini("clock", "status").out


def test_the_forecast_of_a_job_that_has_started(molokini: Command, server: FakeServer) -> None:
    molokini("submit", "--", "true")
    server.change(1, JobState.RUNNING, start_s=40.0)
    assert molokini("forecast", 1).out == "started  1 min ago (at 40 s)\n"


def test_the_help_says_what_the_server_does(molokini: Command) -> None:
    assert "stepped clock" in molokini("clock", "advance", "--help").out
    assert "virtual" not in molokini("clock", "advance", "--help").out
    assert "administrator" in molokini("release", "--help").out


def test_an_element_is_not_altered_with_all_its_neighbours(molokini: Command, server: FakeServer) -> None:
    words = ("alter", "--name", "x")
    molokini("submit", "--array", "1-3", "--", "true")
    ran = molokini(*words, "1[2]")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("molokini: ID: '1[2]' is not allowed; it must be a whole job")
    assert server.state.jobs[1].state == JobState.WAITING
    assert molokini(*words, "1[]").code == 0


@pytest.mark.parametrize(
    ("rule", "shown"), [("deferred", ""), ("over-hard-limit", ""), ("not-enough-free", "3")]
)
def test_figures_that_stand_for_words_are_not_shown(rule: str, shown: str) -> None:
    assert _reason(Explanation(rule=rule, limit=3.0, value=3.0))["value"] == shown


@pytest.mark.parametrize(
    ("planned", "waiting", "line"),
    [
        (
            4000,
            200_000,
            "planned   4,000 of 200,000 waiting jobs, so these times are estimates\n",
        ),
        (12, 12, ""),
    ],
)
def test_a_forecast_says_how_coarse_it_is(
    molokini: Command, server: FakeServer, planned: int, waiting: int, line: str
) -> None:
    molokini("submit", "--", "true")
    server.state.planned, server.state.waiting = planned, waiting
    told = molokini("forecast", 1).out
    assert told.startswith("starts    in ")
    assert "".join(part for part in told.splitlines(keepends=True) if part.startswith("planned")) == line
    document = json.loads(molokini("forecast", 1, "--json").out)
    assert (document["planned_jobs"], document["waiting_jobs"]) == (planned, waiting)


def test_what_nodes_were_measured_to_keep_of_slices(molokini: Command, server: FakeServer) -> None:
    assert "slices" not in molokini("nodes").out
    first, second, third = (server.cluster.nodes[name].slices for name in ("node1", "node2", "node3"))
    first.MergeFrom(NodeSlices(mechanisms=["signals"], least_period_s=0.01))
    second.measured = third.measured = second.real_time = True
    second.least_period_s, second.least_slice_s, second.usable_share = 0.02, 0.002, 0.85
    head, *lines = molokini("nodes").out.splitlines()
    assert head.endswith("slices")
    shown = [line[head.index("slices") :].strip() for line in lines]
    assert shown[:4] == ["", "20 ms, 2 ms, 85%", "none kept", ""]
    found = molokini("nodes", "--json").json["nodes"]
    assert [node["slices"] is not None for node in found] == [True, True, True, False]
    assert found[1]["slices"]["least_period_s"] == 0.02


def test_a_node_whose_memory_is_no_bound_is_marked(molokini: Command, server: FakeServer) -> None:
    server.cluster.nodes["node2"].memory_not_enforced = True
    shown = [line.split("  ") for line in molokini("nodes").out.splitlines()[1:3]]
    assert [[word.strip() for word in line if "G" in word] for line in shown] == [
        ["64G"],
        ["64G not enforced"],
    ]
    assert [node["memory_not_enforced"] for node in molokini("nodes", "--json").json["nodes"]] == [
        False,
        True,
        False,
        False,
    ]
