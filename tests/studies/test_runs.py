"""Runs of a study: kept as they come, never twice, the same however many there were at a time."""

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from molokini.clients.study import run
from molokini.model.errors import BadFile, MolokiniError
from molokini.parallel.code import code_key
from molokini.studies.catalogue import names, study_of
from molokini.studies.running import Finished, run_study, runs_file
from molokini.studies.store import Store
from molokini.studies.study import Case, Point, Row, Size, seed_for
from tests.clients.command_runs import ROOT, environment
from tests.kit.tiny_study import BIASES, GATED_FROM, STUDY, Noise, arguments
from tests.kit.waiting import DEADLINE_S, INTERRUPTIBLE, alive, children_of, waited

HOLDER = """
import fcntl, sys

with open(sys.argv[1], "a") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("held", flush=True)
    input()
"""
TAKER = """
import fcntl, sys

with open(sys.argv[1], "a") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
"""
BEFORE_THE_GATE = STUDY.full.seeds * sum(bias < GATED_FROM for bias in BIASES)
SIZE = Size("full", 4, 0.5)
POINT = Point(Noise(0.1), 1, 0.5)


def finished(folder: Path, workers: int = 1, fresh: bool = False, size: Size = SIZE) -> Finished:
    return run_study(STUDY, size, folder, workers, fresh)


def kept(folder: Path) -> list[bytes]:
    return runs_file(folder, STUDY).read_bytes().splitlines(keepends=True)


def test_the_rows_do_not_depend_on_how_many_work(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "five")]
    for folder in folders:
        folder.mkdir()
    one, two, five = (finished(f, n).rows for f, n in zip(folders, (1, 2, 5), strict=True))
    assert one == two == five
    assert [point for point, _ in one] == STUDY.points(SIZE)


@pytest.mark.deep
@pytest.mark.waits
def test_nor_on_whether_dask_does(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from molokini.parallel.dask_executor import Dask

    folders = [tmp_path / name for name in ("here", "dask")]
    for folder in folders:
        folder.mkdir()
    here, there = finished(folders[0]), run_study(STUDY, SIZE, folders[1], Dask("local", 2))
    assert there.rows == here.rows


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("name", names())
def test_each_study_can_be_sent_to_another_process(name: str) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    study = study_of(name)
    sent = pickle.loads(cloudpickle.dumps(study))
    assert sent.points(study.quick) == study.points(study.quick)


def test_what_is_there_is_not_run_again(tmp_path: Path) -> None:
    first = finished(tmp_path)
    assert (first.reused, first.stale) == (0, 0)
    before = kept(tmp_path)
    again = finished(tmp_path)
    assert (again.reused, again.rows) == (40, first.rows)
    assert kept(tmp_path) == before


def test_cases_that_share_are_neighbours_seed_by_seed() -> None:
    def even(case: Case) -> bool:
        assert isinstance(case, Noise)
        return case.bias in BIASES[::2]

    sharing = replace(STUDY, shares=even, cases=lambda: [*map(Noise, BIASES)] * 2)
    points = sharing.points(replace(SIZE, seeds=2))
    both = (BIASES[::2], BIASES[1::2])
    expected = [(Noise(bias), seed) for some in both for seed in (1, 2) for bias in some]
    assert [(point.case, point.seed) for point in points] == expected


def test_more_seeds_use_those_that_are_there(tmp_path: Path) -> None:
    finished(tmp_path)
    more = finished(tmp_path, size=replace(SIZE, seeds=6))
    assert (more.reused, len(more.rows)) == (40, 60)
    shorter = finished(tmp_path, size=replace(SIZE, length=0.1))
    assert (shorter.reused, len(shorter.rows)) == (0, 40)


def test_fresh_throws_away(tmp_path: Path) -> None:
    first = finished(tmp_path)
    again = finished(tmp_path, fresh=True)
    assert (again.reused, again.stale, again.rows) == (0, 40, first.rows)


def test_rows_of_other_code_are_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = finished(tmp_path)
    monkeypatch.setattr("molokini.studies.running.code_key", lambda _: "other")
    again = finished(tmp_path)
    assert (again.reused, again.stale, again.code) == (0, 40, "other")
    assert again.rows == first.rows
    old = tmp_path / "tiny.runs.old.jsonl"
    assert json.loads(old.read_bytes().splitlines()[0])["code"] == first.code  # nothing is lost unasked


def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    whole = finished(tmp_path)
    lines = kept(tmp_path)
    runs_file(tmp_path, STUDY).write_bytes(b"".join(lines[:11]) + lines[11][:-9])
    again = finished(tmp_path)
    assert (again.reused, again.rows) == (10, whole.rows)
    assert sorted(kept(tmp_path)) == sorted(lines)


@pytest.mark.parametrize("text", [b"", b'{"schema":"molokini.st'])
def test_a_file_of_nothing_or_half_a_head_begins_anew(tmp_path: Path, text: bytes) -> None:
    runs_file(tmp_path, STUDY).write_bytes(text)
    assert finished(tmp_path).reused == 0
    assert len(kept(tmp_path)) == 41


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = runs_file(tmp_path, STUDY)
    path.write_text("my notes\n")
    with pytest.raises(BadFile, match="no file of a study's runs"):
        finished(tmp_path)
    assert path.read_text() == "my notes\n"


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    path = runs_file(tmp_path, STUDY)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(MolokiniError, match="another run writes to it"):
            Store(path, "tiny", "code")
        other.communicate(b"\n")
    with Store(path, "tiny", "code") as store:
        assert len(store) == 0


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path / "runs", "tiny", "code") as store:

        def full(file: int, text: bytes) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(BadFile, match="No space left"):
            store.add({POINT: {"mean": 1.0}})
        assert store.get(POINT) is None


def test_a_row_that_is_not_finite_stops_everything(tmp_path: Path) -> None:
    def bad(point: Point) -> Row:
        return {"mean": float("nan")}

    with pytest.raises(MolokiniError, match="mean is nan"):
        run_study(replace(STUDY, run=bad), SIZE, tmp_path, 1)


def test_floats_come_back_to_the_bit(tmp_path: Path) -> None:
    value = 0.1 + 0.2
    with Store(tmp_path / "runs", "tiny", "code") as store:
        store.add({POINT: {"mean": value}})
    with Store(tmp_path / "runs", "tiny", "code") as store:
        assert store.get(POINT) == {"mean": value}


def test_the_key_of_code_follows_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "made_up_source.py"
    file.write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    first = code_key(["made_up_source"])
    assert first == code_key(["made_up_source", "made_up_source"])
    file.write_text("A = 2\n")
    assert code_key(["made_up_source"]) != first
    assert len({code_key(["molokini.policies"]), code_key(["molokini.sim"]), first}) == 3
    with pytest.raises(MolokiniError, match="which is not there"):
        code_key(["molokini_no_such_module"])


def test_seeds_are_of_what_is_named() -> None:
    assert seed_for("a", 1) == seed_for("a", 1)
    assert len({seed_for("a", 1), seed_for("a", 2), seed_for("b", 1), seed_for("a", "1")}) == 4
    assert 0 <= seed_for("a") < 1 << 63


@contextmanager
def process(folder: Path, gate: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The tiny study with two workers, held back at a gate."""
    with subprocess.Popen(
        [*INTERRUPTIBLE, sys.executable, "-m", "tests.kit.tiny_study", str(folder), "2"],
        env=environment(TINY_GATE=str(gate)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def held(folder: Path) -> bool:
    path = runs_file(folder, STUDY)
    return path.exists() and len(kept(folder)) == 1 + BEFORE_THE_GATE


def text_of(stream: IO[bytes] | None) -> str:
    assert stream is not None
    return stream.read().decode()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run that nobody stopped leaves, of one worker."""
    folder = tmp_path_factory.mktemp("whole")
    run(STUDY, arguments(folder))
    return folder


@pytest.mark.dear("a study is stopped and begun again by the command")
@pytest.mark.deep
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on(tmp_path: Path, whole: Path, sign: signal.Signals) -> None:
    stopped, gate = tmp_path / "stopped", tmp_path / "gate"
    with process(stopped, gate) as started:
        waited(lambda: held(stopped))
        workers = children_of(started.pid)
        assert len(workers) == 2
        started.send_signal(sign)
        code_of_process = started.wait(DEADLINE_S)
        told = text_of(started.stderr)
    waited(lambda: not any(map(alive, workers)))
    if sign == signal.SIGINT:
        assert code_of_process == 130
        assert "interrupted; " in told
        assert " of 60 runs kept in " in told
        assert told.count("\n") == 1
    rows = len(kept(stopped)) - 1
    assert rows == BEFORE_THE_GATE
    assert not (stopped / "tiny.md").exists()
    gate.touch()
    with process(stopped, gate) as started:
        assert started.wait(DEADLINE_S) == 0, text_of(started.stderr)
    found = json.loads((stopped / "tiny.json").read_text())
    assert found["run"]["reused"] == rows
    for name in ("tiny.md", "tiny/means.png"):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes()
    assert {**found, "run": 0} == {**json.loads((whole / "tiny.json").read_text()), "run": 0}


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    # Another process has to ask: a lock of the process is never in its own way.
    with Store(path, "tiny", "code"):
        assert not free(path)
    assert free(path)


def free(path: Path) -> bool:
    """Whether another process gets the lock of the file at *path*."""
    return subprocess.run([sys.executable, "-c", TAKER, str(path)], stderr=subprocess.DEVNULL).returncode == 0
