"""Jobs that were submitted before any node had registered: they wait for nodes that can hold them.

A machine without nodes is not known yet, so nothing can be said to be too large for it. A job that no node
could hold so far stays out of the queue, where it would be in the way of others.
"""

from molokini.model.errors import BadValue
from molokini.server.state.clusters import check_fits
from molokini.server.state.jobs import Job
from molokini.server.state.rows import Rows


def could_hold(rows: Rows, job: Job) -> bool:
    """Whether the nodes that have registered, all up and empty, could hold *job*."""
    clusters = rows.machine.clusters
    if job.request.processors > rows.tables.machine.processors_in_all:
        return False
    try:
        check_fits(job.request, list(clusters), list(clusters.values()))
    except BadValue:
        return False
    return job.request.counted or rows.could_ever_hold(job.request)


def why_unplaced(rows: Rows, job: Job) -> str:
    """What an unplaced *job* waits for, in words."""
    if not rows.machine.nodes:
        return "no node has registered yet"
    wanted, there = job.request.processors, rows.tables.machine.processors_in_all
    if wanted > there:
        return f"{wanted:,} processors are needed, and the nodes that have registered have {there:,}"
    return "the nodes that have registered could not hold it if all were up and empty"
