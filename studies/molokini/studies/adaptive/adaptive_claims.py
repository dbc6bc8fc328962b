"""What ``adaptive`` was built for, held against its replays and those of each candidate alone."""

from collections.abc import Callable, Sequence
from math import expm1, log, log1p
from statistics import fmean

from molokini.studies.adaptive.adaptive_cases import ADAPTIVE, CANDIDATES, LOADS, Loaded, exact, place_of
from molokini.studies.claims import Claim, Claims, Figure, Finding
from molokini.studies.comparing import falls_with
from molokini.studies.log_files import Log
from molokini.studies.results import Interval, NotRun, Results, interval
from molokini.studies.rule import Count, above, below, by_intervals, somewhere

SAID = Claims()
ENOUGH = 4
"""Logs on which it is to be no worse than the best."""
EASY = "easy"
Logs = Sequence[Log]
Check = Callable[[Results, Logs], Finding]


def ratios(
    results: Results, case: Loaded, one: str, other: str = ADAPTIVE, metric: str = "slowdown"
) -> list[float]:
    """The logarithm of *metric* under *other* over that under *one*, seed by seed: above 0 it is more."""
    mine, its = (results.samples(case, f"{metric}_{place_of(name)}") for name in (other, one))
    if metric == "slowdown":
        return [log(a / b) for a, b in zip(mine, its, strict=True)]
    # Waits may be 0.
    return [log1p(a) - log1p(b) for a, b in zip(mine, its, strict=True)]


def ratio(results: Results, case: Loaded, one: str, metric: str = "slowdown") -> Interval:
    """Its mean, of ``adaptive`` over *one*."""
    return interval(ratios(results, case, one, metric=metric))


def best_of(results: Results, case: Loaded) -> str:
    """The candidate of the least mean logarithm of slowdowns."""
    return min(
        CANDIDATES,
        key=lambda name: fmean(map(log, results.samples(case, f"slowdown_{place_of(name)}"))),
    )


def named(case: Loaded) -> str:
    """A case in a few words."""
    return f"{case.log.title}, load {case.load:g}{', exact estimates' if case.exact else ''}"


def percent(one: Interval) -> Interval:
    """A logarithm of a ratio as the share by which it is more."""
    return Interval(expm1(one.mean), expm1(one.low), expm1(one.high), one.samples)


def _given(logs: Logs) -> Logs:
    if not logs:
        raise NotRun("no logs were given (--logs FOLDER)")
    return logs


def _all(logs: Logs) -> list[Loaded]:
    return [Loaded(one, load) for one in _given(logs) for load in LOADS]


@SAID(
    "no-worse",
    "the aim",
    "On at least four logs it is at no load worse than the best single candidate, which is known afterwards.",
)
def _no_worse(results: Results, logs: Logs) -> Finding:
    if len(_given(logs)) < ENOUGH:
        raise NotRun(f"{len(logs)} logs were given, and this is said of {ENOUGH} at least")
    found = {case: ratio(results, case, best_of(results, case)) for case in _all(logs)}
    worse = {
        one.title: [case.load for case, each in found.items() if case.log == one and each.above]
        for one in logs
    }
    good = [title for title, loads in worse.items() if not loads]
    bad = "; ".join(
        f"{title} at {', '.join(f'{load:g}' for load in loads)}" for title, loads in worse.items() if loads
    )
    better = sum(each.below for each in found.values())
    why = (
        f"on {len(good)} of {len(logs)} logs at no load ({', '.join(good) or 'none'}); clearly worse on "
        f"{bad or 'none'}; clearly better than the best in {better} of {len(found)}"
    )
    figures = [
        Figure(f"slowdown over that of {best_of(results, case)}, less 1: {named(case)}", None, percent(each))
        for case, each in found.items()
    ]
    return by_intervals(len(good) >= ENOUGH, why, figures)


@SAID(
    "over-easy",
    "the aim",
    "It has less slowdown than EASY in the order of arrival, on each log at each load.",
)
def _over_easy(results: Results, logs: Logs) -> Finding:
    found = [ratio(results, case, EASY) for case in _all(logs)]
    means = [expm1(one.mean) for one in found]
    why = f"logarithm of the ratio; slowdown changes by {min(means):.0%} to {max(means):.0%}"
    return below(found, why)


def _over_all(results: Results, logs: Logs, name: str) -> Interval:
    """The mean over all logs and loads, seed by seed."""
    every = [ratios(results, case, name) for case in _all(logs)]
    return interval([fmean(of_seed) for of_seed in zip(*every, strict=True)])


@SAID("over-each", "the aim", "Over all logs and loads it has less slowdown than each single candidate.")
def _over_each(results: Results, logs: Logs) -> Finding:
    found = {name: _over_all(results, logs, name) for name in CANDIDATES}
    told = ", ".join(f"{expm1(one.mean):.0%} against {name}" for name, one in found.items())
    figures = [
        Figure(f"slowdown over that of {name}, less 1: all logs and loads", None, percent(one))
        for name, one in found.items()
    ]
    return below(list(found.values()), f"geometric means over logs and loads: {told}", figures)


@SAID(
    "no-one-best",
    "why choose",
    "No single candidate is the best everywhere: there are two that each beat the other.",
)
def _no_one_best(results: Results, logs: Logs) -> Finding:
    cases = _all(logs)
    found, pairs = [], 0
    for at, one in enumerate(CANDIDATES):
        for other in CANDIDATES[:at]:
            each = {case: interval(ratios(results, case, one, other)) for case in cases}
            wins, losses = ([c for c, r in each.items() if getattr(r, side)] for side in ("below", "above"))
            pairs += bool(wins) or bool(losses)
            if wins and losses:
                found.append(
                    f"{other} beats {one} on {named(wins[0])}, and {one} beats it on {named(losses[0])}"
                )
    told = found[0] if found else f"in {pairs} pairs one is somewhere clearly better, and the other nowhere"
    return somewhere(Count(len(found), 0, pairs), told)


@SAID("load", "why choose", "What it gains over EASY grows with the load.")
def _load(results: Results, logs: Logs) -> Finding:
    steps = []
    for load in LOADS:
        every = [ratios(results, Loaded(one, load), EASY) for one in _given(logs)]
        steps.append((f"load {load:g}", [fmean(of_seed) for of_seed in zip(*every, strict=True)]))
    return falls_with(steps)


@SAID("waits", "what it costs", "Choosing by slowdown makes mean waits no longer than under EASY.")
def _waits(results: Results, logs: Logs) -> Finding:
    found = [ratio(results, case, EASY, "wait_s") for case in _all(logs)]
    return below(found, "logarithm of the ratio of mean waits")


@SAID(
    "longest",
    "what it costs",
    "The job that waits longest waits longer than under EASY: slowdown says little of it.",
)
def _longest(results: Results, logs: Logs) -> Finding:
    found = [ratio(results, case, EASY, "longest_wait_s") for case in _all(logs)]
    return above(found, "logarithm of the ratio of longest waits")


@SAID(
    "estimates",
    "why it is worse",
    "With exact estimates it is on no log worse than the best single candidate.",
)
def _estimates(results: Results, logs: Logs) -> Finding:
    cases = [exact(one) for one in _given(logs)]
    found = {case: ratio(results, case, best_of(results, case)) for case in cases}
    worse = [case.log.title for case, one in found.items() if one.above]
    figures = [
        Figure(f"slowdown over that of {best_of(results, case)}, less 1: {named(case)}", None, percent(one))
        for case, one in found.items()
    ]
    better = [case.log.title for case, one in found.items() if one.below]
    why = f"clearly worse on {', '.join(worse) or 'none'}, clearly better on {', '.join(better) or 'none'}"
    return by_intervals(not worse, why, figures)


def claims_over(logs: Logs) -> list[Claim]:
    """Every claim, checked on these logs."""
    return SAID.given(logs)
