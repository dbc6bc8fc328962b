"""The launcher: a process for each task, one ear for all of them, and an end for all when one fails.

A task's line of control ends when its process does, however that ended; nothing else is watched.
"""

import ctypes
import json
import os
import secrets
import selectors
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from exchange.control import Control, line
from exchange.meeting import HOST, TOKEN, NoMeeting, listening, meet
from exchange.nodes import NoPlace, address_of, publish
from exchange.options import Options, Refused

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_DIE_WITH_PARENT = 1
_PATIENCE_S = 2.0
"""How long a lost partner may take to be seen ended, so that its own end is the reported reason."""


class Failed(Exception):
    """Why a run did not come to its end: one line."""


class LaunchEnded(Exception):
    """The launcher has had a signal that ends it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class Child:
    """A task of this node or, without a process, of another one."""

    task: int
    pid: int
    connection: socket.socket
    host: str = HOST
    heard: bytes = b""
    port: int = 0
    result: dict[str, Any] | None = None


def launch(options: Options) -> list[dict[str, Any]]:
    """Run all tasks to their end; what each tells, in order. Raises Failed, Refused, Ended."""
    with ending() as children:
        token, host = secrets.token_bytes(TOKEN), HOST
        if options.place.nodes > 1:
            token, host = _gather(options, children)
        for task in options.place.own(options.tasks):
            ours, theirs = socket.socketpair()
            start(task, options, token, Child(task, 0, ours, host), theirs, children)
        children.sort(key=lambda child: child.task)
        return _listen(children, options.deadline_s)


def _gather(options: Options, children: list[Child]) -> tuple[bytes, str]:
    """Wait for the tasks of the other nodes; the token of the run, and where those of this one listen."""
    place, own = options.place, options.place.own(options.tasks)
    others = tuple(task for task in range(options.tasks) if task not in own)
    try:
        host = address_of(place.name, options.address)
        with listening(host) as listener:
            token = publish(place.file, listener)
            try:
                connections = meet(-1, others, listener, (), token, options.deadline_s)
            finally:
                os.unlink(place.file)
    except NoPlace as error:
        raise Refused(str(error)) from None
    except NoMeeting as error:
        raise Failed(str(error)) from None
    except OSError as error:
        raise Failed(f"{error.filename or host}: {error.strerror}") from None
    for task, connection in connections.items():
        connection.setblocking(True)
        children.append(Child(task, 0, connection, connection.getpeername()[0]))
    return token, host


@contextmanager
def ending() -> Iterator[list[Child]]:
    """A list of tasks, none of which outlives this launcher, however it ends."""
    for number in _ENDING:
        signal.signal(number, _end)
    children: list[Child] = []
    try:
        yield children
    finally:
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)
        _end_all(children)
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    raise LaunchEnded(number)


def start(
    task: int, options: Options, token: bytes, child: Child, control: socket.socket, children: list[Child]
) -> None:
    """Begin a task that hears of the launcher over *control*, and add it to *children* as *child*."""
    launcher = os.getpid()
    # Until the child has its own ways with signals, and the list has the child.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    child.pid = os.fork()
    if not child.pid:
        if child.connection is not control:
            child.connection.close()
        _be_task(task, options, token, control, launcher, children, child.host)
    children.append(child)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    control.close()


def _be_task(
    task: int,
    options: Options,
    token: bytes,
    control: socket.socket,
    launcher: int,
    older: list[Child],
    host: str,
) -> None:
    code = 1
    try:
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        for child in older:
            child.connection.close()
        if os.getppid() == launcher:
            # Here, not above: numpy belongs to the tasks, and a launcher without it has no threads to fork.
            from exchange.task import run

            code = run(task, options, Control(control, task), token, host)
    except Exception as error:
        control.sendall(line({"failed": f"{type(error).__name__}: {error}"}))
    finally:
        os._exit(code)


def _listen(children: list[Child], deadline_s: float) -> list[dict[str, Any]]:
    until = time.monotonic() + deadline_s
    with selectors.DefaultSelector() as selector:
        for child in children:
            selector.register(child.connection, selectors.EVENT_READ, child)
        while any(child.result is None for child in children):
            begun = all(child.port for child in children)
            ready = selector.select(None if begun else max(0.0, until - time.monotonic()))
            if not ready and not begun and time.monotonic() >= until:
                late = next(child.task for child in children if not child.port)
                raise Failed(f"task {late} has not begun within {deadline_s:g} s; --deadline says how long")
            for key, _ in ready:
                if not _hear(key.data, children):
                    selector.unregister(key.fileobj)
    return [child.result for child in children if child.result is not None]


def _hear(child: Child, children: list[Child]) -> bool:
    """Whether a task may have more to say. Raises Failed."""
    try:
        more = child.connection.recv(65536)
    except ConnectionError:
        more = b""
    if not more and child.result is None:
        raise Failed(_how_ended(child, os.waitpid(child.pid, 0)[1]) if child.pid else _how_gone(child))
    *lines, child.heard = (child.heard + more).split(b"\n")
    for text in lines:
        _take(json.loads(text), child, children)
    return bool(more)


def _take(said: dict[str, Any], child: Child, children: list[Child]) -> None:
    if "port" in said:
        child.port = said["port"]
        if all(one.port for one in children):
            _tell(children, {"places": [(one.host, one.port) for one in children]})
    elif "agreed" in said:
        _tell(children, said)
    elif "done" in said:
        child.result = said["done"]
    elif "lost" in said:
        raise Failed(_why_lost(child, children[said["lost"]]))
    else:
        raise Failed(f"task {child.task}: {said['failed']}")


def _tell(children: list[Child], said: dict[str, Any]) -> None:
    for child in children:
        try:
            child.connection.sendall(line(said))
        except OSError:
            # It has ended, and its own connection says how.
            continue


def _why_lost(child: Child, partner: Child) -> str:
    until = time.monotonic() + _PATIENCE_S
    while partner.pid and time.monotonic() < until:
        ended, status = os.waitpid(partner.pid, os.WNOHANG)
        if ended:
            return _how_ended(partner, status)
        time.sleep(0.005)
    return f"task {child.task} lost its connection with task {partner.task}"


def _how_ended(child: Child, status: int) -> str:
    child.pid = 0
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"task {child.task} was ended by {signal.Signals(-code).name}"
    return f"task {child.task} ended with exit code {code} before its work was done"


def _how_gone(child: Child) -> str:
    return f"task {child.task} at {child.host} ended before its work was done"


def _end_all(children: list[Child]) -> None:
    """No task outlives the launcher, whether it is done, at work or stopped."""
    for child in children:
        child.connection.close()
        if child.pid and child.result is None:
            os.kill(child.pid, signal.SIGKILL)
    for child in children:
        if child.pid:
            os.waitpid(child.pid, 0)
