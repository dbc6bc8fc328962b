"""One call: attempts, pauses, repetitions and its end; over a method and a clock of the test."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from molokini.client import calls
from molokini.client.calls import Caller, Patience, Pauses
from molokini.client.endpoint import Endpoint
from molokini.client.errors import Busy, NoAnswer, NotFound, NotSignedIn, Refused, ServerError, Unavailable

PATIENCE = Patience(timeout_s=30.0, attempt_s=10.0, connect_s=5.0, first_pause_s=1.0, longest_pause_s=4.0)
Code = grpc.StatusCode


def failure(code: Code, details: str = "it failed", **trailing: str) -> grpc.aio.AioRpcError:
    metadata = grpc.aio.Metadata(*((name.replace("_", "-"), value) for name, value in trailing.items()))
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), metadata, details)


AWAY = failure(Code.UNAVAILABLE)
LATE = failure(Code.DEADLINE_EXCEEDED)
BUSY = failure(Code.RESOURCE_EXHAUSTED, retry_after="3", molokini_reason="rate")


class Method:
    """Answers with what it is given in turn, each after so many seconds; the last for ever."""

    def __init__(self, clock: "Clock", *answers: object, takes_s: float = 0.0, repeats: bool = True) -> None:
        self._clock, self._answers, self._takes_s, self._repeats = clock, list(answers), takes_s, repeats
        self.attempts: list[tuple[float, float]] = []
        """When each began, and how long it might take."""
        self.metadata: Any = None

    def may_repeat(self, request: object) -> bool:
        return self._repeats

    async def __call__(self, request: object, *, timeout: float, metadata: Any) -> Any:
        self.attempts.append((self._clock.now_s, timeout))
        self.metadata = metadata
        self._clock.now_s += min(self._takes_s, timeout)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Clock:
    """The time of the module under test: pauses pass at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, share: float = 1.0) -> None:
        self.now_s, self.pauses = 100.0, list[float]()
        monkeypatch.setattr(calls, "time", SimpleNamespace(monotonic=lambda: self.now_s))
        monkeypatch.setattr(
            calls, "random", SimpleNamespace(uniform=lambda low, high: low + share * (high - low))
        )
        monkeypatch.setattr(calls, "asyncio", SimpleNamespace(sleep=self._sleep, to_thread=asyncio.to_thread))

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now_s += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def called(method: Any, token: str = "secret", reached: bool = False, **given: Any) -> Any:
    caller = Caller(Endpoint("127.0.0.1:1", token), PATIENCE)
    try:
        if reached:
            caller.reached()
        return await caller.call(method, "what is asked", **given)
    finally:
        await caller.close()


async def test_an_answer_is_given_at_once_and_the_token_goes_with_the_call(clock: Clock) -> None:
    method = Method(clock, "done")
    assert await called(method) == "done"
    assert method.attempts == [(100.0, 10.0)]
    assert method.metadata == (("authorization", "Bearer secret"),)
    assert await called(method, token="") == "done"
    assert method.metadata == ()


async def test_pauses_double_up_to_the_longest_and_are_short_again_after_an_answer(clock: Clock) -> None:
    method = Method(clock, AWAY, AWAY, AWAY, AWAY, "done")
    assert await called(method, reached=True) == "done"
    assert clock.pauses == [1.0, 2.0, 4.0, 4.0]
    pauses, error = Pauses(PATIENCE), Unavailable("away")
    assert [pauses.next_s(error) for _ in range(2)] == [1.0, 2.0]
    pauses.reset()
    assert pauses.next_s(error) == 1.0


@pytest.mark.parametrize(("share", "pause_s"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_a_pause_is_shortened_by_chance_and_one_that_was_asked_for_lengthened(
    share: float, pause_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock(monkeypatch, share)
    assert Pauses(PATIENCE).next_s(Unavailable("away")) == pause_s
    busy = Busy("busy")
    assert Pauses(PATIENCE).next_s(busy) == pause_s, "the server did not say how long"
    busy.retry_after_s = 8.0
    pauses = Pauses(PATIENCE)
    assert pauses.next_s(busy) == 8.0 * (1.0 + 0.25 * share)
    assert pauses.next_s(Unavailable("away")) == pause_s, "what was asked for doubles nothing"


GIVES_UP: Sequence[tuple[str, Exception, bool, bool, type[ServerError], list[float]]] = [
    ("never reached", AWAY, True, False, Unavailable, [100.0, 101.0, 103.0]),
    (
        "reached before",
        AWAY,
        True,
        True,
        Unavailable,
        [100.0, 101.0, 103.0, 107.0, 111.0, 115.0, 119.0, 123.0, 127.0],
    ),
    ("may not be repeated", AWAY, False, True, Unavailable, [100.0]),
    ("no answer, may not be repeated", LATE, False, True, NoAnswer, [100.0]),
    ("no such job", failure(Code.NOT_FOUND), True, True, NotFound, [100.0]),
    ("bad input", failure(Code.INVALID_ARGUMENT), True, True, Refused, [100.0]),
]


@pytest.mark.parametrize(
    ("error", "repeats", "reached", "kind", "begun_s"),
    [row[1:] for row in GIVES_UP],
    ids=[row[0] for row in GIVES_UP],
)
async def test_it_gives_up(
    error: Exception,
    repeats: bool,
    reached: bool,
    kind: type[ServerError],
    begun_s: list[float],
    clock: Clock,
) -> None:
    method = Method(clock, error, repeats=repeats)
    with pytest.raises(kind) as told:
        await called(method, reached=reached)
    assert type(told.value) is kind
    assert [at_s for at_s, _ in method.attempts] == begun_s


async def test_a_busy_server_is_asked_again_whatever_the_call(clock: Clock) -> None:
    method = Method(clock, BUSY, "done", repeats=False)
    assert await called(method) == "done"
    assert clock.pauses == [3.75]


async def test_a_caller_may_say_that_nothing_is_repeated(clock: Clock) -> None:
    method = Method(clock, LATE, "done")
    with pytest.raises(NoAnswer):
        await called(method, reached=True, repeat=False)
    assert len(method.attempts) == 1


async def test_attempts_are_shorter_than_the_time_that_is_left(clock: Clock) -> None:
    method = Method(clock, LATE, takes_s=1000.0)
    with pytest.raises(NoAnswer):
        await called(method, reached=True)
    assert [timeout for _, timeout in method.attempts] == [10.0, 10.0, 7.0]
    assert sum(clock.pauses) == 3.0


@pytest.mark.parametrize(("timeout_s", "attempts"), [(120.0, [120.0]), (2.0, [2.0, 2.0, 2.0])])
async def test_a_long_attempt_prolongs_the_call_and_a_short_one_does_not_shorten_it(
    timeout_s: float, attempts: list[float], clock: Clock
) -> None:
    method = Method(clock, LATE, takes_s=1000.0)
    with pytest.raises(NoAnswer):
        await called(method, reached=True, timeout_s=timeout_s)
    assert [timeout for _, timeout in method.attempts][: len(attempts)] == attempts
    assert clock.now_s <= 100.0 + max(timeout_s, 30.0)


@pytest.mark.parametrize(
    ("before", "error", "explained"),
    [(False, AWAY, True), (True, AWAY, False), (False, LATE, False), (False, BUSY, False)],
    ids=["never reached", "reached before", "no answer", "busy"],
)
async def test_where_no_server_was_ever_reached_certificates_may_be_why(
    before: bool, error: grpc.aio.AioRpcError, explained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "explain", lambda endpoint: "its certificate has expired")
    caller = Caller(Endpoint("127.0.0.1:1", ""), PATIENCE)
    if before:
        caller.reached()
    found = await caller.failure(error)
    assert (type(found) is NotSignedIn) is explained
    assert (str(found) == "127.0.0.1:1: its certificate has expired") is explained
    await caller.close()


@pytest.mark.parametrize(("code", "borne"), [(Code.NOT_FOUND, True), (Code.UNAVAILABLE, False)])
async def test_an_error_of_the_server_says_that_it_is_there(
    code: Code, borne: bool, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(Endpoint("127.0.0.1:1", ""), PATIENCE)
    monkeypatch.setattr(calls, "explain", lambda endpoint: "")
    await caller.failure(failure(code))
    method, wait = Method(clock, AWAY), PATIENCE.timeout_s if borne else PATIENCE.connect_s
    with pytest.raises(Unavailable):
        await caller.call(method, "again")  # type: ignore[arg-type]
    assert wait - PATIENCE.longest_pause_s <= clock.now_s - 100.0 < wait
    await caller.close()
