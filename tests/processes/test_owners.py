"""An agent of root takes nothing that other users can change: neither its folder nor its programs."""

import os
import pwd
from pathlib import Path

import pytest

from molokini.processes.owners import changed_by_others

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A file in folders of root's."""
    path = tmp_path / "above" / "folder" / "file"
    path.parent.mkdir(parents=True)
    path.touch(0o755)
    return path


def _give_away(path: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(path, nobody.pw_uid, nobody.pw_gid)


def test_what_is_in_the_hands_of_root_alone(place: Path) -> None:
    assert changed_by_others(place) is None
    # As /tmp is: in it a user replaces no file of root's.
    place.parent.chmod(0o1777)
    assert changed_by_others(place) is None
    assert changed_by_others(place.parent) == place.parent


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_what_another_user_has_or_may_write(place: Path, steps: int) -> None:
    one = (place, *place.parents)[steps]
    mode = one.stat().st_mode
    one.chmod(mode | 0o002)
    assert changed_by_others(place) == one
    one.chmod(mode)
    _give_away(one)
    assert changed_by_others(place) == one


def test_a_link_is_what_it_points_to(place: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(place)
    _give_away(place.parent)
    assert changed_by_others(link) == place.parent


def test_a_link_of_another_user_is_not_followed(place: Path, tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o1777)
    link = open_to_all / "link"
    link.symlink_to(place.parent)
    assert changed_by_others(link / "file") is None
    nobody = pwd.getpwnam("nobody")
    os.lchown(link, nobody.pw_uid, nobody.pw_gid)
    assert changed_by_others(link / "file") == link


def test_agents_of_other_users_are_not_asked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _give_away(place)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert changed_by_others(place) is None
