"""What the paper says of SRPT, held against formulas, simulations and sequences that were tried out."""

from collections.abc import Sequence

from molokini.studies.claims import Claim, Figure, Finding, open_claim
from molokini.studies.harchol_balter2001.srpt_cases import (
    BINS,
    HEAVY,
    LIGHT,
    LOADS,
    SIMULATED_LAWS,
    SIMULATED_LOADS,
    WEB,
    Formula,
    Sequences,
    Simulated,
    Tried,
    bin_name,
)
from molokini.studies.results import Interval, Results, interval, over
from molokini.studies.rule import at_least, at_most, each_within, exactly, together, within

_ALL = (*HEAVY, *LIGHT)
_WORSE = 1.0 + 1e-6


def _of(results: Results, law: str, load: float, metric: str) -> float:
    """A figure of the formula: no seed changes it."""
    return results.samples(Formula(law, load), metric)[0]


def _exact(value: float) -> Interval:
    return Interval(value, value, value, 1)


def _least(results: Results, laws: Sequence[str], loads: Sequence[float], metric: str) -> tuple[float, str]:
    found = [(_of(results, law, load, metric), f"{law} at {load:g}") for law in laws for load in loads]
    return min(found)


def _most(results: Results, laws: Sequence[str], loads: Sequence[float], metric: str) -> tuple[float, str]:
    found = [(_of(results, law, load, metric), f"{law} at {load:g}") for law in laws for load in loads]
    return max(found)


def _optimal(results: Results) -> Finding:
    case = Sequences()
    count, lower = (results.total([case], metric) for metric in ("sequences", "lower"))
    why = f"of {count:.0f} random sequences another policy (fcfs, sjf, ps) has a lower mean in {lower:.0f}"
    return exactly(lower == 0, why)


def _twice(results: Results) -> Finding:
    worst = max(results.samples(Tried(), "worst_over_optimum"))
    count = results.total([Tried()], "sequences")
    tried = f"in {count:.0f} sequences of which all schedules were tried"
    why = f"the largest is {worst:.3f} times the optimum, {tried}"
    return exactly(worst <= 2.0, why)


def _formula(results: Results) -> Finding:
    laws = [(law, load) for law in SIMULATED_LAWS for load in (0.8, 0.9)]
    cases = [Simulated(law, load, "srpt") for law, load in laws]
    means = each_within([results.mean(case, "over_formula") for case in cases], 0.99, 1.01)
    bins = [results.mean(case, f"over_formula_{k}") for case in cases for k in range(BINS)]
    by_size = each_within(bins, 0.97, 1.03)
    figures = [
        Figure(
            f"simulated over formula, {case.law} at {case.load:g}", 1.0, results.mean(case, "over_formula")
        )
        for case in cases
    ]
    found = together({"mean within 1%": means, f"each of {BINS} bins of size within 3%": by_size})
    return Finding(found.verdict, found.why, figures)


def _slowdown_always_lower(results: Results) -> Finding:
    least, where = _least(results, _ALL, LOADS, "slowdown_factor")
    why = f"the least gain is {least:.4f} times ({where}), of {len(_ALL) * len(LOADS)} pairs"
    return exactly(least > 1.0, why)


def _factor_4(results: Results) -> Finding:
    least, where = _least(results, HEAVY, [0.9], "slowdown_factor")
    return exactly(
        least >= 4.0, f"the least factor is {least:.2f} ({where})", [Figure("factor", 4.0, _exact(least))]
    )


def _factor_100(results: Results) -> Finding:
    near, where = _least(results, HEAVY, [0.999], "slowdown_factor")
    at_99, _ = _most(results, HEAVY, [0.99], "slowdown_factor")
    why = (
        f"at a load of 0.999 at least {near:.0f} ({where}); at 0.99 at most {at_99:.1f}, since a slowdown is "
        "1 at least and sharing has 100 there"
    )
    return exactly(near >= 100.0, why)


def _factor_2(results: Results) -> Finding:
    parts = [_least(results, _ALL, [0.999], metric) for metric in ("response_factor", "slowdown_factor")]
    told = ", ".join(f"{value:.2f} ({where})" for value, where in parts)
    return exactly(min(value for value, _ in parts) >= 2.0, f"least factors of response and slowdown: {told}")


def crossing(results: Results, law: str) -> float:
    """The first load of the grid at which some size prefers sharing; 1 where there is none."""
    return min((load for load in LOADS if _of(results, law, load, "largest_ratio") > _WORSE), default=1.0)


def _every_size(results: Results) -> Finding:
    found = {law: crossing(results, law) for law in HEAVY}
    why = "the first load at which some size prefers sharing: " + ", ".join(
        f"{law} {'none' if load == 1.0 else f'{load:g}'}" for law, load in found.items()
    )
    return exactly(
        min(found.values()) >= 0.98,
        f"{why}; whether 0.95 is extremely near 1 is a word",
        in_shape=min(found.values()) >= 0.9,
    )


def _share(results: Results) -> Finding:
    least, where = _least(results, HEAVY, LOADS, "share_better")
    return exactly(least >= 0.99, f"at least {100 * least:.6f}% of the jobs ({where})")


def _small(results: Results) -> Finding:
    most, where = _most(results, HEAVY, LOADS, "small_slowdown")
    return exactly(
        most <= 4.0, f"at most {most:.3f} ({where})", [Figure("mean slowdown of 99%", 4.0, _exact(most))]
    )


def _no_size_much_worse(results: Results) -> Finding:
    at_8, where_8 = _most(results, _ALL, [0.8], "largest_ratio")
    at_9, where_9 = _most(results, _ALL, [0.9], "largest_ratio")
    why = f"at 0.8 at most {at_8:.3f} ({where_8}), at 0.9 {at_9:.3f} ({where_9})"
    figures = [Figure("at 0.8", 3.0, _exact(at_8)), Figure("at 0.9", 5.5, _exact(at_9))]
    return exactly(at_8 <= 3.0 and at_9 <= 5.5, why, figures)


def _below_half(results: Results) -> Finding:
    loads = [load for load in LOADS if load < 0.5]
    most, where = _most(results, _ALL, loads, "largest_ratio")
    return exactly(most <= _WORSE, f"the largest ratio to sharing is {most:.5f} ({where})")


def _factors(results: Results, load: float, metric: str) -> Interval:
    six = results.samples(Simulated(WEB, load, "six-bands"), metric)
    sharing = results.samples(Simulated(WEB, load, "ps"), metric)
    return interval([over(two, one) for one, two in zip(six, sharing, strict=True)])


def _measured(results: Results) -> Finding:
    found = {load: _factors(results, load, "mean_response") for load in SIMULATED_LOADS}
    told = ", ".join(f"{load:g}: {one.mean:.2f}" for load, one in found.items())
    figures = [Figure(f"factor at {load:g}", None, one) for load, one in found.items()]
    return each_within(
        list(found.values()), 3.0, 8.0, f"mean response lower by these factors: {told}", figures
    )


def measured_at(results: Results, load: float) -> Finding:
    """Whether the gain of six bands at one load is as measured."""
    found = _factors(results, load, "mean_response")
    return within(found, 3.0, 8.0, f"lower by {found}")


def every_size_of(results: Results, law: str) -> Finding:
    """Whether every size of one distribution prefers SRPT up to a load of 0.98."""
    first = crossing(results, law)
    return exactly(
        first >= 0.98, f"the first load at which some size prefers sharing: {first:g}", in_shape=first >= 0.9
    )


def _by_percentile(results: Results) -> Finding:
    small = [_factors(results, 0.8, f"response_{k}") for k in (0, 1)]
    large = interval([1.0 / one for one in _each(results, BINS - 1)])
    rest = [_factors(results, 0.8, f"response_{k}") for k in range(2, BINS - 1)]
    parts = {
        "the smaller 80% better by 10": at_least(
            small[0],
            10.0,
            f"by {small[0].mean:.2f} and {small[1].mean:.2f}; sharing has a slowdown of 5 at this load and "
            "no slowdown is below 1, so that in this queue it cannot be more than 5",
        ),
        "all but the largest 0.1% better": exactly(all(one.low > 1 for one in rest), "in every bin of size"),
        "the largest 0.1% worse by 1.2": at_most(large, 1.2, f"{large}"),
    }
    return together(parts)


def _each(results: Results, k: int) -> list[float]:
    six = results.samples(Simulated(WEB, 0.8, "six-bands"), f"response_{k}")
    sharing = results.samples(Simulated(WEB, 0.8, "ps"), f"response_{k}")
    return [over(two, one) for one, two in zip(six, sharing, strict=True)]


def _variance(results: Results) -> Finding:
    found = [_factors(results, 0.8, f"slowdown_variance_{k}") for k in range(BINS - 1)]
    told = ", ".join(f"{bin_name(k)}: {one.mean:.0f}" for k, one in enumerate(found))
    figures = [Figure(f"variance lower by, {bin_name(k)}", 100.0, one) for k, one in enumerate(found)]
    first = at_least(found[0], 100.0, told, slack=70.0)
    return Finding(first.verdict, first.why, figures)


def _same_work(results: Results) -> Finding:
    apart = 0.0
    for load in SIMULATED_LOADS:
        spans = [
            results.samples(Simulated(WEB, load, policy), "makespan")
            for policy in ("srpt", "ps", "six-bands")
        ]
        apart = max(apart, *(abs(one[0] / two - 1.0) for one in zip(*spans, strict=True) for two in one[1:]))
    return exactly(
        apart < 1e-9, f"the same jobs end at the same time in all; relatively apart by {apart:.1e} at most"
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H1", "section 2", "SRPT has the least mean response of all policies, on every sequence.", _optimal
    ),
    Claim("H2", "section 2", "Its mean slowdown is at most twice the optimum, on every sequence.", _twice),
    Claim("H3", "section 2", "The formula of E[T(x)] under SRPT.", _formula),
    Claim(
        "H4",
        "section 2",
        "Mean slowdown is lower than under sharing, for all distributions.",
        _slowdown_always_lower,
    ),
    Claim(
        "H5",
        "section 2",
        "Heavy tails, load 0.9: mean slowdown is lower by a factor of 4 or more.",
        _factor_4,
    ),
    Claim("H6", "section 2", "Heavy tails, load near 1: by a factor of 100.", _factor_100),
    Claim(
        "H7",
        "section 2",
        "Any distribution, load near 1: response and slowdown by a factor of 2 or more.",
        _factor_2,
    ),
    Claim(
        "H8",
        "section 2",
        "For many heavy tails every size prefers SRPT unless the load is extremely near 1.",
        _every_size,
    ),
    Claim("H9", "section 2", "Heavy tails: at every load 99% of the jobs or more fare better.", _share),
    Claim("H10", "section 2", "These 99% have a mean slowdown of at most 4, at every load.", _small),
    Claim(
        "H11",
        "section 2",
        "No size is worse than under sharing by more than 3 at 0.8, 5.5 at 0.9.",
        _no_size_much_worse,
    ),
    Claim("H12", "section 2", "Below a load of a half every size is better off.", _below_half),
    Claim("H13", "section 3", "Measured: mean response lower by 3 to 8 above a load of 0.5.", _measured),
    Claim(
        "H14",
        "section 3",
        "At 0.8, 80% of the requests are better by 10; only the largest 0.1% are worse, by 1.2.",
        _by_percentile,
    ),
    Claim("H15", "section 3", "Variance of response is lower by two orders for most requests.", _variance),
    Claim("H16", "section 3", "Throughput and utilization do not change.", _same_work),
    open_claim(
        "H17",
        "related work",
        "Scheduling in the application gave a quarter of the response at half the throughput; priorities of "
        "processes 20% to one class, -200% to the other.",
        "they are measurements of real web servers",
    ),
)
