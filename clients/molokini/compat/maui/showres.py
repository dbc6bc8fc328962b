"""``showres``: what jobs hold, what they are promised, and what administrators keep."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation, Iterator, Values
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.maui.times import date, span
from molokini.compat.options import option

OPTIONS = (
    HELP,
    option("-n", text="node by node"),
    option("-g", text="with -n: the name of the node on each line, for grep"),
    option("-r", text="with -n: times relative to now: start, end and duration"),
    option("-s", text="one line per job: user, state, start, end and number of nodes"),
    option("-o", text="with a reservation: those that overlap with it"),
    option("-v", text="also show who has access to each"),
)
_STATES = {"running": "R", "suspended": "S", "idle": "I", "active": "-"}


def run(run: Invocation) -> int:
    """Print the reservations; those that are named, where any is."""
    given = read(run, OPTIONS, "[RESERVATION]")
    at_most(run, given, 1)
    found = report(run, "reservations")
    lines = _chosen(found["reservations"], given)
    if given.flag("n"):
        _by_node(run, found, lines, given)
    elif given.flag("s"):
        _summary(run, found, lines)
    else:
        render(run, found, lines, given.flag("v"))
    return 0


def _chosen(lines: list[Found], given: Values) -> list[Found]:
    if not given.words:
        if given.flag("o"):
            raise no("showres -o wants the name of a reservation")
        return lines
    name = given.words[0]
    named = [one for one in lines if one["reservation"] == name]
    if not named:
        raise no(f"cannot locate reservation '{name}'")
    return [one for one in lines if _overlap(one, named[0])] if given.flag("o") else named


def _overlap(one: Found, other: Found) -> bool:
    """Whether both are there at one instant, and share nodes where those of both are known."""
    if not (_before(one["start_s"], other["end_s"]) and _before(other["start_s"], one["end_s"])):
        return False
    nodes, others = _nodes(one), _nodes(other)
    return not nodes or not others or not set(nodes).isdisjoint(others)


def _before(start_s: float, end_s: float | None) -> bool:
    return end_s is None or start_s < end_s


def _nodes(one: Found) -> dict[str, int]:
    nodes: dict[str, int] = one["nodes"]
    return nodes


def render(run: Invocation, found: Found, lines: list[Found], verbose: bool) -> None:
    """Print *lines* of the report *found*."""
    now_s = found["now_s"]
    run.say("Reservations\n")
    run.say(
        f"{'ReservationID':<18} {'Type':>5} S {'Start':>11} {'End':>11} {'Duration':>11} "
        f"{'N/P':>9} {'StartTime':>20}\n"
    )
    for one in lines:
        end = None if one["end_s"] is None else one["end_s"] - now_s
        size = f"{len(one['nodes']) or '-'}/{one['processors']}"
        run.say(
            f"{one['reservation']:<18} {_kind(one):>5} {_STATES[one['state']]} "
            f"{span(one['start_s'] - now_s):>11} {span(end):>11} {span(one['duration_s']):>11} "
            f"{size:>9} {date(found, one['start_s']):>20}"
        )
        if verbose:
            run.say(f"    ACL: {access(one) or 'NONE'}")
    run.say(f"\n{len(lines)} reservation{'' if len(lines) == 1 else 's'} located")


def _kind(one: Found) -> str:
    return "Job" if one["type"] == "job" else "User"


def access(one: Found) -> str:
    """Who has access to a reservation: ``USER==ann+ CLASS==batch+``."""
    names = {"account": "ACCT", "queue": "CLASS"}
    return " ".join(
        f"{names.get(kind, kind.upper())}=" + ":".join(f"={name}+" for name in members)
        for kind, members in one["access"].items()
    )


def _summary(run: Invocation, found: Found, lines: list[Found]) -> None:
    run.say(f"{'JobName':<18} {'User':>8} S {'StartTime':>20} {'EndTime':>20} {'Count':>5}\n")
    for one in lines:
        if one["type"] == "job":
            run.say(
                f"{one['reservation']:<18} {one['user']:>8} {_STATES[one['state']]} "
                f"{date(found, one['start_s']):>20} {date(found, one['end_s']):>20} "
                f"{len(one['nodes']) or one['processors']:>5}"
            )


def _by_node(run: Invocation, found: Found, lines: list[Found], given: Values) -> None:
    relative = given.flag("r")
    run.say(f"reservations on {date(found, found['now_s'])}\n")
    last = "" if relative else f" {'StartTime':>20}"
    times = (
        f"{'Start':>11}     {'End':>11} {'(Duration)':>13}" if relative else f"{'Start':>11} {'Duration':>11}"
    )
    run.say(
        f"{'NodeName':<18} {'Type':>5} {'ReservationID':>18} {'JobState':>10} {'Task':>4} {times}{last}\n"
    )
    seen, before = 0, ""
    for node, one, tasks in _parts(lines):
        seen += node != before
        shown = node if node != before or given.flag("g") else ""
        run.say(_node_line(found, shown, one, tasks, relative))
        before = node
    run.say(f"\n{seen} node{'' if seen == 1 else 's'} reserved")


def _parts(lines: list[Found]) -> Iterator[tuple[str, Found, int]]:
    """(node, reservation, tasks there), by node and begin."""
    for node in sorted({name for one in lines for name in one["nodes"]}):
        for one in lines:
            if node in one["nodes"]:
                yield node, one, one["nodes"][node]


def _node_line(found: Found, node: str, one: Found, tasks: int, relative: bool) -> str:
    now_s = found["now_s"]
    state = {"running": "Running", "suspended": "Suspended", "idle": "Idle"}.get(one["state"], "N/A")
    state = state if one["type"] == "job" else "N/A"
    left = f"{node:<18} {_kind(one):>5} {one['reservation']:>18} {state:>10} {tasks:>4} "
    start = f"{span(one['start_s'] - now_s):>11}"
    if relative:
        end = None if one["end_s"] is None else one["end_s"] - now_s
        return f"{left}{start} --> {span(end):>11} {'(' + span(one['duration_s']) + ')':>13}"
    return f"{left}{start} {span(one['duration_s']):>11} {date(found, one['start_s']):>20}"
