"""Ranges and chunks of divisible loads, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.text import figure, percent


def show_ranges(found: Mapping[str, Any]) -> None:
    """The table of section 5.2.2 with the tight range beside it."""
    out = console()
    costs = found["costs"]
    title = (
        f"periods in which K nodes a job do and all {found['nodes']} do not: size {found['size']:g}, "
        f"C_ms {costs['send_s']:g}, C_ps {costs['compute_s']:g}"
    )
    made = table(title, "K", "E(sigma, K)", "bound", "range", "tight bound", "tight range", words=())
    for one in found["ranges"]:
        bound = one["tight_bound_s"] if one["divides"] else one["printed_bound_s"]
        row(
            made,
            str(one["k"]),
            figure(one["execution_s"], 3),
            figure(bound, 3),
            _range(one["range"]),
            figure(one["tight_bound_s"], 3),
            _range(one["tight_range"]),
        )
    show(out, made)
    shared = found["common"]
    lines(
        out,
        [
            f"common to all: {_range(shared)}" if shared else "no period is common to all",
            "deadlines from E(sigma, K) on; bounds rounded up; where K divides N the bound is the tight one",
            ""
            if found["lemma_applies"]
            else "C_ps is not above (N - 1) C_ms, which the printed lemma asks for",
        ],
    )


def _range(bounds: Sequence[float | None]) -> str:
    low, high = bounds
    if low is None or high is None or low >= high:
        return "none"
    return f"[{low:.0f}, {high:.0f})"


def show_chunks(found: Mapping[str, Any]) -> None:
    """One line a node, in order of sending."""
    out = console()
    beyond = ", nodes that differ (beyond the paper)" if found["beyond_the_paper"] else ""
    title = f"{found['size']:g} units by {found['rule']}{beyond}: {figure(found['execution_s'], 3)} s"
    made = table(title, "node", "units", "share", "sent from, s", "until, s", "computed until, s", words=())
    for one in found["nodes"]:
        times = (figure(one[name], 3) for name in ("from_s", "sent_s", "end_s"))
        row(made, str(one["node"]), figure(one["chunk"], 4), percent(one["chunk"] / found["size"], 2), *times)
    show(out, made)
