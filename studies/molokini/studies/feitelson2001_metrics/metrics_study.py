"""Feitelson, JSSPP 2001: workloads, metrics, and how long a simulation must be."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from molokini.metrics.settling import TRACKED
from molokini.studies.feitelson2001_metrics.metrics_cases import (
    COVERED,
    ESTIMATES,
    JOBS,
    MODELLED,
    POLICIES,
    RUNS,
    Logged,
    Scheduled,
    cases_of,
    logs_of,
    prepare,
    run,
)
from molokini.studies.feitelson2001_metrics.metrics_claims import claims_over, favours, ranking
from molokini.studies.log_files import Log
from molokini.studies.maps import Map
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.study import Size, Study


def over(folder: Path) -> Study:
    """The study with the logs of *folder* beside the models."""
    return _over(folder, logs_of(folder))


def _tables(logs: Sequence[Log], results: Results) -> Sequence[Table]:
    rows = []
    for one in TRACKED:
        cells = [one.name]
        for policy in POLICIES:
            found = results.mean(Scheduled(policy), one.name)
            sizes = results.known(Scheduled(policy), f"size_{one.name}")
            cells += [f"{found.mean:,.4g}", f"{100 * sum(sizes) / len(sizes):.0f}%" if sizes else "-"]
        cells += [_winner(results, one.name, how) for how in ESTIMATES]
        rows.append(cells)
    columns = (
        "metric",
        "EASY",
        "size of its interval",
        "conservative",
        "size of its interval",
        *(f"better with estimates {how}" for how in ESTIMATES),
    )
    found_tables = [Table("The model jann at a load of 0.75", "Figure 6", columns, rows)]
    if logs:
        found_tables.append(_of_logs(logs, results))
    return found_tables


def _winner(results: Results, metric: str, how: str) -> str:
    apart = favours(results, metric, how)
    return "EASY" if apart.below else "conservative" if apart.above else "not clear"


def _of_logs(logs: Sequence[Log], results: Results) -> Table:
    names = ("jobs", "successful", "mean", "median", "deviation", "cv", "alpha", "h")
    rows = []
    for log in logs:
        found = [results.known(Logged(log), name) for name in names]
        rows.append([log.title, *(f"{values[0]:,.5g}" if values else "-" for values in found)])
    columns = (
        "log",
        "jobs",
        "successful",
        "mean (s)",
        "median",
        "deviation",
        "CV",
        "slope of the tail",
        "H of arrivals",
    )
    return Table("Run times of successful jobs, and arrivals", "Table 1", columns, rows)


def _no_pictures(results: Results) -> Sequence[Picture]:
    return []


def _over(folder: Path | None, logs: Sequence[Log]) -> Study:
    return Study(
        name="feitelson2001-metrics",
        title="Metrics of parallel jobs, and how long a simulation must be",
        paper="D. G. Feitelson: Metrics for Parallel Job Scheduling and Their Convergence, JSSPP 2001, LNCS "
        "2221.",
        summary="The paper asks whether means of simulated schedules converge: run times of logs are skewed "
        "but not heavy-tailed, arrivals are bursty, intervals of batch means shrink and grow, and metrics "
        "disagree on which of two policies is better. Here logs, four models of workloads, and schedules of "
        "the model `jann` under EASY and conservative backfilling stand for its own. Of its six logs KTH-SP2 "
        "and a cleaned LANL-CM5 are at hand.",
        cases=lambda: cases_of(logs),
        run=partial(run, folder),
        prepare=prepare,
        sources=[
            "molokini.sim",
            "molokini.compiled",
            "molokini.tables",
            "molokini.availability",
            "molokini.cycle",
            "molokini.shared",
            "molokini.metrics",
            "molokini.workloads",
            "molokini.policies.easy",
            "molokini.policies.conservative",
            "molokini.policies.gs",
            "molokini.policies.ps",
            "molokini.studies.feitelson2001_metrics.metrics_cases",
            "molokini.studies.log_files",
        ],
        claims=claims_over(logs),
        pictures=_no_pictures,
        maps=[Map("F12", "estimates", [(how, partial(ranking, estimates=how)) for how in ESTIMATES])],
        tables=partial(_tables, logs),
        length=f"{JOBS:,} jobs of a schedule, {MODELLED:,} of a model, {RUNS} runs of {COVERED:,} for "
        "coverage, or a log",
        in_short=[
            "Run times of successful jobs of KTH-SP2 are those of Table 1 within 0.2%. Newer logs have "
            "longer tails than the paper's.",
            "Coverage, which the paper leaves open: intervals of batches of 100 completions hold the true "
            "mean in 80% of 200 runs of 10,000 jobs, of 250 in 90%, of 500 and 1,000 in 94 and 95%.",
            "Which of EASY and conservative backfilling is better by slowdown depends on estimates: with "
            "those of the phi model the metrics disagree as the paper says, with exact ones they do not.",
        ],
        readings=[
            "The size of an interval is its half width over the mean; the paper does not say which width it "
            "means.",
            "The model `jann` has the parameters of KTH-SP2, since the published ones were not to be had; "
            "figures of Table 3 cannot be compared. Runs have 50,000 jobs and not a million: what is wide "
            "here need not be there.",
            "Estimates are exact in all claims but F12, which is asked under two other models of estimates, "
            "too.",
            "Table 1 is of successful jobs (status 1). Four of its logs are not at hand; the LANL-CM5 that "
            "is has been cleaned of three flurries, which is 79,327 of 201,387 records.",
            "Time slicing is `gs` with its default rows and quanta of 60 and 600 s, on KTH-SP2 in the place "
            "of SDSC-SP2.",
            "Logs have no seeds: claims about them are counts, or orders of sizes.",
            "A tail is heavy where its slope is 2 or less; tails of counts are parallel where slopes differ "
            "by less than a third.",
        ],
        full=Size("full", 10, 1.0),
        quick=Size("quick", 3, 0.1),
        over=over,
    )


STUDY = _over(None, ())
