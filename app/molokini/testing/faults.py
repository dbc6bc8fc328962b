"""What goes wrong on purpose: answers of the server are late, lost or empty; commands print nonsense."""

import asyncio
import json
import math
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from molokini.clients.recorded_files import recorded
from molokini.compat.answering import BANNER, CUT, RECORDED, SILENT
from molokini.compat.table import commands
from molokini.model.errors import BadValue, UnknownName
from molokini.proto.v1 import cluster_service_pb2, job_service_pb2
from molokini.server.security.statuses import NotReady

METHODS = tuple(
    method.name
    for service in (
        job_service_pb2.DESCRIPTOR.services_by_name["JobService"],
        cluster_service_pb2.DESCRIPTOR.services_by_name["ClusterService"],
    )
    for method in service.methods
    if not method.server_streaming
)
_LONGEST_S = 3600.0


class AnswerLost(NotReady):
    """The call was carried out, and its answer goes astray."""


@dataclass
class _Fault:
    kind: str
    times: int
    seconds: float = 0.0
    text: str = ""


class Faults:
    """Faults by the names of the server's methods (``Submit``, ``ListJobs``, ...), each for so many calls."""

    def __init__(self, answers: Path) -> None:
        self._answers = answers
        """The folder of what commands say in the place of their own."""
        self._count = 0
        self._of: dict[str, list[_Fault]] = {}
        self._lock = threading.Lock()
        self._accounting_delay_s = 0.0

    @property
    def accounting_delay_s(self) -> float:
        """Listings do not show a job for so many seconds (of the scheduling clock) after its end."""
        return self._accounting_delay_s

    @accounting_delay_s.setter
    def accounting_delay_s(self, seconds: float) -> None:
        if not 0 <= seconds < math.inf:
            raise BadValue("accounting_delay_s", seconds, "a number of seconds from 0")
        self._accounting_delay_s = seconds

    def delay(self, method: str, seconds: float, times: int = 1) -> None:
        """Carry out the next calls of *method* at once, and answer *seconds* later."""
        if not 0 <= seconds <= _LONGEST_S:
            raise BadValue("seconds", seconds, f"from 0 to {_LONGEST_S:,.0f}")
        self._add(method, _Fault("delay", times, seconds))

    def lose(self, method: str, times: int = 1) -> None:
        """Carry out the next calls of *method*, and answer that the server cannot be reached."""
        self._add(method, _Fault("lose", times))

    def refuse(self, method: str, text: str = "refused on purpose", times: int = 1) -> None:
        """Do not carry out the next calls of *method*, and answer that the server is not ready."""
        self._add(method, _Fault("refuse", times, text=text))

    def empty(self, method: str, times: int = 1) -> None:
        """Answer the next calls of *method* with nothing: a listing without a line."""
        self._add(method, _Fault("empty", times))

    # What commands print.

    def cut(self, command: str, letters: int = -1, times: int = 1) -> None:
        """The next calls of *command* print its first *letters*, or half of them, and end as it ends."""
        self._say(command, times, kind=CUT, letters=letters)

    def silent(self, command: str, times: int = 1) -> None:
        """The next calls of *command* print nothing and end well."""
        self._say(command, times, kind=SILENT)

    def banner(self, command: str, text: str, times: int = 1) -> None:
        """The next calls of *command* print *text*, as a login shell does, before their own answer."""
        self._say(command, times, kind=BANNER, text=text if text.endswith("\n") else f"{text}\n")

    def replay(self, file: Path | str) -> None:
        """Commands answer what *file* has recorded (molokini record), each line once, in its order."""
        for one in recorded(Path(file)):
            answer = {name: one[name] for name in ("out", "err", "code", "words")}
            self._say(one["command"], 1, kind=RECORDED, **answer)

    def _say(self, command: str, times: int, **answer: Any) -> None:
        if times < 1:
            raise BadValue("times", times, "1 or more")
        known = [name for names in commands().values() for name in names]
        if command not in known:
            raise UnknownName("command", command, known)
        folder = self._answers / command
        folder.mkdir(parents=True, exist_ok=True)
        self._count += 1
        text = json.dumps({"times": times, **answer})
        draft = folder / f"{self._count:06}.draft"
        draft.write_text(text, encoding="utf-8")
        draft.rename(folder / f"{self._count:06}.json")

    def left(self, method: str) -> int:
        """How many calls of *method* are still to go wrong."""
        with self._lock:
            return sum(fault.times for fault in self._of.get(method, ()))

    def clear(self) -> None:
        """From now on nothing goes wrong."""
        with self._lock:
            self._of.clear()
        self._accounting_delay_s = 0.0
        for path in self._answers.glob("*/*.json"):
            path.unlink(missing_ok=True)

    def _add(self, method: str, fault: _Fault) -> None:
        if method not in METHODS:
            raise UnknownName("method", method, METHODS)
        if fault.times < 1:
            raise BadValue("times", fault.times, "1 or more")
        with self._lock:
            self._of.setdefault(method, []).append(fault)

    def _next(self, method: str) -> _Fault | None:
        with self._lock:
            waiting = self._of.get(method)
            if not waiting:
                return None
            fault = waiting[0]
            fault.times -= 1
            if not fault.times:
                waiting.pop(0)
            return fault

    def around(self, method: str, call: Callable[..., Awaitable[Message]]) -> Callable[..., Any]:
        """*call*, the method of this name, with what goes wrong."""

        @wraps(call)
        async def faulty(request: Any, context: Any) -> Message:
            fault = self._next(method)
            if fault is not None and fault.kind == "refuse":
                raise NotReady(fault.text)
            answer = await call(request, context)
            if fault is None:
                return answer
            if fault.kind == "lose":
                raise AnswerLost("the server went away before it had answered")
            if fault.kind == "empty":
                return type(answer)()
            await asyncio.sleep(fault.seconds)
            return answer

        return faulty
