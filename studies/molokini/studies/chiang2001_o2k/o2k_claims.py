"""What Chiang and Vernon say of the workload, held against months that the model makes.

A target is a range of the text; a month is *in shape* where it lies beside it by no more than the slack that
stands with it. What the model's tables were set to is no discovery: such a claim says that it keeps them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from molokini.studies.chiang2001_o2k.o2k_cases import Month, Scheduled
from molokini.studies.chiang2001_o2k.o2k_logs import GAP_LAWS, Logged
from molokini.studies.claims import Claim, Figure, Finding, Verdict, open_claim
from molokini.studies.log_files import Log
from molokini.studies.results import Interval, NotRun, Results, interval
from molokini.studies.rule import above, below, together, within

_MONTH = Month()


@dataclass(frozen=True)
class Target:
    """A range that the paper gives to a metric, and how far beside it still has the shape."""

    metric: str
    low: float
    high: float
    slack: float

    def published(self) -> float | None:
        """The middle of a range with two ends."""
        return None if self.high - self.low > 1e5 else (self.low + self.high) / 2


def _held(targets: Sequence[Target]) -> Callable[[Results], Finding]:
    def check(results: Results) -> Finding:
        found = [(one, results.mean(_MONTH, one.metric)) for one in targets]
        parts = {one.metric: within(ours, one.low, one.high, slack=one.slack) for one, ours in found}
        beside = [name for name, part in parts.items() if part.verdict is not Verdict.HOLDS]
        why = f"{len(parts) - len(beside)} of {len(parts)} figures inside their ranges"
        why += f"; not clearly: {', '.join(beside)}" if beside else ""
        figures = [Figure(one.metric, one.published(), ours) for one, ours in found]
        return Finding(together(parts).verdict, why, figures)

    return check


def _targets(name: str, place: str, text: str, *targets: Target) -> Claim:
    return Claim(name, place, text, _held(targets))


def _ranking(results: Results) -> Finding:
    names = ("weibull", "log-uniform", "gamma", "h2", "pareto")
    found = {name: results.mean(_MONTH, f"distance_{name}") for name in names}
    samples = [results.samples(_MONTH, f"distance_{name}") for name in names]
    apart = [min(of_seed[2:]) - max(of_seed[:2]) for of_seed in zip(*samples, strict=True)]
    good = max(found[name].mean for name in names[:2])
    bad = min(found[name].mean for name in names[2:])
    figures = [Figure(f"distance of {name}", None, one) for name, one in found.items()]
    why = f"the worse of the two: {good:.3f}, the best of the others: {bad:.3f}"
    return Finding(above([interval(apart)]).verdict, why, figures)


def _better_estimates(results: Results) -> Finding:
    exact, requested = Scheduled("exact"), Scheduled()
    metrics = ("mean_response_s", "mean_bounded_slowdown")
    found = {metric: results.difference(exact, requested, metric) for metric in metrics}
    figures = [Figure(f"{metric}, exact less requested", None, one) for metric, one in found.items()]
    shorter = [metric.removeprefix("mean_") for metric, one in found.items() if one.below]
    why = f"under EASY, month by month, exact estimates clearly shorten {' and '.join(shorter) or 'neither'}"
    return below(list(found.values()), why, figures)


def of_log(results: Results, log: Log, metric: str) -> float | None:
    """A figure of a log, or None where the log does not tell it; no seed changes it."""
    found = results.known(Logged(log), metric)
    return found[0] if found else None


def _gaps_of_logs(results: Results, logs: Sequence[Log]) -> Finding:
    """In which share of the stationary periods of each log each distribution comes nearest."""
    if not logs:
        raise NotRun("the model draws its gaps from it, and no logs were given (--logs FOLDER)")
    told = [log for log in logs if of_log(results, log, "periods")]
    if not told:
        raise NotRun("no log has a month with enough jobs in its periods")
    law = GAP_LAWS[-1]
    periods = [of_log(results, log, "periods") or 0.0 for log in told]
    shares = [of_log(results, log, f"nearest_{law}") or 0.0 for log in told]
    all_of_them = sum(periods)
    best = sum(one * share for one, share in zip(periods, shares, strict=True))
    figures = [
        Figure(f"H2 nearest, share of periods: {log.title}", 1.0, Interval(share, share, share, 1))
        for log, share in zip(told, shares, strict=True)
    ]
    why = f"on logs of other machines H2 is nearest in {best:.0f} of {all_of_them:.0f} periods of a month"
    why = (
        f"{why}{_with_downtime(results, told)}; the paper speaks of another machine, whose log is not at hand"
    )
    return Finding(Verdict.UNTESTABLE, why, figures)


def _with_downtime(results: Results, logs: Sequence[Log]) -> str:
    """Whether downtime that is left in makes gaps look like Pareto's."""
    counts = [of_log(results, log, "periods_with_downtime") or 0.0 for log in logs]
    shares = [of_log(results, log, "pareto_with_downtime") or 0.0 for log in logs]
    pareto = sum(one * share for one, share in zip(counts, shares, strict=True))
    return f"; with downtime left in, Pareto is in {pareto:.0f} of the {sum(counts):.0f} that have any"


def claims_over(logs: Sequence[Log]) -> tuple[Claim, ...]:
    """All claims; *logs* are those that were measured, if any."""
    gaps = Claim(
        "V2",
        "section 4.2",
        "A two-stage hyper-exponential distribution fits gaps of every stationary period best; gamma and "
        "Weibull fit worse; with downtime left in, gaps look like Pareto's.",
        lambda results: _gaps_of_logs(results, logs),
    )
    return (_OF_MONTHS[0], gaps, *_OF_MONTHS[1:])


_INF = 1e9
_OF_MONTHS: tuple[Claim, ...] = (
    _targets(
        "V1",
        "sections 1, 4.2",
        "In stationary periods gaps between arrivals vary with a coefficient of 1 to 2.",
        Target("gap_cv", 1, 2, 0.1),
        Target("even_gap_cv", 1, 2, 0.1),
    ),
    _targets(
        "V3",
        "section 4.1",
        "Weekdays peak from 8 to 18 h with a gap of about two minutes; 350 to 400 jobs come on one, 150 "
        "to 200 on a day of a weekend.",
        Target("peak_gap_min", 1.7, 2.3, 0.3),
        Target("weekday_jobs", 350, 400, 30),
        Target("weekend_jobs", 150, 200, 30),
    ),
    _targets(
        "V4",
        "section 3.1, table 4",
        "Demand is 90 to 100% of the processors and 70 to 80% of the memory; classes of size hold 67, 17 "
        "and 16% of the jobs.",
        Target("processor_demand", 0.88, 1.02, 0.10),
        Target("memory_demand", 0.63, 0.84, 0.10),
        Target("class_sj", 0.64, 0.70, 0.03),
        Target("class_mj", 0.14, 0.20, 0.03),
        Target("class_lj", 0.13, 0.19, 0.03),
    ),
    _targets(
        "V5",
        "section 3.1",
        "95% of the demand is of requests above 5 hours.",
        Target("demand_above_5_h", 0.9, 0.97, 0.02),
    ),
    _targets(
        "V6",
        "section 3.2, table 5",
        "Large jobs: those above the mean of processors times time, above 20 h, wide, hungry for memory.",
        Target("above_mean_work", 0.15, 0.18, 0.03),
        Target("above_mean_work_demand", 0.878, 0.894, 0.10),
        Target("above_20_h", 0.12, 0.17, 0.03),
        Target("above_20_h_demand", 0.70, 0.82, 0.10),
        Target("wide", 0.06, 0.09, 0.03),
        Target("wide_demand", 0.35, 0.41, 0.10),
        Target("hungry", 0.04, 0.07, 0.03),
        Target("hungry_demand", 0.158, 0.209, 0.10),
        Target("above_mean_work_memory", 0.76, 0.833, 0.10),
        Target("above_20_h_memory", 0.796, 0.877, 0.10),
        Target("wide_memory", 0.097, 0.217, 0.10),
        Target("hungry_memory", 0.361, 0.537, 0.10),
        Target("wide_and_hungry", 0.01, 0.03, 0.03),
    ),
    _targets(
        "V7",
        "section 4.3",
        "30 to 40% of the jobs are serial, most sizes are powers of two, none is above 64.",
        Target("serial", 0.3, 0.4, 0.02),
        Target("powers_of_two", 0.8, 1.0, 0.05),
        Target("largest", 64, 64, 0),
    ),
    _targets(
        "V8",
        "section 4.4",
        "35 to 40% ask for more than 256 MB a processor, 15 to 20% for more than 512 MB, half of the "
        "serial jobs do; wider jobs ask for more memory, and for less a processor.",
        Target("above_256_mb", 0.35, 0.40, 0.02),
        Target("above_512_mb", 0.15, 0.20, 0.03),
        Target("serial_above_512_mb", 0.45, 0.55, 0.03),
        Target("below_2_gb", 0.5, 1.0, 0),
        Target("memory_gb_wide_over_serial", 1.0, _INF, 0),
        Target("memory_mb_wide_over_serial", 0.0, 1.0, 0),
    ),
    _targets(
        "V9",
        "section 4.5",
        "Half of the requests are 5 h or less; serial jobs ask for some ten hours more than those of 64 "
        "processors, all up to 16 for significantly more than wider ones; most requests are defaults.",
        Target("vst", 0.5, 0.55, 0.02),
        Target("serial_asks_longer_h", 8, 12, 4),
        Target("narrow_asks_longer_h", 1, _INF, 0),
        Target("defaults", 0.5, 1.0, 0),
    ),
    Claim(
        "V10",
        "section 5.1",
        "Run times fit a Weibull and a log-uniform distribution in pieces; gamma, H2 and Pareto do not.",
        _ranking,
    ),
    _targets(
        "V11",
        "section 5.1",
        "Run times do not depend on processors; their mean is 566 min with a variation of 3 (weekday "
        "peaks of October), 40% are above an hour.",
        Target("run_and_processors", -0.05, 0.05, 0.02),
        Target("mean_run_min", 509, 623, 60),
        Target("run_cv", 2.7, 3.3, 0.3),
        Target("above_1_h", 0.35, 0.45, 0.03),
    ),
    _targets(
        "V12",
        "section 5.2",
        "More than half of the jobs use less than a fifth of their request, half of those with a default "
        "less than 10 to 12%; one in ten above 5 h ends within a minute; many requests of 5 h run exactly "
        "as long.",
        Target("below_a_fifth", 0.5, 0.65, 0.05),
        Target("default_median_ratio", 0.09, 0.13, 0.03),
        Target("ended_in_a_minute", 0.08, 0.12, 0.02),
        Target("exactly_5_h", 0.05, 0.3, 0.0),
    ),
    Claim(
        "V13",
        "section 5.2",
        "Better estimates would shorten mean response and slowdown.",
        _better_estimates,
    ),
    _targets(
        "V14",
        "section 5.3",
        "15 to 20% of the jobs peak above their request; half peak below 32 MB a processor, 5% above 1 "
        "GB; jobs use 40 to 55% of the memory that they hold.",
        Target("peak_above_request", 0.15, 0.20, 0.03),
        Target("peak_below_32_mb", 0.45, 0.55, 0.05),
        Target("peak_above_1_gb", 0.03, 0.07, 0.02),
        Target("memory_used", 0.40, 0.55, 0.05),
    ),
    _targets(
        "V15",
        "section 6, table 6",
        "The fifteen largest jobs of a month hold 9 to 17% of the demand, run for 100 to 310 h and take "
        "3,900 to 8,000 processor hours each.",
        Target("largest_demand", 0.09, 0.172, 0.05),
        Target("largest_run_h", 102, 312, 50),
        Target("largest_work_h", 3888, 8044, 1000),
    ),
    open_claim(
        "V16",
        "section 6",
        "Most of the fifteen arrive in the peaks of weekdays.",
        "in the model sizes do not depend on arrivals, so it follows from how many jobs come then",
    ),
    _targets(
        "V17",
        "section 5.3",
        "Jobs of less than a minute use less than 64 MB.",
        Target("short_most_mb", 0, 64, 0),
    ),
)
