"""``simulate --stop-at``: a replay stopped at an instant, and what Maui's commands would show then."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from molokini.clients.arguments.runs import SimulateArguments
from molokini.clients.hosting import note
from molokini.clients.output import STANDARD_OUTPUT, write_json
from molokini.clients.watching import watched
from molokini.experiments.choosing import Chosen
from molokini.experiments.machines import names_of
from molokini.experiments.maui_files import ConfiguredPolicy
from molokini.experiments.maui_simulation import simulation_of
from molokini.experiments.parts import cluster_part, policy_part
from molokini.experiments.simulating import Prepared
from molokini.model.dates import instant_of, of_log
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.instants import instant
from molokini.model.site import PLAIN, Site
from molokini.reports import REPORTS, report
from molokini.reports.snapshot import ReportRequest
from molokini.reports.stopped import Numbers, numbers_of, picture_of
from molokini.workloads.calendar import log_clock
from molokini.workloads.workload import Workload

SCHEMA = "molokini.stopped/1"
_NEEDED = {"job": "ID", "node": "NAME", "start": "ID or start:PROCESSORS@SECONDS"}
"""Reports that there are only of something."""
_ABOUT = {
    "job": "job",
    "node": "node",
    "statistics": "by",
    "start": "job",
    "queue": "partition",
    "windows": "partition",
    "balances": "account",
    "limits": "by",
    "grid": "by",
    "partitions": "partition",
    "jobs": "job",
}
"""What stands behind the colon of a report."""
_WHOSE = ("user", "group", "account", "queue", "qos")
_PAIRS = {
    "queue": ("partition", "user", "by"),
    "windows": (
        *("partition", *_WHOSE),
        *("processors", "duration_s", "features", "memory", "memory_each_mb", "nodes"),
    ),
    "limits": ("by", *_WHOSE),
}
"""What may stand there by name, as ``user=ann,by=active``."""


def check_stop(arguments: SimulateArguments) -> None:
    """Complain about what does not go with a replay that is stopped. Raises BadInput."""
    if arguments.stop_at is None:
        if arguments.show:
            raise BadInput("--show is of a replay that is stopped; give --stop-at, too")
        return
    of_log("--stop-at", arguments.stop_at)
    for option, given in {
        "--plot": arguments.plot,
        "--ecdf": arguments.ecdf,
        "--convergence": arguments.convergence,
        "--rows": arguments.rows,
        "--by": arguments.by,
        "--schedule": arguments.schedule,
        "--from": arguments.from_s is not None,
        "--to": arguments.to_s is not None,
        "--warm-up": arguments.warm_up,
        "--cool-down": arguments.cool_down,
    }.items():
        if given:
            raise BadInput(f"{option} is of a whole replay; leave it out, or --stop-at")
    for text in arguments.show:
        _asked(text)
    if simulation_of(arguments.policy, arguments.maui_config) is not None:
        raise BadInput("--stop-at requires a replay; SERVERMODE SIMULATION has its own steps")


def show_stopped(arguments: SimulateArguments, run: Prepared) -> None:
    """Replay *run* up to the instant, and print or write the reports."""
    assert arguments.stop_at is not None
    replay, chosen, workload = run.replay, run.chosen, run.replay.workload
    now = instant_of("--stop-at", arguments.stop_at, log_clock(workload.header))
    with watched(replay.policy):
        replay.run(now)
    names = names_of(replay.machine)
    picture = picture_of(replay, now, _numbers(chosen, workload), names, site_of(chosen))
    wanted = [(text, *_asked(text)) for text in arguments.show or ("queue",)]
    reports = {text: report(name, picture, asked) for text, name, asked in wanted}
    for text in (*before_all("--stop-at", now, workload), *run.told, *chosen.notes([workload])):
        note(text)
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "stopped_at_s": now,
        "workload": {"file": Path(arguments.log or workload.name).name, "jobs": len(workload)},
        "cluster": cluster_part(replay.machine, replay.options),
        "policy": policy_part(chosen, [workload]),
        "reports": reports,
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.report_tables import show_report

        for text, one in reports.items():
            show_report(one, wide=text.startswith("job:"), about=text.partition(":")[2])


def before_all(option: str, now: float, workload: Workload) -> list[str]:
    """What explains a cluster without jobs at the instant that *option* gives."""
    first_s = float(workload.submit_s.min()) if len(workload) else now
    if now >= first_s:
        return []
    return [f"{option} {now:g} is before the first submission, at {instant(first_s)}: there are no jobs yet"]


def _numbers(chosen: Chosen, workload: Workload) -> Numbers:
    return chosen.numbered(workload)[1] if isinstance(chosen, ConfiguredPolicy) else numbers_of(workload)


def site_of(chosen: Chosen) -> Site:
    """What the configuration of the policy says of the site, if there is one."""
    return chosen.site if isinstance(chosen, ConfiguredPolicy) else PLAIN


def _asked(text: str) -> tuple[str, ReportRequest]:
    """A report by name, and about what: ``queue``, ``job:17``, ``start:8@3600``, ``statistics:user``."""
    name, _, what = text.partition(":")
    if name not in REPORTS:
        raise UnknownName("report", name, REPORTS)
    if not what and name in _NEEDED:
        raise BadValue("--show", text, f"{name}:{_NEEDED[name]}")
    if not what:
        return name, ReportRequest()
    if name not in _ABOUT:
        raise BadValue("--show", text, f"{name} alone: it is about nothing in particular")
    if name in _PAIRS and "=" in what:
        return name, replace(ReportRequest(), **_by_name(text, what, _PAIRS[name]))
    processors, at, seconds = what.partition("@")
    if name == "start" and at:
        return name, ReportRequest(
            processors=_whole(text, processors), duration_s=float(_whole(text, seconds))
        )
    return name, replace(ReportRequest(), **{_ABOUT[name]: what})  # type: ignore[arg-type]


def _by_name(text: str, what: str, names: Sequence[str]) -> dict[str, Any]:
    pairs = [pair.partition("=") for pair in what.split(",")]
    if any(name not in names or not given for name, _, given in pairs):
        raise BadValue("--show", text, f"NAME=VALUE, separated by commas; names are {', '.join(names)}")
    if len({name for name, _, _ in pairs}) < len(pairs):
        raise BadValue("--show", text, "each NAME once")
    return {name: _value(text, name, given) for name, _, given in pairs}


def _value(text: str, name: str, given: str) -> Any:
    """What stands behind *name*, as the question has it."""
    if name == "features":
        return tuple(feature for feature in given.split(":") if feature)
    if name in ("processors", "nodes"):
        return _whole(text, given)
    return float(_whole(text, given)) if name in ("duration_s", "memory_each_mb") else given


def _whole(text: str, number: str) -> int:
    if not number.isdecimal() or not 1 <= int(number) < 2**53:
        raise BadValue("--show", text, "whole numbers above 0, as start:PROCESSORS@SECONDS")
    return int(number)
