"""Slurm's scheduler: multifactor priorities, a greedy main pass, backfill that plans whole nodes.

``sched/backfill`` with ``priority/multifactor`` and ``select/cons_tres``, as of release 26.05, with switches
for what earlier releases did otherwise. Its parts are rooms, each of which imports those before it:
``configuration``, ``knowledge``, ``nodes``, ``counting``, ``ranking``, ``limits``, ``planning``,
``introspection``.
"""

from molokini.model.policy import Policy
from molokini.policies.slurm.configuration.parameters import PARAMETERS, parameters
from molokini.policies.slurm.configuration.vector import PLAIN
from molokini.policies.slurm.counting.decaying import begin_usage, counts_usage
from molokini.policies.slurm.introspection.introspection import INSIGHT as INSIGHT
from molokini.policies.slurm.iteration import begin_again, iterate, share_factors
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.who import find_credentials
from molokini.policies.slurm.nodes.placed import find_places
from molokini.policies.slurm.ranking.attempts import forget_attempts
from molokini.tables.tables import View

POLICY = Policy(
    name="slurm",
    family="a site's own rules",
    summary="the scheduler of Slurm: multifactor priorities, main pass, backfill on whole nodes",
    promise="as Slurm does: a backfilled job ends, by its limit, before what is planned on its nodes",
    source="Slurm 26.05, slurm.conf(5) and its pages of scheduling",
    parameters=PARAMETERS,
    configurations="molokini.slurm.site",
    by_node=True,
    by_array=True,
    tells=True,
    fixed_last=PLAIN,
)


def begin(view: View, now: float) -> None:
    """Look everything up again; usage and phases of timers begin anew where memory is lost."""
    begin_again(view, now)
    forget_attempts(view)
    find_credentials(view)
    find_places(view)
    # Usage stands beside the rows of associations and QOSes; behind them only names follow.
    rows_end = int(parameters(view).nodes)
    if counts_usage(view) and (not mine(view).begun or mine(view).sized != rows_end):
        begin_usage(view, now)
        share_factors(view)
    mine(view).sized = rows_end


def schedule(view: View, now: float) -> None:
    """What is due now."""
    iterate(view, now)
