"""Looking ahead: a choice of ``adaptive``, a day of ``whatif``, and what it costs a server."""

import asyncio
import json
import time
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from benchmarks.forecasts import queued
from benchmarks.twin_live import delays
from molokini.choosing.candidates import candidates_of
from molokini.choosing.looking import prospects
from molokini.experiments.whatif import Question, what_if
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.server.queries.present_state import as_json, present_of
from molokini.sim.replay import Replay
from molokini.tables.excerpts import excerpt
from molokini.tables.tables import Tables
from molokini.whatif.drawing import Arriving
from molokini.whatif.present import Past, Present
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload

CANDIDATES = "fcfs,easy,easy:order=shortest,easy:order=best-fit,conservative,firstfit,sjf,ljf"
WAITING, RUNNING, PROCESSORS = 1000, 500, 1000
HPC2N = Path(__file__).parents[2] / "shared/data/HPC2N-2002-2.1-cln.swf.gz"
_REPEATS = 5


def rows() -> list[dict[str, Any]]:
    """Milliseconds and seconds, each the best of five."""
    t = _crowded()
    among = candidates_of(CANDIDATES)
    what = f"adaptive: a look ahead, {WAITING:,} wait, {RUNNING:,} run, {len(among)} candidates (CPU ms)"
    look_s = _best(lambda: prospects(t, 1.0, among, "mean-bounded-slowdown"))
    found = [_row(what, 1000 * look_s, "ms", 50)]
    if HPC2N.exists():
        present = state_of(read_workload(HPC2N), 20_000)
        asked = Question(hours=24, seeds=10, arrivals=Arriving.RESAMPLED)
        day_s = _best(lambda: what_if(present, asked))
        found.append(_row("whatif: 24 h of HPC2N, 10 draws (CPU s)", day_s, "s", 2))
    return [*found, *_disturbance(), *asyncio.run(delays())]


def _disturbance() -> list[dict[str, Any]]:
    """What a question costs a server behind which 10,000 jobs wait on 10,000 nodes."""
    state = queued(10_000).state
    copy_s = _best(lambda: present_of(state, 0.0, "easy", {}))
    present = present_of(state, 0.0, "easy", {})
    worker = Thread(target=lambda: as_json(present))
    worker.start()
    ticks = [time.perf_counter()]
    while worker.is_alive():
        time.sleep(0.0005)
        ticks.append(time.perf_counter())
    worker.join()
    longest_s = max(later - earlier for earlier, later in pairwise(ticks))
    what = "whatif: the server's copy, 10,000 jobs on 10,000 nodes; no call is answered meanwhile"
    return [
        _row(what, 1000 * copy_s, "ms", 50),
        _row("the same: longest pause while the answer is made beside", 1000 * longest_s, "ms", 50),
    ]


def _crowded() -> Tables:
    draw = np.random.default_rng(1)
    count = RUNNING + WAITING
    estimate_s = draw.integers(86_400, 172_800, count).astype(np.float64)
    width = np.where(np.arange(count) < RUNNING, draw.integers(1, 3, count), draw.integers(1, 64, count))
    zero = np.zeros(count, dtype=np.int64)
    submit_s = np.where(np.arange(count) < RUNNING, 0.0, 1.0)
    records = np.zeros((count, 18))
    work = Workload(
        *("crowded", np.arange(count), submit_s, estimate_s.copy(), estimate_s, width, zero, zero, zero),
        records=records,
    )
    replay = Replay(work, Machine.counted(PROCESSORS), load_policy("fcfs"))
    replay.run(until_s=1.0)
    return replay.tables


def state_of(workload: Workload, job: int, policy: str = "easy") -> Present:
    """The state when *job* of a log arrives, with the month before as its past."""
    loaded = load_policy(policy)
    assert workload.machine_processors is not None
    now_s = float(workload.submit_s[job])
    replay = Replay(workload.take(slice(0, job + 1)), Machine.counted(workload.machine_processors), loaded)
    replay.run(now_s)
    t, found = replay.tables, replay.schedule()
    part = excerpt(t, t.queue.waiting[t.queue.head : t.queue.tail].copy())
    count = part.queue.tail + part.queue.running_count
    ended = np.flatnonzero(np.isfinite(found.end_s))[-5000:]
    one = found.workload
    past = Past(
        one.submit_s[ended],
        found.start_s[ended],
        found.end_s[ended],
        one.processors[ended],
        one.estimate_s[ended],
        one.user[ended],
        one.group[ended],
        one.queue[ended],
    )
    called = tuple(str(int(number)) for number in part.jobs.number[:count])
    return Present(now_s, part, called, (), (), policy, {}, past)


def _best(work: Any) -> float:
    """Processor seconds, the least of several; the first, which compiles, is not counted."""
    work()
    found = []
    for _ in range(_REPEATS):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def _row(what: str, value: float, unit: str, most: float) -> dict[str, Any]:
    wanted = f"at most {most:g} {unit}"
    return {"what": what, "value": round(value, 2), "unit": unit, "wanted": wanted, "reached": value <= most}


if __name__ == "__main__":
    print(json.dumps(rows(), indent=1))
