"""Maui: priorities of six components, throttling, fairshare, priority reservations, backfill windows.

Jackson, Snell and Clement, JSSPP 2001; where the paper is silent, the Maui Administrator's Guide. Promises
that no job with a reservation starts later than it because of a backfilled job, and that no limit is
exceeded, as long as jobs are killed at their estimates. ``iteration`` says what one iteration does; each
part has a file here.
"""

from molokini.model.policy import Policy
from molokini.policies.maui.declared import PARAMETERS
from molokini.policies.maui.iteration import iterate
from molokini.policies.maui.memory import BEGUN, BUSY, CHUNK_UNTIL_S, HISTORY_WINDOW
from molokini.policies.maui.ranking import forget_ranks
from molokini.policies.maui.scopes import forget_scopes
from molokini.tables.tables import View

POLICY = Policy(
    name="maui",
    family="a site's own rules",
    summary="priorities, limits, fairshare, reservations and backfill windows of the Maui scheduler",
    promise="no reserved job is delayed by a backfilled one, and no limit is exceeded",
    source="Jackson, Snell and Clement, JSSPP 2001; Maui Administrator's Guide",
    parameters=PARAMETERS,
    charging=("fairshare", "fairshare_interval_s"),
)


def begin(view: View, now: float) -> None:
    """Forget what was found out about credentials and ranks; all of it follows from the view.

    Which nodes a promise is on does not: it stays. Who takes over finds nobody's.
    """
    forget_scopes(view)
    forget_ranks(view)
    view.global_i[BEGUN] = 1
    view.global_i[BUSY] = 1
    view.global_f[CHUNK_UNTIL_S] = 0.0
    view.global_f[HISTORY_WINDOW] = 0.0


def schedule(view: View, now: float) -> None:
    """One iteration."""
    iterate(view, now)
