"""Runs of the process-level engine, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.text import figure, percent

_SEGMENTS = ("compute", "spin", "send", "receive", "switch", "kernel", "sync", "idle")
_MOST = 40
_COMPARED = (
    ("be_response_s", "BE response, s"),
    ("be_throughput", "BE jobs a s"),
    ("rt_miss_rate", "RT missed"),
    ("rt_rejected_share", "RT rejected"),
    ("share_compute", "computing"),
    ("share_spin", "spinning"),
    ("share_switch", "switching"),
    ("share_idle", "idle"),
)


def show_run(found: Mapping[str, Any]) -> None:
    """CPUs by what they did, jobs by how long they took."""
    out = console()
    said, elapsed = found["scenario"], found["elapsed_ns"]
    way = said["scheme"] if said["scheme"] != "local" else f"{said['wait']}+{said['arrival']}"
    way = said.get("policy_file", way)
    title = f"{said['name']}, {way}: {elapsed / 1e9:.9g} s on {said['nodes']} nodes"
    made = table(title, "CPU", *_SEGMENTS, "switches", words=())
    for one in found["cpus"][:_MOST]:
        shares = [percent(one[f"{name}_ns"] / elapsed if elapsed else 0.0, 2) for name in _SEGMENTS]
        row(made, str(one["cpu"]), *shares, f"{one['switches']:,}")
    show(out, made)
    names = ("compute", "spin", "ready", "blocked", "io")
    made = table(
        "jobs (seconds of all their processes)",
        "job",
        "class",
        "arrived",
        "queued",
        "response",
        *names,
        words=(0, 1),
    )
    for one in found["jobs"][:_MOST]:
        spent = [_seconds(one[f"{name}_ns"]) for name in names]
        times = (_seconds(one[f"{name}_ns"]) for name in ("arrival", "queued", "response"))
        row(made, one["job"], one["class"], *times, *spent)
    show(out, made)
    if "rates" in found:
        _show_rates(out, found["rates"])
    measured = found["measures"]
    left = [max(0, len(found[part]) - _MOST) for part in ("cpus", "jobs")]
    lines(
        out,
        [
            f"{left[0]} more CPUs, {left[1]} more jobs: see --json" if any(left) else "",
            f"real time: {measured['rt_jobs']} jobs, {measured['rt_rejected']} rejected, "
            f"{_share(measured['rt_miss_rate'])} of frames missed in {measured['rt_periods']} periods"
            if measured["rt_jobs"]
            else "",
            _memory_line(measured),
        ],
    )


def _show_rates(out: Console, found: Mapping[str, Any]) -> None:
    """Each application under each of its targets."""
    made = table(
        "rates (% of the full rate)",
        *("job", "target", "iterations", "mean", "lowest", "highest", "within", "first within", "seconds"),
        words=(0,),
    )
    for job in found["jobs"]:
        for one in job["stretches"]:
            rates = (figure(one[name], 4) for name in ("mean", "low", "high"))
            first, seconds = one["response"], one["response_s"]
            row(
                made,
                job["job"],
                f"{one['target']:g}",
                str(one["iterations"]),
                *rates,
                _share(one["within"]),
                "" if first is None else str(first),
                "" if seconds is None else figure(seconds, 4),
            )
    show(out, made)
    for job in found["jobs"]:
        pair = f"{1000 * job['period_s'][-1]:g} ms, {1000 * job['slice_s'][-1]:.6g} ms" if job["rate"] else ""
        lines(
            out,
            [
                f"{job['job']}: {job['orders']} orders, last period and slice {pair}; "
                f"{job['misses']:,} misses in {job['periods']:,} periods, {job['cut']} slices cut by orders",
                f"{job['job']}: the target cannot be reached at this share" if job["unreachable"] else "",
                f"{job['job']}: {job['refused']} changes of the target refused: no room"
                if job["refused"]
                else "",
            ],
        )


def _memory_line(measured: Mapping[str, Any]) -> str:
    if "memory_load" not in measured:
        return ""
    names = ("page_faults_a_task", "memory_load", "tasks_a_node")
    faults, load, tasks = (figure(measured[name] or 0.0, 3) for name in names)
    return f"memory: {faults} page faults a task; nodes needed {load} of it over the run, for {tasks} tasks"


def _seconds(ns: int | None) -> str:
    return "-" if ns is None else f"{ns / 1e9:.6f}"


def _share(value: float | None) -> str:
    return "none" if value is None else percent(value, 2)


def show_comparison(found: Mapping[str, Any]) -> None:
    """One line a way and load; figures that differ clearly from the first way's have a sign."""
    out = console()
    points: Sequence[Mapping[str, Any]] = found["points"]
    loads = [name for name in ("rt_load", "be_load") if name in points[0]]
    used = [(key, name) for key, name in _COMPARED if any(one["measures"][key]["mean"] for one in points)]
    title = f"{found['scenario']}: {len(found['seeds'])} seeds; + or - differs clearly from {found['base']}"
    made = table(title, *loads, "way", *(name for _, name in used), words=(len(loads),))
    for one in points:
        cells = [_compared(one, key) for key, _ in used]
        row(made, *(f"{one[name]:g}" for name in loads), one["way"], *cells)
    show(out, made)


def _compared(point: Mapping[str, Any], key: str) -> str:
    mean, less = point["measures"][key]["mean"], point["less_base"][key]
    if mean is None:
        return "-"
    sign = ""
    if less["low"] is not None and less["low"] > 1e-12:
        sign = " +"
    elif less["high"] is not None and less["high"] < -1e-12:
        sign = " -"
    shown = percent(mean, 2) if key.startswith(("share", "rt_")) else figure(mean, 3)
    return f"{shown}{sign}"


def show_pieces(found: Mapping[str, Any]) -> None:
    """Piece by piece, those that are idle left out."""
    out = console()
    pieces = [one for one in found["pieces"] if one["segment"] != "idle"]
    title = f"{found['scenario']}: {found['from_ns'] / 1e9:.9g} to {found['to_ns'] / 1e9:.9g} s"
    made = table(title, "where", "process", "does", "from, us", "to, us", words=(0, 1, 2))
    for one in pieces[:200]:
        times = (f"{one[name] / 1000:,.3f}" for name in ("from_ns", "to_ns"))
        row(made, one["row"], one["process"] or "", one["segment"], *times)
    show(out, made)
    lines(out, [f"{len(pieces) - 200:,} more pieces: see --json or --plot" if len(pieces) > 200 else ""])


def show_explained(found: Mapping[str, Any]) -> None:
    """The scenario as it is understood."""
    out = console()
    texts = [
        f"{found['name']}: {found['nodes']} nodes of {found['cpus_per_node']} CPU, seed {found['seed']}, "
        f"until {found['until']}"
    ]
    for part in ("costs", "scheduling", "arrivals", "memory", "tasks"):
        if part in found:
            texts.append(
                f"{part}: " + "; ".join(f"{key} {_plain(value)}" for key, value in found[part].items())
            )
    lines(out, texts, hang=2)
    for job in found["jobs"]:
        head = "; ".join(
            f"{key} {_plain(value)}" for key, value in job.items() if key not in ("programs", "name")
        )
        lines(out, [f"job {job['name']}: {head}"], hang=2)
        for one in job["programs"]:
            nodes = [str(node) for node in one["nodes"] if node is not None]
            where = f" on nodes {', '.join(nodes)}" if nodes else ""
            lines(out, [f"  {', '.join(one['of'])}{where}: {'; '.join(one['program'])}"], hang=4)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
