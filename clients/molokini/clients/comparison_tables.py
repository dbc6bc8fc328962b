"""The tables of ``molokini compare``: one row a policy, then each policy against the first."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.grid import Grid
from molokini.clients.tables import console, counts_line, lines, row, show, size_text, table, workload_lines
from molokini.clients.text import duration, figure, percent, plural

_COLUMNS = (
    "mean_wait_s",
    "median_wait_s",
    "p95_wait_s",
    "mean_bounded_slowdown",
    "utilization",
    "loss_of_capacity",
)
_DIFFERENCES = ("mean_wait_s", "mean_bounded_slowdown")


def show_comparison(found: Mapping[str, Any]) -> None:
    """Means by policy, differences from the baseline in words, and what was left out."""
    out, several = console(), len(found["load_factors"]) > 1
    for workload in found["workloads"]:
        for factor in found["load_factors"]:
            here = (workload["file"], factor)
            size = size_text(workload["jobs"], workload["cluster"]["processors"], factor, always=several)
            show(out, _means(found, here, f"{workload['file']}: {size}"))
            if len(found["policies"]) > 1:
                show(out, _differences(found, here))
    for workload in found["workloads"]:
        prefix = f"{workload['file']}: " if len(found["workloads"]) > 1 else ""
        lines(out, [prefix + line for line in workload_lines(workload) if line])
    lines(out, _remarks(found))


def _means(found: Mapping[str, Any], here: tuple[str, float], title: str) -> Grid:
    made = table(title, "policy", *map(_words, _COLUMNS))
    cells = {(cell["policy"], cell["metric"]): cell for cell in _at(found["table"], here)}
    for policy in found["policies"]:
        label = policy["label"]
        row(made, label, *(_value(name, cells[label, name]["mean"]) for name in _COLUMNS))
    return made


def _differences(found: Mapping[str, Any], here: tuple[str, float]) -> Grid:
    baseline = found["policies"][0]["label"]
    made = table(
        f"against {baseline}",
        "policy",
        "metric",
        "difference",
        "95% interval",
        "change",
        "verdict",
        words=(0, 1, 5),
        keys=2,
    )
    for one in _at(found["comparisons"], here):
        for difference in one["differences"]:
            if difference["metric"] in _DIFFERENCES:
                row(made, one["policy"], *_difference_cells(difference))
    return made


def _difference_cells(difference: Mapping[str, Any]) -> tuple[str, ...]:
    name, low, high = difference["metric"], difference["low"], difference["high"]
    interval = "-" if low is None else f"{_value(name, low)} to {_value(name, high)}"
    change = difference["relative_change"]
    relative = "-" if change is None else f"{change:+.1%}"
    return _words(name), _value(name, difference["difference"]), interval, relative, difference["verdict"]


def _words(name: str) -> str:
    """A metric's name in words, which a narrow terminal may put below each other."""
    return name.removesuffix("_s").replace("_", " ")


def _value(name: str, value: float | None) -> str:
    if name in ("utilization", "loss_of_capacity"):
        return percent(value, 2)
    return duration(value) if name.endswith("_s") else figure(value)


def _at(parts: Sequence[Mapping[str, Any]], here: tuple[str, float]) -> list[Mapping[str, Any]]:
    return [part for part in parts if (part["workload"], part["load_factor"]) == here]


def _remarks(found: Mapping[str, Any]) -> list[str]:
    """What a reader must know before believing the tables."""
    remarks = []
    for result in found["results"]:
        refused = counts_line(
            f"{result['policy']} on {result['workload']}: jobs refused:", result["metrics"]["refused"]
        )
        if refused not in remarks:
            remarks.append(refused)
    several = len(found["workloads"]) > 1
    warned = {
        (f"{one['workload']}: " if several else "", one["policy"], difference["metric"]): difference[
            "warning"
        ]
        for one in found["comparisons"]
        for difference in one["differences"]
        if difference["warning"] and difference["metric"] in _DIFFERENCES
    }
    remarks += [
        f"warning: {place}{policy}, {_words(metric)}: {warning}"
        for (place, policy, metric), warning in warned.items()
    ]
    seeds, run = len(found["seeds"]), found["run"]
    if seeds:
        means = f"means over {plural(seeds, 'seed')}"
        remarks.append(f"{means}, each of which resamples the arrivals; differences are paired by seed")
    rate = figure(run["jobs_per_s"], 0)
    return [*remarks, f"replays took {run['elapsed_s']:.3f} s of one processor ({rate} jobs/s)"]
