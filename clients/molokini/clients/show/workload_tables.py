"""What is in a workload, for people."""

from collections.abc import Mapping
from itertools import dropwhile
from typing import Any

from rich.console import Console

from molokini.clients.show.rich_tables import console, lines, row, show, table, width, workload_lines
from molokini.model.text import duration, exact, figure, percent, plural
from molokini.workloads.workload import Workload

_HEADER = (
    "Computer",
    "Installation",
    "Acknowledge",
    "MaxProcs",
    "MaxNodes",
    "MaxRuntime",
    "Preemption",
    "TimeZoneString",
)
_DISTRIBUTIONS = ("run_s", "estimate_s")
_CUTS = ("min", "p5", "p25", "median", "mean", "p75", "p95", "p99", "max")
_WIDEST_BAR, _BESIDE_BARS = 40, 20


def show_info(found: Mapping[str, Any]) -> None:
    """Header, spans, sizes, estimates, arrivals per hour, and what would be skipped."""
    out = console()
    lines(out, [f"{found['file']}: {plural(found['jobs'], 'job')}"])
    _show_header(out, found)
    made = table("", "", "", words=(0, 1))
    for name, text in _facts(found):
        row(made, name, text)
    show(out, made)
    _show_times(out, found)
    _show_sizes(out, found)
    _show_hours(out, found["arrivals"])
    _show_tails(out, found["statistics"])
    skipped = workload_lines(found)
    lines(out, skipped if found["skipped"] else ["records skipped: none", *skipped])
    if "sita" in found:
        cutoffs = ",".join(map(exact, found["sita"]["cutoffs_s"]))
        lines(
            out,
            [f"for {found['sita']['partitions']} equal partitions: --policy sita-e --set cutoffs={cutoffs}"],
        )


def _show_header(out: Console, found: Mapping[str, Any]) -> None:
    first = {one["label"]: one["value"] for one in reversed(found["header"])}
    lines(out, [f"  {label}: {first[label]}" for label in _HEADER if label in first])


def _facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    span, sizes, estimates = found["span"], found["sizes"], found["estimates"]
    machine = found["machine"]["processors"]
    widths = f"{sizes['min']} to {sizes['max']:,}, mean {figure(sizes['mean'])}"
    return [
        ("machine", "not named: give --procs N" if machine is None else plural(machine, "processor")),
        ("span of submits", f"{figure(span['days'])} days, from second {figure(span['first_submit_s'])}"),
        ("offered load", percent(found["offered_load"])),
        ("work", f"{figure(found['work_processor_s'] / 3600, 0)} processor-hours"),
        ("sizes", f"{widths}, median {figure(sizes['median'])}"),
        ("powers of two", percent(sizes["power_of_two_share"])),
        ("users, groups, queues", f"{found['users']:,}, {found['groups']:,}, {found['queues']:,}"),
        ("jobs with an estimate", figure(estimates["jobs_with_estimate"])),
        (
            "run time / estimate",
            f"mean {percent(estimates['mean_accuracy'])}, median {percent(estimates['median_accuracy'])}",
        ),
        ("past their estimate", percent(estimates["past_estimate_share"])),
        ("jobs of run time 0", figure(found["zero_run_jobs"])),
    ]


def _show_times(out: Console, found: Mapping[str, Any]) -> None:
    made = table("times", "", *_CUTS, "cv")
    gaps = found["arrivals"]["interarrival_s"]
    for name, cuts in [*((name, found[name]) for name in _DISTRIBUTIONS), ("interarrival_s", gaps)]:
        row(made, name, *(duration(cuts[cut]) for cut in _CUTS), figure(cuts["cv"]))
    show(out, made)


def _show_sizes(out: Console, found: Mapping[str, Any]) -> None:
    made = table("by size", "processors", "jobs", "share", "work_share")
    for one in dropwhile(lambda one: not one["jobs"], found["sizes"]["classes"]):
        first, last = one["from_processors"], one["to_processors"]
        name = str(first) if first == last else f"{first}-{last}"
        row(made, name, figure(one["jobs"]), percent(one["jobs"] / found["jobs"]), percent(one["work_share"]))
    show(out, made)


def _show_hours(out: Console, arrivals: Mapping[str, Any]) -> None:
    hours = arrivals["jobs_per_hour_of_day"]
    made = table(f"arrivals by hour of the day ({arrivals['clock']})", "hour", "jobs", "", words=(0, 2))
    longest, most = min(_WIDEST_BAR, max(width(out) - _BESIDE_BARS, 1)), max(*hours, 1)
    for hour, jobs in enumerate(hours):
        row(made, f"{hour:02}", figure(jobs), "#" * round(longest * jobs / most))
    show(out, made)


def _show_tails(out: Console, statistics: Mapping[str, Any]) -> None:
    """How heavy the tails are, how unequal jobs are, how bursty arrivals; --json and --plot have the rest."""
    made = table(
        "tails and disparity",
        *("", "alpha (LLCD)", "over decades", "joint ratio", "N1/2", "W1/2", "Gini", "top 1%"),
    )
    for name, found in statistics["tails"].items():
        mass = statistics["mass"].get(name) or {}
        line = found["llcd"] if found else {}
        joint = [mass.get("joint_items"), mass.get("joint_mass")]
        row(
            made,
            name,
            figure(line.get("alpha")),
            figure(line.get("decades")),
            " / ".join(f"{100 * one:.3g}" for one in joint if one is not None) or "-",
            *(percent(mass.get(one), 2) for one in ("n_half", "w_half")),
            figure(mass.get("gini")),
            percent(mass.get("top_1")),
        )
    show(out, made)
    hurst, gaps = statistics["hurst"], statistics["gaps"]
    pair = [] if hurst is None else [hurst["variance_time"]["h"], hurst["rescaled_range"]["h"]]
    lines(
        out,
        [
            f"Hurst's parameter of arrivals: {' (variance-time), '.join(map(figure, pair))} (rescaled range)"
            if pair
            else "",
            f"gaps that may be downtime: {gaps['downtimes']:,}, {duration(gaps['downtime_s'])} in all; CV of "
            f"gaps {figure(gaps['cv'])}, without them {figure(gaps['cv_without'])}",
            *_zipf_lines(statistics["users"]),
        ],
    )


def _zipf_lines(users: Mapping[str, Any]) -> list[str]:
    """Zipf's exponent of jobs by user and by queue, where there is one."""
    found = {
        name: users[key] for name, key in (("users", "zipf"), ("queues", "zipf_of_queues")) if users[key]
    }
    return [
        f"Zipf's exponent of jobs by rank of {name}: {figure(one['beta'])} over {one['ranks']:,} ranks "
        f"(R^2 {figure(one['r_squared'])})"
        for name, one in found.items()
    ]


def show_conversion(before: Workload, after: Workload, target: str) -> None:
    """What was written, and what was left out on the way."""
    left = len(before) - len(after)
    lines(
        console(),
        [
            f"{target}: {plural(len(after), 'job')}" + (f" ({left:,} filtered out)" if left else ""),
            *workload_lines({"skipped": before.skipped, "notes": before.notes}),
        ],
    )
