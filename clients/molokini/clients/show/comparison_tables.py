"""The tables of ``molokini compare``: one row a policy, then each policy against the first."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from molokini.clients.show.rich_tables import (
    console,
    counts_line,
    lengths_text,
    lines,
    overload_text,
    row,
    show,
    size_text,
    table,
    workload_lines,
)
from molokini.clients.show.text_grid import Grid
from molokini.metrics.breakdown import every_class
from molokini.model.text import duration, figure, percent, plural, rules_text

_COLUMNS = (
    "mean_wait_s",
    "median_wait_s",
    "p95_wait_s",
    "mean_bounded_slowdown",
    "utilization",
    "loss_of_capacity",
)
_MOST_CLASSES = 15
"""Of a breakdown that are shown; all of them are in the JSON."""
_DIFFERENCES = ("mean_wait_s", "mean_bounded_slowdown", "reject_ratio")
_OF_LOADS = ("reject_ratio",)
"""Columns of divisible loads alone."""
_NEAR = ("within_interval", "kendall_tau")
"""How near replays come to the log."""
Place = tuple[str, float, float]
"""A workload, its load factor, its run-time factor."""


def show_comparison(found: Mapping[str, Any]) -> None:
    """Means by policy, differences from the baseline in words, and what was left out."""
    out, several = console(), len(found["load_factors"]) > 1
    rules, longest = rules_text(found["options"]), len(found["run_time_factors"]) > 1
    for workload in found["workloads"]:
        for factor, longer in product(found["load_factors"], found["run_time_factors"]):
            here = (workload["file"], factor, longer)
            size = size_text(workload["jobs"], workload["cluster"]["processors"], factor, always=several)
            size += lengths_text(longer, found["overestimate"], always=longest)
            show(out, _means(found, here, f"{workload['file']}: {size}{rules}"))
            lines(out, _nearness(found, here))
            if found.get("phases"):
                show(out, _bands(found, here))
            if len(found["policies"]) > 1:
                show(out, _differences(found, here))
            for one in _at(found["breakdowns"], here):
                show(out, _parts(one))
    for workload in found["workloads"]:
        prefix = f"{workload['file']}: " if len(found["workloads"]) > 1 else ""
        lines(out, [prefix + line for line in workload_lines(workload) if line])
    lines(out, _remarks(found))


def _nearness(found: Mapping[str, Any], here: Place) -> list[str]:
    """How far the baseline is from what the log records: before any difference from it."""
    from molokini.clients.show.fidelity_tables import fidelity_line

    baseline = found["policies"][0]["label"]
    told = [
        one for one in found.get("fidelity", ()) if one["workload"] == here[0] and one["policy"] == baseline
    ]
    return [fidelity_line(one) for one in told] if here[1:] == (1, 1) else []


def _means(found: Mapping[str, Any], here: Place, title: str) -> Grid:
    cells = {(cell["policy"], cell["metric"]): cell for cell in _at(found["table"], here)}
    known = {metric for _, metric in cells}
    columns = [*_COLUMNS, *(metric for metric in _OF_LOADS if metric in known)]
    made = table(title, "policy", *map(_words, columns))
    for policy in found["policies"]:
        label = policy["label"]
        row(made, label, *(_value(name, cells[label, name]["mean"]) for name in columns))
    return made


def _bands(found: Mapping[str, Any], here: Place) -> Grid:
    """The least and the most of each figure, over the phases that were given and those drawn."""
    told = _at(found["phases"], here)
    names = [name for name in (*_COLUMNS, *_OF_LOADS, *_NEAR) if any(name in one["band"] for one in told)]
    made = table(f"band over {plural(len(found['seeds']), 'draw')} of phases", "policy", *map(_words, names))
    for one in told:
        row(made, one["policy"], *(_span(name, one["band"].get(name)) for name in names))
    return made


def _differences(found: Mapping[str, Any], here: Place) -> Grid:
    baseline = found["policies"][0]["label"]
    banded = ["band"] if found.get("phases") else []
    made = table(
        f"against {baseline}",
        "policy",
        "metric",
        "difference",
        "95% interval",
        *banded,
        "change",
        "verdict",
        words=(0, 1, 5 + len(banded)),
        keys=2,
    )
    for one in _at(found["comparisons"], here):
        for difference in one["differences"]:
            if difference["metric"] in _DIFFERENCES:
                row(made, one["policy"], *_difference_cells(difference))
    return made


def _parts(one: Mapping[str, Any]) -> Grid:
    """The classes with the most work, and how long the jobs of each wait under every policy."""
    policies, first = list(one["policies"]), every_class(one["policies"])
    busiest = sorted(first, key=lambda one: -(one["share_of_work"] or 0.0))[:_MOST_CLASSES]
    some = len(first) > _MOST_CLASSES
    more = f" (the {_MOST_CLASSES} with the most work of {len(first):,})" if some else ""
    made = table(
        f"mean wait by {one['by']}{more}",
        one["by"],
        "jobs",
        "share of work",
        *policies,
        *(f"change to {policy}" for policy in policies[1:]),
    )
    of = {policy: {each["class"]: each for each in rows} for policy, rows in one["policies"].items()}
    for known in (each for each in first if each in busiest):
        waits = [of[policy].get(known["class"], {}).get("mean_wait_s") for policy in policies]
        row(
            made,
            known["name"],
            figure(known["jobs"]),
            percent(known["share_of_work"]),
            *(duration(wait) for wait in waits),
            *(_change(waits[0], wait) for wait in waits[1:]),
        )
    return made


def _change(before: float | None, after: float | None) -> str:
    return f"{after / before - 1:+.1%}" if before and after is not None else "-"


def _difference_cells(difference: Mapping[str, Any]) -> tuple[str, ...]:
    name, low, high = difference["metric"], difference["low"], difference["high"]
    interval = "-" if low is None else f"{_value(name, low)} to {_value(name, high)}"
    banded = [_span(name, difference["band"])] if "band" in difference else []
    change = difference["relative_change"]
    relative = "-" if change is None else f"{change:+.1%}"
    shown = _value(name, difference["difference"])
    return _words(name), shown, interval, *banded, relative, difference["verdict"]


def _span(name: str, band: Mapping[str, float] | None) -> str:
    if band is None:
        return "-"
    low, high = _value(name, band["low"]), _value(name, band["high"])
    return low if low == high else f"{low} to {high}"


def _words(name: str) -> str:
    """A metric's name in words, which a narrow terminal may put below each other."""
    return name.removesuffix("_s").replace("_", " ")


def _value(name: str, value: float | None) -> str:
    if name in ("utilization", "loss_of_capacity", "reject_ratio", "within_interval"):
        return percent(value, 2)
    return duration(value) if name.endswith("_s") else figure(value)


def _at(parts: Sequence[Mapping[str, Any]], here: Place) -> list[Mapping[str, Any]]:
    return [
        part for part in parts if (part["workload"], part["load_factor"], part["run_time_factor"]) == here
    ]


def _overloads(found: Mapping[str, Any]) -> list[str]:
    """A line for each policy and workload that was overloaded, however often."""
    texts: dict[str, dict[str, str]] = {}
    for result in found["results"]:
        if overload := overload_text(result["metrics"]):
            places = texts.setdefault(f"{result['policy']} on {result['workload']}", {})
            places.setdefault(_factors_text(found, result), overload)
    warnings = []
    for place, overloads in texts.items():
        if len(overloads) == 1:
            ((factors, overload),) = overloads.items()
            warnings.append(f"warning: {place}{factors}: {overload}")
        else:
            at = "; ".join(factors.removeprefix(", ") for factors in overloads)
            warnings.append(
                f"warning: {place}: overload, the queue grows and means depend on the log's length: {at}"
            )
    return warnings


def _not_yet(found: Mapping[str, Any]) -> list[str]:
    """What each difference that is not clear would need."""
    several, told = len(found["workloads"]) > 1, []
    for one in found["comparisons"]:
        for difference in one["differences"]:
            needed = difference["needed"]
            if difference["metric"] in _DIFFERENCES and needed:
                place = f"{one['workload']}: " if several else ""
                what = f"{place}{one['policy']}{_factors_text(found, one)}, {_words(difference['metric'])}"
                noun = "seed" if difference["batch_size"] is None else "job"
                told.append(f"not yet: {what}: about {plural(needed, f'more {noun}')} to be certain")
    return told


def _factors_text(found: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """The factors of a result, those that there are several of."""
    text = f", load factor {result['load_factor']:g}" if found["load_factors"] != [1] else ""
    if found["run_time_factors"] != [1]:
        text += f", run-time factor {result['run_time_factor']:g}"
    return text


def _remarks(found: Mapping[str, Any]) -> list[str]:
    """What a reader must know before believing the tables."""
    remarks = []
    for result in found["results"]:
        refused = counts_line(
            f"{result['policy']} on {result['workload']}: jobs refused:", result["metrics"]["refused"]
        )
        if refused not in remarks:
            remarks.append(refused)
        if left := result["metrics"]["unfinished_jobs"]:
            place = f"{result['policy']} on {result['workload']}"
            jobs = plural(left, "job")
            remarks.append(f"warning: {place}: {jobs} never finished; all figures are of those that did")
    remarks += _overloads(found)
    remarks += _not_yet(found)
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
    if found.get("phases"):
        remarks.append(
            "figures are of the phases that were given; bands are the least and the most, of a difference "
            "that of any two replays"
        )
    elif seeds:
        means = f"means over {plural(seeds, 'seed')}"
        made = any("generated" in workload for workload in found["workloads"])
        does = "makes jobs of its own" if made else "resamples the arrivals"
        remarks.append(f"{means}, each of which {does}; differences are paired by seed")
    rate = figure(run["jobs_per_s"], 0)
    return [*remarks, f"replays took {run['elapsed_s']:.3f} s, all added up ({rate} jobs/s)"]
