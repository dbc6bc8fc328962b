"""``showstats``: what has ended, how long it waited, and what is still to do."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import KINDS, report
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.maui.times import date, span
from molokini.compat.maui.words import pair, plain
from molokini.compat.options import option

OPTIONS = (
    HELP,
    option("-s", text="totals of the scheduler (default)"),
    option("-v", text="more figures"),
    option("-u", text="by user; with a name: only that user"),
    option("-g", text="by group"),
    option("-a", text="by account"),
    option("-c", text="by class (queue)"),
    option("-q", text="by quality of service"),
    option("-n", text="by node, as they are now"),
    option("-f", "STATISTIC", "a matrix by size and wall clock limit, as showgrid prints"),
)


def run(run: Invocation) -> int:
    """Print the statistics that the options name."""
    given = read(run, OPTIONS, "[NAME]")
    chosen = [letter for letter in (*KINDS, "n", "f") if given.flag(letter)]
    if len(chosen) > 1:
        raise no("showstats takes one of -u, -g, -a, -c, -q, -n and -f")
    letter = chosen[0] if chosen else ""
    at_most(run, given, 1 if letter in KINDS else 0)
    if letter == "f":
        from molokini.compat.maui.matrix import show

        show(run, given.one("f"))
    elif letter == "n":
        _by_node(run)
    elif letter:
        _by(run, letter, given.words[0] if given.words else "", given.flag("v"))
    else:
        render_totals(run, report(run, "statistics"), report(run, "nodes"), given.flag("v"))
    return 0


def _line(run: Invocation, label: str, value: str) -> None:
    run.say(f"{label:<32} {value:>22}")


def render_totals(run: Invocation, found: Found, nodes: Found | None, verbose: bool) -> None:
    """Print the totals of the report *found*, with the nodes of another where there is one."""
    t = found["totals"]
    since_s, now_s = t["since_s"], found["now_s"]
    begun_s = now_s if since_s is None else since_s
    run.say(f"Maui active for {span(now_s - begun_s):>14}  stats initialized on {date(found, begun_s)}\n")
    waiting = t["jobs_idle"] + t["jobs_blocked"]
    _line(run, "Eligible/Idle Jobs:", pair(t["jobs_idle"], waiting))
    _line(run, "Active Jobs:", str(t["jobs_active"]))
    _line(run, "Successful/Completed Jobs:", pair(t["jobs_successful"] or 0, t["jobs_completed"]))
    _line(run, "Avg/Max QTime (Hours):", _both(t["mean_queue_hours"], t["max_queue_hours"]))
    _line(run, "Avg/Max XFactor:", _both(t["mean_expansion_factor"], t["max_expansion_factor"]))
    run.say("")
    used, all_of_it = t["dedicated_processor_hours"], t["processors"] * (now_s - begun_s) / 3600.0
    _line(run, "Dedicated/Total ProcHours:", pair(used, all_of_it, 2))
    if verbose:
        _line(run, "Requested ProcHours:", f"{t['requested_processor_hours']:.2f}")
    run.say("")
    _line(run, "Current Active/Total Procs:", pair(t["processors_active"], t["processors"]))
    if nodes and nodes["nodes"]:
        busy = sum(bool(one["jobs"]) for one in nodes["nodes"])
        _line(run, "Current Active/Total Nodes:", pair(busy, nodes["totals"]["nodes_up"]))
    run.say("")
    accuracy = t["mean_estimate_accuracy"]
    _line(run, "Avg WallClock Accuracy:", "N/A" if accuracy is None else f"{100.0 * accuracy:.2f}%")
    backlog = t["backlog_hours"]
    _line(run, "Est Backlog (Hours):", "N/A" if backlog is None else f"{backlog:.2f}")


def _both(mean: float | None, most: float | None) -> str:
    return f"{plain(mean, 2, 'N/A')}/{plain(most, 2, 'N/A')}"


def _by(run: Invocation, letter: str, name: str, verbose: bool) -> None:
    kind = KINDS[letter]
    found = report(run, "statistics", by=kind)
    lines = [one for one in found["credentials"] if not name or one["name"] == name]
    if not lines and name:
        raise no(f"no statistics of {_NAMES[kind]} '{name}'")
    render_credentials(run, found, kind, lines, verbose and not name)


def render_credentials(run: Invocation, found: Found, kind: str, lines: list[Found], total: bool) -> None:
    """Print *lines* of the report *found*, which is by *kind*; with a *total* below them."""
    since_s = found["totals"]["since_s"]
    run.say(f"statistics initialized {date(found, found['now_s'] if since_s is None else since_s)}\n")
    run.say(f"{'':<9} {' Active ':-^23}  {' Completed ':-^93}")
    run.say(
        f"{_NAMES[kind]:<9} {'Jobs':>5} {'Procs':>6} {'ProcHours':>10}  {'Jobs':>6} {'%':>6} "
        f"{'PHReq':>9} {'%':>6} {'PHDed':>9} {'%':>6} {'FSTgt':>6} {'AvgXF':>7} {'MaxXF':>8} "
        f"{'AvgQH':>7} {'Effic':>6} {'WCAcc':>6}"
    )
    whole = found["totals"]
    for one in lines:
        run.say(_credential(one, whole))
    if total:
        run.say(_credential({**_active(found), **whole, "name": "TOTAL", "fairshare_target": None}, whole))


_NAMES = {"user": "user", "group": "group", "account": "account", "queue": "class", "qos": "qos"}


def _active(found: Found) -> Found:
    """What the active jobs of all have together."""
    names = ("jobs_active", "processors_active", "outstanding_processor_hours")
    return {name: sum(one[name] for one in found["credentials"]) for name in names}


def _credential(one: Found, whole: Found) -> str:
    left = (
        f"{one['name'] or 'NONE':<9} {one['jobs_active']:>5} {one['processors_active']:>6} "
        f"{one['outstanding_processor_hours']:>10.2f}  {one['jobs_completed']:>6}"
    )
    target = plain(one["fairshare_target"], 2, "-----")
    if not one["jobs_completed"]:
        dashes = " ".join(f"{'------':>{width}}" for width in (6, 9, 6, 9, 6))
        return f"{left} {dashes} {target:>6} " + " ".join(f"{'------':>{width}}" for width in (7, 8, 7, 6, 6))
    accuracy = one["mean_estimate_accuracy"]
    requested, used = one["requested_processor_hours"], one["dedicated_processor_hours"]
    return (
        f"{left} {_share(one['jobs_completed'], whole['jobs_completed']):>6} {requested:>9.2f} "
        f"{_share(requested, whole['requested_processor_hours']):>6} {used:>9.2f} "
        f"{_share(used, whole['dedicated_processor_hours']):>6} {target:>6} "
        f"{plain(one['mean_expansion_factor']):>7} {plain(one['max_expansion_factor']):>8} "
        f"{plain(one['mean_queue_hours']):>7} {'------':>6} "
        f"{plain(None if accuracy is None else 100.0 * accuracy):>6}"
    )


def _share(part: float, whole: float) -> str:
    return f"{100.0 * part / whole:.2f}" if whole else "------"


def _by_node(run: Invocation) -> None:
    found = report(run, "nodes")
    run.say(f"node statistics on {date(found, found['now_s'])}\n")
    run.say(
        f"{'node':<18} {'State':>8} {'CfgMem':>8} {'FreeMem':>8} {'CfgProcs':>8} {'BusyProcs':>9} "
        f"{'Load':>6} {'Jobs':>5}"
    )
    for one in found["nodes"]:
        run.say(
            f"{one['node']:<18} {one['state'].capitalize():>8} {plain(one['memory_mb'], 0, '-'):>8} "
            f"{plain(one['memory_free_mb'], 0, '-'):>8} {one['processors']:>8} "
            f"{one['processors'] - one['processors_free']:>9} {one['load']:>6.2f} {len(one['jobs']):>5}"
        )
    totals = found["totals"]
    busy = totals["processors_up"] - totals["processors_free"]
    run.say(f"\nSummary: {len(found['nodes'])} nodes, {busy} of {totals['processors_up']} procs busy")
