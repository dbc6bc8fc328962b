"""The accounting log of PBS, written: ``MM/DD/YYYY HH:MM:SS;TYPE;ID;key=value ...``, a file a day.

The order of keys is that of OpenPBS. A job that has started has the records Q, S and E; one that never did,
Q and D (deleted by request) or A (aborted by the server). Source: the accounting logs of OpenPBS and Torque.
"""

from collections.abc import Iterator
from datetime import tzinfo
from typing import NamedTuple

from molokini.accounting.fields import clock_text, fit, moment, second
from molokini.accounting.record import Record
from molokini.model.facts import NO_INDEX, Ending

WALLTIME_EXCEEDED, MOTHER_SUPERIOR_LOST, FAILED_EARLY = -29, -20, -1
KILLED = 256
"""Exit statuses: those of OpenPBS's execution daemon, and what is added to the number of a signal."""
DELETED = KILLED + 15
PROJECT = "_pbs_project_default"


class Line(NamedTuple):
    """A line, and the instant of it."""

    at_s: float
    text: str


def lines_of(record: Record, server: str, zone: tzinfo | None = None) -> Iterator[Line]:
    """All lines about a job that is over, in the order of their instants."""
    yield queued(record, server, zone)
    if record.start_s is not None:
        yield started(record, server, zone)
    yield ended(record, server, zone)


def queued(record: Record, server: str, zone: tzinfo | None = None) -> Line:
    """Q: it was submitted."""
    return _line(record.submitted_s, "Q", record, server, zone, _begin(record))


def started(record: Record, server: str, zone: tzinfo | None = None) -> Line:
    """S: its last attempt began."""
    assert record.start_s is not None
    return _line(record.start_s, "S", record, server, zone, [*_begin(record), *_running(record)])


def ended(
    record: Record, server: str, zone: tzinfo | None = None, at_s: float | None = None, by: str = ""
) -> Line:
    """E, D or A: it is over. *at_s*: when that was noted, if not at its end; *by*: who wanted it."""
    at_s = record.end_s if at_s is None else at_s
    if record.start_s is None:
        if record.ending is Ending.CANCELLED:
            requestor = f"requestor={_value(by or record.user)}@{server}"
            return _line(at_s, "D", record, server, zone, [requestor])
        return _line(at_s, "A", record, server, zone, [])
    return _line(at_s, "E", record, server, zone, [*_begin(record), *_running(record), *_end(record)])


def rerun(record: Record, server: str, zone: tzinfo | None, at_s: float) -> Line:
    """R: an attempt came to nothing, and the job is queued again."""
    return _line(at_s, "R", record, server, zone, [*_begin(record), f"run_count={record.attempt}"])


def day_of(at_s: float, zone: tzinfo | None = None) -> str:
    """The name of the file of that day: ``YYYYMMDD``."""
    return f"{moment(at_s, zone):%Y%m%d}"


def _line(at_s: float, kind: str, record: Record, server: str, zone: tzinfo | None, words: list[str]) -> Line:
    # Years before 1000 have four digits, too; strftime leaves that to the system.
    when = moment(at_s, zone)
    stamp = f"{when:%m/%d/}{when.year:04d}{when: %H:%M:%S}"
    return Line(at_s, f"{stamp};{kind};{_id(record)}.{fit(server, '; ')};{' '.join(words)}")


def _id(record: Record) -> str:
    if record.indices:
        return f"{record.number}[]"
    return str(record.number) if record.index == NO_INDEX else f"{record.number}[{record.index}]"


def _begin(record: Record) -> list[str]:
    submitted = second(record.submitted_s)
    eligible = submitted if record.eligible_s is None else second(record.eligible_s)
    return [
        f"user={_value(record.user)}",
        f"group={_value(record.group)}",
        *([f"account={_value(record.account)}"] if record.account else []),
        f"project={PROJECT}",
        f"jobname={_value(record.name)}",
        f"queue={_value(record.queue)}",
        f"ctime={submitted}",
        f"qtime={submitted}",
        f"etime={eligible}",
    ]


def _running(record: Record) -> list[str]:
    assert record.start_s is not None
    hosts = "+".join(f"{_value(name)}/0" + (f"*{n}" if n > 1 else "") for name, n in record.nodes)
    vnodes = "+".join(f"({_value(name)}:ncpus={n})" for name, n in record.nodes)
    return [
        f"start={second(record.start_s)}",
        *([f"exec_host={hosts}", f"exec_vnode={vnodes}"] if record.nodes else []),
        *_asked(record),
        "session=0",
    ]


def _asked(record: Record) -> Iterator[str]:
    """Resource_List in the order of names; a select of equal chunks where nodes were asked for."""
    processors, nodes = record.processors or record.allocated, record.wanted_nodes
    if record.memory_kb and processors:
        yield f"Resource_List.mem={record.memory_kb * processors}kb"
    if processors:
        chunks = nodes if nodes and processors % nodes == 0 else 1
        yield f"Resource_List.ncpus={processors}"
        yield f"Resource_List.nodect={chunks}"
        yield f"Resource_List.place={'scatter' if nodes else 'free'}"
        yield f"Resource_List.select={chunks}:ncpus={processors // chunks}"
    if record.estimate_s > 0:
        yield f"Resource_List.walltime={clock_text(record.estimate_s)}"


def _end(record: Record) -> Iterator[str]:
    yield f"end={second(record.end_s)}"
    yield f"Exit_status={exit_status(record)}"
    if record.cpu_s > 0:
        yield f"resources_used.cput={clock_text(record.cpu_s)}"
    if record.used_kb:
        yield f"resources_used.mem={record.used_kb}kb"
    if record.allocated:
        yield f"resources_used.ncpus={record.allocated}"
    ran = second(record.end_s) - second(record.start_s or 0)
    yield f"resources_used.walltime={clock_text(ran)}"
    yield f"run_count={record.attempt}"


_STATUSES = {
    Ending.COMPLETED: 0,
    Ending.TIMED_OUT: WALLTIME_EXCEEDED,
    Ending.CANCELLED: DELETED,
    Ending.NODE_LOST: MOTHER_SUPERIOR_LOST,
}


def exit_status(record: Record) -> int:
    """How PBS says it: the exit code, 256 and the signal, or what its daemon says."""
    if record.ending in _STATUSES:
        return _STATUSES[record.ending]
    return KILLED + record.signal if record.signal else record.exit_code or FAILED_EARLY


def _value(text: str) -> str:
    """*text* as a value: in quotes where it holds blanks or begins with one, quotes inside as apostrophes."""
    text = fit(text)
    if text.startswith('"') or any(sign.isspace() for sign in text):
        return '"' + text.replace('"', "'") + '"'
    return text
