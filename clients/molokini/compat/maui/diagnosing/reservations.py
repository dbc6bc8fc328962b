"""``diagnose -r`` and ``-s``: reservations in full; those that come again and again."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.showres import access
from molokini.compat.maui.times import span

_DAY = 86_400


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print all of them, or the one called *name*."""
    (_standing if letter == "s" else _all)(run, name)


def _all(run: Invocation, name: str) -> None:
    found = report(run, "reservations")
    lines = [one for one in found["reservations"] if name in ("", one["reservation"])]
    if name and not lines:
        raise no(f"cannot locate reservation '{name}'")
    render(run, found, lines)


def render(run: Invocation, found: Found, lines: list[Found]) -> None:
    """Print *lines* of the report *found* in full."""
    now_s = found["now_s"]
    run.say("Diagnosing Reservations")
    run.say(
        f"{'RsvID':<18} {'Type':>4} {'Par':<3} {'StartTime':>11} {'EndTime':>11} {'Duration':>11} "
        f"{'Node':>4} {'Task':>4} {'Proc':>4}"
    )
    run.say(
        f"{'-----':<18} {'----':>4} {'---':<3} {'---------':>11} {'-------':>11} {'--------':>11} "
        f"{'----':>4} {'----':>4} {'----':>4}\n"
    )
    for one in lines:
        end = None if one["end_s"] is None else one["end_s"] - now_s
        kind = "Job" if one["type"] == "job" else "User"
        run.say(
            f"{one['reservation']:<18} {kind:>4} ALL {span(one['start_s'] - now_s):>11} {span(end):>11} "
            f"{span(one['duration_s']):>11} {len(one['nodes']):>4} {one['processors']:>4} "
            f"{one['processors']:>4}"
        )
        run.say(f"    ACL: {access(one) or 'NONE'}")
        if one["nodes_named"]:
            run.say(f"    HostList: {','.join(one['nodes_named'])}")
    active = sum(one["processors"] for one in lines if one["state"] in ("running", "active"))
    run.say(f"\nActive Reserved Processors: {active}")


def _standing(run: Invocation, name: str) -> None:
    there = run.transport.call("ClusterService", "ListReservations", {}).get("reservations", [])
    lines = [one for one in there if "calendar" in one and name in ("", one["name"])]
    if name and not lines:
        raise no(f"no standing reservation '{name}'")
    run.say("standing reservation overview\n")
    run.say(
        f"{'SRName':<18} {'Period':<8} {'Days':<28} {'StartTime':>11} {'EndTime':>11} {'Depth':>5} "
        f"{'Procs':>5}  ACL\n"
    )
    for one in lines:
        when = one["calendar"]
        days = "ALL" if len(when.get("days", ())) in (0, 7) else ",".join(when["days"])
        acl = " ".join(f"{part['kind'].upper()}=={part['name']}" for part in one.get("access", ()))
        run.say(
            f"{one['name']:<18} {when.get('period', 'DAY'):<8} {days:<28} "
            f"{span(when.get('start_s', 0.0)):>11} {span(when.get('end_s', float(_DAY))):>11} "
            f"{one.get('depth', 0):>5} {one.get('processors', 0):>5}  {acl or 'NONE'}"
        )
        for each in one.get("instances", ()):
            run.say(f"    {each['name']}")
