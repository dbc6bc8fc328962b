"""How much of a backfill pass is made: up to the last job that may start now.

Those after it would get plans, which nothing reads but the pass itself.
"""

from molokini.compiled.compilation import kernel
from molokini.model.states import JobState
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import PreemptType
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.ranking.attempts import row_of
from molokini.tables.tables import View


@kernel
def attempts_to_make(view: View) -> int:
    """How many attempts a backfill pass makes at most; 0: it surely starts no job and refuses none."""
    count = view.site.attempts.count
    if mine(view).whole or view.cycle.explain:
        return int(count)
    if parameters(view).assoc_limit_stop or parameters(view).preempt_type != PreemptType.NONE:
        # A plan changes the reason of a job that a limit holds; who gives way makes room for others.
        return int(count)
    for k in range(count - 1, -1, -1):
        row = row_of(view.site.attempts.what[k])
        may = view.jobs.width[row] <= view.machine.idle or view.jobs.deadline_s[row] > 0.0
        if may and view.jobs.state[row] == JobState.WAITING:
            return k + 1
    return 0
