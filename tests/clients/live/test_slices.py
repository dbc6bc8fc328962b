"""``molokini slices``."""

from collections.abc import Callable

import pytest

from molokini.proto.v1.job_service_pb2 import SlicedJob
from molokini.proto.v1.jobs_pb2 import JobRef, Sliced, Slicing
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]

ACHIEVED = Sliced(
    periods=200,
    elapsed_s=4.0,
    on_s=1.0,
    ran_s=0.99,
    waited_s=0.002,
    misses=3,
    late_s=[0.0001, 0.0002, 0.0005],
    jitter_s=[0.00001, 0.00015, 0.0003],
)


def test_jobs_are_sliced_and_not_any_more(molokini: Command, server: FakeServer) -> None:
    for _ in range(2):
        molokini("submit", "--", "true")
    assert molokini("slices", 1, 2, "--period", "0.02", "--slice", "0.005", "--real-time").code == 0
    given = ("--rows", 3, "--row", 2, "--row", 0, "--quantum", "0.5", "--origin", 7)
    assert molokini("slices", 2, *given).code == 0
    assert molokini("slices", 1, "--off").code == 0
    assert server.state.sliced == [
        (1, Slicing(period_s=0.02, slice_s=0.005, real_time=True)),
        (2, Slicing(period_s=0.02, slice_s=0.005, real_time=True)),
        (2, Slicing(rows=3, row=[0, 2], quantum_s=0.5, origin_s=7.0)),
        (1, None),
    ]
    ran = molokini("slices", 9, "--off")
    assert (ran.code, ran.err) == (1, "molokini: no job 9\n")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["1", "--period", "0.01", "--slice", "0.005"],
            "--period: 0.01 is not allowed; it must be from 0.02",
        ),
        (["1", "--period", "0.1", "--slice", "0.2"], "--slice: 0.2 is not allowed"),
        (["1", "--slice", "0.2"], "--period: 0.0 is not allowed"),
        (
            ["1", "--rows", "2", "--row", "2", "--quantum", "1"],
            "--row: [2] is not allowed; it must be from 0",
        ),
        (["1", "--row", "2"], "rows: say of how many rows the matrix is"),
        (["1", "--rows", "2", "--period", "1"], "rows: a job has rows or a period with its slice"),
        (["1", "--off", "--rows", "2"], "--off: goes with no other option"),
        (["--period", "1", "--slice", "0.5"], "give the jobs whose slices are to be set or removed"),
        (["--off"], "give the jobs whose slices are to be set or removed"),
        (["x", "--off"], "ID"),
    ],
)
def test_what_cannot_be_is_one_line(
    molokini: Command, server: FakeServer, given: list[str], said: str
) -> None:
    ran = molokini("slices", *given)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
    assert server.state.sliced == []


def test_what_was_achieved_is_shown(molokini: Command, server: FakeServer) -> None:
    server.state.slices = [
        SlicedJob(
            job=JobRef(id=1),
            attempt=2,
            slicing=Slicing(period_s=0.02, slice_s=0.005),
            achieved={"one": ACHIEVED, "two": Sliced(trouble="this agent does not run the attempt")},
        ),
        SlicedJob(job=JobRef(id=3, array_index=4), slicing=Slicing(rows=2, row=[1], quantum_s=0.2)),
        SlicedJob(job=JobRef(id=5), attempt=1, achieved={"one": ACHIEVED}),
    ]
    lines = [line.split() for line in molokini("slices").out.splitlines()]
    assert lines[0][:7] == ["job", "attempt", "ordered", "share", "agent", "periods", "on"]
    figures = ["200", "0.250", "0.247", "0.02", "3", "0.10/0.20/0.50", "0.01/0.15/0.30"]
    assert lines[1] == ["1", "2", "0.005", "of", "0.02", "s", "0.250", "one", *figures]
    assert lines[2][:9] == ["1", "2", "0.005", "of", "0.02", "s", "0.250", "two", "0"]
    assert lines[3] == ["3[4]", "row", "1", "of", "2,", "0.2", "s", "each", "0.500"]
    assert lines[4] == ["5", "1", "ended", "one", *figures]
    server.state.slices[0].slicing.by_deadline = True
    server.state.slices[0].slicing.cores.add(node="one", core=[2, 3])
    found = molokini("slices", "1", "3[4]", "--json").json
    assert found["schema"] == "molokini.slices/1"
    first, second = found["slices"]
    assert (first["job"], first["ordered"]["period_s"], first["ordered"]["share"]) == ("1", 0.02, 0.25)
    assert first["ordered"]["cores"] == {"one": [2, 3]}
    assert first["achieved"][0] == {
        "agent": "one",
        "periods": 200,
        "elapsed_s": 4.0,
        "period_s": 0.02,
        "slice_s": 0.005,
        "share": 0.25,
        "cpu_share": 0.2475,
        "cpu_s": 0.99,
        "waited_s": 0.002,
        "misses": 3,
        "late_s": [0.0001, 0.0002, 0.0005],
        "jitter_s": [0.00001, 0.00015, 0.0003],
        "trouble": "",
    }
    assert first["achieved"][1]["share"] is None
    assert (second["job"], second["attempt"], second["achieved"]) == ("3[4]", None, [])
    ran = molokini("slices", 7)
    assert (ran.code, ran.err) == (1, "molokini: job 7 is not sliced\n")
