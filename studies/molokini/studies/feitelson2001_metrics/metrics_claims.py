"""What the paper says of workloads, convergence and metrics, held against logs, models and schedules."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from molokini.metrics.settling import coverage
from molokini.studies.claims import Claim, Figure, Finding, Verdict
from molokini.studies.feitelson2001_metrics.metrics_cases import (
    BATCHES,
    MODELS,
    RUNS,
    Covered,
    Logged,
    Modelled,
    Replayed,
    Scheduled,
    is_replayed,
    replayed_policies,
)
from molokini.studies.log_files import Log
from molokini.studies.results import Interval, NotRun, Results, interval
from molokini.studies.rule import at_least, below, each_within, exactly, together, within

TABLE_1 = {
    "KTH-SP2": (6146.68, 583.00, 14483.63, 2.36),
    "LANL-CM5": (1232.21, 62.00, 3268.29, 2.65),
}
"""Mean, median, deviation and variation of run times (s) of the logs that are at hand."""
TABLE_2 = {
    "jann": (11547.19, 794.12, 18616.14, 1.61),
    "feitelson96": (2700.89, 81.11, 8786.63, 3.25),
    "downey": (638.54, 18.84, 2107.36, 3.30),
    "lublin": (1668.34, 18.00, 6824.61, 4.09),
}
TABLE_3 = {"easy": (16427.23, 16774.40, 16865.80), "conservative": (17727.68, 18154.75, 18313.90)}
_FIGURES = ("mean", "median", "deviation", "cv")
_EASY, _CONSERVATIVE = Scheduled("easy"), Scheduled("conservative")
_SLOWDOWNS = (
    "mean_slowdown",
    "mean_bounded_slowdown_10",
    "mean_bounded_slowdown_60",
    "mean_bounded_slowdown_600",
)
_TIMES = ("mean_wait_s", "mean_response_s")
_NO_LOGS = "no logs were given (--logs FOLDER)"


def _needed(logs: Sequence[Log]) -> Sequence[Log]:
    if not logs:
        raise NotRun(_NO_LOGS)
    return logs


def of_log(results: Results, log: Log, metric: str) -> float | None:
    """A figure of a log; None where it does not tell it."""
    found = results.known(Logged(log), metric)
    return found[0] if found else None


def _known(results: Results, logs: Sequence[Log], metric: str) -> dict[str, float]:
    found = {log.title: of_log(results, log, metric) for log in _needed(logs)}
    return {title: value for title, value in found.items() if value is not None}


def _no_tail(logs: Sequence[Log], results: Results) -> Finding:
    share = _known(results, logs, "above_14_h")
    alpha = _known(results, logs, "alpha")
    told = ", ".join(f"{title} {100 * value:.2f}%" for title, value in share.items())
    steep = sum(value > 2.0 for value in alpha.values())
    slopes = ", ".join(f"{title} {value:.1f}" for title, value in alpha.items())
    why = f"slopes of the tail: {slopes}; run times above 50,000 s: {told}"
    return exactly(steep == len(alpha), why, in_shape=2 * steep > len(alpha))


def _table_1(logs: Sequence[Log], results: Results) -> Finding:
    figures, near = [], {}
    for log in _needed(logs):
        printed = TABLE_1.get(log.title)
        if printed is None:
            continue
        ours = [of_log(results, log, name) for name in _FIGURES]
        apart = [abs(one / value - 1.0) for one, value in zip(ours, printed, strict=True) if one is not None]
        if not apart:
            continue
        near[log.title] = max(apart)
        figures += [
            Figure(f"{log.title}: {name} run time", value, Interval(one, one, one, 1))
            for name, value, one in zip(_FIGURES, printed, ours, strict=True)
            if one is not None
        ]
    if not near:
        raise NotRun("no log of Table 1 is at hand")
    skewed = _known(results, logs, "cv")
    told = ", ".join(f"{title} within {100 * value:.1f}%" for title, value in near.items())
    spread = ", ".join(f"{title} {value:.2f}" for title, value in skewed.items())
    why = (
        f"run times of successful jobs beside Table 1: {told} (LANL-CM5 is the cleaned log: 122,060 jobs of "
        f"201,387); variation: {spread}"
    )
    kept = near.get("KTH-SP2", 1.0) <= 0.005
    return exactly(kept and max(near.values()) <= 0.01, why, figures, in_shape=kept)


def _models(logs: Sequence[Log], results: Results) -> Finding:
    figures = []
    near = 0
    for model, printed in TABLE_2.items():
        ours = [results.mean(Modelled(model), name) for name in _FIGURES]
        figures += [
            Figure(f"{model}: {name} run time", value, one)
            for name, value, one in zip(_FIGURES, printed, ours, strict=True)
        ]
        near += all(
            abs(one.mean / value - 1.0) <= 0.1 for one, value in zip(ours[:2], printed[:2], strict=True)
        )
    moves = {model: results.mean(Modelled(model), "unsettled").mean for model in MODELS}
    told = ", ".join(f"{model} {100 * value:.1f}%" for model, value in moves.items())
    kept = f"mean and median within 10% of Table 2 in {near} of 4 models"
    why = f"{kept}; running means move by {told} after a tenth"
    if not logs:
        return Finding(Verdict.UNTESTABLE, f"{why}; {_NO_LOGS}", figures)
    of_logs = _known(results, logs, "unsettled")
    more = ", ".join(f"{title} {100 * value:.0f}%" for title, value in of_logs.items())
    sooner = max(moves.values()) < min(of_logs.values())
    most = sorted(of_logs.values())[len(of_logs) // 2] > max(moves.values())
    return exactly(sooner and near == 4, f"{why}; those of logs: {more}", figures, in_shape=most)


def _bursts(logs: Sequence[Log], results: Results) -> Finding:
    found = _known(results, logs, "h")
    told = ", ".join(f"{title} {value:.2f}" for title, value in found.items())
    large = sum(value > 0.6 for value in found.values())
    return exactly(
        large == len(found), f"H by variance over time: {told}", in_shape=3 * large >= 2 * len(found)
    )


def _slopes(logs: Sequence[Log], results: Results) -> Finding:
    kinds = {}
    for log in _needed(logs):
        found = [of_log(results, log, f"slope_{name}") for name in ("6_min", "1_h", "10_h")]
        known = [one for one in found if one is not None]
        if len(known) > 1:
            kinds[log.title] = (known[0], known[-1])
    parallel = [title for title, (one, last) in kinds.items() if abs(last / one - 1.0) < 0.35]
    other = [title for title in kinds if title not in parallel]
    told = ", ".join(f"{title} {one:.1f} to {last:.1f}" for title, (one, last) in kinds.items())
    return exactly(
        bool(parallel and other), f"slopes of counts, finest to coarsest: {told}", in_shape=bool(other)
    )


def _jerks(logs: Sequence[Log], results: Results) -> Finding:
    rises = [results.mean(case, "rise_mean_response_s") for case in (_EASY, _CONSERVATIVE)]
    told = " and ".join(f"{100 * one.mean:.0f}%" for one in rises)
    return each_within(rises, 0.1, math.inf, f"after a quarter of the run the interval grows again by {told}")


def _crossings(logs: Sequence[Log], results: Results) -> Finding:
    above = ordered_ = total = 0
    for case in (_EASY, _CONSERVATIVE):
        first = results.by_seed(case, "first_mean_response_s")
        second = results.by_seed(case, "second_mean_response_s")
        final = results.by_seed(case, "mean_response_s")
        for seed, one in first.items():
            total += 1
            above += final[seed] > one
            ordered_ += seed in second and one < second[seed] < final[seed]
    if not total:
        raise NotRun("under no seed the interval falls below 5% in runs of this length")
    share = above / total
    why = (
        f"in {total} runs whose interval falls below 5% the final mean is above that of the first crossing "
        f"in {above}, and first < second < final in {ordered_}; Table 3 shows one run of each policy"
    )
    verdict = Verdict.HOLDS if ordered_ == total else Verdict.IN_SHAPE if ordered_ else Verdict.CONTRADICTED
    return Finding(verdict, f"{why} ({100 * share:.0f}% end higher)")


def _misses(logs: Sequence[Log], results: Results) -> Finding:
    cases = [Scheduled(policy, how) for policy in ("easy", "conservative") for how in ("exact", "phi", "f")]
    missed = points = runs = 0.0
    for case in cases:
        for one, count in zip(
            results.samples(case, "missed_mean_response_s"),
            results.samples(case, "points_mean_response_s"),
            strict=True,
        ):
            missed += one
            points += count
            runs += one > 0
    if not points:
        raise NotRun("no interval falls below 5% in runs of this length")
    why = f"{missed:.0f} of {points:.0f} intervals below 5% miss the final mean, in {runs:.0f} runs"
    return exactly(missed > 0, why)


def covered(results: Results, size: int) -> tuple[float, float, float, int]:
    """The share of the runs whose interval holds the mean of all runs, its interval, and the runs."""
    seeds = range(len(results.seeds))
    means = [results.samples(Covered(), f"mean_{turn}") for turn in range(RUNS)]
    true = sum(sum(one) for one in means) / (len(means) * len(seeds))
    ends = [
        (results.samples(Covered(), f"low_{size}_{turn}"), results.samples(Covered(), f"high_{size}_{turn}"))
        for turn in range(RUNS)
    ]
    pairs = [(low[k], high[k]) for low, high in ends for k in seeds]
    found = coverage(pairs, true)
    return found.share, found.low, found.high, found.runs


def _coverage(logs: Sequence[Log], results: Results) -> Finding:
    found = {size: covered(results, size) for size in BATCHES}
    told = ", ".join(
        f"batches of {size}: {100 * share:.0f}% ({100 * low:.0f} to {100 * high:.0f})"
        for size, (share, low, high, _) in found.items()
    )
    figures = [
        Figure(f"coverage, batches of {size}", 0.95, Interval(share, low, high, runs))
        for size, (share, low, high, runs) in found.items()
    ]
    worst = all(high < 0.95 for _, _, high, _ in found.values())
    some = any(high < 0.95 for _, _, high, _ in found.values())
    return exactly(worst, f"coverage is below 95%: {told}", figures, in_shape=some)


def _warm_up(logs: Sequence[Log], results: Results) -> Finding:
    change = [results.mean(case, "without_warm_up") for case in (_EASY, _CONSERVATIVE)]
    sizes = [results.mean(case, "size_mean_response_s").mean for case in (_EASY, _CONSERVATIVE)]
    told = ", ".join(
        f"{100 * one.mean:+.1f}% of {100 * size:.0f}%" for one, size in zip(change, sizes, strict=True)
    )
    return each_within(
        change, -min(sizes), min(sizes), f"without the first tenth the mean response changes by {told}"
    )


def _examples(logs: Sequence[Log], results: Results) -> Finding:
    week, year = 7 * 86400.0, 365 * 86400.0
    found = ((year + week) / week, 600.1 / 0.1, 610.0 / 10.0, 100.0 / 10.0, 100.0 / (10 * 10.0))
    printed = (50.0, 6000.0, 60.0, 10.0, 1.0)
    figures = [
        Figure(name, value, Interval(one, one, one, 1))
        for name, value, one in zip(
            (
                "a week delayed a year",
                "0.1 s after 600 s",
                "10 s after 600 s",
                "10 s on 10 after 90 s",
                "the same per processor",
            ),
            printed,
            found,
            strict=True,
        )
    ]
    near = all(abs(one / value - 1.0) < 0.07 for one, value in zip(found, printed, strict=True))
    return exactly(near, ", ".join(f"{one:.4g}" for one in found) + "; the paper rounds", figures)


def favours(results: Results, metric: str, estimates: str) -> Interval:
    """EASY less conservative backfilling, seed by seed; below 0 favours EASY."""
    return results.difference(Scheduled("easy", estimates), Scheduled("conservative", estimates), metric)


def ranking(results: Results, estimates: str) -> Finding:
    """Whether times favour EASY, slowdowns conservative backfilling, under these estimates."""
    times = {name: favours(results, name, estimates) for name in _TIMES}
    slow = {name: favours(results, name, estimates) for name in _SLOWDOWNS}
    turned = [Interval(-one.mean, -one.high, -one.low, one.samples) for one in slow.values()]
    parts = {
        "times favour EASY": below(list(times.values())),
        "slowdowns favour conservative": below(turned),
    }
    found = together(parts)
    told = ", ".join(f"{name} {one.mean:+.4g}" for name, one in {**times, **slow}.items())
    return Finding(found.verdict, f"estimates {estimates}: {found.why}; EASY less conservative: {told}")


def _rankings(logs: Sequence[Log], results: Results) -> Finding:
    found = {how: ranking(results, how) for how in ("exact", "phi", "f")}
    first = found["exact"]
    others = "; ".join(f"with {how}: {one.verdict}" for how, one in found.items() if how != "exact")
    return Finding(first.verdict, f"{first.why}; {others}")


def _shape(logs: Sequence[Log], results: Results) -> Finding:
    same = [results.mean(case, "like_response_600") for case in (_EASY, _CONSERVATIVE)]
    waits = [results.mean(case, "like_wait") for case in (_EASY, _CONSERVATIVE)]
    short = results.mean(_EASY, "below_10_min")
    parts = {
        "running bounded slowdown (600 s) and response correlate": each_within(same, 0.95, 1.0),
        "and waits": each_within(waits, 0.95, 1.0),
        "jobs below 10 minutes": within(short, 0.43, 0.53, f"{100 * short.mean:.0f}%", slack=0.15),
    }
    return together(parts)


_TWO = ("mean_response_s", "mean_slowdown")
_CONVERGING = (
    "mean_response_s",
    "mean_wait_s",
    "geometric_mean_response_s",
    *_SLOWDOWNS,
    "mean_per_processor_slowdown_600",
)


def _sizes(results: Results, case: Replayed, names: Sequence[str] = _CONVERGING) -> dict[str, float]:
    """The size of the interval of each mean at the end of a replay."""
    found = {name: results.known(case, f"size_{name}") for name in names}
    missing = [name for name, values in found.items() if not values]
    if missing:
        raise NotRun(f"{case.policy} on {case.log.title} has no interval of {', '.join(missing)}")
    return {name: values[0] for name, values in found.items()}


def _kth(logs: Sequence[Log]) -> Log:
    found = [log for log in logs if is_replayed(log)]
    if not found:
        raise NotRun("the log of KTH is not at hand (--logs FOLDER)")
    return found[0]


def _ranked(sizes: dict[str, float]) -> str:
    order = sorted(sizes.items(), key=lambda one: one[1])
    return ", ".join(f"{name.removeprefix('mean_')} {100 * size:.0f}%" for name, size in order)


def _slowest(logs: Sequence[Log], results: Results) -> Finding:
    sizes = _sizes(results, Replayed(_kth(logs), "easy"))
    slow = max(sizes, key=lambda name: sizes[name])
    bounded = [sizes[name] for name in _SLOWDOWNS[1:]]
    right = slow in ("mean_slowdown", "geometric_mean_response_s")
    middle = sizes["mean_response_s"] <= min(bounded)
    return exactly(right and middle, f"KTH-SP2 under EASY: {_ranked(sizes)}", in_shape=right or middle)


def _wide(logs: Sequence[Log], results: Results) -> Finding:
    names = (*_TIMES, "geometric_mean_response_s", *_SLOWDOWNS)
    wide = {name: results.mean(_EASY, f"size_{name}") for name in names}
    told = ", ".join(f"{name} {100 * one.mean:.0f}%" for name, one in wide.items())
    largest = max(wide.values(), key=lambda one: one.mean)
    why = f"runs of 50,000 jobs of the model, a twentieth of the paper's length: {told}"
    return at_least(largest, 0.1, why)


def _smooth(logs: Sequence[Log], results: Results) -> Finding:
    log = _kth(logs)
    told, jerks = [], {}
    for policy in replayed_policies():
        sizes = _sizes(results, Replayed(log, policy), _TWO)
        jerks[policy] = results.known(Replayed(log, policy), "rise_mean_response_s")[0]
        told.append(
            f"{policy}: response {100 * sizes['mean_response_s']:.0f}%, slowdown "
            f"{100 * sizes['mean_slowdown']:.0f}%"
        )
    gang = _sizes(results, Replayed(log, "gs-60"), _TWO)
    faster = gang["mean_slowdown"] < gang["mean_response_s"]
    smoother = jerks["gs-60"] < jerks["easy"]
    return exactly(faster and smoother, "; ".join(told), in_shape=faster or smoother)


def _both(logs: Sequence[Log], results: Results) -> Finding:
    log = _kth(logs)
    easy, gang = (_sizes(results, Replayed(log, policy), _TWO) for policy in ("easy", "gs-60"))
    one = easy["mean_response_s"] < easy["mean_slowdown"]
    two = gang["mean_slowdown"] < gang["mean_response_s"]
    told = [
        f"{name}: response {100 * sizes['mean_response_s']:.0f}%, slowdown "
        f"{100 * sizes['mean_slowdown']:.0f}%"
        for name, sizes in (("EASY", easy), ("gang scheduling", gang))
    ]
    return exactly(one and two, "; ".join(told), in_shape=one or two)


def _two_moments(logs: Sequence[Log], results: Results) -> Finding:
    worse = {}
    for model in MODELS:
        pairs = zip(
            results.samples(Modelled(model), "h2_by_likelihood"),
            results.samples(Modelled(model), "h2_by_moments"),
            strict=True,
        )
        worse[model] = interval([one - two for one, two in pairs])
    told = ", ".join(f"{model} {one.mean:+.3f}" for model, one in worse.items())
    return below(list(worse.values()), f"KS distance of H2 by likelihood less that by two moments: {told}")


def _geometric(logs: Sequence[Log], results: Results) -> Finding:
    sums = sum([1.0, 100.0]), sum([20.0, 20.0])
    geometric = math.sqrt(1.0 * 100.0), math.sqrt(20.0 * 20.0)
    one, two = (f"sum {sums[k]:g}, geometric mean {geometric[k]:g}" for k in (0, 1))
    why = f"{{1, 100}}: {one}; {{20, 20}}: {two}"
    return exactly(sums[0] > sums[1] and geometric[0] < geometric[1], why)


_Check = Callable[[Sequence[Log], Results], Finding]
_CLAIMS: Sequence[tuple[str, str, str, _Check]] = (
    ("F1", "section 2.1, figure 1", "Run times have no heavy tail; administrators bound them.", _no_tail),
    (
        "F2",
        "table 1",
        "Run times are skewed: the mean is far above the median, variation 1.7 to 3.7.",
        _table_1,
    ),
    (
        "F3",
        "section 2.2, table 2",
        "Models are as skewed, and their running means settle much sooner.",
        _models,
    ),
    ("F4", "section 2.3, figure 3", "Arrivals are bursty at many scales.", _bursts),
    ("F5", "section 2.3, figure 4", "Counts of some logs have parallel tails, of others not.", _slopes),
    ("F6", "section 3, figure 5", "Means still jerk late, and the interval grows again.", _jerks),
    ("F7", "table 3", "The means at the first crossing, at the second and at the end rise.", _crossings),
    ("F8", "section 3", "At some counts a narrow interval misses the final mean.", _misses),
    ("F9", "section 3", "Open question: do intervals hold the mean less often than they say?", _coverage),
    ("F10", "section 3", "Warm-up is not the problem.", _warm_up),
    ("F11", "section 4", "Examples: slowdowns of 50, 6000, 60, 10, and 1 per processor.", _examples),
    (
        "F12",
        "section 5, figure 6",
        "Response and wait favour EASY, slowdowns conservative backfilling.",
        _rankings,
    ),
    ("F13", "section 5", "Bounded slowdown has the shape of response, and wait dominates.", _shape),
    (
        "F14",
        "section 5, figure 7",
        "Slowdown or the geometric mean converges slowest, the mean fast.",
        _slowest,
    ),
    ("F15", "section 5", "Some intervals are above 10% after a million jobs.", _wide),
    (
        "F16",
        "section 5, figure 8",
        "Time slicing converges more smoothly, slowdowns faster than response.",
        _smooth,
    ),
    ("F17", "section 6", "Without preemption response converges faster, with it slowdowns.", _both),
    ("F18", "section 2.2", "To match two moments may give the wrong shape.", _two_moments),
    ("F19", "section 4", "The geometric mean may order results otherwise than sums.", _geometric),
)


def claims_over(logs: Sequence[Log]) -> tuple[Claim, ...]:
    """Every claim, held against *logs* too where it is about logs."""
    return tuple(Claim(name, place, text, partial(check, logs)) for name, place, text, check in _CLAIMS)
