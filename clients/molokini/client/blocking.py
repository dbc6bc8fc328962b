"""The client without asyncio: the same calls, made on an event loop in a thread of its own.

    with BlockingClient.connect() as client:
        job = client.submit(argv=["sleep", "5"], processors=2, estimate_s=60)
        print(client.wait([job]))

No call is written twice: each is made of the method of ``Client`` that it stands for, and has its signature.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import update_wrapper
from types import AsyncGeneratorType, TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast, overload

from molokini.client.calls import Patience
from molokini.client.client import Client
from molokini.client.endpoint import Tls
from molokini.client.errors import Unavailable

P = ParamSpec("P")
R = TypeVar("R")


class _Method(Generic[P, R]):
    """A method that waits for what *run* makes of the loop, the client and the arguments."""

    def __init__(self, run: Callable[Concatenate["BlockingClient", P], R], named: Callable[..., Any]) -> None:
        self._run = run
        update_wrapper(cast(Any, self), named)

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: "BlockingClient", owner: type) -> Callable[P, R]: ...

    def __get__(self, instance: "BlockingClient | None", owner: type) -> Self | Callable[P, R]:
        """The method of *instance*."""
        if instance is None:
            return self

        def bound(*args: P.args, **kwargs: P.kwargs) -> R:
            return self._run(instance, *args, **kwargs)

        update_wrapper(bound, cast(Any, self))
        return bound


def _waiting(method: Callable[Concatenate[Client, P], Coroutine[Any, Any, R]]) -> _Method[P, R]:
    """The method that returns when *method* of the client does."""

    def run(client: "BlockingClient", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return client._result(method(client._client, *args, **kwargs))

    return _Method(run, method)


def _yielding(method: Callable[Concatenate[Client, P], AsyncIterator[R]]) -> _Method[P, Iterator[R]]:
    """The method that yields what *method* of the client does, one at a time as it is asked for."""

    def run(client: "BlockingClient", /, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        return client._each(method(client._client, *args, **kwargs))

    return _Method(run, method)


class BlockingClient:
    """A connection to one server for programs without asyncio, which several threads may use.

    It has the methods of ``Client``.
    """

    submit = _waiting(Client.submit)
    submit_response = _waiting(Client.submit_response)
    submit_many = _waiting(Client.submit_many)
    submit_stream = _yielding(Client.submit_stream)
    job = _waiting(Client.job)
    jobs = _yielding(Client.jobs)
    cancel = _waiting(Client.cancel)
    hold = _waiting(Client.hold)
    release = _waiting(Client.release)
    requeue = _waiting(Client.requeue)
    suspend = _waiting(Client.suspend)
    resume = _waiting(Client.resume)
    signal = _waiting(Client.signal)
    slice = _waiting(Client.slice)
    slices = _waiting(Client.slices)
    set_rates = _waiting(Client.set_rates)
    rates = _waiting(Client.rates)
    alter = _waiting(Client.alter)
    explain = _waiting(Client.explain)
    forecast = _waiting(Client.forecast)
    watch = _yielding(Client.watch)
    wait = _waiting(Client.wait)
    cluster = _waiting(Client.cluster)
    nodes = _yielding(Client.nodes)
    drain = _waiting(Client.drain)
    resume_nodes = _waiting(Client.resume_nodes)
    down = _waiting(Client.down)
    agents = _waiting(Client.agents)
    release_agent = _waiting(Client.release_agent)
    queues = _waiting(Client.queues)
    set_queue = _waiting(Client.set_queue)
    remove_queue = _waiting(Client.remove_queue)
    policy = _waiting(Client.policy)
    set_policy = _waiting(Client.set_policy)
    clock = _waiting(Client.clock)
    advance = _waiting(Client.advance)
    book = _waiting(Client.book)
    statement = _waiting(Client.statement)
    reservations = _waiting(Client.reservations)
    create_reservation = _waiting(Client.create_reservation)
    release_reservation = _waiting(Client.release_reservation)
    change_maui_parameter = _waiting(Client.change_maui_parameter)
    trace_iteration = _waiting(Client.trace_iteration)
    start = _waiting(Client.start)
    pause_scheduling = _waiting(Client.pause_scheduling)
    resume_scheduling = _waiting(Client.resume_scheduling)
    reset_statistics = _waiting(Client.reset_statistics)
    report = _waiting(Client.report)
    what_if = _waiting(Client.what_if)
    shadow = _yielding(Client.shadow)
    issue_token = _waiting(Client.issue_token)
    tokens = _waiting(Client.tokens)
    revoke_tokens = _waiting(Client.revoke_tokens)
    rotate_tokens = _waiting(Client.rotate_tokens)
    set_rate = _waiting(Client.set_rate)
    pause_clock = _waiting(Client.pause_clock)
    resume_clock = _waiting(Client.resume_clock)

    def __init__(self, connect: Callable[[], Client]) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon: a program that forgets to close ends all the same.
        self._thread = threading.Thread(target=self._loop.run_forever, name="molokini-client", daemon=True)
        self._thread.start()
        try:
            self._client = self._result(_called(connect))
        except BaseException:
            self._stop()
            raise

    @classmethod
    def connect(
        cls,
        target: str | None = None,
        token: str | None = None,
        tls: Tls | None = None,
        patience: Patience | None = None,
    ) -> Self:
        """A client of the server at *target*, to be closed or used with ``with``; see ``Client.connect``."""
        return cls(lambda: Client.connect(target, token, tls, patience))

    @property
    def target(self) -> str:
        """Where the server is."""
        return self._client.target

    def close(self) -> None:
        """End the calls that are under way, and the connection; a second time does nothing."""
        if not self._loop.is_closed():
            self._result(self._client.close())
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _result(self, work: Coroutine[Any, Any, R]) -> R:
        if self._loop.is_closed():
            work.close()
            raise Unavailable("this client is closed")
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a blocking call on the client's own thread would wait for itself")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # an interrupt ends the call, too
            raise

    def _each(self, items: AsyncIterator[R]) -> Iterator[R]:
        try:
            while True:
                try:
                    yield self._result(_next(items))
                except StopAsyncIteration:
                    return
        finally:
            if isinstance(items, AsyncGeneratorType) and not self._loop.is_closed():
                self._result(_closed(items))

    def _stop(self) -> None:
        self._result(_all_ended())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _called(connect: Callable[[], Client]) -> Client:
    return connect()


async def _next(items: AsyncIterator[R]) -> R:
    return await anext(items)


async def _closed(items: Any) -> None:
    await items.aclose()


async def _all_ended() -> None:
    """Cancel whatever the loop still does, and wait for it."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
