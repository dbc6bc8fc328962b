"""What the tools for logs have done, for people."""

from collections.abc import Mapping
from typing import Any

from molokini.clients.show.rich_tables import console, counts_line, lines, row, show, table
from molokini.model.text import duration, figure, percent, plural

_ROWS = 20


def show_cleaning(found: Mapping[str, Any]) -> None:
    """What each filter removed, what is odd in the rest, and candidates for more filters."""
    out = console()
    gone = found["records"] - found["kept"]
    lines(
        out,
        [f"{found['file']}: {plural(found['records'], 'record')}" + (f", {gone:,} removed" if gone else "")],
    )
    if found["removed"]:
        made = table("removed", "filter", "records")
        for one in found["removed"]:
            row(made, one["filter"], figure(one["jobs"]))
        show(out, made)
    if found["oddities"]:
        made = table("odd records", "what", "records", "share")
        for name, count in found["oddities"].items():
            row(made, name, figure(count), percent(count / found["kept"], 2))
        show(out, made)
    _show_flurries(found["flurry_candidates"])
    gaps = found["downtimes"]
    if gaps:
        longest = max(gap["length_s"] for gap in gaps)
        lines(
            out,
            [f"gaps between arrivals that may be downtime: {len(gaps):,}, the longest {duration(longest)}"],
        )
    lines(out, [counts_line("lines that are no record:", found["unread_lines"])])
    if found["written"]:
        lines(out, [f"{found['written']}: {plural(found['kept'], 'record')} written"])


def _show_flurries(candidates: list[Mapping[str, Any]]) -> None:
    out = console()
    if not candidates:
        lines(out, ["flurry candidates: none"])
        return
    made = table(
        "flurry candidates, for you to judge (a filter as it stands here removes one)",
        *("filter", "jobs", "of the week", "x median", "processors", "same size", "median run", "same run"),
    )
    for one in candidates[:_ROWS]:
        row(
            made,
            one["filter"],
            figure(one["jobs"]),
            percent(one["share_of_week"]),
            figure(one["times_median"], 1),
            figure(one["processors"]),
            percent(one["same_size"]),
            duration(one["median_run_s"]),
            percent(one["same_run"]),
        )
    show(out, made)
    if len(candidates) > _ROWS:
        lines(out, [f"{len(candidates) - _ROWS:,} more smaller ones (--json lists all)"])


def show_parts(found: Mapping[str, Any]) -> None:
    """Every part with its size."""
    out = console()
    made = table(f"{found['file']} by {found['by']}", "part", "records", "days")
    for one in found["parts"]:
        days = (one["last_submit_s"] - one["first_submit_s"]) / 86400
        row(made, one["file"], figure(one["records"]), figure(days, 1))
    show(out, made)
    written = (
        f"written to {found['folder']}" if found["folder"] else "nothing written: --into DIR writes them"
    )
    lines(out, [f"{plural(len(found['parts']), 'part')}, {written}"])


def show_merge(found: Mapping[str, Any]) -> None:
    """What was merged, and what to know of it."""
    kind = "parts of one log" if found["parts_of_one_log"] else "different logs"
    texts = [f"warning: {text}" for text in found["warnings"]]
    summary = (
        f"{found['written']}: {plural(found['records'], 'record')} of {len(found['files'])} logs ({kind})"
    )
    lines(console(), [*texts, summary])
