"""The name of a metric in a picture, and the unit in which its values are best read."""

from molokini.plots.scales import time_unit

_NAMES = {
    "geometric_mean_response_s": "geometric mean of responses",
    "makespan_s": "makespan",
    "utilization": "utilization",
    "loss_of_capacity": "loss of capacity",
}

PERCENT = 0.01

_SHARES = frozenset({"utilization", "loss_of_capacity"})


def metric_name(metric: str) -> str:
    """The words for a metric of ``measure``: "mean wait" for ``mean_wait_s``."""
    return _NAMES.get(metric, metric.removesuffix("_s").replace("_", " "))


def is_time(metric: str) -> bool:
    """Whether values of *metric* are seconds."""
    return metric.endswith("_s") and metric not in _SHARES


def unit_of(metric: str, typical: float) -> tuple[str, float]:
    """The unit for values of about *typical*, and how much of the metric's own unit it is."""
    if metric in _SHARES:
        return "%", PERCENT
    if is_time(metric):
        unit = time_unit(2 * abs(typical))  # whiskers reach about so far
        return unit.name, unit.seconds
    if "slowdown" in metric:
        return "ratio", 1.0
    if "processors" in metric:
        return "processors", 1.0
    return "jobs per hour" if metric.endswith("per_hour") else "jobs", 1.0
