"""How near a replay comes to the log, as tables for people."""

from collections.abc import Mapping
from typing import Any

from molokini.clients.show.rich_tables import console, row, show, table
from molokini.metrics.fidelity import Fidelity
from molokini.model.text import duration, figure, percent

_MOST_ROWS = 12


def show_fidelity(found: Mapping[str, Any]) -> None:
    """The means beside the recorded ones, then a row for each queue."""
    made = table("against the log", "", "simulated", "recorded", "change")
    for name, words in (("mean_wait_s", "mean wait"), ("mean_bounded_slowdown", "mean bounded slowdown")):
        told = found[name]
        shown = duration if name.endswith("_s") else figure
        change = "-" if told["relative"] is None else f"{told['relative']:+.1%}"
        row(made, words, shown(told["simulated"]), shown(told["recorded"]), change)
    show(console(), made)
    near = found["within_interval"]
    gaps = table(
        "start differences",
        "jobs",
        f"within {near['interval_s']:g} s",
        "median",
        "95th percentile",
        "Kendall's tau",
    )
    told = found["start_difference_s"]
    tau = "-" if found["kendall_tau"] is None else f"{found['kendall_tau']:.3f}"
    row(
        gaps,
        figure(found["jobs"]),
        percent(near["share"]),
        duration(told["median_size"]),
        duration(told["p95_size"]),
        tau,
    )
    show(console(), gaps)
    if len(found["queue"]) > 1:
        by = table("by queue", "queue", "jobs", "simulated wait", "recorded wait", "within an interval")
        for one in sorted(found["queue"], key=lambda each: -each["jobs"])[:_MOST_ROWS]:
            waits = duration(one["simulated"]), duration(one["recorded"])
            row(by, one["name"], figure(one["jobs"]), *waits, percent(one["within_interval"]))
        show(console(), by)


def show_phases(found: Mapping[str, Any]) -> None:
    """What other phases of timers alone change: the least and the most of each figure."""
    made = table(f"{found['seeds']} other phases of timers", "", "least", "most")
    words = {
        "mean_wait_s": "mean wait",
        "within_interval": "starts within an interval",
        "kendall_tau": "Kendall's tau",
    }
    for name, band in found["band"].items():
        shown = duration if name == "mean_wait_s" else percent if name == "within_interval" else figure
        row(made, words[name], shown(band["low"]), shown(band["high"]))
    show(console(), made)


def fidelity_line(found: Mapping[str, Any]) -> str:
    """The report in a line, for the head of a comparison."""
    return f"{found['policy']} against the log: {Fidelity(dict(found)).text}"
