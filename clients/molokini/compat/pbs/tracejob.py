"""``tracejob``: what has become of a job, line by line, as PBS' logs would tell it."""

from __future__ import annotations

import time

from molokini.compat._types import Invocation, Iterator, Job, Values
from molokini.compat.options import option, refused, without_effect
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.details import FIELDS, attributes, owner
from molokini.compat.pbs.dialect import torque
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.finding import Complaints, listed, named
from molokini.compat.pbs.hosts import exec_vnode
from molokini.compat.pbs.ids import name_of
from molokini.compat.pbs.printing import flat
from molokini.compat.pbs.server import server_name
from molokini.compat.pbs.states import exit_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    Line = tuple[float, str, str]
    """An instant, the log (A, S, L or M), and what it says."""

OPTIONS = (
    *USUAL,
    option("-a", text="without accounting"),
    without_effect("-c", "COUNT", why="no message is repeated"),
    without_effect("-f", "FILTER", why="there are no messages of other kinds"),
    option("-l", text="without the scheduler"),
    option("-m", text="without the nodes"),
    without_effect("-n", "DAYS", why="the history of a job is kept as long as the job is known"),
    refused("-p", "PATH", why="there are no log files; the server answers from its journal"),
    option("-s", text="without the server"),
    without_effect("-v", why="all messages are shown"),
    without_effect("-w", "COLUMNS", why="lines are not broken"),
    without_effect("-z", why="no message is repeated"),
)


def run(run: Invocation) -> int:
    """Print the history of each job; the exit code is that of the last complaint."""
    given = given_to(run, OPTIONS, "job id...")
    if not given.words:
        raise wrong(run, "expected a job id (see tracejob --help)")
    complaints = Complaints(run)
    found = listed(run, named(run, given.words, complaints), FIELDS, complaints)
    server = server_name(run) if found else ""
    for job in found:
        _show(run, given, job, server)
    return complaints.code


def _show(run: Invocation, given: Values, job: Job, server: str) -> None:
    run.say(f"\nJob: {name_of(job, server)}\n")
    hidden = "".join(
        log for letter, log in (("a", "A"), ("l", "L"), ("m", "M"), ("s", "S")) if given.flag(letter)
    )
    found = [one for one in _lines(job, server, torque(run.variables)) if one[1] not in hidden]
    for at_s, log, text in sorted(found, key=lambda one: one[0]):
        run.say(f"{time.strftime('%m/%d/%Y %H:%M:%S', time.localtime(at_s))}  {log}    {text}")


def _lines(job: Job, server: str, is_torque: bool) -> Iterator[Line]:
    whose = owner(job, server)
    at_s = float(job.submitted_s)
    queued = f"owner = {whose}, job name = {job.name}, queue = {job.queue}"
    yield at_s, "S", f"enqueuing into {job.queue}, state Q hop 1"
    yield at_s, "S", f"Job Queued at request of {whose}, {queued}"
    yield at_s, "A", f"queue={job.queue}"
    if job.eligible_s is not None and job.eligible_s > at_s:
        yield job.eligible_s, "S", "Job became eligible"
    if job.attempt > 1 and job.first_start_s is not None:
        yield job.first_start_s, "S", "Job Run at request of Scheduler"
        yield job.first_start_s, "S", f"Job has been run {job.attempt} times"
    if job.start_s is not None and job.nodes:
        nodes = exec_vnode(job.nodes, 0)
        yield job.start_s, "L", "Job run"
        yield job.start_s, "S", f"Job Run at request of Scheduler@{server} on exec_vnode {nodes}"
        yield job.start_s, "A", _record(job, server, is_torque, ended=False)
    if job.over and not job.is_array:
        yield from _ends(job, server, is_torque)
    elif job.reason:
        yield at_s, "S", job.reason


def _ends(job: Job, server: str, is_torque: bool) -> Iterator[Line]:
    end_s = job.submitted_s if job.end_s is None else job.end_s
    status = exit_status(job, is_torque)
    if job.reason:
        yield end_s, "S", job.reason
    if job.start_s is None:
        yield end_s, "S", "Job deleted" if job.state == "CANCELLED" else "Job aborted"
        return
    yield end_s, "M", "Terminated"
    used = attributes(job, server, is_torque).get("resources_used", {})
    text = " ".join(f"resources_used.{name}={value}" for name, value in used.items())
    yield end_s, "S", f"Exit_status={status} {text}"
    yield end_s, "A", _record(job, server, is_torque, ended=True)


def _record(job: Job, server: str, is_torque: bool, ended: bool) -> str:
    """The accounting record of a start or an end."""
    made = attributes(job, server, is_torque)
    parts = [f"user={job.user}"]
    if job.group:
        parts.append(f"group={job.group}")
    if job.account:
        parts.append(f'account="{job.account}"')
    parts += [f"jobname={job.name}", f"queue={job.queue}"]
    parts += [f"ctime={int(job.submitted_s)}", f"qtime={int(job.submitted_s)}"]
    parts += [f"etime={int(job.eligible_s or 0.0)}", f"start={int(job.start_s or 0.0)}"]
    parts.append(f"exec_host={made.get('exec_host', '')}")
    shown = [
        (name, text) for name, text in flat(made) if name.startswith(("Resource_List.", "resources_used."))
    ]
    parts += [f"{name}={text}" for name, text in shown if name.startswith("R")]
    if ended:
        parts += [f"end={int(job.end_s or 0.0)}", f"Exit_status={exit_status(job, is_torque)}"]
        parts += [f"{name}={text}" for name, text in shown if name.startswith("resources_used.")]
    return " ".join(parts)
