"""What the engine takes of jobs whose run time depends on their place: kind, amounts, costs.

The only file that knows which parts of a workload say so; the engine knows numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from molokini.applications.divisible import checked_size
from molokini.applications.kinds import WHOLE, JobKind
from molokini.applications.placed import COSTS, Costs, together
from molokini.applications.placed import run_s as placed_run_s
from molokini.model.errors import BadValue
from molokini.workloads.workload import Floats, Ints, Workload


@dataclass(frozen=True)
class PlacedJobs:
    """One element a job, in the order of the workload."""

    kind: JobKind
    """What all of them are; RIGID where the policy decides as what each is run (they are *molded* then)."""
    amount: Floats
    """What each has to do, as ``applications.placed`` takes it."""
    costs_s: NDArray[np.float64]
    """What it costs: a row of ``COSTS`` numbers for each job, or one row for all where they are molded."""
    deadline_s: Floats
    """The instant by which each has to end; empty where none has to."""

    @property
    def molded(self) -> bool:
        """Whether the policy decides on how many processors each is run."""
        return self.kind is JobKind.RIGID


def check_placed(workload: Workload) -> None:
    """BadValue where the parts of *workload* that say how long its jobs take cannot be."""
    loads = workload.loads
    if loads is None:
        return
    if workload.communication is not None:
        raise BadValue("workload", workload.name, "of jobs that have a load, or of jobs that communicate")
    for name, values in (("size", loads.size), ("deadline_s", loads.deadline_s)):
        bad = ~(np.isfinite(values) & (values > 0))
        if bad.any():
            raise BadValue(name, float(values[bad][0]), "a finite number above 0 for every divisible load")


def placed_of(workload: Workload) -> PlacedJobs | None:
    """What *workload*, which ``check_placed`` has let pass, says; None: places do not matter to its jobs."""
    loads, how = workload.loads, workload.communication
    if loads is not None:
        deadline_s = workload.submit_s + loads.deadline_s
        return PlacedJobs(JobKind.RIGID, loads.size, np.array([loads.costs.numbers]), deadline_s)
    if how is not None:
        costs_s = np.zeros((len(workload), COSTS))
        costs_s[:, 0], costs_s[:, 1] = how.inside_s, how.between_s
        return PlacedJobs(how.pattern, workload.run_s, costs_s, np.zeros(0))
    return None


def fitted(
    placed: PlacedJobs, run_s: Floats, estimate_s: Floats, widths: Ints, processors: int
) -> tuple[Floats, Floats, Ints]:
    """Copies of times and widths of molded jobs; one that asks for more than *processors* gets these."""
    run_s, estimate_s, widths = run_s.copy(), estimate_s.copy(), widths.copy()
    costs: Costs = tuple(placed.costs_s[0].tolist())
    for job in np.flatnonzero(widths > processors).tolist():
        size = checked_size(float(placed.amount[job]))
        run_s[job] = estimate_s[job] = placed_run_s(WHOLE, size, together(processors), costs)
        widths[job] = processors
    return run_s, estimate_s, widths
