"""Claims of section 5.2.2: a periodic task on K nodes, and tasks that are nearly periodic."""

from molokini.applications.divisible_ranges import Range, common, ranges
from molokini.studies.claims import Claims, Figure, Finding
from molokini.studies.lin2006_divisible.experiments import (
    AN,
    COMMON,
    FIXED,
    PERIODS,
    SENDING,
    SHORT,
    SPEEDS,
    TABLE_1,
    TABLE_1_UPPER,
    TABLE_2,
    TABLE_2_UPPER,
    controlled,
    leveraged,
    periodic,
)
from molokini.studies.lin2006_divisible.setting import REJECTED, TIME, costs, execution, name_of
from molokini.studies.results import Interval, Results
from molokini.studies.rule import Count, by_intervals, exactly
from molokini.studies.shown import Table

ALONE = execution(FIXED, 16)
"""E(200, 16)."""
LONGEST_SEEN = 1350.0
"""A period from here up to E(200, 16) is late by so little a job that 10,000,000 time units end first."""


SAID = Claims()
_TABLE_1, _TABLE_2 = "5.2.2, Table 1", "5.2.2, Table 2"


def _of(nodes: int, k: int) -> Range:
    return ranges(costs(), FIXED, nodes, [k])[0]


@SAID(
    "theorem-5.1",
    "5.2.2, theorem 5.1",
    "One node for a task costs less node time than N: E(sigma, 1) < N E(sigma, N).",
)
def _theorem_1(_: Results) -> Finding:
    checked = 0
    for cms in SENDING:
        for cps in SPEEDS:
            for nodes in (2, 16, 32, 64):
                alone, every = (execution(FIXED, n, cms, cps) for n in (1, nodes))
                if alone >= nodes * every:
                    return exactly(False, f"not with N {nodes}, C_ms {cms:g}, C_ps {cps:g}")
                checked += 1
    ratio = 16 * ALONE / execution(FIXED, 1)
    why = f"in all {checked} combinations; in the basic model 16 nodes cost {ratio:.4f} times one"
    return exactly(True, why)


def _ratios(results: Results, policy: str, periods: list[float], k: int = 0) -> list[tuple[float, Interval]]:
    return [(period, results.mean(periodic(policy, period, k), REJECTED)) for period in periods]


def _none_rejected(results: Results, policy: str, periods: list[float], k: int = 0) -> Finding:
    rejected = [f"{period:g}" for period, ours in _ratios(results, policy, periods, k) if ours.high > 0]
    shown = f"{name_of(policy, k)} at periods {', '.join(f'{p:g}' for p in periods)}"
    told = f"rejects at {', '.join(rejected)}" if rejected else "rejects nothing"
    return by_intervals(not rejected, f"{shown}: {told}")


@SAID(
    "assertion-5.3",
    "5.2.2, assertion 5.3",
    "With periods of E(sigma, N) or more all deadlines are met on all nodes.",
)
def _assertion_3(results: Results) -> Finding:
    return _none_rejected(results, AN, [p for p in PERIODS if p >= ALONE])


@SAID(
    "theorem-5.4",
    "5.2.2, theorem 5.4",
    "With periods below E(sigma, N) some deadlines cannot be met on all nodes.",
)
def _theorem_4(results: Results) -> Finding:
    periods = [period for period in PERIODS if period <= LONGEST_SEEN]
    found = _ratios(results, AN, periods)
    none = [f"{period:g}" for period, ours in found if ours.is_nothing]
    some = sum(ours.above for _, ours in found)
    shown = f"at periods {periods[0]:g} to {periods[-1]:g}"
    ratios = f"from {found[0][1].mean:.4f} to {found[-1][1].mean:.4f}"
    nothing = f"; nothing at {', '.join(none)}" if none else ""
    count = Count(some, len(none), len(found) - some - len(none))
    return Finding(count.verdict, f"{shown}: rejects {ratios}{nothing}")


@SAID(
    "theorem-5.7",
    "5.2.2, lemma 5.6, theorem 5.7",
    "On K nodes each (here 2) and with periods of K E(sigma, K) / (N - K) or more every job starts when it "
    "arrives, and meets D = E(sigma, K).",
)
def _theorem_7(results: Results) -> Finding:
    return _none_rejected(results, "edf-opr-k", [p for p in PERIODS if p >= _of(16, 2).printed_s], 2)


@SAID(
    "figure-4g",
    "5.2.2, Figure 4g",
    "With D = E(sigma, 2) and periods in [1263, 1359) EDF-OPR-2 rejects nothing, and EDF-OPR-AN more.",
)
def _figure_4g(results: Results) -> Finding:
    inside = [period for period in PERIODS if 1263.0 <= period < 1359.0]
    bad, even, figures = [], [], []
    for period in inside:
        ours, other = (results.mean(periodic(p, period, k), REJECTED) for p, k in (("edf-opr-k", 2), (AN, 0)))
        figures.append(Figure(f"EDF-OPR-2 at period {period:g}", 0.0, ours))
        bad += [f"{period:g}"] if ours.high != 0 else []
        even += [f"{period:g}"] if other.low <= ours.high else []
    none, less = len(inside) - len(bad), len(inside) - len(even)
    said = f"rejects nothing at {none} of {len(inside)} periods, less than EDF-OPR-AN at {less}"
    if bad:
        said += f"; it rejects some at {', '.join(bad)}: the bound of K = 2 is 1269, 1263 is that of K = 1"
    if even:
        said += f"; not less than EDF-OPR-AN at {', '.join(even)}"
    most = len({*bad, *even}) <= len(inside) / 2
    return by_intervals(not (bad or even), said, figures, in_shape=most)


def _ranges(nodes: int, published: dict[int, float], upper: float) -> Finding:
    """Whether the ranges begin and end as printed."""
    found = ranges(costs(), FIXED, nodes, published)
    wrong = [one.k for one in found if one.bounds != (published[one.k], upper)]
    figures = []
    for one in found:
        exact = Interval(one.bounds[0], one.bounds[0], one.bounds[0], 1)
        figures.append(Figure(f"N {nodes}, K {one.k}: lower end", published[one.k], exact))
    printed = ", ".join(f"K {one.k}: {one.printed_s:.1f}" for one in found if one.divides)
    why = (
        "each is K E(sigma, K) / N where K divides N, else K E(sigma, K) / (N - K), rounded up; "
        f"the formula of theorem 5.7 alone would give {printed}. Both are enough"
    )
    return exactly(not wrong, f"not for K = {wrong}; {why}" if wrong else why, figures)


SAID(
    "table-1-ranges",
    _TABLE_1,
    "For N = 16 the ranges begin at 1263, 1269, 1282 and 1307 for K = 1, 2, 4 and 8, and end at 1359.",
)(lambda _: _ranges(16, {k: low for k, (low, _) in TABLE_1.items()}, TABLE_1_UPPER))


@SAID(
    "table-1",
    _TABLE_1,
    "With interarrival times in these ranges EDF-OPR-K rejects nothing, and EDF-OPR-AN 0.0184, 0.0263, "
    "0.0251 and 0.0187.",
)
def _reject_ratios(results: Results) -> Finding:
    zero, above, equal, figures, short = True, True, True, [], []
    for k, (_, published) in TABLE_1.items():
        ours = results.mean(controlled("edf-opr-k", k, table_k=k), REJECTED)
        other = results.mean(controlled(AN, table_k=k), REJECTED)
        figures += [
            Figure(f"EDF-OPR-{k} in the range of K {k}", 0.0, ours),
            Figure(f"EDF-OPR-AN in the range of K {k}", published, other),
        ]
        brief = results.mean(controlled(AN, table_k=k, time=SHORT), REJECTED)
        figures.append(Figure(f"the same, runs of {SHORT:,.0f}", published, brief))
        short.append(abs(brief.mean - published) < 0.1 * published)
        zero = zero and ours.high == 0
        above = above and other.low > 0
        equal = equal and other.low <= published <= other.high
    near = f"in runs a tenth as long {sum(short)} of {len(short)} are within a tenth of what is printed"
    return by_intervals(zero and above and equal, f"{_TABLE_WHY}; {near}", figures, in_shape=zero and above)


_TABLE_WHY = (
    "gaps are drawn evenly from the range, D = E(sigma, K); how the paper drew them is not said. In the long "
    "run AN must reject 1 less mean gap over E(sigma, N), but a queue as long as D fills first"
)


SAID(
    "table-2-ranges",
    _TABLE_2,
    "For N = 64 the ranges of K = 1 to 8 begin at 316, 318, 335, 321, 350, 357, 366 and 327, and end at 425.",
)(lambda _: _ranges(64, TABLE_2, TABLE_2_UPPER))


@SAID("table-2-common", _TABLE_2, "What these ranges have in common is [366, 425).")
def _common(_: Results) -> Finding:
    found = common(ranges(costs(), FIXED, 64, TABLE_2))
    shown = "nothing" if found is None else f"[{found[0]:g}, {found[1]:g})"
    return exactly(found == COMMON, f"they have {shown} in common")


@SAID(
    "leveraged",
    "5.2.2, after Table 2",
    "With N = 64, interarrival times in [366, 425) and deadlines for which 8 nodes are enough, EDF-OPR-MN "
    "and FIFO-OPR-MN reject nothing, EDF-OPR-AN 0.0523 and FIFO-OPR-AN 0.0564.",
)
def _leveraged(results: Results) -> Finding:
    figures, zero, above, equal = [], True, True, False
    published = {"edf-opr-mn": 0.0, "fifo-opr-mn": 0.0, "edf-opr-an": 0.0523, "fifo-opr-an": 0.0564}
    for spread in (False, True):
        near = True
        for policy, printed in published.items():
            ours = results.mean(leveraged(policy, spread), REJECTED)
            drawn = "D from E(200, 8) to 3 E(200, 8)" if spread else "D = E(200, 8)"
            figures.append(Figure(f"{name_of(policy)}, {drawn}", printed, ours))
            if policy.endswith("mn"):
                zero = zero and ours.high == 0
            else:
                above = above and ours.low > 0
                near = near and ours.low <= printed <= ours.high
        equal = equal or near
    why = (
        "sigma is 200, gaps are drawn evenly from the range. The paper's two AN figures differ, so its "
        "deadlines did: with all equal, EDF is FIFO. Both are shown"
    )
    return by_intervals(zero and above and equal, why, figures, in_shape=zero and above)


def tables(results: Results) -> list[Table]:
    """Tables 1 and 2, published and ours side by side."""

    def ratio(policy: str, table_k: int, k: int = 0, time: float = TIME) -> str:
        return str(results.mean(controlled(policy, k, table_k=table_k, time=time), REJECTED))

    def between(low: float, high: float) -> str:
        return f"[{low:g}, {high:g})"

    first = [
        [
            *(str(k), between(low, TABLE_1_UPPER), between(*_of(16, k).bounds)),
            *("0", ratio("edf-opr-k", k, k), f"{published:g}", ratio(AN, k), ratio(AN, k, time=SHORT)),
        ]
        for k, (low, published) in TABLE_1.items()
    ]
    second = [
        [str(one.k), between(TABLE_2[one.k], TABLE_2_UPPER), between(*one.bounds), between(*one.tight_bounds)]
        for one in ranges(costs(), FIXED, 64, TABLE_2)
    ]
    named = ["K", "range, published", "range, ours"]
    policies = ["K, published", "K, ours", "AN, published", "AN, ours", f"AN, ours, runs of {SHORT:,.0f}"]
    title = "where EDF-OPR-K rejects less than EDF-OPR-AN (N = 16)"
    return [
        Table(title, "Table 1", [*named, *policies], first),
        Table("the ranges for N = 64", "Table 2", [*named, "with bound E / floor(N / K)"], second),
    ]
