"""LSF's lsb.acct, read: JOB_FINISH of LSF (any version since 7) and of openlava, whose record ends sooner.

A record must reach to its spool files; what versions have added behind them is read as far as it goes.
"""

import re
from collections.abc import Iterator
from typing import Any

from molokini.accounting import lsf
from molokini.accounting.fields import BadField, real, shown, whole
from molokini.accounting.record import COUNT, OTHER_RECORD, RANGE, REQUEUED, Found, Left, Lines, Record
from molokini.model.facts import NO_INDEX, Ending

START = re.compile(r'"[A-Z_0-9]+" "[^"]*" ')
"""How a line of such a file begins."""
_MEMORY = re.compile(r"rusage\[mem=([0-9]{1,15})KB/task\]")
_COMPACT = re.compile(r"([0-9]{1,9})\*(.+)", re.DOTALL)
_LARGEST_MACHINE = 2**31 - 1
_REQUEUES = frozenset({10, 11, 31})
_KILLS = frozenset({8, 9, lsf.OWNER, lsf.ADMIN})


def read(lines: Lines) -> Found:
    """The jobs of *lines*, and what is no job."""
    for place, text in lines:
        try:
            words = _Words(text)
            kind = words.text("event type")
            if kind == lsf.EVENT:
                yield place, _record(words)
            else:
                yield Left(place, OTHER_RECORD, f"an event {shown(kind)}")
        except BadField as error:
            yield Left(place, error.reason, error.cause)


class _Words:
    """The fields of a line, one after the other."""

    def __init__(self, text: str) -> None:
        self._words = list(_split(text))
        self._at = 0

    def __len__(self) -> int:
        return len(self._words) - self._at

    def next(self, name: str) -> tuple[str, bool]:
        """The next field, and whether it is a string."""
        if not len(self):
            raise BadField(COUNT, f"the line ends before {name}, field {self._at + 1}")
        self._at += 1
        return self._words[self._at - 1]

    def text(self, name: str) -> str:
        """The next field, a string."""
        word, quoted = self.next(name)
        if not quoted:
            raise BadField(COUNT, f"{name}: field {self._at} is {shown(word)}, and no string")
        return word

    def whole(self, name: str) -> int:
        """The next field, a whole number."""
        return whole(name, self._number(name))

    def real(self, name: str) -> float:
        """The next field, a number."""
        return real(name, self._number(name))

    def _number(self, name: str) -> str:
        word, quoted = self.next(name)
        if quoted:
            raise BadField(COUNT, f"{name}: field {self._at} is the string {shown(word)}, and no number")
        return word

    def texts(self, name: str) -> list[str]:
        """A count and as many strings."""
        count = self.whole(f"number of {name}")
        if not 0 <= count <= len(self):
            raise BadField(COUNT, f"{name}: {count} of them are not on the line")
        return [self.text(name) for _ in range(count)]

    def pass_over(self, count: int) -> None:
        """Leave out so many fields, or as many as there are."""
        self._at = min(len(self._words), self._at + count)

    def pass_groups(self, size: int) -> None:
        """Leave out a count and as many groups of so many fields."""
        if len(self):
            self.pass_over(max(0, self.whole("count")) * size)

    def string_follows(self) -> bool:
        """Whether the next field is a string."""
        return bool(len(self)) and self._words[self._at][1]


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """The fields, each with whether it is a string: quotes part what is outside from what is inside."""
    parts = text.split('"')
    if len(parts) % 2 == 0:
        raise BadField(COUNT, f"{shown(parts[-1])} is no field: its quotes do not match")
    string: str | None = None
    for place, part in enumerate(parts):
        if place % 2:
            string = part if string is None else f'{string}"{part}'
            continue
        if string is not None:
            if not part and place < len(parts) - 1:
                continue  # a quote in a string is doubled: nothing stands between the two
            yield string, True
            string = None
        glued = (place and part[:1].strip()) or (place < len(parts) - 1 and part[-1:].strip())
        if glued:
            raise BadField(COUNT, f"{shown(part)} is no field: it stands at a quote")
        for word in part.split():
            yield word, False


def _record(words: _Words) -> Record:
    words.text("version")
    event_s, number = words.whole("event time"), words.whole("jobId")
    uid = words.whole("userId")
    words.whole("options")
    processors, submitted = words.whole("numProcessors"), words.whole("submitTime")
    words.pass_over(2)  # begin and termination time, as asked for
    start = words.whole("startTime")
    user, queue = words.text("userName"), words.text("queue")
    words.pass_over(4)
    directory = words.text("cwd")
    words.pass_over(4)
    words.texts("asked hosts")
    hosts = words.texts("execution hosts")
    status = words.whole("jStatus")
    words.real("hostFactor")
    name, command = words.text("jobName"), words.text("command")
    usage = words.real("utime"), words.real("stime")
    words.pass_over(lsf.USAGE - len(usage))
    words.text("mailUser")
    account, word = words.text("projectName"), words.whole("exitStatus")
    words.pass_over(2)
    if words.string_follows():
        words.text("timeEvent")  # openlava has none
    index, used_kb = words.whole("idx"), words.whole("maxRMem")
    words.whole("maxRSwap")
    words.text("inFileSpool")
    words.text("commandSpool")
    exit_info, limit_s, memory_kb, ran_s = _tail(words)
    if number < 1 or submitted < 0 or start < 0 or processors < 0:
        raise BadField(RANGE, f"jobId {number}, submitTime {submitted}, startTime {start} are out of range")
    if not status & (lsf.DONE | lsf.EXIT):
        raise BadField(OTHER_RECORD, f"jStatus {status} is no end")
    if exit_info in _REQUEUES:
        raise BadField(REQUEUED, f"exitInfo {exit_info} says that it runs again")
    # A job of a virtual clock may start at second 0, which else says that it never did.
    began = start > 0 or bool(status & lsf.DONE) or ran_s > 0 or bool(hosts)
    if began and event_s < start:
        raise BadField(RANGE, f"event time: {event_s} is before startTime, {start}")
    nodes = _hosts(hosts)
    return Record(
        number=number,
        index=index if index > 0 else NO_INDEX,
        name=name,
        user=user,
        uid=uid,
        account=account,
        queue=queue,
        command=command,
        directory=directory,
        submitted_s=float(submitted),
        start_s=float(start) if began else None,
        end_s=float(start + ran_s if began and ran_s > 0 else event_s),
        processors=min(processors, _LARGEST_MACHINE),
        allocated=sum(count for _, count in nodes),
        nodes=nodes,
        estimate_s=float(max(limit_s, 0)),
        memory_kb=memory_kb,
        used_kb=max(used_kb, 0),
        cpu_s=max(usage[0], 0.0) + max(usage[1], 0.0),
        attempt=int(began),
        **_ending(status, word, exit_info, began),
    )


def _tail(words: _Words) -> tuple[int, int, int, int]:
    """exitInfo, runLimit, memory asked for a processor (as ``lsf`` writes it), runTime; 0 where absent."""
    words.pass_over(4)
    exit_info = words.whole("exitInfo") if len(words) else 0
    words.pass_over(14)
    words.pass_groups(2)
    words.pass_groups(5)
    words.pass_over(1)
    limit_s = words.whole("runLimit") if len(words) else 0
    words.pass_over(1)
    asked = _MEMORY.fullmatch(words.text("effectiveResReq")) if len(words) else None
    words.pass_over(9)
    ran_s = words.whole("runTime") if len(words) else 0
    return exit_info, limit_s, int(asked[1]) if asked else 0, ran_s


def _hosts(names: list[str]) -> tuple[tuple[str, int], ...]:
    """Processors by host: a name for each of them, or ``4*name``."""
    found: dict[str, int] = {}
    for name in names:
        compact = _COMPACT.fullmatch(name)
        host, count = (compact[2], int(compact[1])) if compact else (name, 1)
        found[host] = found.get(host, 0) + count
    if sum(found.values()) > _LARGEST_MACHINE:
        raise BadField(RANGE, "execution hosts: there are too many processors")
    return tuple(found.items())


def _ending(status: int, word: int, exit_info: int, began: bool) -> dict[str, Any]:
    if status & lsf.DONE:
        return {"ending": Ending.COMPLETED}
    if exit_info == lsf.RUNLIMIT:
        return {"ending": Ending.TIMED_OUT}
    if exit_info in _KILLS:
        return {"ending": Ending.CANCELLED}
    if exit_info == lsf.ZOMBIE:
        return {"ending": Ending.NODE_LOST}
    if not began:
        failed = {lsf.PRE_EXEC_FAIL: Ending.NOT_STARTED, lsf.OTHER: Ending.REFUSED}
        return {"ending": failed.get(exit_info, Ending.CANCELLED)}
    code, signal = (word >> 8) & 0xFF, word & 0x7F
    if code > 128 and not signal:
        return {"ending": Ending.FAILED, "signal": code - 128}
    return {"ending": Ending.FAILED, "exit_code": 0 if signal else code, "signal": signal}
