"""Reports for people, as the batch commands of Maui print them: of a live cluster or a stopped simulation."""

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from molokini.clients.show.lines import show_facts
from molokini.compat.maui import checkjob, checknode, matrix, showbf, showq, showres, showstart, showstats
from molokini.compat.maui.asking import report
from molokini.compat.maui.diagnosing import (
    blocked,
    fairshare,
    jobs,
    limits,
    nodes,
    partitions,
    priorities,
    reservations,
    scheduler,
)
from molokini.compat.tool import Invocation
from molokini.model.instants import instant
from molokini.model.text import duration, figure, printable

_Found = dict[str, Any]


class Transport(Protocol):
    """Where the renderers ask for what no report has: queues, holds, the whole of a job."""

    cluster: str

    def call(self, service: str, method: str, document: _Found) -> _Found:
        """The answer, as JSON has it."""


class Shown(Invocation):
    """The standard output of this command, as the renderers write to it."""

    def __init__(self, transport: Transport | None, wide: bool, about: str) -> None:
        super().__init__("molokini", ())
        self.live, self.wide, self.about = transport is not None, wide, about
        self._transport = transport or _Stopped()

    def say(self, text: str) -> None:
        """Print lines, with nothing in them that a terminal obeys."""
        sys.stdout.write("".join(f"{printable(line)}\n" for line in text.split("\n")))


class _Stopped:
    """The server of a stopped simulation: it has nothing beside its reports."""

    cluster = ""

    def call(self, service: str, method: str, document: _Found) -> _Found:
        """Nothing."""
        return {}


def show_report(
    found: Mapping[str, Any], *, transport: Transport | None = None, wide: bool = False, about: str = ""
) -> None:
    """Print *found*, whatever report it is.

    *transport*: to the live cluster of which it is. *wide*: with all that there is to show. *about*: what was
    asked, as it was typed: the kind of credentials of statistics, ``diagnose`` for reservations in full.
    """
    name = str(found["schema"]).removeprefix("molokini.maui.").partition("/")[0]
    _SHOWN[name](Shown(transport, wide, about), {**found, "of_a_log": transport is None})


def _queue(out: Shown, found: _Found) -> None:
    lists = [found["by"]] if found.get("by") else ["active", "idle", "blocked"] * out.wide
    showq.render(out, found, lists, out.wide)


def _start(out: Shown, found: _Found) -> None:
    why = showstart.render(out, found, out.about or "")
    if why:
        out.say(why)
    otherwise_s = found.get("otherwise_s")
    without = "limit" if str(found.get("rule", "")).endswith("-limit") else "rule"
    show_facts(
        {
            "firm": _FIRM[found.get("firm")],
            "would help": "; ".join(found.get("what_would_help", ())),
            f"without this {without}": ""
            if otherwise_s is None
            else f"in {duration(otherwise_s - found['now_s'])} (at {instant(otherwise_s)})",
        }
    )


_FIRM = {
    None: "",
    True: "yes",
    False: "no: it moves later where a job ahead of it takes an earlier place",
}
"""Whether a reservation can move to a later start."""


def _statistics(out: Shown, found: _Found) -> None:
    if "credentials" not in found:
        of_nodes = report(out, "nodes") if out.live else None
        showstats.render_totals(out, found, of_nodes, verbose=True)
    else:
        showstats.render_credentials(out, found, out.about, found["credentials"], total=True)


def _limits(out: Shown, found: _Found) -> None:
    kinds = [found["by"]] if found["by"] else dict.fromkeys(one["type"] for one in found["credentials"])
    for kind in kinds:
        limits.render(out, found, kind)
    if not found["credentials"]:
        out.say("no credential has limits or jobs")


def _reservations(out: Shown, found: _Found) -> None:
    if out.about == "diagnose":
        reservations.render(out, found, found["reservations"])
    else:
        showres.render(out, found, found["reservations"], verbose=True)


def _job(out: Shown, found: _Found) -> None:
    name = found["job"]
    number, _, index = name.rstrip("]").partition("[")
    ref = {"id": int(number), **({"array_index": int(index)} if index else {})}
    job = out.transport.call("JobService", "GetJob", {"job": ref}) or {**ref, **_as_served(found)}
    checkjob.render(out, name, job, found, out.wide)
    if found.get("bank") is not None:
        show_facts({"paid by": _payment(found["bank"])})


def _as_served(found: _Found) -> _Found:
    """The job of a report, as the server would have it."""
    state = found["state"].upper()
    times = {name: found.get(name) for name in ("submitted_s", "start_s", "expected_end_s")}
    names = ("user", "group", "account", "queue", "qos")
    estimate_s = math.inf if found["estimate_s"] is None else found["estimate_s"]
    return {
        **{name: value for name, value in times.items() if value is not None},
        "state": state if state in ("RUNNING", "SUSPENDED", "HELD") else "WAITING",
        "user": found["user"],
        "attempt": found.get("attempt", 0),
        "elapsed_s": 0.0 if found.get("start_s") is None else found["now_s"] - found["start_s"],
        "allocation": [{"node": node, "processors": count} for node, count in found["nodes"].items()],
        "spec": {
            **{name: found[name] for name in names},
            "estimate_s": estimate_s,
            "resources": {"processors": found["processors"]},
        },
    }


def _payment(bank: _Found) -> str:
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


def _matrix(out: Shown, found: _Found) -> None:
    from molokini.clients.show.matrix_tables import show_matrix

    show_matrix(found)


def _balances(out: Shown, found: _Found) -> None:
    from molokini.clients.show.bank_tables import show_accounts
    from molokini.clients.show.rich_tables import console

    show_accounts(console(), found["accounts"])


_SHOWN: dict[str, Callable[[Shown, _Found], None]] = {
    "priorities": lambda out, found: priorities.render(out, found, found["jobs"]),
    "fairshare": fairshare.render,
    "nodes": lambda out, found: nodes.render(out, found["nodes"]),
    "blocked": lambda out, found: blocked.render(out, found["jobs"]),
    "reservations": _reservations,
    "queue": _queue,
    "start": _start,
    "windows": lambda out, found: showbf.render(out, found, verbose=True),
    "statistics": _statistics,
    "job": _job,
    "node": checknode.render,
    "grid": matrix.render,
    "limits": _limits,
    "partitions": partitions.render,
    "jobs": jobs.render,
    "scheduler": scheduler.render,
    "agents": scheduler.render,
    "matrix": _matrix,
    "balances": _balances,
}
