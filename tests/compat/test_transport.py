"""The transport to a server: where it is looked for, what breaks on it, what is asked again."""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from molokini.compat import transport, unix_transport
from molokini.compat.failures import NoAnswer, NoServer, Refused
from molokini.compat.find_server import find
from molokini.compat.tool import ended
from molokini.compat.unix_transport import Gateway


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        transport.GATEWAY,
        transport.SERVER,
        transport.TOKEN,
        transport.TOKEN_FILE,
        transport.TIMEOUT,
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


class Fake:
    """A server that answers each connection with the next of its answers, as bytes."""

    def __init__(self, path: Path, silent: bool = False) -> None:
        self._silent, self._held = silent, list[socket.socket]()
        self.path, self.requests, self.answers = path, list[bytes](), list[bytes]()
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(path))
        self._listening.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            end, _ = self._listening.accept()
            with end:
                request = end.recv(1 << 16)
                if not request:
                    return
                head, _, body = request.partition(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                while len(body) < length:
                    body += end.recv(1 << 16)
                self.requests.append(head + b"\r\n\r\n" + body)
                if self._silent:
                    self._held.append(end.dup())
                    continue
                end.sendall(self.answers.pop(0) if self.answers else b"")

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as last:
            last.connect(str(self.path))
        self._thread.join()
        for one in self._held:
            one.close()
        self._listening.close()


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    made = Fake(tmp_path / "fake")
    yield made
    made.close()


def answered(document: object, status: str = "200 OK", more: str = "") -> bytes:
    body = json.dumps(document).encode()
    return f"HTTP/1.0 {status}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


def no(code: str, reason: str) -> bytes:
    return answered({"error": {"code": code, "message": "no", "reason": reason}}, "503 Service Unavailable")


def test_a_call_and_its_answer(fake: Fake) -> None:
    fake.answers = [answered({"job_id": 7}, more="Molokini-Cluster: Garden\r\n")]
    gateway = Gateway(str(fake.path))
    assert gateway.call("JobService", "Submit", {"spec": {"name": "ä"}}) == {"job_id": 7}
    assert gateway.cluster == "Garden"
    [request] = fake.requests
    assert request.startswith(b"POST /molokini.v1.JobService/Submit HTTP/1.0\r\n")
    assert json.loads(request.partition(b"\r\n\r\n")[2]) == {"spec": {"name": "ä"}}
    assert b"Authorization" not in request


def test_the_name_of_the_cluster_without_a_call(fake: Fake) -> None:
    fake.path.with_name("fake.cluster").write_text("Garden")
    assert Gateway(str(fake.path)).cluster == "Garden"
    assert fake.requests == []


def test_the_name_of_the_cluster_by_a_call(fake: Fake) -> None:
    """Of a server that writes no such file."""
    fake.answers = [answered({"name": "Garden"})]
    assert Gateway(str(fake.path)).cluster == "Garden"


@pytest.mark.parametrize(
    ("system", "command", "words"),
    [
        ("slurm", "sbatch", ["--wrap", "true"]),
        ("pbs", "qsub", ["--", "true"]),
        ("lsf", "bsub", ["-q", "normal", "true"]),
    ],
)
def test_a_submission_is_one_call(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, system: str, command: str, words: list[str]
) -> None:
    fake.path.with_name("fake.cluster").write_text("Garden")
    fake.answers = [answered({"job_id": 7})]
    monkeypatch.setenv(transport.GATEWAY, f"unix:{fake.path}")
    assert ended(system, command, words) == 0
    [request] = fake.requests
    spec = json.loads(request.partition(b"\r\n\r\n")[2])["spec"]
    said = {name: value for name, value in spec["environment"].items() if value == "Garden"}
    names = {"slurm": "SLURM_CLUSTER_NAME", "pbs": "PBS_SERVER", "lsf": "MOLOKINI_LSF_REPORT"}
    assert said == {names[system]: "Garden"}


def test_a_token_is_shown_where_one_is_named(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(transport.TOKEN, "abc")
    fake.answers = [answered({})]
    Gateway(str(fake.path)).call("JobService", "ListJobs", {})
    assert b"\r\nAuthorization: Bearer abc\r\n" in fake.requests[0]


def test_a_refusal(fake: Fake) -> None:
    told = {"code": "NOT_FOUND", "message": "no job 7", "reason": "no_such_job", "field": "id"}
    fake.answers = [answered({"error": told}, "404 Not Found")]
    with pytest.raises(Refused, match="no job 7") as found:
        Gateway(str(fake.path)).call("JobService", "GetJob", {})
    assert (found.value.code, found.value.reason, found.value.field) == ("NOT_FOUND", "no_such_job", "id")


def test_a_busy_server_is_asked_again(fake: Fake) -> None:
    fake.answers = [no("UNAVAILABLE", "not_ready"), no("RESOURCE_EXHAUSTED", "too_much"), answered({"a": 1})]
    assert Gateway(str(fake.path)).call("JobService", "RequeueJobs", {}) == {"a": 1}
    assert len(fake.requests) == 3


@pytest.mark.parametrize("cut", [0, 5, 30, -1])
def test_a_lost_answer_of_a_submission_is_asked_for_again(fake: Fake, cut: int) -> None:
    whole = answered({"job_id": 7})
    fake.answers = [whole[:cut], whole]
    spec = {"submission_key": "k"}
    assert Gateway(str(fake.path)).call("JobService", "Submit", {"spec": spec}) == {"job_id": 7}
    assert fake.requests[0] == fake.requests[1]


@pytest.mark.parametrize(
    ("service", "method", "document"),
    [
        ("JobService", "Submit", {"spec": {}}),
        ("JobService", "RequeueJobs", {}),
        ("JobService", "SignalJobs", {}),
        ("ClusterService", "ReleaseReservation", {"name": "r"}),
        ("ClusterService", "SetQueue", {"queue": {"name": "night"}, "remove": True}),
        ("ClusterService", "ChangeClock", {"advance_s": 60}),
        ("ClusterService", "ChangeScheduling", {"pause_after": 3}),
        ("ClusterService", "TraceIteration", {}),
    ],
)
def test_what_must_not_be_done_twice_is_not_asked_again(
    fake: Fake, service: str, method: str, document: dict[str, object]
) -> None:
    fake.answers = [b"", answered({})]
    with pytest.raises(NoAnswer, match="ended before it had answered"):
        Gateway(str(fake.path)).call(service, method, document)
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("method", "document"),
    [
        ("SetQueue", {"queue": {"name": "night"}}),
        ("ChangeClock", {"pause": True}),
        ("ChangeScheduling", {"resume": True}),
        ("TraceIteration", {"dry_run": True}),
        ("ChangeNodes", {"names": ["n1"], "state": "DOWN"}),
    ],
)
def test_what_may_be_done_twice_is_asked_again(fake: Fake, method: str, document: dict[str, object]) -> None:
    fake.answers = [b"", answered({"done": 1})]
    assert Gateway(str(fake.path)).call("ClusterService", method, document) == {"done": 1}


@pytest.mark.parametrize(
    ("system", "command", "words", "before"),
    [
        ("maui", "releaseres", ["r"], []),
        ("pbs", "qmgr", ["-c", "delete queue night"], [answered({"queues": [{"name": "night"}]})]),
    ],
)
def test_a_lost_answer_is_never_told_as_a_failure(
    fake: Fake,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    system: str,
    command: str,
    words: list[str],
    before: list[bytes],
) -> None:
    """A second call would be refused, since the first has released what is named."""
    fake.path.with_name("fake.cluster").write_text("Garden")
    gone = {"code": "NOT_FOUND", "message": "there is none", "reason": "no_such_name"}
    fake.answers = [*before, b"", answered({"error": gone}, "404 Not Found")]
    monkeypatch.setenv(transport.GATEWAY, f"unix:{fake.path}")
    assert ended(system, command, words) != 0
    assert "the server ended before it had answered" in capsys.readouterr().err
    assert len(fake.requests) == len(before) + 1


def test_patience_has_an_end(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(transport.TIMEOUT, "0.2")
    fake.answers = [no("UNAVAILABLE", "not_ready")] * 20
    # Not a refusal of what was asked: each batch system says that it cannot connect.
    with pytest.raises(NoServer, match="no"):
        Gateway(str(fake.path)).call("JobService", "ListJobs", {})


def test_no_server_behind_the_socket(tmp_path: Path) -> None:
    with pytest.raises(NoServer, match=r"no server at .*: No such file"):
        Gateway(str(tmp_path / "none")).call("JobService", "ListJobs", {})


def test_a_path_that_is_too_long_for_a_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    here = os.open(deep, os.O_PATH)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(f"/proc/self/fd/{here}/socket")
    listening.listen()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
            unix_transport._connect(end, str(deep / "socket"))
            accepted, _ = listening.accept()
            with accepted:
                end.sendall(b"here")
                assert accepted.recv(4) == b"here"
    finally:
        listening.close()
        os.close(here)


def made_socket(folder: Path) -> Path:
    folder.mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.bind(str(folder / "socket"))
    return folder / "socket"


def test_where_the_server_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path: Callable[[object], str] = lambda found: vars(found)["_path"]  # noqa: E731
    with pytest.raises(NoServer, match=r"no server is named: set MOLOKINI_GATEWAY to unix:PATH or http"):
        find(str(tmp_path / "home"))
    made_socket(tmp_path / "home")
    assert path(find(str(tmp_path / "home"))) == str(tmp_path / "home" / "socket")
    made_socket(tmp_path / "molokini-state")
    assert path(find(str(tmp_path / "home"))) == "molokini-state/socket"
    monkeypatch.setenv(transport.GATEWAY, "unix:/run/one")
    assert path(find()) == "/run/one"
    monkeypatch.setenv(transport.GATEWAY, "http://127.0.0.1:80")
    assert type(find()).__name__ == "HttpTransport"


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ("/run/one", r"MOLOKINI_GATEWAY '/run/one': expected unix:PATH, http://HOST:PORT or https"),
        ("http://", r"expected http://HOST:PORT or https://HOST:PORT"),
        ("http://host/path", r"expected http"),
    ],
)
def test_addresses_that_are_none(named: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(transport.GATEWAY, named)
    with pytest.raises(NoServer, match=text):
        find()


def test_no_token_leaves_the_machine_in_clear_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(transport.TOKEN, "secret")
    monkeypatch.setenv(transport.GATEWAY, "http://host.example:80")
    with pytest.raises(NoServer, match="in clear text"):
        find()


@pytest.mark.parametrize("text", ["soon", "-", "0", "-1", "nan", "inf"])
def test_a_patience_that_is_no_number(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(transport.TIMEOUT, text)
    with pytest.raises(NoServer, match=f"MOLOKINI_TIMEOUT_S '{text}': must be a number of seconds above 0"):
        transport.timeout_s()
