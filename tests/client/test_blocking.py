"""The client without asyncio: all of the calls, from any thread, closed without traces."""

import inspect
import threading

import pytest

from molokini.client.blocking import BlockingClient
from molokini.client.client import Client
from molokini.client.errors import NotFound, Unavailable
from molokini.model.errors import BadInput
from tests.kit.connected import QUICK
from tests.kit.fake_server import FakeServer


def test_it_has_every_call_of_the_client() -> None:
    calls = {
        name
        for name, member in inspect.getmembers(Client)
        if not name.startswith("_")
        and (inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member))
    }
    assert calls - {name for name in dir(BlockingClient) if not name.startswith("_")} == set()
    assert len(calls) > 25


def test_a_job_from_submit_to_end(server: FakeServer) -> None:
    with BlockingClient.connect(server.target, patience=QUICK) as client:
        job = client.submit(argv=["true"], processors=2)
        assert client.job(job).spec.resources.processors == 2
        server.end(job)
        assert client.wait([job], timeout_s=300).all_ended
        with pytest.raises(NotFound):
            client.job(99)
        assert [one.id for one in client.jobs(include_ended=True)] == [job]
        assert next(client.watch(after=1)).kind == "completed"
    with pytest.raises(Unavailable, match="closed"):
        client.job(job)
    client.close()


def test_many_threads(server: FakeServer) -> None:
    with BlockingClient.connect(server.target, patience=QUICK) as client:
        threads = [
            threading.Thread(target=lambda: [client.submit(name="x") for _ in range(5)]) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(list(client.jobs(page_size=7))) == 40


def test_nothing_is_left_running(server: FakeServer) -> None:
    before = threading.active_count()
    for _ in range(5):
        with BlockingClient.connect(server.target, patience=QUICK) as client:
            events = client.watch(after=0)
            client.submit(name="x")
            next(events)
    assert threading.active_count() == before
    with pytest.raises(BadInput):
        BlockingClient.connect("nonsense")
    assert threading.active_count() == before


def test_it_says_what_the_calls_say() -> None:
    assert BlockingClient.submit.__doc__ == Client.submit.__doc__
    assert BlockingClient.jobs.__name__ == "jobs"  # type: ignore[attr-defined]
