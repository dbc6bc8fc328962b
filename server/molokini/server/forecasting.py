"""When a job will start: the running policy, simulated ahead from the present state.

The only part of the server that imports the simulator. It works on a copy of the tables, in which every
running job ends at its estimate; the band is what comes out when all remaining times are shorter, and when
jobs like those that wait arrive once more.
"""

import asyncio
from collections.abc import Mapping

import numpy as np

from molokini.model.policy import Value
from molokini.policies import LoadedPolicy
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.scheduling.structs import Ints
from molokini.scheduling.tables import NEVER, Machine, Tables
from molokini.server.core import Core
from molokini.server.reasons import NOT_READY
from molokini.server.state.jobs import Element, Job, Standing
from molokini.sim.agenda import add_end
from molokini.sim.compiled import compiled_engine
from molokini.sim.replay import Options, Replay
from molokini.workloads.workload import Workload

_SHORTER = 0.1
"""Of what estimates leave, how much is used at the early edge of the band."""


async def forecast(core: Core, job: Job, element: Element | None) -> wire.Forecast:
    """The forecast for one job; for an array, of its next element."""
    made = wire.Forecast(job_id=job.id)
    if element is None:
        waiting = [e for e in job.known_elements() if e.standing is Standing.WAITING]
        element = waiting[0] if waiting else None
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
    # Compiling takes seconds where it was never done: meanwhile others are served.
    await asyncio.to_thread(compiled_engine)
    _fill(made, core, element)
    return made


def _fill(made: wire.Forecast, core: Core, element: Element) -> None:
    thinker, now = core.reactor.thinker, max(core.clock.now(), core.state.now)
    policy, values = thinker.policy, thinker.values
    starts = {
        edge: _start_of(core.state.tables, element.row, now, policy, values, share, crowd)
        for edge, share, crowd in (("likely", 1.0, False), ("early", _SHORTER, False), ("late", 1.0, True))
    }
    made.possible = starts["likely"] < NEVER
    if not made.possible:
        made.reason = "it cannot start with the processors in service"
        return
    made.start_s = starts["likely"]
    made.earliest_s = min(starts.values())
    made.latest_s = max(start for start in starts.values() if start < NEVER)


def _start_of(
    tables: Tables,
    row: int,
    now: float,
    policy: LoadedPolicy,
    values: Mapping[str, Value],
    share: float,
    crowd: bool,
) -> float:
    """When *row* starts if running jobs use *share* of what their estimates leave."""
    t = tables.copy()
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
    replay = Replay(present, machine, policy, values, Options(), tables=t)
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
    place = int(np.flatnonzero(rows == row)[0])
    replay.prepare()
    # In strides, so that a start near at hand does not wait for the end of a long queue.
    horizon_s = now + 3600.0
    while True:
        done = replay.run(until_s=horizon_s)
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
