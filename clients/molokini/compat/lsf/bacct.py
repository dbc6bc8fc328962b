"""``bacct``: sums about jobs that have ended."""

from __future__ import annotations

import time

from molokini.compat._types import Invocation, Job, Sequence, Values
from molokini.compat.lsf import states, times
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import refusal
from molokini.compat.lsf.quantities import is_digits
from molokini.compat.lsf.selecting import found, wish_of
from molokini.compat.lsf.wording import FULL, heading, history, wrapped
from molokini.compat.options import option, refused, without_effect

OPTIONS = (
    *USUAL,
    option("-l", text="also list each job"),
    option("-UF", text="with -l: without line breaks"),
    option("-d", text="jobs that have succeeded"),
    option("-e", text="jobs that have failed"),
    option("-u", "USERS", "jobs of these users, or of all"),
    option("-q", "QUEUE", "jobs of this queue"),
    option("-m", "HOST", "jobs on this host"),
    option("-P", "PROJECT", "jobs of this project"),
    option("-J", "NAME", "jobs with this name; * matches any text"),
    option("-C", "FROM,TO", "jobs that ended in this period: YYYY/MM/DD[/HH:MM]"),
    option("-S", "FROM,TO", "jobs that were submitted in this period"),
    option("-D", "FROM,TO", "jobs that started in this period"),
    without_effect("-b", why="the output is always brief without -l"),
    without_effect("-w", why="columns are never truncated"),
    refused("-f", "FILE", "there are no account files"),
    refused("-N", "HOST", "CPU times are not normalised: all hosts are equally fast"),
    refused("-x", why="exceptions are not watched for"),
    refused("-U", "RESERVATION", "jobs name no reservations"),
    refused("-app", "NAME", "there are no application profiles"),
    refused("-sla", "NAME", "there are no service classes"),
    refused("-cname", why="there is one cluster"),
    refused("-Lp", "NAME", "there are no licence projects"),
    refused("-M", "FILE", "name the hosts with -m"),
)
_RULE = "-" * 78
_ENDED = {"DONE": "completed normally", "EXIT": "exited"}
_INSTANT = {"C": "end_s", "S": "submitted_s", "D": "start_s"}


def run(run: Invocation) -> int:
    """Sum up what jobs have used."""
    given = given_to(run, OPTIONS, "[job ...]")
    try:
        wish = wish_of(given, finished=True)
        spans = {field: _span(given.one(name)) for name, field in _INSTANT.items() if given.flag(name)}
    except ValueError as error:
        raise refusal(run, str(error)) from None
    wish.lately = False
    wanted = _states(given)
    lines = [
        job
        for job in found(run, wish, FULL)
        if states.stat(job) in wanted
        and all(start <= job.answer.get(field, -1.0) < end for field, (start, end) in spans.items())
    ]
    _introduce(run, given, wish.users)
    if given.flag("l"):
        _each(run, given, lines)
    run.say("\n" + _RULE + "\n" if given.flag("l") else _RULE + "\n")
    _sum_up(run, lines)
    return 0


def _states(given: Values) -> tuple[str, ...]:
    if given.flag("d") == given.flag("e"):
        return states.FINISHED
    return ("DONE",) if given.flag("d") else ("EXIT",)


def _span(text: str) -> tuple[float, float]:
    """From the instant of a span to that of its end; the minute, or the day, that is named belongs to it."""
    start, comma, end = text.partition(",")
    if not comma:
        return _instant(start, False), _instant(start, True)
    return (_instant(start, False) if start else 0.0), (_instant(end, True) if end else float("inf"))


def _instant(text: str, over: bool) -> float:
    parts = text.replace(":", "/").split("/")
    if len(parts) not in (3, 5) or not all(is_digits(part) for part in parts):
        raise ValueError(f"{text[:40]}: Bad time: expected YYYY/MM/DD or YYYY/MM/DD/HH:MM")
    year, month, day, hour, minute = [*map(int, parts), 0, 0][:5]
    if not (1970 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31 and hour <= 23 and minute <= 59):
        raise ValueError(f"{text[:40]}: Bad time: expected YYYY/MM/DD or YYYY/MM/DD/HH:MM")
    if over:
        day, minute = (day + 1, minute) if len(parts) == 3 else (day, minute + 1)
    return time.mktime((year, month, day, hour, minute, 0, 0, 0, -1))


def _introduce(run: Invocation, given: Values, users: Sequence[str]) -> None:
    wanted = _states(given)
    ended = " or ".join(word for name, word in _ENDED.items() if name in wanted)
    run.say("\nAccounting information about jobs that are: ")
    run.say(f"  - submitted by {'users ' + ' '.join(users) if users else 'all users'}, ")
    run.say(f"  - accounted on {'project ' + given.one('P') if given.flag('P') else 'all projects'}.")
    run.say(f"  - {ended}.")
    run.say(f"  - executed on {'host ' + given.one('m') if given.flag('m') else 'all hosts'}.")
    run.say(f"  - submitted to {'queue ' + given.one('q') if given.flag('q') else 'all queues'}.")
    run.say("  - accounted on all service classes.")


def _each(run: Invocation, given: Values, lines: list[Job]) -> None:
    for job in lines:
        run.say(_RULE + "\n")
        for text in (heading(job, states.stat(job)), *history(job)):
            run.say(text if given.flag("UF") else wrapped(text))
        wait, turnaround = job.waited_s(0.0), _turnaround_s(job)
        run.say("\nAccounting information about this job:")
        run.say("     CPU_T     WAIT     TURNAROUND   STATUS     HOG_FACTOR    MEM    SWAP")
        memory = f"{job.memory_used_kb // 1024}M"
        run.say(
            f"{job.cpu_s:10.2f} {wait:8.0f} {turnaround:14.0f} {states.stat(job).lower():>8}"
            f" {_hog_factor(job):14.4f} {memory:>6} {'-':>7}"
        )


def _turnaround_s(job: Job) -> float:
    return max(0.0, (job.end_s or 0.0) - job.submitted_s)


def _hog_factor(job: Job) -> float:
    turnaround = _turnaround_s(job)
    return job.cpu_s / turnaround if turnaround else 0.0


def _sum_up(run: Invocation, lines: list[Job]) -> None:
    done = sum(states.stat(job) == "DONE" for job in lines)
    cpu = [job.cpu_s for job in lines] or [0.0]
    wait = [job.waited_s(0.0) for job in lines] or [0.0]
    turnaround = [_turnaround_s(job) for job in lines] or [0.0]
    hog = [_hog_factor(job) for job in lines] or [0.0]
    run.say("SUMMARY:      ( time unit: second ) ")
    _pair(
        run, "Total number of done jobs:", f"{done}", "Total number of exited jobs:", f"{len(lines) - done}"
    )
    _pair(run, "Total CPU time consumed:", _tenth(sum(cpu)), "Average CPU time consumed:", _tenth(_mean(cpu)))
    _pair(run, "Maximum CPU time of a job:", _tenth(max(cpu)), "Minimum CPU time of a job:", _tenth(min(cpu)))
    run.say(f" {'Total wait time in queues:':<26}{_tenth(sum(wait)):>9}")
    run.say(f" {'Average wait time in queue:':<26}{_tenth(_mean(wait)):>8}")
    _pair(
        run,
        "Maximum wait time in queue:",
        _tenth(max(wait)),
        "Minimum wait time in queue:",
        _tenth(min(wait)),
    )
    run.say(f" {'Average turnaround time:':<26}{_mean(turnaround):9.0f} (seconds/job)")
    longest, shortest = f"{max(turnaround):.0f}", f"{min(turnaround):.0f}"
    _pair(run, "Maximum turnaround time:", longest, "Minimum turnaround time:", shortest)
    run.say(f" Average hog factor of a job:  {_mean(hog):.2f} ( cpu time / turnaround time )")
    _pair(
        run,
        "Maximum hog factor of a job:",
        f"{max(hog):.2f}",
        "Minimum hog factor of a job:",
        f"{min(hog):.2f}",
    )
    slot_s = sum(job.elapsed_s * job.slots for job in lines)
    run.say(f" {'Total Run time consumed:':<26}{slot_s:9.0f}      {'(slots times run time)'}")
    _span_of(run, lines)


def _span_of(run: Invocation, lines: list[Job]) -> None:
    if not lines:
        return
    start = min(job.submitted_s for job in lines)
    end = max(job.end_s or 0.0 for job in lines)
    hours = (end - start) / 3600
    rate = len(lines) / hours if hours > 0 else 0.0
    run.say(f" {'Total throughput:':<26}{rate:9.2f} (jobs/hour)  during {hours:7.2f} hours")
    _pair(run, "Beginning time:", times.short(start), "Ending time:", times.short(end))


def _pair(run: Invocation, left: str, first: str, right: str, second: str) -> None:
    width = 35 - len(left)
    run.say(f" {left}{first:>{width}}      {right}{second:>{35 - len(right)}}".rstrip())


def _tenth(value: float) -> str:
    return f"{value:.1f}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
