"""``showbf``: what could start at once, and for how long."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Values
from molokini.compat.groups import my_group
from molokini.compat.maui.asking import me, report
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, at_most, number, read
from molokini.compat.maui.times import date, seconds, span
from molokini.compat.options import option, refused

OPTIONS = (
    HELP,
    option("-A", text="for any user, not only for the caller"),
    option("-u", "USER", "for USER (default: the caller)"),
    option("-g", "GROUP", "for GROUP (default: the caller's)"),
    option("-a", "ACCOUNT", "for ACCOUNT"),
    option("-c", "CLASS", "for CLASS (a queue)"),
    option("-q", "QOS", "for QOS"),
    option("-p", "PARTITION", "only in PARTITION"),
    option("-d", "TIME", "windows of at least this duration, [[[DD:]HH:]MM:]SS"),
    option("-f", "FEATURE[:FEATURE]", "on nodes that have all of these features"),
    option("-m", "[CMP]MB", "on nodes with this memory; CMP is >=, >, ==, <= or <"),
    option("-M", "MB", "free memory per processor"),
    option("-n", "NODES", "on at least this many nodes"),
    option("-r", "PROCS", "at least this many processors"),
    option("-v", text="also show the end of each window, and its nodes with -n"),
    refused("-S", why="windows of single nodes are not kept; -f, -m and -n choose nodes"),
)
_COMPARISONS = (">=", "<=", "==", ">", "<", "=", "")


def run(run: Invocation) -> int:
    """Print the windows, the widest first."""
    given = read(run, OPTIONS)
    at_most(run, given, 0)
    render(run, report(run, "windows", **_asked(given)), given.flag("v"))
    return 0


def render(run: Invocation, found: dict[str, Any], verbose: bool) -> None:
    """Print the windows of the report *found*."""
    whose = found["for"]
    told = " ".join(
        f"{name}: '{whose[kind]}'"
        for name, kind in (
            *(("user", "user"), ("group", "group"), ("account", "account")),
            *(("class", "queue"), ("qos", "qos")),
        )
        if kind in whose
    )
    partition = f"partition: {found['partition'] or 'ALL'}"
    run.say(f"backfill window ({f'{told} ' if told else ''}{partition}) {date(found, found['now_s'])}\n")
    if not found["windows"]:
        run.say("no procs available")
    for one in found["windows"]:
        run.say(_line(found, one, verbose))


def _line(found: dict[str, Any], one: dict[str, Any], verbose: bool) -> str:
    procs = f"{one['processors']:>3} proc{'' if one['processors'] == 1 else 's'} available"
    until = one["until_s"]
    length = "with no timelimit" if until is None else f"for {span(one['duration_s']):>11}"
    nodes = f" on {one['nodes']} node{'' if one['nodes'] == 1 else 's'}" if verbose and "nodes" in one else ""
    last = f" until {date(found, until)}" if verbose and until is not None else ""
    return f"{procs} {length}{nodes}{last}"


def _asked(given: Values) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    if not given.flag("A"):
        asked = {"user": me(), "group": my_group()}
    if given.flag("u") and not given.flag("g"):
        # The caller's own group is not that of another user.
        asked.pop("group", None)
    for letter, field in (("u", "user"), ("g", "group"), ("a", "account"), ("c", "queue"), ("q", "qos")):
        if given.flag(letter):
            asked[field] = given.one(letter)
    if given.flag("p"):
        asked["partition"] = given.one("p")
    if given.flag("d"):
        asked["duration_s"] = seconds("-d", given.one("d"))
    if given.flag("r"):
        asked["processors"] = number("-r", given.one("r"))
    if given.flag("n"):
        asked["nodes"] = number("-n", given.one("n"))
    if given.flag("f"):
        asked["features"] = [name for name in given.one("f").split(":") if name]
    if given.flag("m"):
        asked["memory"] = _wish(given.one("m"))
    if given.flag("M"):
        asked["memory_each_mb"] = float(number("-M", given.one("M")))
    return asked


def _wish(text: str) -> str:
    """``>=4096`` as the server reads it."""
    sign = next(one for one in _COMPARISONS if text.startswith(one))
    size = text[len(sign) :]
    if not size.isascii() or not size.isdigit():
        raise no(f"-m '{text[:40]}': expected [CMP]MB, where CMP is one of >=, >, ==, <=, <")
    return sign + size
