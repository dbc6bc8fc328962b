"""``qorder``: would exchange two jobs in the queue; the order is the policy's, so it says no by name."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.failing import NOT_SUPPORTED, failure
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.finding import Complaints, listed, named

OPTIONS = (*USUAL,)


def run(run: Invocation) -> int:
    """Refuse: 153 for a job that is not known, else 181."""
    given = given_to(run, OPTIONS, "job id1 job id2")
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
