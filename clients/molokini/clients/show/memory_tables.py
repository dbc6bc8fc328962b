"""Miss-rate curves and packings, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.text import percent


def show_curves(found: Mapping[str, Any]) -> None:
    """A line a size, a column a curve."""
    out = console()
    names = [one["name"] for one in found["curves"]]
    made = table("share of the references that misses, by blocks of memory", "blocks", *names, words=())
    for k, first in enumerate(found["curves"][0]["rates"]):
        rates = (percent(one["rates"][k]["miss_rate"], 3) for one in found["curves"])
        row(made, f"{first['blocks']:,}", *rates)
    show(out, made)
    footprints = (f"{one['name']} {one['footprint']:,}" for one in found["curves"])
    lines(out, [f"footprints (fewest blocks with the least rate): {', '.join(footprints)}"])


def show_packing(found: Mapping[str, Any]) -> None:
    """Footprints, and every schedule with what it costs by the model."""
    out = console()
    title = (
        f"{found['blocks']:,} blocks, {found['processors']} processors, {found['slices']} slices: "
        "relative footprints"
    )
    made = table(title, "job", "processors", "footprint", "relative footprint", words=(0,))
    for one in found["jobs"]:
        numbers = (one["processors"], one["footprint"], one["relative_footprint"])
        row(made, one["name"], *(f"{value:,}" for value in numbers))
    show(out, made)
    made = table("schedules, miss rates by the model", "schedule", "slices", "miss rate", words=(0, 1))
    heuristic = found["heuristic"]
    row(made, "heuristic", _told(heuristic["slices"]), percent(heuristic["miss_rate"], 3))
    if found["tried"]:
        best, worst = found["tried"][0], found["tried"][-1]
        row(made, "best by the model", _told(best["slices"]), percent(best["miss_rate"], 3))
        row(made, "worst", _told(worst["slices"]), percent(worst["miss_rate"], 3))
        row(made, f"average of {len(found['tried'])}", "", percent(found["average_miss_rate"], 3))
    show(out, made)
    asked = found["by_requests"]
    waits = f"; waiting: {', '.join(asked['waiting'])}" if asked["waiting"] else ""
    lines(
        out,
        [
            f"idle time by the heuristic: {percent(heuristic['idle_per_processor'], 1)} of each processor "
            f"({percent(heuristic['idle_as_printed'], 1)} as the paper writes it)",
            f"admission by requests: {_told(asked['slices']) or 'none'}{waits}",
        ],
    )


def _told(slices: Sequence[Sequence[str]]) -> str:
    return " | ".join(", ".join(one) for one in slices)
