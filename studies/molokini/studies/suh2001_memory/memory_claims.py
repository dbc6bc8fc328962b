"""What the paper says of memory, held against synthetic programs.

Its programs are not at hand, only their footprints: what depends on their curves can hold in shape at most.
"""

from collections.abc import Mapping, Sequence

from molokini.studies.claims import Claim, Figure, Finding, Verdict
from molokini.studies.results import Interval, Results, interval, over
from molokini.studies.rule import (
    Count,
    above,
    at_least,
    at_most,
    each_within,
    exactly,
    no_more_than_shape,
    somewhere,
    together,
)
from molokini.studies.suh2001_memory.memory_cases import (
    QUANTA,
    SIZES_MB,
    Knees,
    Mixes,
    Quanta,
    Schedules,
    letters,
    schedules,
)

PUBLISHED: Mapping[int, tuple[float, float, float, str, str]] = {
    8: (1.379, 2.506, 1.019, "ADE,BCF", "ACD,BEF"),
    16: (0.471, 0.701, 0.333, "ADE,BCF", "ADF,BCE"),
    32: (0.187, 0.245, 0.148, "ADE,BCF", "ACD,BEF"),
    64: (0.072, 0.085, 0.063, "ABF,CDE", "ACD,BEF"),
    128: (0.037, 0.052, 0.029, "ABF,CDE", "ACD,BEF"),
    256: (0.030, 0.032, 0.029, "ABF,CDE", "ACD,BEF"),
}
"""Table 2: miss rates in percent on average, worst and best, and the worst and the best schedule."""
_BALANCED = "ADE,BCF"
"""The schedule whose slices have equal sums of footprints."""
_CASE = Schedules()


def _below(results: Results, one: str, other: str, case: Schedules = _CASE) -> Interval:
    """By which share a figure is below another, seed by seed."""
    pairs = zip(results.samples(case, one), results.samples(case, other), strict=True)
    return interval([1.0 - over(a, b) for a, b in pairs])


def gains(results: Results, megabytes: int, average: float, worst: float, case: Schedules = _CASE) -> Finding:
    """By how much the best schedule is below the average and the worst, against these shares."""
    printed = PUBLISHED[megabytes]
    theirs = (1 - printed[2] / printed[0], 1 - printed[2] / printed[1])
    ours = [
        _below(results, f"best_{megabytes}", f"{name}_{megabytes}", case) for name in ("average", "worst")
    ]
    figures = [
        Figure(f"best below {name}, {megabytes} MB", value, one)
        for name, value, one in zip(("average", "worst"), theirs, ours, strict=True)
    ]
    parts = [at_least(one, limit, slack=limit / 2) for one, limit in zip(ours, (average, worst), strict=True)]
    found = together(parts)
    why = (
        f"Table 2 has {100 * theirs[0]:.1f}% and {100 * theirs[1]:.1f}%; synthetic programs "
        f"{100 * ours[0].mean:.1f}% and {100 * ours[1].mean:.1f}%"
    )
    return no_more_than_shape(Finding(found.verdict, f"{why}; {found.why}", figures), unless=False)


def rank_of_balanced(results: Results, megabytes: int, case: Schedules = _CASE) -> int:
    """How many schedules are worse, on average, than that with equal sums of footprints; 0: none."""
    rates = {
        letters(one): results.mean(case, f"rate_{letters(one)}_{megabytes}").mean
        for one in schedules(case.cliffs)
    }
    return sum(rate > rates[_BALANCED] for rate in rates.values())


def _balanced(results: Results) -> Finding:
    return balanced(results, _CASE)


def balanced(results: Results, case: Schedules) -> Finding:
    """Whether equal sums of footprints are worst below 128 MB, and cost half as much again as the best."""
    ranks = {size: rank_of_balanced(results, size, case) for size in SIZES_MB if size < 128}
    excess = []
    for size in ranks:
        pairs = zip(
            results.samples(case, f"rate_{_BALANCED}_{size}"),
            results.samples(case, f"best_{size}"),
            strict=True,
        )
        excess.append(interval([over(one, two) - 1.0 for one, two in pairs]))
    told = ", ".join(f"{size} MB: {rank} of ten are worse" for size, rank in ranks.items())
    more = ", ".join(f"{100 * one.mean:.0f}%" for one in excess)
    worst = exactly(not any(ranks.values()), told, in_shape=sum(rank == 0 for rank in ranks.values()) >= 3)
    half = each_within(excess, 0.5, float("inf"), f"above the best by {more}")
    why = "Table 2 itself names another schedule as the worst at 64 MB"
    found = together([worst, half])
    return Finding(found.verdict, f"{found.why}; {why}")


def _remains(results: Results) -> Finding:
    ours = _below(results, "switching_best", "switching_worst")
    figures = [Figure("best below worst at 256 MB", 1 - 0.029 / 0.032, ours)]
    found = at_least(
        ours, 0.1, f"slices that take turns in one LRU memory: {100 * ours.mean:.1f}%", slack=0.05
    )
    return no_more_than_shape(Finding(found.verdict, found.why, figures), unless=False)


def _knees(results: Results) -> Finding:
    found = {name: results.samples(Knees(), f"alone_{name}")[0] for name in "ABC"}
    told = ", ".join(f"{name} alone {100 * rate:.2f}%" for name, rate in found.items())
    return exactly(found["C"] == min(found.values()), f"miss rates of three programs of two kinds: {told}")


def _model_search(results: Results) -> Finding:
    near = {}
    for size in SIZES_MB:
        pairs = zip(
            results.samples(_CASE, f"by_model_{size}"), results.samples(_CASE, f"best_{size}"), strict=True
        )
        near[size] = interval([_over_or_one(one, two) for one, two in pairs])
    told = ", ".join(f"{size} MB {one.mean:.3f}" for size, one in near.items())
    good = sum(one.high <= 1.05 for one in near.values())
    bad = sum(one.low > 1.05 for one in near.values())
    verdict = Verdict.HOLDS if good >= 4 else Verdict.CONTRADICTED if bad > 2 else Verdict.UNDECIDED
    return Finding(verdict, f"simulated, over the best: {told}; within 5% at {good} of 6 sizes")


def _over_or_one(one: float, two: float) -> float:
    return 1.0 if one == two else over(one, two)


def _heuristic(results: Results) -> Finding:
    good = bad = worse = 0
    for size in SIZES_MB:
        pairs = zip(
            results.samples(_CASE, f"by_heuristic_{size}"),
            results.samples(_CASE, f"average_{size}"),
            strict=True,
        )
        found = interval([one - two for one, two in pairs])
        good += found.below or found.is_nothing
        bad += found.above
        model = zip(
            results.samples(_CASE, f"by_heuristic_{size}"),
            results.samples(_CASE, f"by_model_{size}"),
            strict=True,
        )
        worse += interval([one - two for one, two in model]).above
    verdict = Verdict.HOLDS if good >= 4 else Verdict.CONTRADICTED if bad > 2 else Verdict.UNDECIDED
    told = f"clearly better than the average at {good} of 6 sizes, worse at {bad}"
    why = f"{told}; clearly worse than the model at {worse}"
    return Finding(verdict, why)


def _bump(results: Results) -> Finding:
    parts, at = {}, {}
    for name in ("simulated", "model"):
        means = [results.mean(Quanta(), f"{name}_{quantum}").mean for quantum in QUANTA]
        peak = max(range(1, len(QUANTA) - 1), key=lambda k: _above_both(means, k))
        before = min(range(peak), key=lambda k: means[k])
        after = min(range(peak + 1, len(QUANTA)), key=lambda k: means[k])
        rises = [_apart(results, name, peak, other) for other in (before, after)]
        at[name] = QUANTA[peak]
        lowest = min(one.mean for one in rises)
        parts[name] = above(rises, f"a maximum at {QUANTA[peak]:,} references, {lowest:.4f} above both sides")
    near = 0.5 <= at["model"] / at["simulated"] <= 2.0
    parts["places within a factor 2"] = exactly(near, f"{at['simulated']:,} and {at['model']:,}")
    return together(parts)


def _above_both(means: Sequence[float], k: int) -> float:
    """How far a value stands out above the lowest on either side."""
    return means[k] - max(min(means[:k]), min(means[k + 1 :]))


def _apart(results: Results, name: str, one: int, other: int) -> Interval:
    pairs = zip(
        results.samples(Quanta(), f"{name}_{QUANTA[one]}"),
        results.samples(Quanta(), f"{name}_{QUANTA[other]}"),
        strict=True,
    )
    return interval([a - b for a, b in pairs])


def _follows(results: Results) -> Finding:
    errors = []
    for quantum in QUANTA:
        pairs = zip(
            results.samples(Quanta(), f"model_{quantum}"),
            results.samples(Quanta(), f"simulated_{quantum}"),
            strict=True,
        )
        errors.append(interval([over(one, two) - 1.0 for one, two in pairs]))
    worst = max(errors, key=lambda one: abs(one.mean))
    return each_within(errors, -0.2, 0.2, f"the model over the simulation, less 1: at most {worst}")


def _idle(results: Results) -> Finding:
    share = results.mean(Mixes(), "idle_better")
    count = Count(int(share.mean > 0), int(share.mean == 0))
    told = f"one more slice than needed is better in {100 * share.mean:.0f}% of the mixes"
    return somewhere(count, f"in a quarter of the memory, a miss of 200 references, {told}")


def _aware(results: Results) -> Finding:
    case = Mixes()
    parts = {}
    for other in ("blind", "requests"):
        pairs = zip(results.samples(case, "packed"), results.samples(case, other), strict=True)
        ratio = interval([over(one, two) for one, two in pairs])
        parts[f"time over that of {other}"] = at_most(ratio, 1.0, f"{ratio}")
    return together(parts)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "S1",
        "section 2",
        "16 MB: the best schedule misses 30% less than the average, 53% less than the worst.",
        lambda r: gains(r, 16, 0.3, 0.5),
    ),
    Claim(
        "S2",
        "section 2",
        "128 MB: more than 20% less than the average, 40% less than the worst.",
        lambda r: gains(r, 128, 0.2, 0.4),
    ),
    Claim(
        "S3",
        "section 2",
        "Equal sums of footprints make the worst schedule below 128 MB, by more than 50%.",
        _balanced,
    ),
    Claim(
        "S4",
        "section 2",
        "256 MB, more than any three footprints: 10% between best and worst remain.",
        _remains,
    ),
    Claim(
        "S5",
        "section 3.1",
        "Two programs with early knees run together, the one that falls late runs apart.",
        _knees,
    ),
    Claim(
        "S6",
        "section 4.1",
        "The search by the model finds the best schedule, or one close to it.",
        _model_search,
    ),
    Claim(
        "S7", "section 4.1", "The heuristic is good in most cases, a little worse than the model.", _heuristic
    ),
    Claim("S8", "section 4.2, figure 4", "The miss rate over the quantum has a bump.", _bump),
    Claim("S9", "section 4.2, figure 4", "The model follows the simulation closely.", _follows),
    Claim("S10", "sections 1 and 4", "It may be better to leave processors idle.", _idle),
    Claim(
        "S11",
        "section 5",
        "Packing by miss-rate curves beats packing that is blind to memory, or by requests.",
        _aware,
    ),
)
