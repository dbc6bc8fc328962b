"""The present state as bytes, for a process that looks at what may come of it: ``molokini whatif``."""

import base64
import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from molokini.model.reservations import Reservation
from molokini.server.background import GivenUp
from molokini.server.queries.explanations import reservations_of
from molokini.server.queries.state_snapshot import name_of
from molokini.server.server import Server
from molokini.server.state.jobs import JobStatus
from molokini.server.state.state import State
from molokini.tables.excerpts import excerpt
from molokini.whatif.present import Past, Present

NAME = "state"
"""Under this name ``GetReport`` hands it out."""
SCHEMA = "molokini.state/1"
MOST_PAST = 5_000
"""Ended jobs that go with it, the last ones: from them run times and arrivals are drawn."""


def encoded(server: Server) -> Callable[[GivenUp], str]:
    """Copy the state now; what is returned makes the answer of the copy, in another thread."""
    now_s = max(server.clock.now(), server.state.now)
    running = server.reactor.running_policy
    present = present_of(server.state, now_s, running.policy.origin, running.given)
    return lambda _: as_json(present)


def as_json(present: Present) -> str:
    """The answer."""
    data = base64.b64encode(present.to_bytes()).decode("ascii")
    return json.dumps({"schema": SCHEMA, "now_s": present.now_s, "state": data}, allow_nan=False)


def present_of(state: State, now_s: float, policy: str, given: dict[str, str], past: bool = True) -> Present:
    """The state at *now_s* under *policy*, apart from the server's own; without *past* no ended jobs."""
    t = state.tables
    waiting = t.queue.waiting[t.queue.head : t.queue.tail].copy()
    rows = np.concatenate(
        [
            waiting,
            t.queue.running[: t.queue.running_count],
            t.queue.suspended[: t.queue.suspended_count],
        ]
    )
    called = [state.by_row[row] for row in rows.tolist()]
    return Present(
        now_s=now_s,
        tables=excerpt(t, waiting),
        jobs=tuple(name_of(one.job.id, one.index) for one in called),
        names=tuple(state.rows.names),
        nodes=tuple(one.name for one in state.machine.nodes),
        policy=policy,
        parameters=dict(given),
        past=_past(state) if past else Past(),
        reservations=tuple(one for one in reservations_of(state) if isinstance(one, Reservation)),
        left_out=_left_out(state),
        choice=state.choice,
    )


def _past(state: State) -> Past:
    """The jobs that have ended last and are still in the memory."""
    t = state.tables
    found: list[tuple[Any, ...]] = []
    for number in islice(reversed(state.finished), MOST_PAST):
        job = state.jobs[number]
        credential, width = job.credential, job.request.processors
        for element in job.known_elements():
            if element.end_s is None or element.start_s is None or element.status is JobStatus.REFUSED:
                continue
            times_s = (job.submitted_s, element.start_s, element.end_s)
            found.append((*times_s, width, job.estimate_s, credential))
            if len(found) >= MOST_PAST:
                break
    table = np.array(found[:MOST_PAST], dtype=np.float64).reshape(-1, 6)
    columns = [table[:, k].copy() for k in range(5)]
    credentials = table[:, 5].astype(np.int64)
    return Past(
        columns[0],
        columns[1],
        columns[2],
        columns[3].astype(np.int64),
        columns[4],
        t.credentials.user[credentials],
        t.credentials.group[credentials],
        t.credentials.queue[credentials],
    )


def _left_out(state: State) -> int:
    """Jobs that are held, or become candidates only when others have ended."""
    return sum(
        1
        for job in state.open_jobs.values()
        for element in job.known_elements()
        if element.status is JobStatus.HELD or (element.status is JobStatus.WAITING and element.row < 0)
    )
