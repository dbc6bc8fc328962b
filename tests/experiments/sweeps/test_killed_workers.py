"""Workers of a sweep that are killed in its middle, or have nothing to do any more."""

import os
import signal
from pathlib import Path

import pytest

from molokini.experiments import InProcess, Processes, sweep
from molokini.experiments.sweeps.journal import Journal
from molokini.experiments.sweeps.measuring import Rows
from molokini.model.errors import BadFile
from tests.clients.command_runs import EXAMPLE
from tests.kit.waiting import alive, born, children_of, waited

FILES = ("rows.parquet", "report.html")
POINTS, KILLED_AT = 120, 10


def _workers() -> list[int]:
    """The workers of Dask that this process has started."""
    words = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children_of(os.getpid())}
    return [pid for pid, said in words.items() if b"spawn_main" in said]


@pytest.mark.waits
@pytest.mark.dear("three workers of Dask start, and each loads numba")
def test_a_worker_killed_on_the_way_costs_no_point_and_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    pytest.importorskip("pyarrow")
    killed: list[int] = []
    before = set(_workers())
    add = Journal.add

    def watched(journal: Journal, rows: Rows) -> None:
        add(journal, rows)
        if journal.count >= KILLED_AT and not killed:
            killed.append(next(pid for pid in _workers() if pid not in before))
            at = born(killed[0])
            os.kill(killed[0], signal.SIGKILL)
            waited(lambda: not alive(killed[0], at))

    def swept(name: str, executor: InProcess | str, workers: int | None = None) -> list[bytes]:
        output = tmp_path / name
        found = sweep(
            EXAMPLE,
            policies="easy",
            jobs=100,
            seeds=POINTS,
            output=output,
            executor=executor,
            workers=workers,
        )
        keys = [row["key"] for row in found.results]
        assert len(set(keys)) == len(keys) == POINTS
        return [(tmp_path / name / file).read_bytes() for file in FILES]

    here = swept("here", InProcess())
    monkeypatch.setattr(Journal, "add", watched)
    assert swept("dask", "local", workers=2) == here
    assert len(killed) == 1


def test_no_worker_stays_where_rows_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(journal: Journal, rows: Rows) -> None:
        raise BadFile(str(journal.path), "No space left on device")

    monkeypatch.setattr(Journal, "add", full)
    before = set(children_of(os.getpid()))
    with pytest.raises(BadFile) as held:
        sweep(EXAMPLE, policies="easy", jobs=100, seeds=40, output=tmp_path, executor=Processes(2))
    # The error is still there, with all that its frames hold.
    assert held.tb is not None
    waited(lambda: not set(children_of(os.getpid())) - before, 60.0)
