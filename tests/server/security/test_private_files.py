"""Files of secrets: whole or not there, for their owner alone."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.model.errors import BadFile
from molokini.server.security import private_files
from molokini.server.security.tokens import KeyRing


def test_made_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    before = os.umask(0)
    try:
        assert private_files.create(path, b"one")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not private_files.create(path, b"two")
    assert private_files.read(path) == b"one"
    private_files.replace(path, b"three")
    assert (private_files.read(path), path.stat().st_mode & 0o777) == (b"three", 0o600)
    assert [one.name for one in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize("put", [private_files.create, private_files.replace])
def test_what_is_put_is_on_disk_before_its_name_and_the_name_before_the_return(
    put: Callable[[Path, bytes], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut a key that has signed something would be gone, or empty."""
    steps: list[str] = []
    sync, link, replace = os.fsync, os.link, os.replace

    def synced(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def named(old: object, new: object) -> None:
        steps.append("name")
        (link if put is private_files.create else replace)(old, new)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "link" if put is private_files.create else "replace", named)
    put(tmp_path / "secret", b"x")
    assert steps == ["file", "name", "folder"]


def test_links_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("link", "pipe", "missing"):
        with pytest.raises(BadFile):
            private_files.read(tmp_path / name)
    assert not private_files.create(tmp_path / "link", b"y")
    assert (tmp_path / "real").read_bytes() == b"x"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    private_files.create(path, b"x")
    os.chown(path, 12345, -1)
    with pytest.raises(BadFile, match="belongs to another user"):
        private_files.read(path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be written: no such file"):
        private_files.create(tmp_path / "none" / "secret", b"x")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"keys": []}',
        b'{"keys": [{"name": "a"}]}',
        b'{"keys": [{"name": "a", "secret": "!"}]}',
        b'{"keys": [{"name": "a", "secret": "c2hvcnQ="}]}',
        b"\xff\xfe",
    ],
)
def test_a_damaged_ring_of_keys_is_named(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "keys"
    private_files.create(path, body)
    with pytest.raises(BadFile, match="remove it, and the server makes a new one"):
        KeyRing(path)


def test_a_ring_is_the_same_at_the_next_start(tmp_path: Path) -> None:
    first = KeyRing(tmp_path / "keys")
    assert KeyRing(tmp_path / "keys").keys == first.keys
    first.rotate()
    first.rotate()
    assert KeyRing(tmp_path / "keys").keys == first.keys
    assert len(first.keys) == 2
    assert "secret" not in repr(first.newest)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a file of root's")
def test_a_file_of_roots_serves_every_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret"
    private_files.create(path, b"x")
    monkeypatch.setattr("molokini.server.security.private_files.os.geteuid", lambda: 12345)
    assert private_files.read(path) == b"x"


@pytest.mark.parametrize("write", [private_files.create, private_files.replace])
def test_what_cannot_be_put_on_disk_leaves_the_old_and_no_draft_of_the_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, bytes], object]
) -> None:
    path = tmp_path / "secret"
    private_files.create(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("molokini.server.security.private_files.os.fsync", full)
        with pytest.raises(BadFile, match="cannot be written: no space left on device"):
            write(path, b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["secret"]
    assert private_files.read(path) == b"old"
    # Nor does one stay where the name is taken already.
    assert not private_files.create(path, b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["secret"]


def test_of_too_many_keys_the_newest_are_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    with monkeypatch.context() as patch:
        patch.setattr("molokini.server.security.tokens.KEYS_AT_ONCE", 4)
        for _ in range(3):
            ring.rotate()
    assert len(ring.keys) == 4
    assert KeyRing(tmp_path / "keys.json").keys == ring.keys[-2:]
