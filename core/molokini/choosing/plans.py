"""What a policy for divisible loads would plan now, and the condition by which one may be chosen without.

Such a policy admits a load by a plan for all loads that it has admitted, so the plan tells what is to come,
and no engine has to run. It is made on a copy of the tables, by a pass whose decisions are read and dropped.
"""

from collections.abc import Callable

import numpy as np

from molokini.choosing.candidates import Candidate
from molokini.choosing.objectives import Objective
from molokini.compiled.structs import Floats, Ints
from molokini.cycle.ports import PolicyFunction
from molokini.model.decisions import Decision
from molokini.tables.copying import copied
from molokini.tables.tables import NEVER, Tables, View

REFUSED = 1e15
"""What a load that would be refused costs: more than any wait."""
_LATE_S = 1e-6
Call = Callable[[PolicyFunction, Tables, float], None]


def cost_of_plan(
    view: View, waiting: Ints, now: float, candidate: Candidate, judge: Objective, call: Call
) -> float:
    """What the plan of *candidate* costs; NEVER where a load that was admitted would miss its deadline."""
    t = copied(view)
    for memory in (t.memory_f, t.memory_i, t.global_f, t.global_i):
        memory[...] = 0
    t.cycle.decided = 0
    promised = t.jobs.reserved_s[waiting] < NEVER
    with t.lent("parameters", candidate.vector):
        if candidate.policy.begin is not None:
            call(candidate.policy.begin, t, now)
        call(candidate.policy.schedule, t, now)
    start_s, length_s, width, refused = _read(t, now)
    late = start_s + length_s > t.jobs.deadline_s + _LATE_S * np.maximum(1.0, t.jobs.deadline_s)
    late &= t.jobs.deadline_s > 0.0
    if (promised & (late[waiting] | (start_s[waiting] == NEVER))).any():
        return NEVER
    rows = waiting[(start_s[waiting] < NEVER) & ~refused[waiting]]
    cost = REFUSED * float(refused[waiting].sum())
    if rows.size:
        cost += judge(start_s[rows] - t.jobs.submit_s[rows], length_s[rows], width[rows])
    return cost


def _read(t: Tables, now: float) -> tuple[Floats, Floats, Floats, np.ndarray]:
    """Planned start, length and processors of each row, and whether it would be refused."""
    start_s, length_s = t.jobs.reserved_s.copy(), t.jobs.estimate_s.copy()
    width = t.jobs.width.astype(np.float64)
    refused = np.zeros(start_s.size, dtype=bool)
    for k in range(t.cycle.decided):
        kind, row, argument, _ = t.cycle.decisions[k].tolist()
        value = float(t.cycle.decision_time_s[k])
        if kind == Decision.MOLD:
            width[row], length_s[row] = argument, value
        elif kind == Decision.RESERVE:
            start_s[row] = value
        elif kind == Decision.START:
            start_s[row] = now
        elif kind == Decision.REFUSE:
            refused[row] = True
    return start_s, length_s, width, refused


def overhead_of(view: View, waiting: Ints) -> float | None:
    """What sending a unit costs over computing it, the mean of the loads that wait; None: there is none."""
    loads = waiting[view.jobs.load[waiting] > 0.0]
    if not loads.size:
        return None
    costs = view.applications
    kind = view.jobs.application[loads]
    return float(np.mean(costs.send_s[kind] / np.maximum(costs.compute_s[kind], 1e-12)))
