import os
from pathlib import Path

import pytest

from molokini.model.errors import BadFile
from molokini.workloads.atomic import atomic_path


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "out.csv.gz"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path
        assert temporary.name.endswith(".csv.gz")
        assert not target.exists()
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("old")

    def half() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_file_system_errors_are_bad_files(tmp_path: Path) -> None:
    for target, cause in ((tmp_path / "no" / "out", "No such file"), (tmp_path, "is a directory")):
        with pytest.raises(BadFile, match=cause) as caught, atomic_path(target):
            pytest.fail("there is nothing to write to")
        assert caught.value.path == str(target)
    with pytest.raises(BadFile, match="No space"), atomic_path(tmp_path / "out"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_permissions_are_those_of_any_file_or_of_the_old_one(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        with atomic_path(tmp_path / "new"):
            pass
        (tmp_path / "old").touch(mode=0o600)
        with atomic_path(tmp_path / "old"):
            pass
    finally:
        os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_path(tmp_path / "link") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "x"
    with atomic_path("/dev/null") as temporary:
        temporary.write_text("x")
    assert Path("/dev/null").is_char_device()


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    with atomic_path(tmp_path / ("n" * 250 + ".csv")) as temporary:
        temporary.write_text("x")
    assert len(list(tmp_path.iterdir())) == 1
