"""Where ``slurm`` differs from other policies, and why, held against replays of pieces of logs."""

from collections.abc import Callable, Sequence
from math import expm1, log, log1p
from statistics import fmean

from molokini.studies.claims import Claim, Claims, Figure, Finding
from molokini.studies.comparing import rises_with
from molokini.studies.fidelity.fidelity_cases import (
    CONSERVATIVE,
    EASY,
    FAR,
    FINE,
    INTERVAL_S,
    INTERVALS,
    MAUI,
    NODED,
    PHASE,
    PROMPT,
    SLURM,
    Pieces,
)
from molokini.studies.log_files import Log
from molokini.studies.results import Interval, NotRun, Results, interval
from molokini.studies.rule import above, at_least, below, each_within, together, within

SAID = Claims()
ADDED_S = 60.0
"""Added to waits before they are divided: waits of seconds are no waits."""
ALIKE = 1.1
LITTLE = 1.05
MOST_OF = 0.95
RAN_SLURM = "CEA-Curie"
Logs = Sequence[Log]
Check = Callable[[Results, Logs], Finding]


def ratios(results: Results, case: Pieces, one: str, other: str, metric: str = "wait_s") -> list[float]:
    """The logarithm of *metric* under *one* over that under *other*, piece by piece: above 0 it is more."""
    mine, its = (results.samples(case, f"{metric}_{name}") for name in (one, other))
    added = ADDED_S if metric.endswith("_s") else 0.0
    return [log(a + added) - log(b + added) for a, b in zip(mine, its, strict=True)]


def ratio(results: Results, case: Pieces, one: str, other: str, metric: str = "wait_s") -> Interval:
    """Its mean over the pieces."""
    return interval(ratios(results, case, one, other, metric))


def percent(one: Interval) -> Interval:
    """A logarithm of a ratio as the share by which it is more."""
    return Interval(expm1(one.mean), expm1(one.low), expm1(one.high), one.samples)


def cases_of_all(logs: Logs) -> list[Pieces]:
    """A case a log; NotRun without logs."""
    if not logs:
        raise NotRun("no logs were given (--logs FOLDER)")
    return [Pieces(one) for one in logs]


def _each(
    results: Results, logs: Logs, one: str, other: str, metric: str = "wait_s"
) -> tuple[list[Interval], str, list[Figure]]:
    """The ratio on each log, its means in words, and the figures."""
    cases = cases_of_all(logs)
    found = [ratio(results, case, one, other, metric) for case in cases]
    shown = [percent(each) for each in found]
    told = ", ".join(f"{each.mean:+.1%} on {case.log.title}" for each, case in zip(shown, cases, strict=True))
    figures = [
        Figure(f"{metric} under {one} over {other}, less 1: {case.log.title}", None, each)
        for each, case in zip(shown, cases, strict=True)
    ]
    return found, told, figures


def _alike(results: Results, logs: Logs, one: str, other: str, times: float) -> Finding:
    found, told, figures = _each(results, logs, one, other)
    return each_within(found, -log(times), log(times), told, figures)


@SAID("near", "how near", "On each log mean waits under slurm are within a tenth of those under EASY.")
def _near(results: Results, logs: Logs) -> Finding:
    return _alike(results, logs, SLURM, EASY, ALIKE)


@SAID("maui", "how near", "Maui with its defaults is EASY: mean waits differ by 5% at most.")
def _maui(results: Results, logs: Logs) -> Finding:
    return _alike(results, logs, MAUI, EASY, LITTLE)


@SAID(
    "conservative",
    "how near",
    "With its timers taken away, slurm is conservative backfilling: mean waits differ by 5% at most.",
)
def _conservative(results: Results, logs: Logs) -> Finding:
    return _alike(results, logs, PROMPT, CONSERVATIVE, LITTLE)


@SAID("waits", "which way", "Mean waits under slurm are longer than under EASY, on each log.")
def _waits(results: Results, logs: Logs) -> Finding:
    return above(*_each(results, logs, SLURM, EASY))


@SAID("slowdowns", "which way", "Mean bounded slowdowns under slurm are larger than under EASY, on each log.")
def _slowdowns(results: Results, logs: Logs) -> Finding:
    return above(*_each(results, logs, SLURM, EASY, "slowdown"))


@SAID(
    "longest",
    "which way",
    "The job that waits longest waits less than under EASY, as slurm plans for every job.",
)
def _longest(results: Results, logs: Logs) -> Finding:
    return below(*_each(results, logs, SLURM, EASY, "longest_wait_s"))


@SAID(
    "plans",
    "why",
    "Plans for every job make the difference: starts are nearer to those of conservative backfilling than to "
    "those of EASY.",
)
def _plans(results: Results, logs: Logs) -> Finding:
    found = []
    for case in cases_of_all(logs):
        near, far = (results.samples(case, f"within_{name}") for name in (CONSERVATIVE, EASY))
        found.append(interval([a - b for a, b in zip(near, far, strict=True)]))
    told = f"shares of starts within {INTERVAL_S:g} s, by {min(one.mean for one in found):+.1%} to "
    return above(found, told + f"{max(one.mean for one in found):+.1%}")


@SAID(
    "timers",
    "why",
    "Timers cost little: with passes at every event and nodes that are free at once, mean waits change by 5% "
    "at most.",
)
def _timers(results: Results, logs: Logs) -> Finding:
    return _alike(results, logs, PROMPT, SLURM, LITTLE)


@SAID("interval", "why", "The longer the interval between backfill passes, the longer are mean waits.")
def _interval(results: Results, logs: Logs) -> Finding:
    steps = []
    for name, length_s in INTERVALS.items():
        every = [ratios(results, case, name, EASY) for case in cases_of_all(logs)]
        steps.append((f"{length_s:g} s", [fmean(of_seed) for of_seed in zip(*every, strict=True)]))
    return rises_with(steps)


@SAID("grid", "why", "Plans to the minute cost little: to the second, mean waits change by 5% at most.")
def _grid(results: Results, logs: Logs) -> Finding:
    return _alike(results, logs, FINE, SLURM, LITTLE)


@SAID("horizon", "why", "The horizon of a day costs little: with one of 30 days they change by 5% at most.")
def _horizon(results: Results, logs: Logs) -> Finding:
    return _alike(results, logs, FAR, SLURM, LITTLE)


@SAID(
    "nodes",
    "why",
    "Where plans are of nodes by name, mean waits are longer than where they are of counted processors.",
)
def _nodes(results: Results, logs: Logs) -> Finding:
    known = [one for one in logs if results.known(Pieces(one), f"wait_s_{NODED}")]
    if logs and not known:
        raise NotRun("every machine is too large to be replayed on nodes by name")
    return above(*_each(results, known, NODED, SLURM))


@SAID(
    "phase",
    "what no log tells",
    f"Another phase of the backfill timer moves 5% of starts at most by more than {INTERVAL_S:g} s.",
)
def _phase(results: Results, logs: Logs) -> Finding:
    found = {case: results.mean(case, f"within_{PHASE}") for case in cases_of_all(logs)}
    return together(
        {case.log.title: at_least(one, MOST_OF, f"{one.mean:.1%} stay") for case, one in found.items()}
    )


@SAID(
    "recorded",
    "what no log tells",
    "On CEA-Curie, whose machine ran Slurm, mean waits are within a tenth of the recorded ones.",
)
def _recorded(results: Results, logs: Logs) -> Finding:
    case = next((Pieces(one) for one in logs if one.title == RAN_SLURM), None)
    if case is None:
        raise NotRun(f"there is no log of {RAN_SLURM}")
    real = results.samples(case, "wait_s_log")
    ours = results.samples(case, f"wait_s_{SLURM}")
    found = interval([log1p(a) - log1p(b) for a, b in zip(ours, real, strict=True)])
    told = f"{percent(found).mean:+.0%}: {fmean(ours):,.0f} s beside {fmean(real):,.0f} s"
    return within(found, -log(ALIKE), log(ALIKE), told)


def claims_over(logs: Logs) -> list[Claim]:
    """Every claim, checked on these logs."""
    return SAID.given(logs)
