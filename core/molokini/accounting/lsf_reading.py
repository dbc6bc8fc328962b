"""LSF's lsb.acct, read: JOB_FINISH of LSF (any version since 7) and of openlava, whose record ends sooner.

A record must reach to its spool files; what versions have added behind them is read as far as it goes, and
where a field there is not as it should be, the job goes without what stands from there on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from molokini.accounting import lsf
from molokini.accounting.fields import BadField, real, shown, whole
from molokini.accounting.record import (
    COUNT,
    OTHER_RECORD,
    RANGE,
    REQUEUED,
    Found,
    Lines,
    Odd,
    Record,
    SkippedLine,
)
from molokini.model.facts import NO_INDEX, Ending

START = re.compile(r'"[A-Z_0-9]+" "[^"]*" ')
"""How a line of such a file begins."""
_MEMORY = re.compile(r"rusage\[mem=([0-9]{1,15})KB/task\]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
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
                yield SkippedLine(place, OTHER_RECORD, f"an event {shown(kind)}")
        except BadField as error:
            yield SkippedLine(place, error.reason, error.cause)


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
            raise BadField(COUNT, f"{name}: field {self._at} is {shown(word)}, not a string")
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
            raise BadField(COUNT, f"{name}: field {self._at} is the string {shown(word)}, not a number")
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

    def pass_groups(self, size: int, name: str) -> None:
        """Leave out a count and as many groups of so many fields."""
        if len(self):
            self.pass_over(max(0, self.whole(f"number of {name}")) * size)

    def string_follows(self, after: int = 0) -> bool:
        """Whether the field that stands *after* so many further ones is a string."""
        return after < len(self) and self._words[self._at + after][1]

    def numbers_follow(self, count: int, after: int = 0) -> bool:
        """Whether the *count* fields that stand *after* so many further ones are there, and all numbers."""
        first = self._at + after
        some = self._words[first : first + count]
        return len(some) == count and not any(quoted or not _NUMBER.fullmatch(word) for word, quoted in some)


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """The fields, each with whether it is a string: quotes part what is outside from what is inside."""
    parts = text.split('"')
    if len(parts) % 2 == 0:
        raise BadField(COUNT, f"{shown(parts[-1])} is not a field: its quotes do not match")
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
            raise BadField(COUNT, f"{shown(part)} is not a field: it stands at a quote")
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
    tail = _Tail()
    odd: tuple[Odd, ...] = ()
    try:
        _read_tail(words, tail)
    except BadField as error:
        odd = (Odd(error.cause.partition(":")[0], error.cause),)
    exit_info, ran_s = tail.exit_info, tail.ran_s
    if number < 1 or submitted < 0 or start < 0 or processors < 0:
        raise BadField(RANGE, f"jobId {number}, submitTime {submitted}, startTime {start} are out of range")
    if not status & (lsf.DONE | lsf.EXIT):
        raise BadField(OTHER_RECORD, f"jStatus {status} is not an end")
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
        estimate_s=float(max(tail.limit_s, 0)),
        memory_kb=tail.memory_kb,
        used_kb=max(used_kb, 0),
        cpu_s=max(usage[0], 0.0) + max(usage[1], 0.0),
        attempt=int(began),
        odd=odd,
        **_ending(status, word, exit_info, began),
    )


@dataclass
class _Tail:
    """What stands behind the spool files; 0 where it is absent."""

    exit_info: int = 0
    limit_s: int = 0
    memory_kb: int = 0
    """Asked for a processor, as ``lsf`` writes it."""
    ran_s: int = 0


def _read_tail(words: _Words, tail: _Tail) -> None:
    """Fill *tail* as far as the line goes, or up to a field that is not as it should be."""
    words.pass_over(4)
    if not len(words):
        return
    tail.exit_info = words.whole("exitInfo")
    words.pass_over(14)
    words.pass_groups(2, "submitEXT")
    _pass_host_usage(words)
    if not len(words):
        return
    # The reference of LSF has options3 first; records of LSF 9 and 10 have it second.
    limit_s = words.whole("runLimit")
    words.pass_over(2)
    asked = _MEMORY.fullmatch(words.text("effectiveResReq")) if len(words) else None
    tail.limit_s, tail.memory_kb = limit_s, int(asked[1]) if asked else 0
    words.pass_over(9)
    if len(words):
        tail.ran_s = words.whole("runTime")


_HOST_USAGE = (6, 5)
"""Words of use that a host has: name, memory, swap, user and system time; in LSF 9 and 10 one more."""


def _pass_host_usage(words: _Words) -> None:
    """Leave out the use by host. The fields behind the last host show how many words a host has."""
    if not len(words):
        return
    count = max(0, words.whole("numHostRusage"))
    for size in _HOST_USAGE:
        behind = count * size
        # Each host: a name, and numbers. Then runLimit, options3 and avgMem, and a string.
        hosts = all(words.numbers_follow(size - 1, at + 1) for at in range(0, behind, size))
        if hosts and words.numbers_follow(3, behind) and words.string_follows(behind + 3):
            words.pass_over(behind)
            return
    if count:
        sizes = " and ".join(map(str, sorted(_HOST_USAGE)))
        raise BadField(COUNT, f"numHostRusage: no {count} hosts with {sizes} fields follow")


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
