"""``setres``: keeps processors for some."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterable, Values
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, number, one_word, read
from molokini.compat.maui.times import instant, seconds
from molokini.compat.maui.words import count
from molokini.compat.options import option, refused

OPTIONS = (
    HELP,
    option("-u", "USER[:USER]", "for these users"),
    option("-g", "GROUP[:GROUP]", "for these groups"),
    option("-a", "ACCOUNT[:ACCOUNT]", "for these accounts"),
    option("-c", "CLASS[:CLASS]", "for these classes (queues)"),
    option("-s", "START", "+[[[DD:]HH:]MM:]SS, HH[:MM[:SS]][_MM/DD[/YYYY]], or seconds (default: now)"),
    option("-e", "END", "as START; without it and -d it has no end"),
    option("-d", "TIME", "duration: [[[DD:]HH:]MM:]SS, or INFINITY"),
    option("-n", "NAME", "name (default: the first credential and a number)"),
    option("-r", "PROCS=N", "processors per task (or node); -1: whole nodes"),
    refused("-A", "ACCOUNT", "idle reserved processors are not charged to any account"),
    refused("-f", "FEATURE", "name the nodes, as 'diagnose -n' lists them with their features"),
    refused("-j", "FEATURE", "jobs have no features that could give access"),
    refused("-N", "NODESET", "name the nodes"),
    refused("-p", "PARTITION", "name the nodes, as 'diagnose -n' lists them with their partitions"),
    refused("-q", "QOS", "admit users, groups, accounts or classes"),
    refused("-x", "FLAG", "a reservation has no flags; access lists and signs say who may use it"),
)
_ACCESS = (("u", "user"), ("g", "group"), ("a", "account"), ("c", "queue"))


def run(run: Invocation) -> int:
    """Make one reservation, and tell what it holds."""
    given = read(run, OPTIONS, "ALL | TASKS==N | NODES")
    what = one_word(run, given, "what is reserved (ALL, TASKS==N or nodes)")
    made = {**_times(run, given), "access": _access(given), **_place(run, what, _each(given))}
    made["name"] = given.one("n") or _free_name(run, made["access"])
    found = run.transport.call("ClusterService", "CreateReservation", {"reservation": made})
    nodes = found.get("nodes", [])
    tasks = count(found["processors"], "task")
    spread = f" on {count(len(nodes), 'node')}" if nodes else ""
    run.say(f"reservation '{found['name']}' created{spread} ({tasks})")
    for one in nodes:
        run.say(f"{one['node']}:{one['processors']}")
    return 0


def _times(run: Invocation, given: Values) -> dict[str, float]:
    if given.flag("e") and given.flag("d"):
        raise no("setres takes -e or -d, not both")
    now = report(run, "nodes")
    start_s = instant("-s", given.one("s"), now) if given.flag("s") else now["now_s"]
    if given.flag("e"):
        return {"start_s": start_s, "end_s": instant("-e", given.one("e"), now)}
    length = given.one("d", "INFINITY")
    return {
        "start_s": start_s,
        **({} if length == "INFINITY" else {"end_s": start_s + seconds("-d", length)}),
    }


def _access(given: Values) -> list[dict[str, str]]:
    return [
        {"kind": kind, "name": name}
        for letter, kind in _ACCESS
        for name in given.one(letter).split(":")
        if name
    ]


def _each(given: Values) -> int:
    """Processors of each task; 0: all of a node, or one where tasks are anywhere."""
    if not given.flag("r"):
        return 0
    found = 0
    for part in given.one("r").replace(",", ";").split(";"):
        name, _, value = part.partition("=" if "=" in part else ":")
        if name.upper() in ("MEM", "DISK", "SWAP"):
            raise no(f"setres -r {name.upper()} is not supported: only processors can be reserved (PROCS=N)")
        if name.upper() != "PROCS":
            raise no(f"-r '{part[:40]}': expected PROCS=N")
        found = 0 if value == "-1" else number("-r PROCS", value, 1)
    return found


def _place(run: Invocation, what: str, each: int) -> dict[str, Any]:
    """How many processors *what* stands for, or which nodes."""
    if what.startswith("TASKS"):
        sign, size = what[5:7], what[7:]
        if sign not in ("==", ">="):
            raise no(f"'{what[:40]}': expected TASKS==N or TASKS>=N")
        return {"processors": number("TASKS", size, 1) * (each or 1)}
    if what == "ALL" and not each:
        return {"processors": run.transport.call("ClusterService", "GetCluster", {})["processors"]}
    known = {one["node"]: one["processors"] for one in report(run, "nodes")["nodes"]}
    names = list(known) if what == "ALL" else chosen(what, known)
    for name in names:
        if each > known[name]:
            raise no(f"-r PROCS={each}: at most the {known[name]} of node '{name}'")
    return {"nodes": [{"node": name, "processors": each or known[name]} for name in names]}


def chosen(what: str, known: Iterable[str]) -> list[str]:
    """The nodes that the list *what* names, by name or by regular expressions of whole names."""
    import re

    names, wanted = list(known), set[str]()
    for member in re.split(r"[,:](?![^\[({]*[\])}])", what):
        try:
            found = [member] if member in names else [one for one in names if re.fullmatch(member, one)]
        except re.error as error:
            raise no(f"invalid node expression '{member[:60]}': {error}") from None
        if not found:
            raise no(f"no node matches '{member[:60]}'")
        wanted.update(found)
    return [name for name in names if name in wanted]


def _free_name(run: Invocation, access: list[dict[str, str]]) -> str:
    """The first credential, or SYSTEM, and the first number that no reservation has."""
    first = access[0]["name"].rstrip("+-=") if access else "SYSTEM"
    there = run.transport.call("ClusterService", "ListReservations", {}).get("reservations", ())
    known = {one["name"] for one in there}
    number = 1
    while f"{first}.{number}" in known:
        number += 1
    return f"{first}.{number}"
