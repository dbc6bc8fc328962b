"""Replays as one document for a browser: it has the views of the live page and needs no server."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from molokini.model.errors import BadInput
from molokini.page.columns import column
from molokini.page.single import document
from molokini.sim.schedule import Schedule
from molokini.workloads.atomic import atomic_path
from molokini.workloads.workload import Ints, Workload

STATES = ("WAITING", "RUNNING", "COMPLETED", "TIMED_OUT", "REFUSED")
"""States of jobs at the end of a replay. TIMED_OUT: the job was killed at its estimate."""
MOST_NODES = 20_000
"""The page of a machine with more nodes shows processors, and no nodes."""


def write_page(
    schedules: Sequence[Schedule], metrics: Sequence[Mapping[str, Any]], file: str | PathLike[str]
) -> None:
    """Write *schedules* of the same jobs, with the metrics of each, to *file*.

    Raises BadInput for schedules of different jobs.
    """
    text = page_text(schedules, metrics)
    with atomic_path(fspath(file)) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page_text(
    schedules: Sequence[Schedule], metrics: Sequence[Mapping[str, Any]], plays: bool = False
) -> str:
    """The page of *schedules*; *plays*: it plays them as soon as a browser has loaded it."""
    first = schedules[0]
    if any(len(one.workload) != len(first.workload) for one in schedules):
        raise BadInput("a page shows runs of the same jobs")
    data = page_data(schedules, metrics)
    return document(f"{first.policy}: {first.workload.name}", {**data, "plays": plays} if plays else data)


def page_data(schedules: Sequence[Schedule], metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The data of the page, in the form that ``recorded.js`` reads."""
    first = schedules[0]
    jobs = first.workload
    users, of_user = _named(jobs, "user", jobs.user)
    queues, of_queue = _named(jobs, "queue", jobs.queue)
    groups, of_group = _named(jobs, "group", jobs.group)
    return {
        "schema": "molokini.page/1",
        "title": jobs.name,
        "processors": first.processors,
        "nodes": _nodes(first),
        "names": {"user": users, "queue": queues, "account": groups},
        "states": STATES,
        "columns": {
            "id": column(jobs.number),
            "submit": column(jobs.submit_s),
            "estimate": column(jobs.estimate_s),
            "processors": column(jobs.processors),
            "user": column(of_user),
            "queue": column(of_queue),
            "account": column(of_group),
        },
        "runs": [_run(one, found) for one, found in zip(schedules, metrics, strict=True)],
    }


def _run(schedule: Schedule, metrics: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "policy": schedule.policy,
        "parameters": {name: str(value) for name, value in schedule.parameters.items()},
        "metrics": {
            name: value
            for name, value in metrics.items()
            if value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        },
        "columns": {
            "start": column(schedule.start_s),
            "end": column(schedule.end_s),
            "state": column(_states(schedule)),
        },
    }
    places = schedule.places
    if places is not None and _nodes(schedule):
        for name in ("first", "count", "node", "processors"):
            made.setdefault("places", {})[name] = column(getattr(places, name))
    return made


def _states(schedule: Schedule) -> Ints:
    started, ended = np.isfinite(schedule.start_s), schedule.finished
    killed = ended & (schedule.run_s < schedule.workload.run_s)
    states = np.where(ended, STATES.index("COMPLETED"), np.where(started, STATES.index("RUNNING"), 0))
    states[killed] = STATES.index("TIMED_OUT")
    states[schedule.refused_rows] = STATES.index("REFUSED")
    return states.astype(np.int64)


def _named(jobs: Workload, kind: str, numbers: Ints) -> tuple[list[str], Ints]:
    """The names of *kind* that occur in *jobs*, and for each job the place of its name among them."""
    present, places = np.unique(numbers, return_inverse=True)
    names = [jobs.name_of_number(kind, int(number)) or "" for number in present]
    return names, places.astype(np.int64)


def _nodes(schedule: Schedule) -> list[dict[str, Any]]:
    """The nodes of the machine; none where they are unknown, of different sizes, or too many."""
    places = schedule.places
    if places is None or not 0 < places.nodes <= MOST_NODES:
        return []
    each, left = divmod(schedule.processors, places.nodes)
    if left:
        return []
    digits = max(3, len(str(places.nodes)))
    return [{"name": f"node{k + 1:0{digits}d}", "processors": each} for k in range(places.nodes)]
