"""How tasks find each other: each listens on a free port of its node and connects to lower numbers.

A connection begins with the token of the run and the number of the task. A connection without the
token is refused, and one that says nothing holds up no other.
"""

import selectors
import socket
import struct
import time
from collections.abc import Sequence

HOST = "127.0.0.1"
TOKEN = 16
_HELLO = struct.Struct(f"<{TOKEN}sq")


class NoMeeting(Exception):
    """Why tasks did not find each other: one line."""


def listening(host: str = HOST) -> socket.socket:
    """A socket that others can connect to."""
    return socket.create_server((host, 0), backlog=256)


def greet(at: tuple[str, int], task: int, token: bytes, deadline_s: float) -> socket.socket:
    """A connection with the task that listens there, which learns which task this is. Raises OSError."""
    connection = socket.create_connection(at, timeout=deadline_s)
    connection.settimeout(None)
    connection.sendall(_HELLO.pack(token, task))
    return connection


def meet(
    task: int,
    partners: tuple[int, ...],
    listener: socket.socket,
    places: Sequence[tuple[str, int]],
    token: bytes,
    deadline_s: float,
) -> dict[int, socket.socket]:
    """A connection with each partner. Raises NoMeeting where one is missing after *deadline_s*."""
    until = time.monotonic() + deadline_s
    found = {}
    for partner in partners:
        if partner < task:
            try:
                found[partner] = greet(places[partner], task, token, deadline_s)
            except OSError as error:
                why = "no answer" if isinstance(error, TimeoutError) else error.strerror
                told = f"cannot connect to task {partner} within {deadline_s:g} s: {why}"
                raise NoMeeting(told) from None
    missing = {partner for partner in partners if partner > task}
    with selectors.DefaultSelector() as selector:
        listener.setblocking(False)
        selector.register(listener, selectors.EVENT_READ)
        while missing:
            left_s = until - time.monotonic()
            ready = selector.select(max(0.0, left_s))
            if not ready and left_s <= 0.0:
                raise NoMeeting(f"no connection from task {min(missing)} within {deadline_s:g} s")
            for key, _ in ready:
                if key.data is None:
                    _accept(listener, selector)
                    continue
                partner = _greeted(key.data, selector, token)
                if partner in missing:
                    missing.remove(partner)
                    found[partner] = key.data.connection
        for key in list(selector.get_map().values()):
            if key.data is not None:
                key.data.connection.close()
    return found


class _Guest:
    """One that has connected and has not yet said who it is."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.said = b""


def _accept(listener: socket.socket, selector: selectors.BaseSelector) -> None:
    try:
        connection, _ = listener.accept()
    except OSError:
        return
    connection.setblocking(False)
    selector.register(connection, selectors.EVENT_READ, _Guest(connection))


def _greeted(guest: _Guest, selector: selectors.BaseSelector, token: bytes) -> int:
    """The number of the task at the other end; below 0 as long as it has not said it, or is turned away."""
    try:
        more = guest.connection.recv(_HELLO.size - len(guest.said))
    except (BlockingIOError, InterruptedError):
        return -1
    except OSError:
        more = b""
    guest.said += more
    if more and len(guest.said) < _HELLO.size:
        return -1
    selector.unregister(guest.connection)
    if more:
        given, partner = _HELLO.unpack(guest.said)
        if given == token:
            return int(partner)
    guest.connection.close()
    return -1
