"""The crossing report, for people."""

from collections.abc import Mapping
from typing import Any

from molokini.clients.show.rich_tables import row, table
from molokini.clients.show.text_grid import Grid
from molokini.model.text import figure, percent


def settling_table(found: Mapping[str, Any]) -> Grid:
    """A line a metric: where its interval was narrow enough first and again, and whether it held the mean."""
    made = table(
        f"when the half width of the 95% interval falls below {percent(found['precision'], 1)} of the mean",
        "metric",
        "first: jobs",
        "mean",
        "second: jobs",
        "mean",
        "final mean",
        "final size",
        "misses final mean",
        words=(0,),
    )
    for one in found["metrics"]:
        crossings = [cell for name in ("first", "second") for cell in _crossing(one[name])]
        size = "-" if one["final_size"] is None else percent(one["final_size"], 1)
        mean = "-" if one["final_mean"] is None else figure(one["final_mean"], 2)
        missed = f"{len(one['missed']):,} of {one['points']:,}" if one["points"] else "-"
        row(made, one["metric"], *crossings, mean, size, missed)
    return made


def _crossing(found: Mapping[str, Any] | None) -> tuple[str, str]:
    if found is None:
        return "never", "-"
    return f"{found['completed']:,}", figure(found["mean"], 2)
