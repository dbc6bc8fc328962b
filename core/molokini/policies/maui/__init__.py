"""Maui: priorities of six components, throttling, fairshare, priority reservations, backfill windows.

Jackson, Snell and Clement, JSSPP 2001; where the paper is silent, the Maui Administrator's Guide. Promises
that no backfilled job makes a job start later than its reservation says, and that no limit is exceeded, as
long as jobs are killed at their estimates. ``iteration`` says what one iteration does. Its parts are rooms,
each of which imports those before it: ``configuration``, ``knowledge``, ``nodes``, ``selection``,
``starting``, ``waking``; ``insight`` tells of what ``selection`` and those before it have found.
"""

from molokini.model.policy import Policy
from molokini.policies.maui.configuration.parameters import PARAMETERS
from molokini.policies.maui.introspection.introspection import INSIGHT as INSIGHT
from molokini.policies.maui.introspection.labels import ceiling_label
from molokini.policies.maui.iteration import iterate
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import forget_scopes
from molokini.policies.maui.selection.ranking import forget_ranks
from molokini.tables.tables import View

POLICY = Policy(
    name="maui",
    family="a site's own rules",
    summary="priorities, limits, fairshare, reservations and backfill windows of the Maui scheduler",
    promise="no reserved job is delayed by a backfilled one, and no limit is exceeded",
    source="Jackson, Snell and Clement, JSSPP 2001; Maui Administrator's Guide",
    parameters=PARAMETERS,
    ceiling_name=ceiling_label,
    configurations="molokini.maui.site",
    charging=("fairshare", "fairshare_interval_s"),
    moves_with=("preempt", "suspend"),
)


def begin(view: View, now: float) -> None:
    """Forget what was found out about credentials and ranks; all of it follows from the view.

    The nodes of reservations do not follow from it: they stay. A policy that takes over finds none noted.
    """
    forget_scopes(view)
    forget_ranks(view)
    mine(view).begun = 1
    mine(view).busy = 1
    mine(view).chunk_until_s = 0.0
    mine(view).history_window = 0.0


def schedule(view: View, now: float) -> None:
    """One iteration."""
    iterate(view, now)
