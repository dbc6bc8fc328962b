"""``qdel``: ends jobs."""

from __future__ import annotations

from molokini.compat._types import Invocation, Values
from molokini.compat.options import option, without_effect
from molokini.compat.pbs.changing import change
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.dialect import torque
from molokini.compat.pbs.failing import FINISHED, TEXTS, code_of
from molokini.compat.pbs.finding import Complaints, listed, named
from molokini.compat.pbs.ids import name_of
from molokini.compat.pbs.server import server_name
from molokini.compat.pbs.words import job_words

OPTIONS = (
    *USUAL,
    without_effect("-a", why="qdel always deletes all given jobs"),
    without_effect("-b", "SECONDS", why="MOLOKINI_TIMEOUT_S says how long to wait for the server"),
    option("-m", "MESSAGE", "reason, stored with the job"),
    without_effect(
        "-p", why="a job ends when its node reports the end, or when the lease of the node expires"
    ),
    option("-t", "INDEX", "an element of the array (Torque)"),
    without_effect("-W", "DELAY", why="the agent's --grace sets the time between the two signals"),
    option("-x", text="an ended job is no error; it stays in the history"),
)


def run(run: Invocation) -> int:
    """End the jobs; the exit code is that of the last that could not be ended."""
    given = given_to(run, OPTIONS, "job id...")
    words = _words(run, given)
    complaints = Complaints(run)
    wanted = named(run, words, complaints)
    # The server takes the end of what has ended for done.
    found = listed(run, wanted, ("state", "elements"), complaints)
    server = server_name(run) if found else ""
    open_jobs = []
    for job in found:
        name = name_of(job, server)
        if not job.over:
            open_jobs.append(name)
        elif not given.flag("x") and not (torque(run.variables) and len(wanted) > 1):
            complaints.tell(f"qdel: {TEXTS[FINISHED]} {name}", code_of(FINISHED))
    return change(run, open_jobs, "CancelJobs", reason=given.one("m")) or complaints.code


def _words(run: Invocation, given: Values) -> list[str]:
    if "all" in given.words:
        answer = run.transport.call("JobService", "ListJobs", {"fields": ["state"], "page_size": 10_000})
        return [str(job.id) for job in answer.get("jobs", ())]
    return job_words(run, given)
