"""Slurm's scheduler: multifactor priorities, a greedy main pass, backfill that plans whole nodes.

``sched/backfill`` with ``priority/multifactor`` and ``select/cons_tres``, as of release 26.05, with switches
for what earlier releases did otherwise ([decision 61](docs/decisions/0061-slurms-policy.md)). Its parts are
rooms, each of which imports those before it: ``configuration``, ``knowledge``.
"""

from molokini.cycle.verbs import start
from molokini.model.policy import Policy
from molokini.policies.slurm.configuration.parameters import PARAMETERS
from molokini.tables.tables import View

POLICY = Policy(
    name="slurm",
    family="a site's own rules",
    summary="the scheduler of Slurm: multifactor priorities, main pass, backfill on whole nodes",
    promise="as Slurm does: a backfilled job ends, by its limit, before what is planned on its nodes",
    source="Slurm 26.05, slurm.conf(5) and its pages of scheduling",
    parameters=PARAMETERS,
    configurations="molokini.slurm.site",
)


def schedule(view: View, now: float) -> None:
    """Start in queue order."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.width[row] > view.machine.idle or not start(view, row):
            return
