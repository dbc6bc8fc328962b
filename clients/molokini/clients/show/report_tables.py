"""Reports for people: what Maui's commands show, from a live cluster or a simulation that was stopped."""

from collections.abc import Callable, Mapping
from typing import Any

from molokini.clients.show.bank_tables import show_accounts
from molokini.clients.show.diagnose_tables import show_agents, show_diagnosed_jobs, show_scheduler
from molokini.clients.show.job_tables import show_grid, show_node_classes
from molokini.clients.show.limit_tables import show_limits, show_partitions
from molokini.clients.show.lines import Column, show_facts, show_listing
from molokini.clients.show.matrix_tables import show_matrix
from molokini.clients.show.queue_tables import REMAINING, day, show_blocked, show_jobs, show_queue
from molokini.clients.show.rich_tables import console, lines
from molokini.model.instants import instant
from molokini.model.text import duration, figure, plural

_Found = Mapping[str, Any]
_SHORT = {
    "queue-time": "QTime",
    "expansion-factor": "XFctr",
    "soft-violation": "SPVio",
    "target-queue-time": "TQTime",
    "target-expansion-factor": "TXFctr",
    "user": "User",
    "group": "Group",
    "account": "Accnt",
    "queue": "Class",
    "qos": "QOS",
    "nodes": "Node",
    "processors": "Proc",
    "memory": "Mem",
    "swap": "Swap",
    "disk": "Disk",
    "processor-seconds": "PS",
    "processor-equivalents": "PE",
    "wall-time": "WTime",
    "user-processors": "UProc",
    "user-jobs": "UJob",
}
_COMPONENTS = {
    "service": "Serv",
    "target": "Targ",
    "credential": "Cred",
    "fairshare": "FS",
    "resource": "Res",
    "bypass": "Bypas",
    "administrator": "Admin",
}


def show_report(found: _Found, wide: bool = False) -> None:
    """Print *found*, whatever report it is; a *wide* queue has all columns, a job each node class."""
    name = str(found["schema"]).removeprefix("molokini.maui.").partition("/")[0]
    if name == "queue":
        show_queue(found, wide)
    elif name == "job":
        _job(found, wide)
    else:
        _SHOWN[name](found)


def _priorities(found: _Found) -> None:
    weights = found["weights"]
    columns = [Column("job"), Column("priority", figures=True)]
    columns += [Column(_component(one), figures=True) for one in weights]
    bounded = any(one["bounds"] for one in found["jobs"])
    columns += [Column("bounds")] * bounded
    first = ("weights", "", *(_weights(one["weight"], one["factors"]) for one in weights))
    rows = [first] + [
        (
            one["job"],
            figure(one["priority"]) + ("*" if one["set_by_hand"] else ""),
            *(_points(one["components"].get(part["component"]), part["factors"]) for part in weights),
            *([_bounds(one["bounds"])] * bounded),
        )
        for one in found["jobs"]
    ]
    total = found["contribution_percent"]
    rows.append(("percent", "", *(f"{total.get(one['component'], 0.0):.1f}" for one in weights)))
    show_listing(columns, [(*row, *[""] * (len(columns) - len(row))) for row in rows])


def _bounds(found: _Found | None) -> str:
    """What the bounds of priorities have made of it: ``+6.0 at-least-1``."""
    return "" if found is None else f"{found['points']:+.1f} {found['bound']}"


def _component(one: _Found) -> str:
    names = ":".join(_SHORT.get(name.removeprefix("fairshare-"), name) for name in one["factors"])
    label = _COMPONENTS.get(str(one["component"]), str(one["component"]))
    return f"{label}({names})" if names else label


def _points(component: _Found | None, factors: _Found) -> str:
    if component is None:
        return "0"
    return _bracket(component["percent"], component["factors"], factors)


def _weights(value: float, factors: _Found) -> str:
    """Weights with as many digits as they have: 0.00001 is not 0."""
    inside = ":".join(f"{one:.6g}" for one in factors.values())
    return f"{value:.6g}({inside})" if inside else f"{value:.6g}"


def _bracket(value: float, given: _Found, factors: _Found) -> str:
    inside = ":".join(f"{given.get(name, 0.0):.1f}" for name in factors)
    return f"{value:.1f}({inside})" if inside else f"{value:.1f}"


def _fairshare(found: _Found) -> None:
    show_facts(
        {
            "policy": found["policy"],
            "depth": f"{found['depth']} intervals",
            "interval": duration(found["interval_s"]),
            "decay": figure(found["decay"]),
            "total": f"{figure(found['total_hours'])} hours",
        }
    )
    count = len(found["weights"])
    columns = [Column("type"), Column("name"), Column("%", figures=True), Column("target", figures=True)]
    columns += [Column(str(k), figures=True) for k in range(count)]
    rows = [("", "weight", "", "", *(f"{one:.4f}" for one in found["weights"]))]
    rows.append(("", "hours", "", "", *(figure(one) for one in found["total_by_window_hours"])))
    for one in found["credentials"]:
        mark = "*" if one["off_target"] else ""
        shares = (f"{share:.1f}" for share in one["percent_by_window"])
        rows.append((one["type"], one["name"] + mark, f"{one['percent']:.1f}", _target(one), *shares))
    show_listing(columns, rows)


_SUFFIXES = {"target": "", "floor": "+", "ceiling": "-", "cap": "~", "absolute-cap": "^"}


def _target(one: _Found) -> str:
    return "" if one["target"] is None else figure(one["target"]) + _SUFFIXES[one["target_kind"]]


def _nodes(found: _Found) -> None:
    divided = any(one.get("partition") for one in found["nodes"])
    columns = (
        Column("node"),
        Column("state"),
        Column("procs", figures=True),
        Column("memory", figures=True),
        Column("load", figures=True),
        *([Column("partition")] if divided else ()),
        Column("features"),
        Column("jobs", cut=True),
    )
    show_listing(columns, [_node_row(one, divided) for one in found["nodes"]])
    totals = found["totals"]
    free, up = totals["processors_free"], totals["processors_up"]
    _say(f"{free} of {up} processors free, {totals['processors']} in all")
    lines(console(), [f"warning: {text}" for text in found["warnings"]], hang=2)


def _node_row(one: _Found, divided: bool) -> tuple[str, ...]:
    memory = "" if one["memory_mb"] is None else f"{one['memory_free_mb']:.0f}:{one['memory_mb']:.0f}"
    processors = f"{one['processors_free']}:{one['processors']}"
    features = ",".join(one["features"])
    return (
        one["node"],
        one["state"],
        processors,
        memory,
        f"{one['load']:.2f}",
        *([one["partition"]] if divided else ()),
        features,
        " ".join(one["jobs"]),
    )


def _node(found: _Found) -> None:
    show_facts(
        {
            "node": found["node"],
            "state": found["state"],
            "because": found["reason"],
            "processors": f"{found['processors_free']} of {found['processors']} free",
            "partition": found.get("partition") or "",
            "features": ", ".join(found["features"]),
        }
    )
    show_jobs(found, found["running"], REMAINING)
    if found["reservations"]:
        _reservations(found)


def _reservations(found: _Found) -> None:
    columns = (
        Column("reservation"),
        Column("type"),
        Column("state"),
        Column("start", figures=True),
        Column("end", figures=True),
        Column("duration", figures=True),
        Column("procs", figures=True),
        Column("nodes", figures=True),
        Column("from"),
        Column("access", cut=True),
    )
    rows = []
    for one in found["reservations"]:
        access = " ".join(f"{kind}:{name}" for kind, names in one["access"].items() for name in names)
        rows.append(
            (
                one["reservation"],
                one["type"],
                one["state"],
                _relative(one["start_s"], found["now_s"]),
                _relative(one["end_s"], found["now_s"]),
                duration(one["duration_s"]),
                str(one["processors"]),
                str(len(one["nodes"]) or ""),
                day(found, one["start_s"]),
                access,
            )
        )
    show_listing(columns, rows)
    _say(f"{plural(len(rows), 'reservation')} located")


def _start(found: _Found) -> None:
    now_s = found["now_s"]
    what = f"job {found['job']}" if found["job"] else "such a job"
    show_facts(
        {
            "what": f"{what}: {found['processors']} processors for {duration(found['estimate_s'])}",
            "earliest start": _earliest(found, found["start_s"]),
            "earliest end": _earliest(found, found["end_s"]) if found["start_s"] is not None else "",
            "by": found["by"],
            "firm": _firmness(found.get("firm")),
            "rule": found.get("rule", ""),
            "because": found.get("reason", ""),
            "would help": "; ".join(found.get("what_would_help", ())),
            _without(found): _unless(found, now_s),
        }
    )


def _earliest(found: _Found, value: float | None) -> str:
    if value is not None:
        return _when(value, found["now_s"])
    if found.get("never"):
        return "never, under the present limits"
    return "not known while a rule blocks it" if found["by"] == "blocked" else "never, on these processors"


def _without(found: _Found) -> str:
    return "without this limit" if str(found.get("rule", "")).endswith("-limit") else "without this rule"


def _firmness(firm: bool | None) -> str:
    """Whether a reservation can move to a later start."""
    if firm is None:
        return ""
    return "yes" if firm else "no: it moves later where a job ahead of it takes an earlier place"


def _unless(found: _Found, now_s: float) -> str:
    """When a blocked job would start if it were not."""
    otherwise_s = found.get("otherwise_s")
    return "" if otherwise_s is None else _when(otherwise_s, now_s)


def _windows(found: _Found) -> None:
    if found.get("partition"):
        _say(f"in partition {found['partition']}")
    if not found["windows"]:
        _say("no processors available")
    for one in found["windows"]:
        length = "with no time limit" if one["duration_s"] is None else f"for {duration(one['duration_s'])}"
        unit = "processor" if one["processors"] == 1 else "processors"
        spread = f" on {plural(one['nodes'], 'node')}" if "nodes" in one else ""
        _say(f"{one['processors']:>6} {unit} available{spread} {length}")


def _statistics(found: _Found) -> None:
    show_facts(
        {
            name.removesuffix("_s").replace("_", " "): _plain(name, value)
            for name, value in found["totals"].items()
        }
    )
    if "credentials" not in found:
        return
    _say_nothing()
    columns = (
        Column("name"),
        *(
            Column(name, figures=True)
            for name in ("active", "procs", "remaining h", "completed", "requested h", "used h", "target")
        ),
        *(Column(name, figures=True) for name in ("avg XF", "max XF", "avg wait h", "accuracy")),
    )
    keys = ("jobs_active", "processors_active", "outstanding_processor_hours", "jobs_completed")
    more = ("requested_processor_hours", "dedicated_processor_hours", "fairshare_target")
    last = ("mean_expansion_factor", "max_expansion_factor", "mean_queue_hours", "mean_estimate_accuracy")
    rows = [
        (one["name"] or "none", *(_number(one[key]) for key in (*keys, *more, *last)))
        for one in found["credentials"]
    ]
    show_listing(columns, rows)


LIMITS_BY_NAME = frozenset({"over-soft-limit", "over-hard-limit", "over-idle-limit", "deferred"})
"""Rules whose figures stand for words, which the sentence has: the number of a limit, or of a cause."""
_SAID_OTHERWISE = (
    *("schema", "now_s", "policy", "never", "priority_parts", "nodes", "what_would_help"),
    *("partitions", "by_partition", "by_node_class", "bank"),
)


def _job(found: _Found, verbose: bool = False) -> None:
    hidden = {*_SAID_OTHERWISE, *(("limit", "value") if found.get("rule") in LIMITS_BY_NAME else ())}
    plain = {
        name.removesuffix("_s").replace("_", " "): _plain(name, value)
        for name, value in found.items()
        if name not in hidden
    }
    if found.get("bank") is not None:
        plain["paid by"] = _payment(found["bank"])
    if found.get("partitions") is not None:
        plain["partitions"] = " ".join(f"[{name}]" for name in found["partitions"])
    plain["nodes"] = " ".join(f"[{node}:{count}]" for node, count in found["nodes"].items())
    show_facts(plain)
    for one in found.get("by_partition", ()):
        why = one["reason"]
        _say(f"in partition {one['partition']}: {'cannot run now, ' + why if why else 'has the processors'}")
    if verbose:
        show_node_classes(found.get("by_node_class", ()))
    if found["priority_parts"]:
        columns = ("component weight", "weight", "factor", "product")
        show_listing(
            (Column("component"), Column("subcomponent"), *(Column(name, figures=True) for name in columns)),
            [
                (
                    part["component"],
                    part["subcomponent"],
                    *(_number(part[key]) for key in ("component_weight", "weight", "factor", "product")),
                )
                for part in found["priority_parts"]
            ],
        )


def _payment(bank: Mapping[str, Any]) -> str:
    """Which account the job has or wants what from: ``physics: 28,800 wanted, 400 available; else pool``."""
    parts = [f"{figure(bank[name])} {word}" for name, word in _AMOUNTS if bank[name]]
    if bank["account"] is not None:
        parts.append(
            "no end available" if bank["available"] is None else f"{figure(bank['available'])} available"
        )
    fallback = bank["fallback_account"]
    other = f"; else {fallback}" if fallback and fallback != bank["account"] else ""
    return f"{bank['account'] or 'no account'}: {', '.join(parts)} (processor-seconds){other}"


_AMOUNTS = (("wanted", "wanted"), ("lien", "set aside"))


def _plain(name: str, value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if name in ("estimate_s", "queue_time_s", "remaining_s", "work_s"):
        return duration(value)
    return instant(value) if name.endswith("_s") else _number(value)


def _say_nothing() -> None:
    console().file.write("\n")


def _say(text: str) -> None:
    lines(console(), [text])


def _number(value: float | int | None) -> str:
    return "" if value is None else figure(value)


def _relative(value: float | None, now_s: float) -> str:
    if value is None:
        return "infinity"
    away = value - now_s
    return f"-{duration(-away)}" if away < 0 else duration(away)


def _when(value: float, now_s: float) -> str:
    return f"in {_relative(value, now_s)} (at {instant(value)})"


_SHOWN: dict[str, Callable[[_Found], None]] = {
    "priorities": _priorities,
    "fairshare": _fairshare,
    "nodes": _nodes,
    "blocked": lambda found: show_blocked(found["jobs"]),
    "reservations": _reservations,
    "start": _start,
    "windows": _windows,
    "statistics": _statistics,
    "node": _node,
    "grid": show_grid,
    "limits": show_limits,
    "partitions": show_partitions,
    "jobs": show_diagnosed_jobs,
    "scheduler": show_scheduler,
    "agents": show_agents,
    "matrix": show_matrix,
    "balances": lambda found: show_accounts(console(), found["accounts"]),
}
