"""Which agent it is: the one of its folder of attempts, whatever that is called and however it is reached."""

import shutil
from pathlib import Path

import pytest

from molokini.processes.identity import IDENTITY, folder_of
from molokini.processes.spool import Spool


def opened(folder: Path) -> tuple[str, bool]:
    """The identity of the agent that has *folder*, and whether an earlier release had it."""
    spool = Spool(folder)
    spool.close()
    return spool.identity, spool.older


def test_each_start_with_a_folder_is_the_same_agent_however_the_folder_is_reached(tmp_path: Path) -> None:
    first = opened(tmp_path / "spool")
    assert first == opened(tmp_path / "spool")
    assert "/" not in first[0]
    (tmp_path / "link").symlink_to("spool")
    assert opened(tmp_path / "link") == first
    assert Spool.group_of(tmp_path / "link") == Spool.group_of(tmp_path / "spool")
    (tmp_path / "spool").rename(tmp_path / "moved")
    assert opened(tmp_path / "moved") == first


def test_another_folder_a_copy_and_one_that_was_made_again_are_other_agents(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    several = [opened(spool), opened(tmp_path / "other")]
    shutil.copytree(spool, tmp_path / "copy")
    several.append(opened(tmp_path / "copy"))
    shutil.rmtree(spool)
    several.append(opened(spool))
    assert not any(older for _, older in several)
    # As a power cut may leave it.
    (spool / IDENTITY).write_text("0123456789abcdef")
    several.append(opened(spool))
    assert len({identity for identity, _ in several}) == 5


def test_after_a_reboot_the_folder_is_another_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = opened(tmp_path)
    monkeypatch.setattr("molokini.processes.spool.records.boot_id", lambda: "another")
    again, _ = opened(tmp_path)
    assert again != first
    # The agent of a server that began again with its machine waits for nothing, though.
    assert folder_of(again) == folder_of(f"{first}/start") != ""
