"""``simulate --serve``: one document on this machine, and nothing else."""

import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer

import pytest

from molokini.clients.page_host import handler_of


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
