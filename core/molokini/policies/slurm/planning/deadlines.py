"""Jobs that can no longer end by their deadline are taken out of the queue: reference, section 2.3, d."""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import refuse_deadline
from molokini.model.decisions import Refusal
from molokini.policies.slurm.knowledge.kept_state import REFUSED, mine
from molokini.policies.slurm.knowledge.time_limits import least_of
from molokini.policies.slurm.knowledge.waiting_reasons import Reason
from molokini.tables.tables import NEVER, View


@kernel
def misses_deadline(view: View, row: int, now: float) -> bool:
    """Whether a job that starts now ends, by the least limit that it accepts, after its deadline; then it is
    refused.
    """
    deadline_s = view.jobs.deadline_s[row]
    if deadline_s == 0.0:
        return False
    seldom()
    limit_s = least_of(view, row) - view.jobs.work_s[row]
    if not limit_s < NEVER or now + limit_s <= deadline_s:
        return False
    mine(view).reason[row] = Reason.DEADLINE
    mine(view).listed[row] = REFUSED
    mine(view).refused += 1
    refuse_deadline(view, row, Refusal.DEADLINE_TOO_TIGHT, 0.0)
    return True
