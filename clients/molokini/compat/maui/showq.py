"""``showq``: jobs that run, that may start, and that may not."""

from __future__ import annotations

from molokini.compat._types import Any, Found, Invocation, Mapping, Sequence
from molokini.compat.maui.asking import KINDS, me, report
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.maui.times import date, span
from molokini.compat.maui.words import brief, holds_of, percent, state
from molokini.compat.options import option

OPTIONS = (
    HELP,
    option("-r", text="only active jobs, with more columns"),
    option("-i", text="only idle jobs, with more columns"),
    option("-b", text="only blocked jobs, with the reason for each"),
    option("-u", "[USER]", "only jobs of USER (default: the caller)"),
    option("-g", "GROUP", "only jobs of GROUP"),
    option("-a", "ACCOUNT", "only jobs of ACCOUNT"),
    option("-c", "CLASS", "only jobs of CLASS (a queue)"),
    option("-q", "QOS", "only jobs of QOS"),
    option("-p", "PARTITION", "jobs that run or may run in PARTITION"),
    option("-v", text="names in full; with -r also priorities"),
)
_BLOCKS = {"r": "active", "i": "idle", "b": "blocked"}


def run(run: Invocation) -> int:
    """Print one of the blocks, or all three."""
    given = read(run, OPTIONS)
    at_most(run, given, 0)
    wanted = {KINDS[letter]: given.one(letter) for letter in "gacq" if given.flag(letter)}
    if given.flag("u"):
        wanted["user"] = given.one("u") or me()
    if given.flag("p"):
        wanted["partition"] = given.one("p")
    chosen = [name for letter, name in _BLOCKS.items() if given.flag(letter)]
    found = report(run, "queue", **wanted, **({"by": chosen[0]} if len(chosen) == 1 else {}))
    render(run, found, chosen, given.flag("v"))
    return 0


def render(run: Invocation, found: Found, chosen: Sequence[str], verbose: bool) -> None:
    """Print the lists that are *chosen* with all their columns; without any, all three in short."""
    if not chosen:
        _whole(run, found, verbose)
    for name in chosen:
        {"active": _active, "idle": _idle, "blocked": _blocked}[name](run, found, verbose)


def _whole(run: Invocation, found: Found, verbose: bool) -> None:
    holds = holds_of(run, found["blocked"])
    width = None if verbose else 8

    def row(job: Found, length_s: float | None, at_s: float | None) -> str:
        who = job["user"] if width is None else brief(job["user"], width)
        return (
            f"{job['job']:<18} {who:>8} {state(job, holds):>10} {job['processors']:>5} "
            f"{span(length_s):>11} {date(found, at_s):>20}"
        )

    def head(title: str, length: str, at: str) -> None:
        run.say(title)
        run.say(f"{'JOBNAME':<18} {'USERNAME':>8} {'STATE':>10} {'PROC':>5} {length:>11} {at:>20}\n")

    head("ACTIVE JOBS--------------------", "REMAINING", "STARTTIME")
    for job in found["active"]:
        left_s = job["estimate_s"] if job["remaining_s"] is None else job["remaining_s"]
        run.say(row(job, left_s, job["start_s"]))
    run.say("")
    _use(run, found["totals"])
    head("\nIDLE JOBS----------------------", "WCLIMIT", "QUEUETIME")
    for job in found["idle"]:
        run.say(row(job, job["estimate_s"], job["submitted_s"]))
    totals = found["totals"]
    run.say(f"\n{totals['idle']} Idle Job{_s(totals['idle'])}")
    head("\nBLOCKED JOBS-------------------", "WCLIMIT", "QUEUETIME")
    for job in found["blocked"]:
        run.say(row(job, job["estimate_s"], job["submitted_s"]))
    active, idle, blocked = totals["active"], totals["idle"], totals["blocked"]
    run.say(
        f"\nTotal Jobs: {active + idle + blocked}   Active Jobs: {active}   "
        f"Idle Jobs: {idle}   Blocked Jobs: {blocked}"
    )


def _use(run: Invocation, totals: Mapping[str, Any]) -> None:
    """How much of the machine the active jobs hold."""
    active, busy, processors = totals["active"], totals["processors_active"], totals["processors"]
    title = "Active Job " if active == 1 else "Active Jobs"
    run.say(
        f"{active:>6} {title}  {busy:>6} of {processors:>4} Processors Active {percent(busy, processors)}"
    )
    nodes = totals["nodes"]
    if nodes is not None and nodes != processors:
        used = totals["nodes_active"]
        run.say(f"{'':20}{used:>6} of {nodes:>4} Nodes Active      {percent(used, nodes)}")


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _short(name: str, verbose: bool, width: int) -> str:
    return name if verbose else brief(name, width)


def _active(run: Invocation, found: Found, verbose: bool) -> None:
    priority = f" {'Priority':>10}" if verbose else ""
    run.say(
        f"{'JobName':>18}  S Par  Effic XFactor  Q {'User':>8} {'Group':>8} {'MHost':>15} "
        f"{'Procs':>5} {'Remaining':>11} {'StartTime':>20}{priority}\n"
    )
    for job in found["active"]:
        host = min(job["nodes"], default="")
        left_s = job["estimate_s"] if job["remaining_s"] is None else job["remaining_s"]
        last = f" {'-':>10}" if verbose else ""
        mark, part = "S" if job["state"] == "suspended" else "R", brief(job["partition"] or "DEFAULT", 3)
        run.say(
            f"{job['job']:>18}  {mark} {part:<3} "
            f"{'------':>6} {_factor(job)} {_quality(job)} "
            f"{_short(job['user'], verbose, 8):>8} {_short(job['group'] or '-', verbose, 8):>8} "
            f"{_short(host or '-', verbose, 15):>15} {job['processors']:>5} {span(left_s):>11} "
            f"{date(found, job['start_s']):>20}{last}"
        )
    run.say("")
    _use(run, found["totals"])


def _factor(job: Found) -> str:
    factor = job["expansion_factor"]
    return f"{'-----' if factor is None else f'{factor:.1f}':>7}"


def _quality(job: Found) -> str:
    """The first two letters of the quality of service."""
    return f"{brief(job['qos'] or '--', 2):>2}"


def _idle(run: Invocation, found: Found, verbose: bool) -> None:
    run.say(
        f"{'JobName':>18}  {'Priority':>10} XFactor  Q {'User':>8} {'Group':>8} {'Procs':>5} "
        f"{'WCLimit':>11} {'Class':>10} {'SystemQueueTime':>20}\n"
    )
    for job in found["idle"]:
        mark = "*" if job["reserved_s"] is not None else " "
        priority = "-" if job["priority"] is None else f"{job['priority']:.0f}"
        queued_s = job["submitted_s"]
        run.say(
            f"{job['job']:>18}{mark} {priority:>10} {_factor(job)} {_quality(job)} "
            f"{_short(job['user'], verbose, 8):>8} {_short(job['group'] or '-', verbose, 8):>8} "
            f"{job['processors']:>5} {span(job['estimate_s']):>11} "
            f"{_short(job['queue'], verbose, 10):>10} {date(found, queued_s):>20}"
        )
    count = len(found["idle"])
    run.say(f"\nJobs: {count}  Total Backlog: {_backlog(found):.2f} PH\n")


def _backlog(found: Found) -> float:
    """Processor-hours that the idle jobs have asked for."""
    return float(sum(job["processors"] * (job["estimate_s"] or 0.0) for job in found["idle"])) / 3600.0


def _blocked(run: Invocation, found: Found, verbose: bool) -> None:
    holds = holds_of(run, found["blocked"])
    run.say(f"{'JobName':>18} {'User':>8}  Reason\n")
    for job in found["blocked"]:
        word = state(job, holds)
        times = f" (for {job['count']} jobs of the array)" if job["count"] > 1 else ""
        run.say(
            f"{job['job']:>18} {_short(job['user'], verbose, 8):>8}  "
            f"{job['reason'] if word == 'Idle' else f'{word}: {_told(job)}'}{times}"
        )
    run.say(f"\nJobs: {found['totals']['blocked']}\n")


def _told(job: Found) -> str:
    return str(job["reason"] or job["rule"])
