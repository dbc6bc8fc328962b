"""What Jackson, Snell and Clement claim of backfill, held against the replays."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from molokini.studies.claims import Claim, Claims, Figure, Finding
from molokini.studies.jackson2001_maui.maui_cases import ALGORITHMS, FULL, NONE, Replayed, SixNodes
from molokini.studies.log_files import Log
from molokini.studies.results import Interval, NotRun, Results, interval, less, over
from molokini.studies.rule import above, below, each_within, exactly, in_shape_if, within

SAID = Claims()

FIRSTFIT = ALGORITHMS[0]
SAME = 0.01
"""Utilizations of algorithms that differ by no more are nearly the same."""

Logs = Sequence[Log]
Each = Mapping[Replayed, Interval]


def gains(results: Results, case: Replayed, metric: str, algorithm: str = FIRSTFIT) -> list[float]:
    """The relative change of a metric through *algorithm*, seed by seed: 0.2 is a fifth more than without."""
    before = results.samples(case, f"{metric}_{NONE}")
    after = results.samples(case, f"{metric}_{algorithm}")
    return [over(new, old) - 1.0 for old, new in zip(before, after, strict=True)]


def gain(results: Results, case: Replayed, metric: str, algorithm: str = FIRSTFIT) -> Interval:
    """Its mean."""
    return interval(gains(results, case, metric, algorithm))


def _each(logs: Logs, of: Callable[[Replayed], Interval], *loads: float | None) -> Each:
    """What *of* says of each log as it was recorded and under full load, or under *loads* alone."""
    if not logs:
        raise NotRun("no logs were given (--logs FOLDER)")
    cases = [Replayed(log, load) for load in loads or (None, FULL) for log in logs]
    return {case: of(case) for case in cases}


def named(case: Replayed) -> str:
    """A replay in a few words."""
    return case.log.title if case.load is None else f"{case.log.title}, load {case.load:g}"


def _figures(found: Each, published: float | None, what: str) -> list[Figure]:
    return [Figure(f"{what}: {named(case)}", published, one) for case, one in found.items()]


def _range(found: Iterable[Interval], digits: int = 0) -> str:
    means = [one.mean for one in found]
    return f"{min(means):.{digits}%} to {max(means):.{digits}%}"


@SAID(
    "pseudo-delay",
    "section 4.1, figure 1",
    "A runs on 4 of 6 nodes and ends an hour before its limit; C, backfilled for three hours, delays B, "
    "which is ahead of it, by one hour.",
)
def _six_nodes(results: Results, _: Logs) -> Finding:
    published = {"start_of_a_h": (0.0, 0.0), "start_of_b_h": (2.0, 3.0), "start_of_c_h": (3.0, 0.0)}
    figures = [
        Figure(
            f"job {metric[9].upper()} starts, {'with' if k else 'without'} backfill: h",
            # When C starts without backfill follows from the rest: the paper does not print it.
            values[k],
            results.mean(SixNodes((NONE, FIRSTFIT)[k]), metric),
        )
        for metric, values in published.items()
        for k in range(2)
    ]
    same = all(figure.ours.mean == figure.published for figure in figures)
    later = results.difference(SixNodes(FIRSTFIT), SixNodes(NONE), "start_of_b_h")
    why = f"job B starts {later.mean:g} h later than without backfill"
    return exactly(same and later.mean == 1.0, why, figures)


@SAID("limits", "section 4.1", "On average jobs use 20 to 40% of their wallclock limits.")
def _limits(results: Results, logs: Logs) -> Finding:
    found = _each(logs, lambda case: results.mean(case, "limit_used"), None)
    left_out = sum(results.mean(case, "jobs_without_limit").mean > 0 for case in found)
    why = f"between 20 and 40%; jobs without a limit, which {left_out} of the logs have, are left out"
    figures = _figures(found, None, "mean share of its limit that a job uses")
    return each_within([*found.values()], 0.2, 0.4, why, figures)


@SAID("utilization", "section 4", "Backfill raises utilization by around 20%.")
def _utilization(results: Results, logs: Logs) -> Finding:
    found = _each(logs, lambda case: gain(results, case, "used"), FULL)
    means = [one.mean for one in found.values()]
    near = sum(0.15 <= one <= 0.25 for one in means)
    why = (
        f"with a queue that never ends utilization rises by {fmean(means):.1%} on average over the logs, but "
        f"by {_range(found.values())} on single ones; within five points of 20% on {near} of {len(means)}"
    )
    # No seed changes a replay of a log: the logs are the sample of which the paper gives the mean.
    figures = _figures(found, 0.2, "gain in utilization")
    done = within(interval(means), 0.15, 0.25, why, figures=figures)
    return Finding(done.verdict, done.why.replace(" seeds,", " logs,"), done.figures)


@SAID("turnaround", "section 4", "It improves mean turnaround by an even greater amount.")
def _turnaround(results: Results, logs: Logs) -> Finding:
    def more(case: Replayed) -> Interval:
        shorter = [-one for one in gains(results, case, "turnaround_s")]
        return less(shorter, gains(results, case, "used"))

    figures = _figures(
        _each(logs, lambda case: gain(results, case, "turnaround_s")), None, "change of mean turnaround"
    )
    words = "the share by which turnaround falls less that of utilization"
    return above([*_each(logs, more).values()], words, figures)


@SAID("small", "section 4", "It is common that over 90% of small and short jobs are backfilled.")
def _small_jobs(results: Results, logs: Logs) -> Finding:
    small = _each(logs, lambda case: results.mean(case, f"backfilled_small_share_{FIRSTFIT}"))
    favoured = sum(
        one.low > results.mean(case, f"backfilled_rest_share_{FIRSTFIT}").high for case, one in small.items()
    )
    recorded = [one for case, one in small.items() if case.load is None]
    busy = [one for case, one in small.items() if case.load is not None]
    why = (
        f"over 90%: {_range(recorded)} as recorded, where most jobs never wait, "
        f"and {_range(busy)} with a queue that never ends; more of them than of others in {favoured}"
    )
    # Where jobs wait at all, as they do in a queue that never ends, it is common.
    figures = _figures(small, 0.9, "share of small and short jobs backfilled")
    return in_shape_if(each_within([*small.values()], 0.9, 1.0, why, figures), each_within(busy, 0.9, 1.0))


@SAID(
    "service",
    "section 4",
    "Small and short jobs gain markedly, larger and longer ones moderately or not at all.",
)
def _service(results: Results, logs: Logs) -> Finding:
    def of(case: Replayed, size: str) -> list[float]:
        return gains(results, case, f"turnaround_of_{size}_s")

    words = {"small": "small and short jobs", "large": "large and long jobs"}
    figures = [
        figure
        for size, said in words.items()
        for figure in _figures(
            _each(logs, lambda case, size=size: interval(of(case, size)), FULL),  # type: ignore[misc]
            None,
            f"{said}, change of turnaround",
        )
    ]
    apart = _each(logs, lambda case: less(of(case, "small"), of(case, "large")), FULL)
    why = "change of turnaround of the small and short less that of the large and long"
    return below([*apart.values()], why, figures)


@SAID("delayed", "section 4.1, figure 2", "Roughly 10% of the jobs wait longer with backfill than without.")
def _delayed(results: Results, logs: Logs) -> Finding:
    found = _each(logs, lambda case: results.mean(case, f"later_share_{FIRSTFIT}"), None)
    why = f"from {_range(found.values(), 1)} of all jobs; between 5 and 15%"
    figures = _figures(found, 0.1, "share of jobs that wait longer")
    return each_within([*found.values()], 0.05, 0.15, why, figures)


@SAID("tide", "section 4.1", "Jobs that are not backfilled gain, too: what blocks them starts earlier.")
def _rising_tide(results: Results, logs: Logs) -> Finding:
    found = _each(logs, lambda case: results.mean(case, f"others_later_s_{FIRSTFIT}"))
    figures = _figures(found, None, "not backfilled, change of start: s")
    return below([*found.values()], "change of start", figures)


@SAID("balance", "section 4", "Mean expansion factors are balanced better over the durations of jobs.")
def _balance(results: Results, logs: Logs) -> Finding:
    found = _each(logs, lambda case: gain(results, case, "expansion_spread"))
    figures = _figures(found, None, "change of largest over smallest mean expansion factor")
    return below([*found.values()], "change of the largest over the smallest", figures)


def spread_of(results: Results, case: Replayed) -> Interval:
    """The largest less the smallest of the algorithms' utilizations, seed by seed."""
    by_seed = zip(*(results.samples(case, f"used_{one}") for one in ALGORITHMS), strict=True)
    return interval([max(one) - min(one) for one in by_seed])


def _turnarounds_apart(results: Results, case: Replayed) -> float:
    """By which share the longest mean turnaround of the algorithms exceeds the shortest."""
    means = [results.mean(case, f"turnaround_s_{algorithm}").mean for algorithm in ALGORITHMS]
    return over(max(means), min(means)) - 1.0


@SAID("algorithms", "section 4.2, figure 4", "FIRSTFIT, BESTFIT and GREEDY give nearly the same utilization.")
def _alike(results: Results, logs: Logs) -> Finding:
    spreads = _each(logs, lambda case: spread_of(results, case))
    figures = [
        Figure(f"{what}, {one}: {named(case)}{unit}", None, results.mean(case, f"{metric}_{one}"))
        for metric, what, unit in (("used", "utilization", ""), ("turnaround_s", "mean turnaround", ": s"))
        for case in spreads
        if case.load is not None
        for one in ALGORITHMS
    ]
    apart = {case: _turnarounds_apart(results, case) for case in spreads}
    slowest = max(apart, key=lambda case: apart[case])
    most = max(spreads, key=lambda case: spreads[case].mean)
    why = (
        f"within {SAME:g} of one another; farthest apart, {spreads[most].mean:.4f}, on {named(most)}. The "
        f"same utilization is not the same turnaround: the longest mean is up to {apart[slowest]:.0%} above "
        f"the shortest ({named(slowest)})"
    )
    return each_within([*spreads.values()], 0.0, SAME, why, figures)


def claims_over(logs: Logs) -> list[Claim]:
    """Every claim, checked on these logs."""
    return SAID.given(logs)
