"""The table that compares schedules: one cell for each policy and metric, with its interval."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from molokini.metrics.intervals import CONFIDENCE, aggregate, mean_with_interval
from molokini.metrics.job_measures import DEFAULT_TAU_S
from molokini.metrics.labels import labels
from molokini.metrics.measures import measure, number
from molokini.sim.schedule import Schedule

JOB_METRICS_COMPARED = ("wait_s", "response_s", "bounded_slowdown")
"""The metrics that are compared job by job by default: names of ``JOB_METRICS``."""

SYSTEM_METRICS_SHOWN = ("utilization", "loss_of_capacity")
"""What a table shows beside them: names of ``measure``."""


@dataclass(frozen=True)
class Cell:
    """One metric of one policy, with its interval where there is one; named as ``measure`` names it."""

    policy: str
    metric: str
    mean: float | None
    low: float | None = None
    high: float | None = None
    workload: str = ""
    load_factor: float | None = None
    run_time_factor: float = 1.0
    replications: int = 1
    warning: str | None = None

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Every field under its name, ready for JSON."""
        return asdict(self)


def table(
    schedules: Sequence[Schedule],
    metrics: Sequence[str] = JOB_METRICS_COMPARED,
    system: Sequence[str] = SYSTEM_METRICS_SHOWN,
    tau_s: float = DEFAULT_TAU_S,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
    load_factor: float | None = None,
) -> list[Cell]:
    """A cell for each schedule and metric: job metrics with batch-means intervals, system metrics without."""
    cells = []
    for name, schedule in zip(labels(schedules), schedules, strict=True):
        blank = Cell(name, "", None, workload=schedule.workload.name, load_factor=load_factor)
        for metric in metrics:
            found = mean_with_interval(schedule, metric, tau_s, batch_size, confidence)
            cells.append(
                replace(
                    blank,
                    metric=f"mean_{metric}",
                    mean=found.mean,
                    low=found.low,
                    high=found.high,
                    warning=found.warning,
                )
            )
        measures = measure(schedule, tau_s)
        cells += [replace(blank, metric=metric, mean=number(measures, metric)) for metric in system]
    return cells


def aggregate_cells(cells: Sequence[Cell], confidence: float = CONFIDENCE) -> list[Cell]:
    """One cell for all replications (seeds) of a policy, metric, workload and both factors.

    The interval is Student's t over the means of the replications, which counts what differs from
    seed to seed; a cell that stands alone keeps its own. Order of first appearance.
    """
    groups: dict[tuple[str, str, str, float | None, float], list[Cell]] = {}
    for cell in cells:
        key = cell.policy, cell.metric, cell.workload, cell.load_factor, cell.run_time_factor
        groups.setdefault(key, []).append(cell)
    merged = []
    for group in groups.values():
        means = [cell.mean for cell in group if cell.mean is not None]
        if len(group) == 1 or not means:
            merged.append(group[0])
            continue
        found = aggregate(means, confidence)
        merged.append(
            replace(
                group[0],
                mean=found.mean,
                low=found.low,
                high=found.high,
                replications=len(means),
                warning=found.warning,
            )
        )
    return merged
