"""The tables of the study: Table 5 beside the model, and what logs of other machines say."""

from collections.abc import Sequence

from molokini.studies.chiang2001_o2k.o2k_cases import Month
from molokini.studies.chiang2001_o2k.o2k_claims import of_log
from molokini.studies.log_files import Log
from molokini.studies.results import Results
from molokini.studies.shown import Table

_LARGE = (
    ("above the mean of processors times time", "above_mean_work", "15-18%", "88-89%", "76-83%"),
    ("above 20 h", "above_20_h", "12-17%", "71-82%", "80-88%"),
    ("more than 16 processors, above 10 min", "wide", "6-9%", "36-41%", "10-22%"),
    ("more than 4 GB, above 10 min", "hungry", "4-7%", "16-21%", "36-54%"),
)


def tables_over(results: Results, logs: Sequence[Log]) -> list[Table]:
    """All tables; those of logs where there are any."""
    of_logs = [_arrivals(results, logs), _run_times(results, logs), _requests(results, logs)] if logs else []
    return [_large(results), *of_logs]


def _large(results: Results) -> Table:
    """Table 5: shares of jobs and of demand."""
    rows = []
    for name, metric, jobs, demand, memory in _LARGE:
        names = (metric, f"{metric}_demand", f"{metric}_memory")
        ours = [f"{100 * results.mean(Month(), one).mean:.1f}%" for one in names]
        rows.append([name, jobs, ours[0], demand, ours[1], memory, ours[2]])
    what = ("jobs", "processor demand", "memory demand")
    columns = ("class", *(f"{one}, {whose}" for one in what for whose in ("paper", "ours")))
    return Table("Large jobs", "Table 5, October to December", columns, rows)


def _arrivals(results: Results, logs: Sequence[Log]) -> Table:
    columns = (
        "log",
        "periods",
        "CV of gaps: peak",
        "middle",
        "low",
        "CV of 1 to 2",
        "nearest: H2",
        "Weibull",
        "gamma",
        "exponential",
        "jobs an hour on weekdays: peak",
        "middle",
        "low",
        "on weekends: from 8 h",
        "before",
        "weekdays apart",
    )
    rows = [
        [
            log.title,
            _number(results, log, "periods", 0),
            *(_number(results, log, f"gap_cv_{name}") for name in ("peak", "middle", "low")),
            _share(results, log, "gap_cv_1_to_2"),
            *(_share(results, log, f"nearest_{law}") for law in ("h2-moments", "weibull", "gamma")),
            _share(results, log, "nearest_exponential"),
            *(_number(results, log, f"rate_{name}", 1) for name in ("peak", "middle", "low")),
            *(_number(results, log, f"rate_weekend_{name}", 1) for name in ("day", "low")),
            _share(results, log, "weekdays_apart"),
        ]
        for log in logs
    ]
    return Table("Arrivals in logs of other machines", "Sections 4.1 and 4.2", columns, rows)


def _run_times(results: Results, logs: Sequence[Log]) -> Table:
    laws = ("weibull", "log-uniform", "gamma", "h2", "pareto")
    rows = [
        [
            log.title,
            *(_number(results, log, f"distance_{law}", 3) for law in laws),
            _number(results, log, "tail_alpha"),
            _number(results, log, "run_and_processors"),
        ]
        for log in logs
    ]
    fits = tuple(f"distance of {law}" for law in ("Weibull", "log-uniform pieces", "gamma", "H2", "Pareto"))
    columns = ("log", *fits, "slope of the tail", "rank correlation with processors")
    return Table("Run times in logs of other machines", "Section 5.1", columns, rows)


def _requests(results: Results, logs: Sequence[Log]) -> Table:
    rows = [
        [
            log.title,
            _share(results, log, "below_a_fifth"),
            _number(results, log, "from_uniform"),
            _share(results, log, "memory_above_request"),
        ]
        for log in logs
    ]
    columns = (
        "log",
        "use less than a fifth of the request",
        "distance of the ratio below 99% from a uniform one",
        "use more memory than requested",
    )
    return Table("Requests in logs of other machines", "Sections 5.2 and 5.3", columns, rows)


def _number(results: Results, log: Log, metric: str, digits: int = 2) -> str:
    found = of_log(results, log, metric)
    return "-" if found is None else f"{found:.{digits}f}"


def _share(results: Results, log: Log, metric: str) -> str:
    found = of_log(results, log, metric)
    return "-" if found is None else f"{100 * found:.0f}%"
