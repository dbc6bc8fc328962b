"""What the process that forks supervisors does before the first."""

from pathlib import Path

import pytest

from molokini.supervisor import spawner


@pytest.mark.parametrize(("before", "after"), [("-900\n", "0"), ("0\n", "0\n"), ("300\n", "300\n"), ("", "")])
def test_jobs_are_not_spared_where_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    """Their agent may be, by its administrator; what ends first stays so."""
    score = tmp_path / "score"
    score.write_text(before)
    monkeypatch.setattr(spawner, "_SCORE", str(score))
    spawner._be_as_others()
    assert score.read_text() == after


def test_where_there_is_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawner, "_SCORE", str(tmp_path / "none"))
    spawner._be_as_others()
    assert not (tmp_path / "none").exists()
