"""A table as Slurm's ``sacct -X --parsable2`` prints it: a header, then a line a job, cells parted by ``|``.

One line is of the whole job (there are no lines of steps), so MaxRSS and TotalCPU, which Slurm has in those,
stand in it. Source: sacct's manual.
"""

from datetime import tzinfo

from molokini.accounting.fields import day_clock_text, fit, moment, second
from molokini.accounting.record import Record
from molokini.model.facts import NO_INDEX, Ending

COLUMNS = (
    *("JobID", "JobName", "User", "UID", "Group", "Account", "Partition", "QOS", "State", "ExitCode"),
    *("Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "Timelimit", "ReqNodes", "ReqCPUS"),
    *("AllocCPUS", "ReqMem", "MaxRSS", "TotalCPU", "NodeList", "Restarts", "WorkDir", "SubmitLine"),
)
SEPARATOR = "|"
UNKNOWN = "Unknown"
UNLIMITED = "UNLIMITED"

_STATES = {
    Ending.COMPLETED: "COMPLETED",
    Ending.FAILED: "FAILED",
    Ending.TIMED_OUT: "TIMEOUT",
    Ending.NODE_LOST: "NODE_FAIL",
    Ending.NOT_STARTED: "BOOT_FAIL",
    Ending.REFUSED: "DEADLINE",
}


def header() -> str:
    """The line above the jobs."""
    return SEPARATOR.join(COLUMNS)


def line_of(record: Record, zone: tzinfo | None = None) -> str:
    """The line of a job that is over; *zone* is that of its times, None: this machine's."""
    start = record.start_s
    suspended = second(record.suspended_s)
    # As Slurm has it: the time of suspensions is not in Elapsed.
    ran = 0 if start is None else second(record.end_s) - second(start) - suspended
    eligible = record.submitted_s if record.eligible_s is None else record.eligible_s
    return SEPARATOR.join(
        (
            _id(record),
            _cell(record.name),
            _cell(record.user),
            str(record.uid) if record.uid >= 0 else "",
            _cell(record.group),
            _cell(record.account),
            _cell(record.queue),
            _cell(record.qos),
            _state(record),
            f"{record.exit_code}:{record.signal}",
            _time(record.submitted_s, zone),
            _time(eligible, zone),
            UNKNOWN if start is None else _time(start, zone),
            _time(record.end_s, zone),
            str(max(0, ran)),
            day_clock_text(suspended),
            day_clock_text(record.estimate_s) if record.estimate_s > 0 else UNLIMITED,
            str(record.wanted_nodes or 1),
            str(record.processors),
            str(record.allocated),
            f"{record.memory_kb}Kc" if record.memory_kb else "0",
            f"{record.used_kb}K" if record.used_kb else "",
            day_clock_text(record.cpu_s) if record.cpu_s > 0 else "00:00:00",
            # Slurm packs names (n[1-4]); each by itself is what its own tools read as well.
            _cell(",".join(name for name, _ in record.nodes)) or "None assigned",
            str(max(0, record.attempt - 1)),
            _cell(record.directory),
            _cell(record.command),
        )
    )


def _id(record: Record) -> str:
    if record.indices:
        return f"{record.number}_[{record.indices}]"
    return str(record.number) if record.index == NO_INDEX else f"{record.number}_{record.index}"


def _state(record: Record) -> str:
    if record.ending is Ending.CANCELLED:
        return f"CANCELLED by {record.uid}" if record.uid >= 0 else "CANCELLED"
    return _STATES[record.ending]


def _time(at_s: float, zone: tzinfo | None) -> str:
    when = moment(at_s, zone)
    return f"{when.year:04d}{when:-%m-%dT%H:%M:%S}"


def _cell(text: str) -> str:
    return fit(text, SEPARATOR)
