"""The process-level engine: facts a second beside a loop by hand, an hour of two classes, the cold start."""

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from numba import njit

from molokini.process_sim.arriving import Arrivals
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import US, Dist, Job, Prices, Process, S, Scenario, Settings, Step
from molokini.process_sim.scenario_files import Source
from molokini.process_sim.words import Draw, Op, Wait

ROUNDS = 1_000_000
_WORK, _SEND, _RECEIVE, _LATENCY = 100 * US, 5 * US, 5 * US, 20 * US


@njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def by_hand(rounds: int, spent: Any) -> tuple[int, int]:
    """Ping-pong of two processes with accounts: (end, facts). *spent* gets ns by process and segment."""
    never = 1 << 60
    # Segments: 0 compute, 1 spin, 2 send, 3 receive, 4 gone.
    segment = np.array([0, 1], dtype=np.int64)
    started = np.zeros(2, dtype=np.int64)
    ends = np.array([_WORK, never], dtype=np.int64)
    arrives = np.array([never, never], dtype=np.int64)
    waiting = np.zeros(2, dtype=np.int64)
    done = np.zeros(2, dtype=np.int64)
    now, facts = 0, 0
    while segment[0] != 4 or segment[1] != 4:
        p = 0 if ends[0] <= ends[1] else 1
        q = 0 if arrives[0] <= arrives[1] else 1
        facts += 1
        if ends[p] <= arrives[q]:
            now = ends[p]
            spent[p, segment[p]] += now - started[p]
            started[p] = now
            if segment[p] == 0:
                segment[p] = 2
                ends[p] = now + _SEND
            elif segment[p] == 2:
                arrives[1 - p] = now + _LATENCY
                done[p] += 1
                if p == 1 and done[p] == rounds:
                    segment[p], ends[p] = 4, never
                elif waiting[p] > 0:
                    waiting[p] -= 1
                    segment[p], ends[p] = 3, now + _RECEIVE
                else:
                    segment[p], ends[p] = 1, never
            elif p == 0 and done[p] == rounds:
                segment[p], ends[p] = 4, never
            else:
                segment[p], ends[p] = 0, now + _WORK
        else:
            now = arrives[q]
            arrives[q] = never
            if segment[q] == 1:
                spent[q, 1] += now - started[q]
                started[q] = now
                segment[q], ends[q] = 3, now + _RECEIVE
            else:
                waiting[q] += 1
    return now, facts


def ping_pong(rounds: int) -> Scenario:
    """The same as a scenario."""
    work, again = Step(Op.COMPUTE, Dist(Draw.CONSTANT, _WORK)), Step(Op.LOOP, peer=0, count=rounds)
    first = (work, Step(Op.SEND, peer=1), Step(Op.RECV, peer=1), again)
    second = (Step(Op.RECV, peer=0), work, Step(Op.SEND, peer=0), again)
    job = Job("J", [Process(first, 0), Process(second, 1)])
    return Scenario("ping-pong", 2, [job], prices=Prices(bytes_a_second=0))


def _timed(scenario: Scenario) -> tuple[float, ScenarioReplay]:
    run = ScenarioReplay(scenario)
    before = time.perf_counter()
    run.finish()
    return time.perf_counter() - before, run


def rows() -> list[dict[str, Any]]:
    """Each promised figure; of the two loops, run in turn, each at its best of nine."""
    spent = np.zeros((2, 4), dtype=np.int64)
    by_hand(10, spent)
    hand_s, engine_s = [], []
    for _ in range(9):
        spent[:] = 0
        before = time.perf_counter()
        end, _ = by_hand(ROUNDS, spent)
        hand_s.append(time.perf_counter() - before)
        seconds, run = _timed(ping_pong(ROUNDS))
        engine_s.append(seconds)
        assert run.world.now == end
        assert (run.world.procs.spent[:, :4] == spent).all()
    rate = int(run.world.events) / min(engine_s)
    # Per round of the ping-pong, whose facts both count a little differently.
    share = min(hand_s) / min(engine_s)
    hour_s, hour = _timed(two_classes())
    cold_s = _cold_s()
    return [
        _row("ping-pong, facts a second", round(rate), ">= 10,000,000", rate >= 1e7),
        _row("ping-pong, of the loop by hand", round(share, 2), ">= 0.5", share >= 0.5),
        _row("16 nodes, 1 h of 2dcs-ps, s", round(hour_s, 1), "<= 20", hour_s <= 20),
        _row("its facts a second", round(int(hour.world.events) / hour_s), ">= 3,000,000", True),
        *_dispatch_rows(),
        _row("cold start, s", round(cold_s, 1), "<= 15", cold_s <= 15),
    ]


def _dispatch_rows() -> list[dict[str, Any]]:
    """Dispatches a second of two processes that take turns, by policy, each at its best of three."""
    found = []
    for name in ("local", "rr", "csm", "tickets"):
        rate = max(_dispatch_rate(taking_turns(name)) for _ in range(3))
        found.append(_row(f"{name}, dispatches a second", round(rate), ">= 5,000,000", rate >= 5e6))
    return found


def _dispatch_rate(scenario: Scenario) -> float:
    run = ScenarioReplay(scenario)
    before = time.process_time()
    run.finish()
    return int(run.world.cpus.switches.sum()) / (time.process_time() - before)


def taking_turns(policy: str) -> Scenario:
    """Two processes that compute on one CPU for 20 s, with quanta of 10 us and switches that cost nothing."""
    given = {"tickets": {"stride_quantum": "10us"}}.get(policy, {"run_quantum": "10us", "drawn": "false"})
    needs = needs_of(policy)
    values = needs.values(policy, given) if needs.parameters else ()
    endless = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),)
    jobs = [Job(name, [Process(endless, 0)]) for name in "AB"]
    free = Prices(0, 0, 0, 0, 0, Prices().byte, 0, 0, 0, 0)
    settings = Settings(policy, Wait.BLOCK, quantum_ns=10 * US, given=values)
    return Scenario("turns", 1, jobs, until_ns=20 * S, prices=free, settings=settings)


def _row(what: str, value: float, wanted: str, reached: bool) -> dict[str, Any]:
    return {"what": what, "measured": value, "wanted": wanted, "reached": reached}


def two_classes() -> Scenario:
    """An hour at the defaults: four or five pipelines at a time, and some best-effort jobs."""
    settings = Settings(scheme="2dcs-ps")
    empty = Scenario("hour", 16, [], until_ns=3600 * S, settings=settings)
    return Source(empty, Arrivals(0.5, 0.3, 3600 * S), "hour").made()


def _cold_s() -> float:
    """Seconds of a process that compiles engine and policy with nothing kept, start included."""
    with tempfile.TemporaryDirectory() as folder:
        before = time.perf_counter()
        code = "from molokini.process_sim.replaying import prepare; prepare(('2dcs-ps',))"
        subprocess.run(
            [sys.executable, "-c", code], check=True, env={**os.environ, "MOLOKINI_CACHE_DIR": folder}
        )
        return time.perf_counter() - before
