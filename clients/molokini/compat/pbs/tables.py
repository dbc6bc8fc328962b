"""The tables of ``qstat``: lines of fixed columns, as PBS Pro and Torque have them."""

from __future__ import annotations

from molokini.compat._types import Callable, Job
from molokini.compat.columns import fit, points_before
from molokini.compat.pbs.ids import name_of
from molokini.compat.pbs.sizes import short
from molokini.compat.pbs.times import clock, short_clock

_PRO = (
    "Job id            Name             User              Time Use S Queue",
    "----------------  ---------------- ----------------  -------- - -----",
)
_WIDE = (
    "Job id                         Name            User              Time Use S Queue",
    "-----------------------------  --------------- ---------------  --------- - ---------------",
)
_TORQUE = (
    "Job ID                    Name             User            Time Use S Queue",
    "------------------------- ---------------- --------------- -------- - -----",
)
_REQUESTS = (
    "                                                            Req'd  Req'd   Elap",
    "Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time",
    "--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----",
)
_WIDE_REQUESTS = (
    "                                                                                    "
    "            Req'd  Req'd   Elap",
    "Job ID                         Username        Queue           Jobname         SessID   "
    "NDS  TSK   Memory Time  S Time",
    "------------------------------ --------------- --------------- --------------- -------- "
    "---- ----- ------ ----- - -----",
)


def word(text: str) -> str:
    """*text* as one word that no blank parts: tables are read by their blanks."""
    shown = "".join(letter if letter.isprintable() and letter != " " else "_" for letter in text)
    return shown or "-"


OF_LINES = (
    *("state", "user", "holds", "cause", "attempt", "cpu_s", "elements", "spec.name", "spec.queue"),
    *("submitted_s", "end_s"),
)
"""Fields of jobs from which the line of a table is made."""
OF_REQUESTS = (
    *OF_LINES,
    *(
        "start_s",
        "elapsed_s",
        "reserved_s",
        "allocation",
        "spec.resources",
        "spec.estimate_s",
        "limit_s",
        "spec.comment",
    ),
)
"""The same for the wider table."""


class Plain:
    """The table of ``qstat`` without options: *torque*'s, or Pro's, which *wide* widens."""

    def __init__(self, server: str, torque: bool, wide: bool, percent: bool = False) -> None:
        self._server, self._torque, self._wide, self._percent = server, torque, wide, percent

    def titles(self) -> list[str]:
        """The lines above the first job."""
        first, second = _TORQUE if self._torque else _WIDE if self._wide else _PRO
        if self._percent:
            first = first.replace("Time Use", "  % done")
        return [first, second]

    def line(self, job: Job, letter: str) -> str:
        """The line of *job*."""
        name, queue = word(job.name), job.queue
        used = _percent(job) if self._percent else _used(job)
        job_id, user = name_of(job, self._server), word(job.user)
        if self._torque:
            columns = f"{fit(job_id, 25)} {fit(name, 16, points_before)} {user[:15]:<15}"
            return f"{columns} {used:>8} {letter} {queue:<15}".rstrip()
        if self._wide:
            columns = f"{fit(job_id, 30)} {fit(name, 15)} {fit(user, 15)}"
            return f"{columns}   {used:>8} {letter} {fit(queue, 15)}".rstrip()
        columns = f"{fit(job_id, 17)} {fit(name, 16)} {fit(user, 16)}"
        return f"{columns}  {used:>8} {letter} {fit(queue, 15)}".rstrip()


class Requests:
    """The table of ``qstat -a`` and its like: what was asked for, and how long it has run."""

    def __init__(self, server: str, wide: bool, unit: str, start: Callable[[Job], str] | None = None) -> None:
        self._server, self._wide, self._unit, self._start = server, wide, unit, start

    def titles(self) -> list[str]:
        """The lines above the first job: an empty one, and the name of the server first."""
        rows = list(_WIDE_REQUESTS if self._wide else _REQUESTS)
        if self._start is not None:
            rows[0], rows[1] = rows[0][:-4] + " Est", rows[1][:-4] + "Start"
        return ["", f"{self._server}: ", *rows]

    def line(self, job: Job, letter: str) -> str:
        """The line of *job*."""
        total = job.processors
        nodes = job.node_count or total // (job.per_node or total)
        memory = short(job.memory_limit_kb, self._unit)
        elapsed = self._start(job) if self._start is not None else _elapsed(job)
        columns = (
            word(job.name),
            "--",
            str(nodes),
            str(total),
            memory,
            short_clock(job.limit_s),
            letter,
            elapsed,
        )
        return self._row(name_of(job, self._server), word(job.user), job.queue, columns)

    def _row(self, job_id: str, user: str, queue: str, rest: tuple[str, ...]) -> str:
        name, session, nodes, tasks, memory, time, letter, elapsed = rest
        if self._wide:
            first = f"{fit(job_id, 30)} {fit(user, 15)} {fit(queue, 15)} {fit(name, 15)}"
            return f"{first} {session:>8} {nodes:>4} {tasks:>5} {memory:>6} {time:>5} {letter} {elapsed:>5}"
        first = f"{fit(job_id, 15)} {fit(user, 8)} {fit(queue, 8)} {fit(name, 10)}"
        return f"{first} {session:>6} {nodes:>3} {tasks:>3} {memory:>6} {time:>5} {letter} {elapsed:>5}"


def _used(job: Job) -> str:
    """Processor time; 0 before the first start."""
    return clock(job.cpu_s) if job.attempt or job.is_array else "0"


def _percent(job: Job) -> str:
    """How much of its wall time it has had, or of an array, how many of its elements have ended."""
    if job.is_array:
        counts = job.elements or {}
        ended = sum(counts.get(name, 0) for name in counts if name not in _OPEN)
        return f"{100 * ended // max(1, sum(counts.values()))}%"
    if job.over:
        return "100%"
    return f"{int(100 * job.elapsed_s / max(1.0, job.limit_s))}%"


_OPEN = ("held", "waiting", "running", "suspended")


def _elapsed(job: Job) -> str:
    return "--" if job.start_s is None else short_clock(job.elapsed_s)
