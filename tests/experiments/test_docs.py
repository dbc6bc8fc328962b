"""docs/experiments.md shows what a notebook shows."""

import doctest
from pathlib import Path

import pytest

from tests.clients.command_runs import ROOT

PAGE = ROOT / "docs" / "experiments.md"


def test_the_page_on_experiments_runs_as_it_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert found.attempted > 20
    assert found.failed == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "examples",
        "waits.png",
        "starts.csv",
        "comparison.png",
    }
