"""``molokini accounting export``: all that has ended, in order, whole or not at all."""

import gzip
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from molokini.accounting.formats import WRITERS
from molokini.clients import spooling
from molokini.clients.spooling import Spool
from molokini.proto.v1.cluster_service_pb2 import Clock
from molokini.proto.v1.jobs_pb2 import JobState
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def history(molokini: Command, server: FakeServer) -> Command:
    """Four jobs: the second ended before the first, the third was cancelled in time, the last one waits."""
    server.cluster.clock.kind = Clock.REAL
    for name in ("one", "two", "three", "four"):
        molokini(
            "submit", "--name", name, "--processors", 4, "--estimate", 600, "--account", "lab", "--", "true"
        )
    ended(server, 1, 1e9, 1e9 + 100, 1e9 + 700)
    ended(server, 2, 1e9, 1e9 + 50, 1e9 + 150, JobState.FAILED, exit_code=3)
    server.change(3, JobState.CANCELLED, submitted_s=1e9 + 60, end_s=1e9 + 61)
    return molokini


def ended(
    server: FakeServer,
    number: int,
    submitted_s: float,
    start_s: float,
    end_s: float,
    state: JobState = JobState.COMPLETED,
    **more: Any,
) -> None:
    server.change(
        number, state, submitted_s=submitted_s, start_s=start_s, end_s=end_s, attempt=1, cpu_s=1800.5, **more
    )
    server.state.jobs[number].allocation.add(node="n1", processors=4)


def test_pbs_is_in_the_order_of_instants(history: Command) -> None:
    lines = history("accounting", "export", "--format", "pbs").out.splitlines()
    assert [tuple(line.split(";")[:3]) for line in lines] == [
        ("09/09/2001 01:46:40", "Q", "1.fake"),
        ("09/09/2001 01:46:40", "Q", "2.fake"),
        ("09/09/2001 01:47:30", "S", "2.fake"),
        ("09/09/2001 01:47:40", "Q", "3.fake"),
        ("09/09/2001 01:47:41", "D", "3.fake"),
        ("09/09/2001 01:48:20", "S", "1.fake"),
        ("09/09/2001 01:49:10", "E", "2.fake"),
        ("09/09/2001 01:58:20", "E", "1.fake"),
    ]


@pytest.mark.parametrize("form", list(WRITERS))
def test_what_is_exported_is_read_again(history: Command, tmp_path: Path, form: str) -> None:
    ran = history("accounting", "export", "--format", form, "-o", "history.gz")
    assert (ran.code, ran.err) == (0, "")
    count = len(gzip.decompress((tmp_path / "history.gz").read_bytes()).splitlines())
    heads = {"sacct": 1, "swf": 15}.get(form, 0)
    assert ran.out == f"history.gz: 3 jobs, {count - heads} lines of {form}\n"
    found = history("workload", "info", "history.gz", "--json", "-").json
    assert found["jobs"] == 2
    assert found["run_s"]["max"] == 600
    assert found["estimate_s"]["min"] == 600
    assert found["sizes"]["max"] == 4


def test_the_same_history_is_the_same_file(history: Command, tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        history("accounting", "export", "--format", "lsf", "-o", name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    # It tells about users: its owner says who else reads it, and the next one is as that one was.
    assert (tmp_path / "a.gz").stat().st_mode & 0o777 == 0o600
    (tmp_path / "a.gz").chmod(0o644)
    history("accounting", "export", "--format", "lsf", "-o", "a.gz")
    assert (tmp_path / "a.gz").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("interval", "jobs"),
    [
        (("--from", "2001-09-09 01:49:10"), ["1", "2"]),
        (("--from", "2001-09-09T01:49:11Z"), ["1"]),
        (("--to", "1000000150"), ["3"]),
        (("--from", "2001-09-09", "--to", "2001-09-10"), ["1", "2", "3"]),
        (("--from", "2001-09-10"), []),
    ],
)
def test_an_interval_is_of_ends(history: Command, interval: tuple[str, ...], jobs: list[str]) -> None:
    lines = history("accounting", "export", "--format", "sacct", *interval).out.splitlines()
    assert [line.split("|")[0] for line in lines[1:]] == jobs


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--format", "pbspro"), "no format of accounting named 'pbspro'; did you mean 'pbs'?"),
        (
            ("--format", "pbs", "--from", "yesterday"),
            "--from: 'yesterday' is not allowed; it must be",
        ),
        (("--format", "pbs", "--from", "nan"), "--from: 'nan' is not allowed"),
        (("--format", "pbs", "--from", "2", "--to", "2"), "--to: '2' is not allowed; it must be later than"),
        (("--format", "pbs", "-o", "no/where"), "no/where: there is no folder 'no' to write it to"),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(
    molokini: Command, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    ran = molokini("accounting", "export", *options)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert told in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_gone_leaves_the_old_file(
    history: Command, server: FakeServer, tmp_path: Path
) -> None:
    (tmp_path / "a.pbs").write_text("as it was\n")
    server.stop()
    ran = history("accounting", "export", "--format", "pbs", "-o", "a.pbs")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert (tmp_path / "a.pbs").read_text() == "as it was\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.pbs"]


def test_lines_beyond_a_part_are_merged_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spooling, "PART", 7)
    with Spool(str(tmp_path / "out")) as spool:
        for number in range(100):
            spool.add(float(number * 37 % 10), f"{number} x")
        lines = [int(line.split()[0]) for line in spool.lines()]
    assert lines == sorted(range(100), key=lambda number: number * 37 % 10)
    assert list(tmp_path.iterdir()) == []
