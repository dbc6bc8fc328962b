"""One run: the tasks of a setting, replayed under its algorithm."""

from molokini.metrics.divisible_runs import run as replayed
from molokini.studies.lin2006_divisible.experiments import cases
from molokini.studies.lin2006_divisible.setting import Setting
from molokini.studies.study import Point, Row


def run(point: Point) -> Row:
    """What became of the tasks. The seed is the workload's: other settings see the same random numbers."""
    setting = point.case
    assert isinstance(setting, Setting)
    found = replayed(setting.parameters(point.length), point.seed)
    admitted = found.jobs - sum(found.refused.values())
    return {
        "reject_ratio": found.reject_ratio if found.jobs else None,
        "jobs": found.jobs,
        "missed": found.missed,
        "mean_nodes": found.mean_nodes if admitted else None,
        "nominal_load": found.nominal_load,
        "counted_load": found.jobs * setting.alone / (setting.time * point.length),
        "delivered_load": found.delivered_load,
    }


def prepare() -> None:
    """Compile every policy."""
    for setting in {setting.policy: setting for setting in cases()}.values():
        run(Point(setting, 1, 1e-3))
