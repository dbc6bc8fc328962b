"""Where the server is found, and what is refused before anything is sent."""

import socket
from pathlib import Path

import pytest

from molokini.client.endpoint import Endpoint, Tls, find_endpoint, is_local
from molokini.model.errors import BadFile, BadInput, BadValue
from tests.clients.command_runs import here


def state(folder: Path, **files: str) -> None:
    (folder / "molokini-state").mkdir()
    for name, text in files.items():
        (folder / "molokini-state" / name).write_text(text)


def test_arguments_go_before_the_environment_and_that_before_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state(tmp_path, endpoint="127.0.0.1:1\n", token="folder\n")
    assert find_endpoint() == Endpoint("127.0.0.1:1", "folder")
    (tmp_path / "file").write_text("file\n")
    monkeypatch.setenv("MOLOKINI_TOKEN_FILE", "file")
    assert find_endpoint().token == "file"
    monkeypatch.setenv("MOLOKINI_TOKEN", "variable")
    monkeypatch.setenv("MOLOKINI_SERVER", "localhost:2")
    assert find_endpoint() == Endpoint("localhost:2", "variable")
    assert find_endpoint("[::1]:3", "given") == Endpoint("[::1]:3", "given")
    assert find_endpoint(token="").token == ""


def test_the_local_token_is_not_for_other_machines(tmp_path: Path) -> None:
    state(tmp_path, endpoint="127.0.0.1:1", token="secret")
    assert find_endpoint("cluster.example:7077").token == ""
    tls = Tls(Path("ca.pem"))
    assert find_endpoint("cluster.example:7077", "given", tls).token == "given"
    with pytest.raises(BadInput, match="clear text"):
        find_endpoint("10.0.0.1:7077", "given")


def test_tls_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOLOKINI_TLS_CERT", "c.pem")
    with pytest.raises(BadInput, match="MOLOKINI_TLS_CA is not set"):
        find_endpoint("h:1")
    monkeypatch.setenv("MOLOKINI_TLS_CA", "ca.pem")
    monkeypatch.setenv("MOLOKINI_TLS_KEY", "k.pem")
    assert find_endpoint("h:1").tls == Tls(Path("ca.pem"), Path("c.pem"), Path("k.pem"))


@pytest.mark.parametrize(
    "target",
    ["host", "host:", ":1", "host:0", "host:65536", "host:x", "http://host:1", "h ost:1", "unix:", "h\n:1"],
)
def test_what_is_no_address(target: str) -> None:
    with pytest.raises(BadValue, match="HOST:PORT"):
        find_endpoint(target)


def test_nothing_named(tmp_path: Path) -> None:
    """A server that was started a second ago may have made nothing yet."""
    for _ in range(2):
        with pytest.raises(BadInput, match=r"no server is named.*a server that was started just now"):
            find_endpoint()
        (tmp_path / "molokini-state").mkdir(exist_ok=True)


@pytest.mark.parametrize("content", [b"", b"a\nb\n", b"\xff"])
def test_files_that_hold_something_else(tmp_path: Path, content: bytes) -> None:
    state(tmp_path)
    (tmp_path / "molokini-state" / "endpoint").write_bytes(content)
    with pytest.raises(BadFile, match="endpoint"):
        find_endpoint()


def test_tokens_that_are_none() -> None:
    for token in ("zwölf", "a\nb"):
        with pytest.raises(BadInput, match="no token has"):
            find_endpoint("127.0.0.1:1", token)


def test_what_is_local() -> None:
    assert all(map(is_local, ("127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "unix:/x")))
    assert not any(map(is_local, ("10.0.0.1:1", "localhost.example:1", "[::2]:1", "0.0.0.0:1")))


def test_a_server_that_is_gone_is_told_in_a_few_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("MOLOKINI_SERVER", target)
    # It asks until its time is over; on a busy machine one question may take half a second.
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "5")
    ran = here(capsys, "jobs")
    assert (ran.code, ran.err) == (1, f"molokini: {target}: no server can be reached: connection refused\n")
