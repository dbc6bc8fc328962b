"""How near a replay comes to the log, as tables for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.rich_tables import console, row, show, table
from molokini.metrics.fidelity import Fidelity
from molokini.model.text import duration, figure, percent

_MOST_ROWS = 12


def show_fidelity(found: Mapping[str, Any]) -> None:
    """Each part of the report under the name that it has as JSON."""
    _show_means(found)
    _show_starts(found)
    _show_passes(found["started_by"])
    _show_timers(found["timers"]["backfill"])
    if found["priorities"] is not None:
        _show_priorities(found["priorities"])
    for name in ("queue", "day"):
        _show_by(name, found[name])
    _show_unexplained(found["unexplained"])


def _show_means(found: Mapping[str, Any]) -> None:
    made = table("against the log", "", "simulated", "recorded", "relative")
    for name in ("mean_wait_s", "mean_bounded_slowdown"):
        told = found[name]
        shown = duration if name.endswith("_s") else figure
        row(made, name, shown(told["simulated"]), shown(told["recorded"]), _change(told["relative"]))
    show(console(), made)


def _show_starts(found: Mapping[str, Any]) -> None:
    near, gaps = found["within_interval"], found["start_difference_s"]
    made = table(
        "start_difference_s", "jobs", "median_size", "p95_size", "p5", "p50", "p95", "within", "kendall_tau"
    )
    within = f"{percent(near['share'])} in {near['interval_s']:g} s"
    sizes = (duration(gaps[name]) for name in ("median_size", "p95_size"))
    signed = (f"{gaps[name]:+,.0f} s" for name in ("p5", "p50", "p95"))
    row(made, figure(found["jobs"]), *sizes, *signed, within, _tau(found["kendall_tau"]))
    show(console(), made)


def _show_passes(found: Mapping[str, Any]) -> None:
    if found["recorded"] is None:
        return
    made = table(f"started_by ({found['jobs']:,} jobs)", "", "simulated", "recorded")
    for name, share in found["recorded"].items():
        ours = found["simulated"]
        row(made, name, "-" if ours is None else percent(ours[name]), percent(share))
    if found["same_share"] is not None:
        row(made, "same_share", percent(found["same_share"]), "")
    show(console(), made)


def _show_timers(found: Mapping[str, Any] | None) -> None:
    """When the site's backfill passes were, and the phase with which ours are then."""
    if found is None:
        return
    made = table("timers", "", "starts", "second_s", "share", "phase_s")
    second = f"{found['second_s']:g} of {found['interval_s']:g} s"
    row(made, "backfill", figure(found["starts"]), second, percent(found["share"]), f"{found['phase_s']:g} s")
    show(console(), made)


def _show_priorities(found: Mapping[str, Any]) -> None:
    gaps = found["difference"]
    made = table("priorities", "jobs", "equal_share", "median_size", "p5", "p50", "p95", "kendall_tau")
    signed = (f"{gaps[name]:+,.0f}" for name in ("p5", "p50", "p95"))
    size, tau = figure(gaps["median_size"]), _tau(found["kendall_tau"])
    row(made, figure(found["jobs"]), percent(found["equal_share"]), size, *signed, tau)
    show(console(), made)


def _show_by(name: str, found: Sequence[Mapping[str, Any]]) -> None:
    """Those of the most jobs; nothing where all are of one."""
    if len(found) < 2:
        return
    left = f" (the {_MOST_ROWS} with the most jobs of {len(found)})" if len(found) > _MOST_ROWS else ""
    head = f"mean wait by {name}{left}"
    made = table(head, name, "jobs", "simulated", "recorded", "relative", "within_interval", "kendall_tau")
    most = sorted(found, key=lambda each: -each["jobs"])[:_MOST_ROWS]
    for one in [one for one in found if one in most]:
        waits = duration(one["simulated"]), duration(one["recorded"]), _change(one["relative"])
        near = percent(one["within_interval"]), _tau(one["kendall_tau"])
        row(made, one["name"], figure(one["jobs"]), *waits, *near)
    show(console(), made)


def _show_unexplained(found: Mapping[str, Any]) -> None:
    """What is more frequent among jobs beyond an interval than among all."""
    told = {name: one for name, one in found["marks"].items() if one["of_these"] > one["of_all"]}
    if not told:
        return
    made = table(f"unexplained ({found['jobs']:,} jobs)", "marks", "of_these", "of_all")
    for name, one in sorted(told.items(), key=lambda each: each[1]["of_all"] - each[1]["of_these"]):
        row(made, name, percent(one["of_these"]), percent(one["of_all"]))
    show(console(), made)


def _change(relative: float | None) -> str:
    return "-" if relative is None else f"{relative:+.1%}"


def _tau(found: float | None) -> str:
    return "-" if found is None else f"{found:.3f}"


def show_phases(found: Mapping[str, Any]) -> None:
    """What other phases of timers alone change: the least, the mean and the most of each figure."""
    made = table(f"{found['seeds']} other phases of timers", "", "least", "mean", "most")
    words = {
        "mean_wait_s": "mean wait",
        "within_interval": "starts within an interval",
        "kendall_tau": "Kendall's tau",
    }
    for name, band in found["band"].items():
        shown = duration if name == "mean_wait_s" else percent if name == "within_interval" else figure
        row(made, words[name], *(shown(band[one]) for one in ("low", "mean", "high")))
    show(console(), made)


def fidelity_line(found: Mapping[str, Any]) -> str:
    """The report in a line, for the head of a comparison."""
    return f"{found['policy']} against the log: {Fidelity(dict(found)).text}"
