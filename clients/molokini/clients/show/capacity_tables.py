"""What ``molokini capacity`` found, for people."""

from collections.abc import Mapping
from typing import Any

from molokini.clients.show.rich_tables import console, counts_line, lines, row, show, size_text, table
from molokini.model.text import figure, percent, plural


def show_capacity(found: Mapping[str, Any]) -> None:
    """One line a share of the processors, then how it was found."""
    out, workload = console(), found["workload"]
    size = size_text(workload["jobs"], found["cluster"]["processors"], 1.0)
    made = table(
        f"{workload['file']}: {size}, {found['policy']['name']}",
        "share of all processors",
        "mean",
        "95% interval",
    )
    for words, one in _rows(found):
        interval = "-" if one["low"] is None else f"{percent(one['low'], 2)} to {percent(one['high'], 2)}"
        row(made, words, percent(one["mean"], 2), interval)
    show(out, made)
    refused = found["results"][0]["refused"]
    rate, seeds, run = found["capacity"]["jobs_per_s"]["mean"], found["seeds"], found["run"]
    lines(
        out,
        [
            f"{figure(rate, 4)} jobs a second at most",
            counts_line("jobs refused, and left out:", refused),
            f"means over {plural(len(seeds), 'seed')}"
            if seeds
            else "one workload: --seeds N gives intervals",
            _method(found),
            f"warning: {found['warning']}" if found["warning"] else "",
            f"took {run['elapsed_s']:.3f} s",
        ],
    )


def _rows(found: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    here, silent, lost = found["capacity"], found["without_communication"], found["communication_loss"]
    rows = [
        ("utilization at the workload's own rate", found["recorded"]["utilization"]),
        ("maximal utilization", here["utilization"]),
        ("of which computing", here["computing"]),
        ("capacity loss", here["loss"]),
    ]
    if silent is not None:
        rows += [
            ("maximal utilization without communication", silent["utilization"]),
            ("extra loss through communication", lost["utilization"]),
            ("less computing through communication", lost["computing"]),
        ]
    return rows


def _method(found: Mapping[str, Any]) -> str:
    if found["method"] == "full-queue":
        return "with a queue that is never empty: the maximum where no job overtakes, else more than it"
    within = percent(found["tolerance"], 2)
    return f"at the highest arrival rate at which the queue does not grow, which is known within {within}"
