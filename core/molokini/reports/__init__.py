"""What the commands of Maui show, as data: one function a report, over a picture of a cluster at an instant.

The live server and a simulation that was stopped call the same functions; commands only print their results.
"""

from collections.abc import Callable
from typing import Any

from molokini.model.errors import UnknownName
from molokini.model.instants import is_calendar
from molokini.reports.balances import balances
from molokini.reports.diagnosed_jobs import diagnosed_jobs
from molokini.reports.fairshare import fairshare
from molokini.reports.grid import grid
from molokini.reports.job_reports import one_job
from molokini.reports.limits import limits
from molokini.reports.matrix_report import matrix
from molokini.reports.node_reports import nodes, one_node
from molokini.reports.partitions import partitions
from molokini.reports.priorities import priorities
from molokini.reports.queue import blocked, queue
from molokini.reports.reserved import reservations
from molokini.reports.scheduler import agents, scheduler
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from molokini.reports.statistics import statistics
from molokini.reports.windows_now import start, windows

ANYBODY = ReportRequest()
_Report = Callable[[ClusterSnapshot, ReportRequest], dict[str, Any]]
REPORTS: dict[str, _Report] = {
    "priorities": priorities,
    "fairshare": fairshare,
    "nodes": nodes,
    "blocked": blocked,
    "reservations": reservations,
    "queue": queue,
    "start": start,
    "windows": windows,
    "statistics": statistics,
    "job": one_job,
    "node": one_node,
    "balances": balances,
    "limits": limits,
    "partitions": partitions,
    "grid": grid,
    "jobs": diagnosed_jobs,
    "scheduler": scheduler,
    "agents": agents,
    "matrix": matrix,
}


def report(name: str, picture: ClusterSnapshot, asked: ReportRequest = ANYBODY) -> dict[str, Any]:
    """The report called *name*, as JSON has it: schema, instant and policy first.

    Raises UnknownName, BadValue or BadInput for names that do not exist, and for what reports cannot answer.
    """
    if name not in REPORTS:
        raise UnknownName("report", name, REPORTS)
    return {
        "schema": f"molokini.maui.{name}/1",
        "now_s": float(picture.now),
        "policy": picture.policy,
        "calendar_zero_s": _second_zero_s(picture),
        **REPORTS[name](picture, asked),
    }


def _second_zero_s(picture: ClusterSnapshot) -> float | None:
    """When the clock's second 0 was, in seconds from 1970; None: the clock does not go by the calendar."""
    return 0.0 if is_calendar(picture.now) else picture.second_zero_s
