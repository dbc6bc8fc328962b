"""How tasks find each other, and whom they turn away."""

import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest

from exchange.meeting import HOST, TOKEN, NoMeeting, listening, meet
from tests.kit.waiting import DEADLINE_S

_TOKEN = bytes(range(TOKEN))


def _met(
    pool: ThreadPoolExecutor, tasks: int, listeners: list[socket.socket], token: bytes = _TOKEN
) -> "list[Future[dict[int, socket.socket]]]":
    places = [(HOST, listener.getsockname()[1]) for listener in listeners]
    others = [tuple(other for other in range(tasks) if other != task) for task in range(tasks)]
    return [
        pool.submit(meet, task, others[task], listeners[task], places, token, DEADLINE_S)
        for task in range(tasks)
    ]


def test_every_task_has_a_connection_with_every_partner() -> None:
    listeners = [listening() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = [future.result() for future in _met(pool, 4, listeners)]
    for task, connections in enumerate(found):
        for partner, connection in connections.items():
            assert connection.getpeername() == found[partner][task].getsockname()
    _close(listeners, found)


def test_strangers_are_turned_away_and_hold_nobody_up() -> None:
    """One says nothing, one another token, one too little; they are first in the queue."""
    listeners = [listening() for _ in range(2)]
    port = listeners[0].getsockname()[1]
    strangers = [socket.create_connection((HOST, port)) for _ in range(4)]
    strangers[1].sendall(bytes(TOKEN + 8))
    strangers[2].sendall(_TOKEN)
    strangers[3].sendall(_TOKEN)
    strangers[3].shutdown(socket.SHUT_WR)
    with ThreadPoolExecutor(2) as pool:
        found = [future.result() for future in _met(pool, 2, listeners)]
    for stranger in strangers:
        stranger.settimeout(DEADLINE_S)
        with suppress(ConnectionResetError):
            assert stranger.recv(1) == b""
        stranger.close()
    found[1][0].sendall(b"here")
    assert found[0][1].recv(4) == b"here"
    _close(listeners, found)


def test_a_task_that_does_not_come_is_named() -> None:
    with listening() as listener, pytest.raises(NoMeeting, match=r"no connection from task 1 within 0\.05 s"):
        meet(0, (1, 2), listener, [], _TOKEN, 0.05)


def test_a_task_that_is_not_there_is_named() -> None:
    with listening() as listener, listening() as gone:
        port = gone.getsockname()[1]
        gone.close()
        with pytest.raises(NoMeeting, match="cannot connect to task 0 within 5 s: Connection refused"):
            meet(1, (0,), listener, [(HOST, port)], _TOKEN, 5.0)


def _close(listeners: list[socket.socket], found: list[dict[int, socket.socket]]) -> None:
    for each in (*listeners, *(one for connections in found for one in connections.values())):
        each.close()
