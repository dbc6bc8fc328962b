"""When a job will start: the running policy, simulated ahead from the present state.

The only part of the server that imports the simulator. It works on a copy of the tables, in which every
running job ends at its estimate; the band is what comes out when all remaining times are shorter, and when
jobs like those that wait arrive once more.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from molokini.model.policy import Value
from molokini.policies import LoadedPolicy
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.scheduling.structs import Ints
from molokini.scheduling.tables import NEVER, Machine, Tables
from molokini.server.aside import GivenUp
from molokini.server.core import Core
from molokini.server.reasons import NOT_READY
from molokini.server.state.jobs import Element, Job, Standing
from molokini.sim.agenda import add_end
from molokini.sim.replay import Options, Replay
from molokini.workloads.workload import Workload

_SHORTER = 0.1
"""Of what estimates leave, how much is used at the early edge of the band."""
_STEP_INSTANTS = 1000
"""Between two looks at whether somebody still waits for the result."""


async def forecast(core: Core, job: Job, element: Element | None) -> wire.Forecast:
    """The forecast for one job; for an array, of its next element.

    A long queue takes seconds, under a plan for each job minutes: others are served meanwhile.
    """
    known = _known(job, element)
    return known if known is not None else await core.aside.run(partial(_reckoning, core, job, element))


def _known(job: Job, element: Element | None) -> wire.Forecast | None:
    """What is to be said without any reckoning; None where there is something to reckon."""
    made = wire.Forecast(job_id=job.id)
    element = _next_of(job, element)
    standing = element.standing if element is not None else job.standing
    if element is not None and element.start_s is not None and not standing.over:
        made.start_s = made.earliest_s = made.latest_s = element.start_s
        made.possible, made.reason = True, "it has started"
        return made
    if element is not None and element.row < 0 and standing is Standing.WAITING:
        made.reason = NOT_READY
        return made
    if element is None or standing is not Standing.WAITING:
        made.reason = f"it does not wait ({standing})"
        return made
    return None


def _next_of(job: Job, element: Element | None) -> Element | None:
    if element is not None:
        return element
    return next((one for one in job.known_elements() if one.standing is Standing.WAITING), None)


def _reckoning(core: Core, job: Job, element: Element | None) -> Callable[[GivenUp], wire.Forecast]:
    """What is to be done elsewhere; it has a copy of the present state for itself."""
    known = _known(job, element)
    waiting = _next_of(job, element)
    if known is not None or waiting is None:
        return lambda _: known or wire.Forecast(job_id=job.id)
    thinker = core.reactor.thinker
    ahead = _Ahead(
        core.state.tables.copy(),
        waiting.row,
        max(core.clock.now(), core.state.now),
        thinker.policy,
        dict(thinker.values),
    )
    return partial(_filled, wire.Forecast(job_id=job.id), ahead)


@dataclass(frozen=True)
class _Ahead:
    """From where it is looked ahead, for which row, and by which policy."""

    tables: Tables
    row: int
    now: float
    policy: LoadedPolicy
    values: Mapping[str, Value]


def _filled(made: wire.Forecast, ahead: _Ahead, given_up: GivenUp) -> wire.Forecast:
    starts = {
        edge: _start_of(ahead, share, crowd, given_up)
        for edge, share, crowd in (("likely", 1.0, False), ("early", _SHORTER, False), ("late", 1.0, True))
    }
    made.possible = starts["likely"] < NEVER
    if not made.possible:
        made.reason = "it cannot start with the processors in service"
        return made
    made.start_s = starts["likely"]
    made.earliest_s = min(starts.values())
    made.latest_s = max(start for start in starts.values() if start < NEVER)
    return made


class _NobodyWaits(Exception):
    """Whoever asked is gone."""


def _start_of(ahead: _Ahead, share: float, crowd: bool, given_up: GivenUp) -> float:
    """When the row starts if running jobs use *share* of what their estimates leave."""
    t, now = ahead.tables.copy(), ahead.now
    rows = np.concatenate(
        [
            t.waiting[t.waiting_head : t.waiting_tail],
            t.running[: t.running_count],
            t.suspended[: t.suspended_count],
        ]
    )
    present = _workload(t, rows, now, crowd)
    estimate_s = t.job_estimate_s[rows]
    machine = Machine.counted(max(1, t.processors_in_all))
    options = Options(step_instants=_STEP_INSTANTS)
    replay = Replay(present, machine, ahead.policy, ahead.values, options, tables=t)
    agenda = replay.agenda
    agenda.now, agenda.next_arrival = now, len(rows)
    agenda.run_s[: len(rows)] = np.maximum(estimate_s * share, 0.0)
    t.job_serial[rows] = np.arange(len(rows))
    for one in rows.tolist():
        if t.job_expected_end_s[one] < NEVER:
            left_s = max(0.0, float(t.job_expected_end_s[one]) - now) * share
            add_end(agenda, t, one, now + left_s)
    t.replan = 1
    t.wake_s = np.nextafter(now, np.inf)
    place = int(np.flatnonzero(rows == ahead.row)[0])

    def look_up(_done: int, _of: int) -> None:
        if given_up():
            raise _NobodyWaits

    # In strides, so that a start near at hand does not wait for the end of a long queue.
    horizon_s = now + 3600.0
    while True:
        done = replay.run(until_s=horizon_s, progress=look_up)
        start_s = float(replay.schedule().start_s[place])
        if not np.isnan(start_s):
            return start_s
        if done:
            return NEVER
        horizon_s = now + 4 * (horizon_s - now)


def _workload(t: Tables, rows: Ints, now: float, crowd: bool) -> Workload:
    """The jobs of *rows*, all of which have arrived; with *crowd*, those that wait once more, just behind."""
    waiting = rows[: t.waiting_tail - t.waiting_head]
    both = np.concatenate([rows, waiting if crowd else waiting[:0]])
    nobody = np.zeros(len(both), dtype=np.int64)
    return Workload(
        name="forecast",
        number=np.arange(1, len(both) + 1) + int(t.job_number.max(initial=0)),
        submit_s=np.full(len(both), now),
        run_s=t.job_estimate_s[both].copy(),
        estimate_s=t.job_estimate_s[both].copy(),
        processors=t.job_width[both].copy(),
        user=nobody,
        group=nobody,
        queue=nobody,
        records=np.zeros((len(both), 18)),
    )
