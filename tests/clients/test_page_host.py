"""``--serve`` of simulate and compare: one document on this machine, and nothing else."""

import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer

import pytest

from molokini.clients import page_host
from molokini.clients.page_host import handler_of
from tests.clients.command_runs import Ran

Command = Callable[..., Ran]


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler_of(b"<p>a run")) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/", "127.0.0.1:1", 200),
        ("/?x=1", "localhost", 200),
        ("/", "[::1]:80", 200),
        ("/", "evil.example", 403),
        ("/", "[", 403),
        ("/etc/passwd", "127.0.0.1", 404),
        ("/../..", "127.0.0.1", 404),
    ],
)
def test_it_answers_for_the_document_alone(port: int, path: str, host: str, status: int) -> None:
    asked = HTTPConnection("127.0.0.1", port, timeout=30)
    asked.putrequest("GET", path, skip_host=True)
    asked.putheader("Host", host)
    asked.endheaders()
    answered = asked.getresponse()
    assert answered.status == status
    assert (answered.read() == b"<p>a run") == (status == 200)
    asked.close()


def test_compare_serves_what_its_file_would_hold(molokini: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    hosted: list[str] = []
    monkeypatch.setattr(page_host, "host_page", hosted.append)
    policies = ("--policy", "easy", "--policy", "fcfs")
    assert molokini("compare", "lublin?jobs=20", *policies, "--serve").code == 0
    [text] = hosted
    assert text.count("molokini.page/1") == 1
    assert '"plays":true' in text
    assert '"policy":"fcfs"' in text
    refused = molokini("compare", "lublin?jobs=20", *policies, "--seeds", 2, "--serve")
    assert (refused.code, len(hosted)) == (2, 1)
    assert "--serve is of one replay a policy" in refused.err
