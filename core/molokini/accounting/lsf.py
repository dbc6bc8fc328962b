"""The record JOB_FINISH of LSF's lsb.acct, written as version 10.1 has it.

Fields are separated by one blank; strings stand in double quotes, with quotes inside doubled. What is not
there is ``""``, 0 or -1. Source: the lsb.acct reference of LSF; but records of LSF 9 and 10 all have
runLimit before options3, and the reference has it behind.
"""

from collections.abc import Iterator

from molokini.accounting.fields import fit, second
from molokini.accounting.record import Record
from molokini.model.facts import NO_INDEX, Ending

EVENT, VERSION = "JOB_FINISH", "10.1"
EXIT, DONE = 32, 64
HOST_FACTOR = "60.000000"
USAGE = 19
"""Numbers of use that a record has."""

UNKNOWN, OTHER, RUNLIMIT, OWNER, ADMIN, ZOMBIE, PRE_EXEC_FAIL = 0, 4, 5, 14, 15, 19, 28
"""What exitInfo says: the reasons TERM_*."""
RUNLIMIT_SIGNAL, CANCEL_SIGNAL = 12, 15

_NAME, _QUEUE, _PROJECT = 0x01, 0x02, 0x2000000


def line_of(record: Record, server: str, at_s: float | None = None) -> str:
    """The record of a job that is over, as a line. *at_s*: when that was noted, if not at its end."""
    return " ".join(_words(record, server, second(record.end_s if at_s is None else at_s)))


def _words(record: Record, server: str, at_s: int) -> Iterator[str]:
    yield from _submission(record, server, at_s)
    hosts = [name for name, count in record.nodes for _ in range(count)]
    yield from ("0", str(len(hosts)), *map(_quoted, hosts))
    done = record.ending is Ending.COMPLETED
    yield from (str(DONE if done else EXIT), HOST_FACTOR, _quoted(record.name), _quoted(record.command))
    yield from _usage(record)
    index = 0 if record.index == NO_INDEX else record.index
    yield from ('""', _quoted(record.account), str(_status(record)), str(record.processors), '""', '""')
    yield from (str(index), str(record.used_kb), "0", '""', '""')
    yield from _extended(record)
    yield from _resources(record, hosts)


def _submission(record: Record, server: str, at_s: int) -> Iterator[str]:
    options = _QUEUE | (_NAME if record.name else 0) | (_PROJECT if record.account else 0)
    start = 0 if record.start_s is None else second(record.start_s)
    numbers = (at_s, record.number, record.uid, options, record.processors, second(record.submitted_s))
    yield from (_quoted(EVENT), _quoted(VERSION), *map(str, numbers))
    yield from ("0", "0", str(start), _quoted(record.user), _quoted(record.queue))
    # Requirements, dependencies, pre-execution command; the host that was asked, the folder; four files.
    yield from ('""', '""', '""', _quoted(server), _quoted(record.directory), *['""'] * 4)


def _usage(record: Record) -> Iterator[str]:
    if record.cpu_s > 0:
        yield from (f"{record.cpu_s:.6f}", "0.000000", *["-1"] * (USAGE - 3), "-1")
    else:
        yield from ["-1"] * USAGE


def _extended(record: Record) -> Iterator[str]:
    """From the reservation's name to the description."""
    yield from ('""', '""', "0", '""', str(_exit_info(record)), '""', "0", '""', '""', '""', '""', "0")
    # Job group, requeue values, options2, resize command, its time, reservation, description.
    yield from ('""', '""', "0", '""', "0", '""', '""')


def _resources(record: Record, hosts: list[str]) -> Iterator[str]:
    """From the extensions of the submission to the end of the line."""
    limit = second(record.estimate_s) if record.estimate_s > 0 else -1
    ran = 0 if record.start_s is None else second(record.end_s) - second(record.start_s)
    memory = f"rusage[mem={record.memory_kb}KB/task]" if record.memory_kb else ""
    # No pairs of the submission, no use by host; the limit, options3, average memory, the requirement.
    yield from ("0", "0", str(limit), "0", "0", _quoted(memory), '""', "0", '""', "0", "0", "0", "0", "0")
    # Output folder, run time, sub-folder, networks, affinity, five figures of energy and speed.
    yield from ('""', str(ran), '""', "0", '""', "0.000000", *["0.000000"] * 4)
    yield from (str(len(hosts)), *map(_quoted, hosts))
    # Ineligible pending time, index ranges, requeue time, GPUs, storage, key-value pairs, overhead.
    yield from ("-1", "0", "0", "0", "0", "0", "0")


def _exit_info(record: Record) -> int:
    return {
        Ending.TIMED_OUT: RUNLIMIT,
        Ending.CANCELLED: OWNER,
        Ending.NODE_LOST: ZOMBIE,
        Ending.NOT_STARTED: PRE_EXEC_FAIL,
        Ending.REFUSED: OTHER,
    }.get(record.ending, UNKNOWN)


def _status(record: Record) -> int:
    """The status word of wait(): the exit code times 256, or the number of the signal."""
    if record.start_s is None:
        return 0
    if record.ending is Ending.TIMED_OUT:
        return RUNLIMIT_SIGNAL
    if record.ending is Ending.CANCELLED:
        return CANCEL_SIGNAL
    return record.signal or record.exit_code << 8


def _quoted(text: str) -> str:
    return '"' + fit(text, instead=" ").replace('"', '""') + '"'
