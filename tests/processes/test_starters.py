"""Where the starter comes from, and what an agent does without a compiler."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from molokini.processes import starters
from molokini.processes.starters import starter_in


@pytest.fixture(autouse=True)
def forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled in this process before does not count."""
    starters._compiled.cache_clear()


def compiler(folder: Path, text: str) -> None:
    """A compiler of this text, the only program that is found."""
    path = folder / "cc"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_it_is_made_once_and_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = starter_in(tmp_path)
    if not made:
        pytest.skip("there is no C compiler")
    assert Path(made).parent == tmp_path
    assert Path(made).stat().st_mode & 0o777 == 0o700
    assert [str(path) for path in tmp_path.iterdir()] == [made]
    starters._compiled.cache_clear()
    monkeypatch.setenv("PATH", "/none")
    assert starter_in(tmp_path) == made


@pytest.mark.parametrize("text", [None, "exit 1", "kill -9 $$", "sleep 1000"])
def test_without_a_compiler_that_works_jobs_are_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str | None
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "spool").mkdir()
    if text is not None:
        compiler(tmp_path / "bin", text)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(starters, "_PATIENCE_S", 0.2)
    with caplog.at_level(logging.INFO):
        assert starter_in(tmp_path / "spool") == ""
    assert "each job is started by a fork" in caplog.text
    assert list((tmp_path / "spool").iterdir()) == []


def test_where_static_programs_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spool").mkdir()
    # The file follows -o; the last argument is the source.
    compiler(
        tmp_path, 'case "$*" in *-static*) exit 1;; esac; while [ "$1" != -o ]; do shift; done; echo x > $2'
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Path(starter_in(tmp_path / "spool")).read_text() == "x\n"


def test_a_folder_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    if not starter_in(tmp_path):
        pytest.skip("there is no C compiler")
    assert starter_in(tmp_path / "none") == ""
    assert "cannot be written" in caplog.text


def test_one_beside_the_source_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "starter.c"
    source.write_bytes(starters._SOURCE.read_bytes())
    monkeypatch.setattr(starters, "_SOURCE", source)
    made = starter_in(tmp_path)
    if not made:
        pytest.skip("there is no C compiler")
    assert starter_in(tmp_path / "spool") == made


def test_it_is_made_for_other_machines_by_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "molokini.processes.starters", str(tmp_path)]
    without = {**os.environ, "PATH": "/none"}
    assert subprocess.run(command, env=without, capture_output=True).stderr == (
        b"no starter was made: is there a C compiler (cc)?\n"
    )
    if starter_in(tmp_path):
        assert subprocess.run(command, capture_output=True, text=True).stdout.startswith(
            f"{tmp_path}/starter-"
        )
