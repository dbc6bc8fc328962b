"""Control groups on a kernel that answers late."""

from pathlib import Path

import pytest

from molokini.supervisor import cgroups
from molokini.supervisor.cgroups import ControlGroup
from tests.kit.waiting import DEADLINE_S


@pytest.mark.parametrize(
    ("controller", "file", "frozen", "thawed", "not_yet"),
    [
        ("freezer", "freezer.state", "FROZEN", "THAWED", "FREEZING\n"),
        ("unified", "cgroup.freeze", "1", "0", "populated 1\nfrozen 0\n"),
    ],
)
def test_a_group_that_freezes_slowly_goes_on_to_freeze(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    controller: str,
    file: str,
    frozen: str,
    thawed: str,
    not_yet: str,
) -> None:
    """Thawed again, it would go on: signals do not reach what a job makes all the time."""
    written: list[tuple[str, str]] = []
    monkeypatch.setattr(cgroups, "_FROZEN_S", 0.01)
    monkeypatch.setattr(cgroups, "_read", lambda path: "" if path.endswith("procs") else not_yet)
    monkeypatch.setattr(cgroups, "_write", lambda path, text: written.append((path, text)))
    group = ControlGroup(-1, {controller: str(tmp_path)}, "1-1")
    group.suspend()
    assert set(written) == {(f"{tmp_path}/1-1/{file}", frozen)}
    written.clear()
    group.resume()
    assert set(written) == {(f"{tmp_path}/1-1/{file}", thawed)}


def test_a_group_that_overlooks_one_is_told_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 1 does not freeze what enters a wait for its child after it was told to."""
    written: list[str] = []
    monkeypatch.setattr(cgroups, "_FROZEN_S", DEADLINE_S)
    monkeypatch.setattr(cgroups, "_read", lambda _: "FROZEN\n" if len(written) == 3 else "FREEZING\n")
    monkeypatch.setattr(cgroups, "_write", lambda _, text: written.append(text))
    ControlGroup(-1, {"freezer": str(tmp_path)}, "1-1").suspend()
    assert written == ["FROZEN"] * 3
