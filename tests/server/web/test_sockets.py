"""Where the socket is made: any depth, after any end of the server before, and never over something else."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molokini.model.errors import MolokiniError
from molokini.server.web import sockets
from molokini.server.web.sockets import LONGEST_NAME, Listening


@contextmanager
def listening(path: Path) -> Iterator[Listening]:
    made = Listening(path, "here")
    try:
        yield made
    finally:
        made.socket.close()


def answers(path: Path) -> bool:
    """Whether somebody listens there, however deep it is."""
    folder = os.open(path.parent, os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
            caller.settimeout(60)
            caller.connect(f"/proc/self/fd/{folder}/{path.name}")
            return True
    except OSError:
        return False
    finally:
        os.close(folder)


def test_who_reaches_the_folder_may_call(tmp_path: Path) -> None:
    with listening(tmp_path / "socket"):
        status = (tmp_path / "socket").lstat()
        assert stat.S_ISSOCK(status.st_mode)
        assert stat.S_IMODE(status.st_mode) == 0o666
        assert answers(tmp_path / "socket")


def test_a_path_of_more_than_107_bytes(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 200) / ("e" * 200)
    deep.mkdir(parents=True)
    with listening(deep / "socket") as made:
        assert answers(deep / "socket")
        made.remove()
        assert not (deep / "socket").exists()


def test_the_name_of_the_cluster_lies_beside_it(tmp_path: Path) -> None:
    """What another server, or anybody, has left there is replaced, and nothing is followed."""
    note, elsewhere = tmp_path / "socket.cluster", tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    note.symlink_to(elsewhere)
    with listening(tmp_path / "socket") as made:
        assert (note.read_text(), elsewhere.read_text()) == ("here", "mine")
        assert stat.S_IMODE(note.lstat().st_mode) & 0o133 == 0
        made.remove()
    assert sorted(tmp_path.iterdir()) == [elsewhere]


@pytest.mark.parametrize("more", [0, 1])
def test_a_name_of_its_own_has_a_bound(tmp_path: Path, more: int) -> None:
    path = tmp_path / ("s" * (LONGEST_NAME + more))
    if not more:
        with listening(path):
            assert answers(path)
        return
    with pytest.raises(MolokiniError, match=f"has a name of more than {LONGEST_NAME} bytes"):
        Listening(path, "here")


def test_what_a_killed_server_has_left_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    killed = (
        "import os,socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", killed, str(path)], check=False)
    assert path.is_socket()
    with listening(path):
        assert answers(path)


def test_another_server_that_listens_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with listening(path):
        with pytest.raises(MolokiniError, match=r"web\.socket: another server listens at .*/socket$"):
            Listening(path, "here")
        assert answers(path)


def test_another_server_that_is_busy_stays(tmp_path: Path) -> None:
    """Its queue of callers is full: one more would have to wait."""
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen(0)
        callers = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for caller in callers:
            caller.setblocking(False)
            caller.connect_ex(str(path))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sockets, "_PROBE_S", 0.05)
            with pytest.raises(MolokiniError, match=r"another server listens|exists already"):
                Listening(path, "here")
        assert path.is_socket()
        for caller in callers:
            caller.close()


@pytest.mark.parametrize("what", ["file", "folder", "link", "dangling link"])
def test_what_is_no_socket_stays(tmp_path: Path, what: str) -> None:
    path = tmp_path / "socket"
    if what == "file":
        path.write_text("precious")
    elif what == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / ("there" if what == "link" else "nowhere"))
        (tmp_path / "there").write_text("precious")
    with pytest.raises(MolokiniError, match=r"web\.socket: .*socket exists already, and is not a socket$"):
        Listening(path, "here")
    assert os.path.lexists(path)


def test_a_socket_of_another_kind_stays(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(path))
        with pytest.raises(MolokiniError, match=r"web\.socket: .* exists already: "):
            Listening(path, "here")
        assert path.is_socket()


def test_a_folder_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(MolokiniError, match=r"web\.socket: no socket in .*none: no such file or directory$"):
        Listening(tmp_path / "none" / "socket", "here")
    (tmp_path / "file").touch()
    with pytest.raises(MolokiniError, match=r"web\.socket: no socket in .*file: not a directory$"):
        Listening(tmp_path / "file" / "socket", "here")


CHILD = """
import os, sys
from pathlib import Path
from molokini.model.errors import MolokiniError
from molokini.server.web.sockets import Listening
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    Listening(Path(sys.argv[1]), "here")
except MolokiniError as error:
    print(error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="a process can become another user as root alone")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    # Of the whole way to it each part must be open to all, or the folder itself would not be reached.
    folder = Path("/tmp") / f"molokini-{os.getpid()}-shut"
    folder.mkdir(mode=0o755)
    try:
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(folder / "socket")],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"web.socket: {folder}/socket cannot be made: permission denied\n"
    finally:
        folder.rmdir()


def test_the_socket_of_another_server_is_not_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with listening(path) as first:
        path.unlink()
        with listening(path) as second:
            first.remove()
            assert answers(path)
            second.remove()
            assert not path.exists()
            second.remove()  # twice is as good as once
