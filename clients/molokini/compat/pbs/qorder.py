"""``qorder``: would exchange two jobs in the queue; the order is the policy's, so it says no by name."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import Reader, option, usage
from molokini.compat.pbs.dialect import version
from molokini.compat.pbs.failing import NOT_SUPPORTED, failure
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.finding import Complaints, listed, named

OPTIONS = (
    option("--help", text="show this help"),
    option("--version", text="show the version"),
)


def run(run: Invocation) -> int:
    """Refuse: 153 for a job that is not known, else 181."""
    given = Reader(OPTIONS).read(run.line)
    if given.flag("help"):
        run.say(usage("qorder", "job id1 job id2", OPTIONS))
        return 0
    if given.flag("version"):
        return version(run)
    if len(given.words) != 2:
        raise wrong(run, "expected two job ids (see qorder --help)")
    complaints = Complaints(run)
    listed(run, named(run, given.words, complaints), ("state", "elements"), complaints)
    if complaints.code:
        return complaints.code
    why = (
        "jobs have no rank in a queue that could be exchanged: the policy orders them by itself; "
        "qalter -p changes a priority, where the policy reads it"
    )
    raise failure(run, NOT_SUPPORTED, why=why)
