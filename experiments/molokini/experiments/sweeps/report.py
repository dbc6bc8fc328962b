"""The report of a sweep as one HTML file, which needs nothing else: tables, and pictures drawn in place."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from molokini.experiments.result import digits

_MOST_ROWS = 40
_MOST_PAIRS = 4
_UNITS = {"_s": "s", "utilization": "share of the machine", "_hour": "jobs per hour", "_kb": "KB"}

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c2733 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem } h3 { font-size: 1rem }
table { border-collapse: collapse; margin: .6rem 0 } caption { text-align: left; color: #56646f }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #dde3e8 }
th:first-child, td:first-child { text-align: left } p.said { color: #56646f }
svg text { font: 12px system-ui, sans-serif; fill: #1c2733 }
.row { display: flex; flex-wrap: wrap; gap: 1rem }
"""


def report_text(document: Mapping[str, Any]) -> str:
    """The whole page; it has nothing of how the sweep ran, so that it is the same wherever it ran."""
    parts = [_head(document), _variants(document), _front(document)]
    parts += [_effects(document, metric) for metric in document["objectives"]]
    parts += [_interactions(document), _certainty(document)]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Sweep</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def unit_of(metric: str) -> str:
    """The unit of *metric* as a picture's axis says it."""
    unit = next((unit for ending, unit in _UNITS.items() if metric.endswith(ending)), "")
    return f"{metric.removesuffix('_s').replace('_', ' ')}{f' ({unit})' if unit else ''}"


def _head(document: Mapping[str, Any]) -> str:
    axes = "; ".join(f"{escape(axis['name'])}: {len(axis['levels'])} levels" for axis in document["axes"])
    seeds = f", {document['seeds']} seeds" if document["seeds"] else ""
    return (
        f"<h1>Sweep of {document['points']:,} points</h1>"
        f"<p>{document['scenarios']:,} scenarios, {len(document['variants']):,} variants{seeds}. {axes}</p>"
        "<p class=said>A scenario is a workload on a machine under factors of load and run times; a variant "
        "is a policy with its parameters. All means are over cells: a cell is the mean over seeds of one "
        "variant in one scenario.</p>"
    )


def _variants(document: Mapping[str, Any]) -> str:
    names, first = document["objectives"], document["objectives"][0]
    header = ["variant", *map(unit_of, names), "best in", "last in", "scenarios"]
    rows = [
        [
            one["variant"],
            *(digits(one["means"][name]) for name in names),
            f"{one['wins']:,}",
            f"{one['losses']:,}",
            f"{one['scenarios']:,}",
        ]
        for one in document["variants"]
    ]
    said = f"Best and last by {unit_of(first)}, {document['better'][first]} is better; ties count for all."
    return f"<h2>Winners and losers</h2><p class=said>{escape(said)}</p>{_ends(header, rows)}"


def _ends(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of all *rows*, or of the first and the last of them."""
    if len(rows) <= _MOST_ROWS:
        return _table(header, rows)
    half = _MOST_ROWS // 2
    between = [f"... {len(rows) - 2 * half:,} more ...", *("" for _ in header[1:])]
    return _table(header, [*rows[:half], between, *rows[-half:]])


def _front(document: Mapping[str, Any]) -> str:
    first, second = document["objectives"]
    front = set(document["front"])
    points = [
        (one["means"][first], one["means"][second], one["variant"] in front, one["variant"])
        for one in document["variants"]
        if one["means"][first] is not None and one["means"][second] is not None
    ]
    rows = [[name, digits(x), digits(y)] for x, y, kept, name in points if kept]
    said = "No other variant is as good in both objectives and better in one (means over scenarios)."
    picture = _scatter(points, unit_of(first), unit_of(second)) if len(points) > 1 else ""
    table = _ends(["on the front", unit_of(first), unit_of(second)], rows)
    return f"<h2>Pareto front</h2><p class=said>{said}</p><div class=row>{picture}{table}</div>"


def _effects(document: Mapping[str, Any], metric: str) -> str:
    levels = {axis["name"]: axis["levels"] for axis in document["axes"]}
    mine = [one for one in document["effects"] if one["metric"] == metric]
    mine.sort(key=lambda one: -(one["share_of_variance"] or 0.0))
    pictures = "".join(_bars(one, levels[one["axis"]], unit_of(metric)) for one in mine)
    return f"<h2>Main effects on {escape(unit_of(metric))}</h2><div class=row>{pictures}</div>"


def _interactions(document: Mapping[str, Any]) -> str:
    levels = {axis["name"]: axis["levels"] for axis in document["axes"]}
    there = [one for one in document["interactions"] if one["share_of_variance"]]
    there.sort(key=lambda one: -one["share_of_variance"])
    shown = []
    for one in there[:_MOST_PAIRS]:
        first, second = one["axes"]
        header = [f"{first} \\ {second}", *levels[second]]
        rows = [
            [level, *map(digits, means)] for level, means in zip(levels[first], one["means"], strict=True)
        ]
        said = f"{unit_of(one['metric'])}: {one['share_of_variance']:.1%} of the variance"
        shown.append(f"<h3>{escape(said)}</h3>{_table(header, rows)}")
    said = (
        "What two axes explain together beyond the sum of each alone, as a share of the variance between "
        "cells; where not every pair of levels occurs equally often, part of it is that."
    )
    return f"<h2>Interactions</h2><p class=said>{said}</p>{''.join(shown) or '<p>None.</p>'}"


def _certainty(document: Mapping[str, Any]) -> str:
    if document["certain"]:
        said = "The best variant of each scenario is certain (95%, all rivals together)."
        return f"<h2>Certainty</h2><p>{said}</p>"
    lines = "".join(f"<li>{escape(line)}</li>" for line in document["not_yet"])
    said = f"In {document['uncertain']:,} of {document['scenarios']:,} scenarios the best is not certain yet."
    return f"<h2>Certainty</h2><p>{said}</p><ul>{lines}</ul>"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>"


def _bars(effect: Mapping[str, Any], levels: Sequence[str], unit: str) -> str:
    """One bar a level, from 0, with its figure."""
    means = [0.0 if mean is None else mean for mean in effect["means"]]
    most = max((abs(mean) for mean in means), default=0.0) or 1.0
    left, wide, high = 150, 180, 20
    lines = []
    for at, (level, mean, shown) in enumerate(zip(levels, means, effect["means"], strict=True)):
        y = 24 + at * high
        told = level if len(level) <= 22 else f"{level[:21]}…"
        lines.append(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{escape(told)}</text>')
        width = wide * max(0.0, mean) / most
        lines.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="13" fill="#3b7dbd"/>')
        lines.append(f'<text x="{left + width + 4:.1f}" y="{y + 11}">{digits(shown)}</text>')
    share = effect["share_of_variance"]
    title = f"{effect['axis']}" + (f": {share:.1%} of the variance" if share is not None else "")
    bottom = 24 + len(levels) * high + 14
    lines.append(f'<text x="0" y="13" font-weight="600">{escape(title)}</text>')
    lines.append(f'<text x="{left}" y="{bottom}">{escape(unit)}</text>')
    return f'<svg width="{left + wide + 80}" height="{bottom + 6}" role="img">{"".join(lines)}</svg>'


def _scatter(points: Sequence[tuple[float, float, bool, str]], x_unit: str, y_unit: str) -> str:
    """A point a variant; those of the front are joined."""
    left, top, wide, high = 70, 10, 360, 260
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    x_low, x_high, y_low, y_high = min(xs), max(xs), min(ys), max(ys)

    def at(x: float, y: float) -> tuple[float, float]:
        right = (x - x_low) / (x_high - x_low) if x_high > x_low else 0.5
        up = (y - y_low) / (y_high - y_low) if y_high > y_low else 0.5
        return left + wide * right, top + high * (1 - up)

    lines = [
        f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="#aab4bd"/>',
        f'<text x="{left}" y="{top + high + 16}">{digits(x_low)}</text>',
        f'<text x="{left + wide}" y="{top + high + 16}" text-anchor="end">{digits(x_high)}</text>',
        f'<text x="{left - 6}" y="{top + high}" text-anchor="end">{digits(y_low)}</text>',
        f'<text x="{left - 6}" y="{top + 12}" text-anchor="end">{digits(y_high)}</text>',
        f'<text x="{left + wide / 2}" y="{top + high + 34}" text-anchor="middle">{escape(x_unit)}</text>',
        f'<text x="14" y="{top + high / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {top + high / 2})">{escape(y_unit)}</text>',
    ]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(p[0], p[1]) for p in sorted(points) if p[2]))
    lines.append(f'<polyline points="{joined}" fill="none" stroke="#c8553d"/>')
    for x, y, kept, name in points:
        right, down = at(x, y)
        colour = "#c8553d" if kept else "#3b7dbd"
        title = f"<title>{escape(name)}</title>"
        lines.append(f'<circle cx="{right:.1f}" cy="{down:.1f}" r="4" fill="{colour}">{title}</circle>')
    return f'<svg width="{left + wide + 20}" height="{top + high + 42}" role="img">{"".join(lines)}</svg>'
