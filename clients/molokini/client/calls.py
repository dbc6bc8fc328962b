"""One call to the server: its deadline, its credentials, its repetitions, and what its failure is called.

What is called stands elsewhere. A call that may be made twice with the effect of one is repeated after a
lost answer or connection, with pauses that grow and jitter, until its deadline; any call is repeated after
the time that a busy server asked for.
"""

import asyncio
import random
import time
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc

from molokini.client.certificates import explain, read_files
from molokini.client.endpoint import Endpoint
from molokini.client.errors import Busy, NoAnswer, NotSignedIn, ServerError, Unavailable, from_status
from molokini.client.methods import Methods, Repeatable

Answer = TypeVar("Answer")

_LARGEST_ANSWER = 64 << 20


@dataclass(frozen=True)
class Patience:
    """How long calls may take, in seconds of real time."""

    timeout_s: float = 30.0
    """A call with all its repetitions; also how long a watch or a wait bears a server that is away."""
    attempt_s: float = 10.0
    """One attempt: what has not answered by then is asked again."""
    reckoning_s: float = 120.0
    """The same of a call for which the server reckons long: a forecast, a policy that is to be compiled."""
    connect_s: float = 5.0
    """The same as ``timeout_s`` as long as the server has never been reached."""
    first_pause_s: float = 0.05
    longest_pause_s: float = 2.0


class Pauses:
    """Pauses between attempts: doubled each time, with jitter, so that clients do not come back as one."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._next_s = patience.first_pause_s

    def next_s(self, error: ServerError) -> float:
        """The pause after *error*; never shorter than what a busy server asked for."""
        if isinstance(error, Busy) and error.retry_after_s is not None:
            return error.retry_after_s * random.uniform(1.0, 1.25)
        pause_s = self._next_s * random.uniform(0.5, 1.0)
        self._next_s = min(2 * self._next_s, self._patience.longest_pause_s)
        return pause_s

    def reset(self) -> None:
        """The server has answered: the next pause is short again."""
        self._next_s = self._patience.first_pause_s


class Caller:
    """Calls to one server over one channel."""

    def __init__(self, endpoint: Endpoint, patience: Patience) -> None:
        self.endpoint, self.patience = endpoint, patience
        self.channel = _channel(endpoint, patience)
        self.metadata = (("authorization", f"Bearer {endpoint.token}"),) if endpoint.token else ()
        self._reached = False

    async def call(
        self,
        method: Repeatable[Answer],
        request: Any,
        *,
        repeat: bool = True,
        timeout_s: float | None = None,
    ) -> Answer:
        """The answer of *method* to *request*; raises one of the errors of ``errors.py``.

        It is called again after a lost answer where the method's rule allows that, unless *repeat* is False.
        *timeout_s*: of one attempt, instead of the usual.
        """
        again = repeat and method.may_repeat(request)
        patience, pauses, start_s = self.patience, Pauses(self.patience), time.monotonic()
        attempt_s = timeout_s or patience.attempt_s
        most_s = max(patience.timeout_s, attempt_s)
        while True:
            left_s = max(start_s + most_s - time.monotonic(), 0.001)
            try:
                answer = await method(request, timeout=min(attempt_s, left_s), metadata=self.metadata)
            except grpc.aio.AioRpcError as error:
                failed = await self.failure(error)
                await self.pause(failed, pauses, start_s, repeat=again)
            else:
                self.reached()
                return answer

    def methods(self, service: str) -> Methods:
        """What the service called *service* offers."""
        return Methods(self.channel, service)

    def reached(self) -> None:
        """The server is there."""
        self._reached = True

    async def failure(self, error: grpc.aio.AioRpcError) -> ServerError:
        """The error that a failed call raises; where certificates are the cause, it says so."""
        failed = from_status(error, self.endpoint.target)
        if not isinstance(failed, Unavailable) or isinstance(failed, Busy):
            self.reached()
        elif not self._reached and not isinstance(failed, NoAnswer):
            text = await asyncio.to_thread(explain, self.endpoint)
            return NotSignedIn(f"{self.endpoint.target}: {text}") if text else failed
        return failed

    async def pause(
        self, failed: ServerError, pauses: Pauses, start_s: float, *, repeat: bool = True
    ) -> None:
        """Wait until it is right to try again; raises *failed* where that is never, or not in time.

        *start_s*: when the server answered last, or the call was begun.
        """
        again = isinstance(failed, Busy) or (repeat and isinstance(failed, Unavailable))
        pause_s = pauses.next_s(failed)
        never_seen = type(failed) is Unavailable and not self._reached
        most_s = self.patience.connect_s if never_seen else self.patience.timeout_s
        if not again or time.monotonic() + pause_s >= start_s + most_s:
            raise failed from None
        await asyncio.sleep(pause_s)

    async def close(self) -> None:
        """End whatever is under way, and the connection."""
        await self.channel.close(grace=None)


def _channel(endpoint: Endpoint, patience: Patience) -> grpc.aio.Channel:
    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", _LARGEST_ANSWER),
        # A server that is back is to be found at once, not after gRPC's two minutes.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 3000),
        ("grpc.max_reconnect_backoff_ms", int(1000 * patience.longest_pause_s)),
        # A proxy between a client and its cluster is never intended.
        ("grpc.enable_http_proxy", 0),
    ]
    if endpoint.tls is None:
        return grpc.aio.insecure_channel(endpoint.target, options=options)
    if endpoint.tls.server_name:
        options.append(("grpc.ssl_target_name_override", endpoint.tls.server_name))
    authority, key, certificate = read_files(endpoint.tls)
    return grpc.aio.secure_channel(
        endpoint.target, grpc.ssl_channel_credentials(authority, key, certificate), options=options
    )
