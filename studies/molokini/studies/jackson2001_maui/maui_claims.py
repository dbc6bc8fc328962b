"""What Jackson, Snell and Clement claim of backfill, held against the replays."""

from collections.abc import Callable, Sequence
from statistics import fmean

from molokini.studies.claims import Claim, Claims, Figure, Finding
from molokini.studies.jackson2001_maui.maui_cases import ALGORITHMS, FULL, NONE, Replayed, SixNodes
from molokini.studies.log_files import Log
from molokini.studies.results import Interval, NotRun, Results, interval, over
from molokini.studies.rule import above, below, each_within, exactly, in_shape_if, within

SAID = Claims()

FIRSTFIT = ALGORITHMS[0]
SAME = 0.01
"""Utilizations of algorithms that differ by no more are nearly the same."""

Logs = Sequence[Log]
Check = Callable[[Results, Logs], Finding]


def gains(results: Results, case: Replayed, metric: str, algorithm: str = FIRSTFIT) -> list[float]:
    """The relative change of a metric through *algorithm*, seed by seed: 0.2 is a fifth more than without."""
    before = results.samples(case, f"{metric}_{NONE}")
    after = results.samples(case, f"{metric}_{algorithm}")
    return [over(new, old) - 1.0 for old, new in zip(before, after, strict=True)]


def gain(results: Results, case: Replayed, metric: str, algorithm: str = FIRSTFIT) -> Interval:
    """Its mean."""
    return interval(gains(results, case, metric, algorithm))


def _all_of(cases: Sequence[Replayed]) -> list[Replayed]:
    if not cases:
        raise NotRun("no logs were given (--logs FOLDER)")
    return list(cases)


def _recorded(logs: Logs) -> list[Replayed]:
    return _all_of([Replayed(log) for log in logs])


def _full(logs: Logs) -> list[Replayed]:
    return _all_of([Replayed(log, FULL) for log in logs])


def named(case: Replayed) -> str:
    """A replay in a few words."""
    return case.log.title if case.load is None else f"{case.log.title}, load {case.load:g}"


def _figures(found: Sequence[tuple[Replayed, Interval]], published: float | None, what: str) -> list[Figure]:
    return [Figure(f"{what}: {named(case)}", published, one) for case, one in found]


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
    found = [(case, results.mean(case, "limit_used")) for case in _recorded(logs)]
    left_out = sum(results.mean(case, "jobs_without_limit").mean > 0 for case, _ in found)
    why = f"between 20 and 40%; jobs without a limit, which {left_out} of the logs have, are left out"
    return each_within([one for _, one in found], 0.2, 0.4, why, _figures(found, None, _LIMIT_USED))


_LIMIT_USED = "mean share of its limit that a job uses"


@SAID("utilization", "section 4", "Backfill raises utilization by around 20%.")
def _utilization(results: Results, logs: Logs) -> Finding:
    found = [(case, gain(results, case, "used")) for case in _full(logs)]
    mean = fmean(one.mean for _, one in found)
    near = [0.15 <= one.mean <= 0.25 for _, one in found]
    why = (
        f"with a queue that never ends utilization rises by {mean:.1%} on average over the logs, but by "
        f"{min(one.mean for _, one in found):.0%} to {max(one.mean for _, one in found):.0%} on "
        "single ones; within "
        f"five points of 20% on {sum(near)} of {len(near)}"
    )
    # No seed changes a replay of a log: the logs are the sample of which the paper gives the mean.
    over_logs = interval([one.mean for _, one in found])
    done = within(over_logs, 0.15, 0.25, why, figures=_figures(found, 0.2, "gain in utilization"))
    return Finding(done.verdict, done.why.replace(" seeds,", " logs,"), done.figures)


@SAID("turnaround", "section 4", "It improves mean turnaround by an even greater amount.")
def _turnaround(results: Results, logs: Logs) -> Finding:
    cases = (*_recorded(logs), *_full(logs))
    more = [
        interval([-shorter - used for used, shorter in zip(*both, strict=True)])
        for both in ([gains(results, case, one) for one in ("used", "turnaround_s")] for case in cases)
    ]
    shorter = [(case, gain(results, case, "turnaround_s")) for case in cases]
    figures = _figures(shorter, None, "change of mean turnaround")
    return above(more, "the share by which turnaround falls less that of utilization", figures)


@SAID("small", "section 4", "It is common that over 90% of small and short jobs are backfilled.")
def _small_jobs(results: Results, logs: Logs) -> Finding:
    cases = (*_recorded(logs), *_full(logs))
    small = [(case, results.mean(case, f"backfilled_small_share_{FIRSTFIT}")) for case in cases]
    rest = [results.mean(case, f"backfilled_rest_share_{FIRSTFIT}") for case in cases]
    favoured = [one.low > other.high for (_, one), other in zip(small, rest, strict=True)]
    kinds = {kind: [one for case, one in small if (case.load is None) == kind] for kind in (True, False)}
    shares = {
        kind: f"{min(one.mean for one in found):.0%} to {max(one.mean for one in found):.0%}"
        for kind, found in kinds.items()
    }
    why = (
        f"{shares[True]} as recorded, where most jobs never wait, "
        f"and {shares[False]} with a queue that never ends; more of them than of others in {sum(favoured)}"
    )
    # Where jobs wait at all, as they do in a queue that never ends, it is common.
    figures = _figures(small, 0.9, "share of small and short jobs backfilled")
    busy = each_within([one for case, one in small if case.load is not None], 0.9, 1.0)
    every = each_within([one for _, one in small], 0.9, 1.0, f"over 90%: {why}", figures)
    return in_shape_if(every, busy)


_SIZES = {"small": "small and short jobs", "large": "large and long jobs"}


@SAID(
    "service",
    "section 4",
    "Small and short jobs gain markedly, larger and longer ones moderately or not at all.",
)
def _service(results: Results, logs: Logs) -> Finding:
    cases = _full(logs)
    sizes = {size: [gains(results, case, f"turnaround_of_{size}_s") for case in cases] for size in _SIZES}
    figures = [
        figure
        for size, found in sizes.items()
        for figure in _figures(
            [(case, interval(one)) for case, one in zip(cases, found, strict=True)],
            None,
            f"{_SIZES[size]}, change of turnaround",
        )
    ]
    apart = [
        interval([small - large for small, large in zip(*both, strict=True)])
        for both in zip(*sizes.values(), strict=True)
    ]
    return below(
        apart, "change of turnaround of the small and short less that of the large and long", figures
    )


@SAID("delayed", "section 4.1, figure 2", "Roughly 10% of the jobs wait longer with backfill than without.")
def _delayed(results: Results, logs: Logs) -> Finding:
    found = [(case, results.mean(case, f"later_share_{FIRSTFIT}")) for case in _recorded(logs)]
    why = (
        f"from {min(one.mean for _, one in found):.1%} to {max(one.mean for _, one in found):.1%} of all "
        "jobs; between 5 and 15%"
    )
    figures = _figures(found, 0.1, "share of jobs that wait longer")
    return each_within([one for _, one in found], 0.05, 0.15, why, figures)


@SAID("tide", "section 4.1", "Jobs that are not backfilled gain, too: what blocks them starts earlier.")
def _rising_tide(results: Results, logs: Logs) -> Finding:
    found = [
        (case, results.mean(case, f"others_later_s_{FIRSTFIT}")) for case in (*_recorded(logs), *_full(logs))
    ]
    figures = _figures(found, None, "not backfilled, change of start: s")
    return below([one for _, one in found], "change of start", figures)


@SAID("balance", "section 4", "Mean expansion factors are balanced better over the durations of jobs.")
def _balance(results: Results, logs: Logs) -> Finding:
    found = [(case, gain(results, case, "expansion_spread")) for case in (*_recorded(logs), *_full(logs))]
    figures = _figures(found, None, "change of largest over smallest mean expansion factor")
    return below([one for _, one in found], "change of the largest over the smallest", figures)


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
    cases = (*_recorded(logs), *_full(logs))
    spreads = {named(case): spread_of(results, case) for case in cases}
    figures = [
        Figure(f"utilization, {algorithm}: {named(case)}", None, results.mean(case, f"used_{algorithm}"))
        for case in _full(logs)
        for algorithm in ALGORITHMS
    ]
    figures += [
        Figure(
            f"mean turnaround, {algorithm}: {named(case)}: s",
            None,
            results.mean(case, f"turnaround_s_{algorithm}"),
        )
        for case in _full(logs)
        for algorithm in ALGORITHMS
    ]
    apart = {named(case): _turnarounds_apart(results, case) for case in cases}
    slowest = max(apart, key=lambda name: apart[name])
    most = max(spreads, key=lambda name: spreads[name].mean)
    why = (
        f"within {SAME:g} of one another; farthest apart, {spreads[most].mean:.4f}, on {most}. The same "
        f"utilization is not the same turnaround: the longest mean is up to {apart[slowest]:.0%} above the "
        f"shortest ({slowest})"
    )
    return each_within(list(spreads.values()), 0.0, SAME, why, figures)


def claims_over(logs: Logs) -> list[Claim]:
    """Every claim, checked on these logs."""
    return SAID.given(logs)
