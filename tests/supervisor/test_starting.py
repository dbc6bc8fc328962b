"""Folders of output that come a little later than their job."""

from pathlib import Path

import pytest

from molokini.supervisor import starting


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were slept; the clock goes on by them alone."""
    slept: list[float] = []
    monkeypatch.setattr("molokini.supervisor.starting.time.sleep", slept.append)
    monkeypatch.setattr("molokini.supervisor.starting.time.monotonic", lambda: sum(slept))
    return slept


def test_the_jobs_folder_is_awaited(
    naps: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that makes it has to be told the number first."""

    def nap(seconds: float) -> None:
        naps.append(seconds)
        (tmp_path / "7").mkdir(exist_ok=True)

    monkeypatch.setattr("molokini.supervisor.starting.time.sleep", nap)
    starting._await_folder(f"{tmp_path}/%j/out", f"{tmp_path}/7/out")
    assert len(naps) == 1
    starting._await_folder(f"{tmp_path}/%j/out", f"{tmp_path}/7/out")
    assert len(naps) == 1


def test_not_for_ever(naps: list[float], tmp_path: Path) -> None:
    starting._await_folder(f"{tmp_path}/%j/out", f"{tmp_path}/7/out")
    assert 2.0 <= sum(naps) < 2.1


@pytest.mark.parametrize("pattern", ["", "none/out", "none/out-%j", "%j"])
def test_other_folders_are_not_waited_for(naps: list[float], pattern: str) -> None:
    starting._await_folder(pattern, pattern.replace("%j", "7"))
    assert naps == []
