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


_Cell = tuple[str, str, int | None]
"""A column, the figure of a log in it, and its digits; None: a share, in per cent."""

_OF_LOGS: tuple[tuple[str, str, tuple[_Cell, ...]], ...] = (
    (
        "Arrivals in logs of other machines",
        "Sections 4.1 and 4.2",
        (
            ("periods", "periods", 0),
            ("CV of gaps: peak", "gap_cv_peak", 2),
            ("middle", "gap_cv_middle", 2),
            ("low", "gap_cv_low", 2),
            ("CV of 1 to 2", "gap_cv_1_to_2", None),
            ("nearest: H2", "nearest_h2-moments", None),
            ("Weibull", "nearest_weibull", None),
            ("gamma", "nearest_gamma", None),
            ("exponential", "nearest_exponential", None),
            ("jobs an hour on weekdays: peak", "rate_peak", 1),
            ("middle", "rate_middle", 1),
            ("low", "rate_low", 1),
            ("on weekends: from 8 h", "rate_weekend_day", 1),
            ("before", "rate_weekend_low", 1),
            ("weekdays apart", "weekdays_apart", None),
        ),
    ),
    (
        "Run times in logs of other machines",
        "Section 5.1",
        (
            ("distance of Weibull", "distance_weibull", 3),
            ("distance of log-uniform pieces", "distance_log-uniform", 3),
            ("distance of gamma", "distance_gamma", 3),
            ("distance of H2", "distance_h2", 3),
            ("distance of Pareto", "distance_pareto", 3),
            ("slope of the tail", "tail_alpha", 2),
            ("rank correlation with processors", "run_and_processors", 2),
        ),
    ),
    (
        "Requests in logs of other machines",
        "Sections 5.2 and 5.3",
        (
            ("use less than a fifth of the request", "below_a_fifth", None),
            ("distance of the ratio below 99% from a uniform one", "from_uniform", 2),
            ("use more memory than requested", "memory_above_request", None),
        ),
    ),
)


def tables_over(results: Results, logs: Sequence[Log]) -> list[Table]:
    """All tables; those of logs where there are any."""
    of_logs = [
        Table(
            title,
            place,
            ("log", *(column for column, _, _ in cells)),
            [
                [log.title, *(_cell(of_log(results, log, one), digits) for _, one, digits in cells)]
                for log in logs
            ],
        )
        for title, place, cells in _OF_LOGS
    ]
    return [_large(results), *(of_logs if logs else [])]


def _cell(found: float | None, digits: int | None) -> str:
    if found is None:
        return "-"
    return f"{100 * found:.0f}%" if digits is None else f"{found:.{digits}f}"


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
