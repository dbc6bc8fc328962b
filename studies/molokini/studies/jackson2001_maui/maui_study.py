"""Jackson, Snell and Clement, JSSPP 2001: backfill on the logs of real machines."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from molokini.studies.jackson2001_maui.maui_cases import FULL, cases_of, prepare, run
from molokini.studies.jackson2001_maui.maui_claims import claims_over
from molokini.studies.jackson2001_maui.maui_logs import MOST_UNDER_LOAD, SHAKE_S, logs_of
from molokini.studies.jackson2001_maui.maui_shown import pictures_over, tables_over
from molokini.studies.log_files import Log
from molokini.studies.study import Size, Study


def over(folder: Path) -> Study:
    """The study on the logs of *folder*."""
    return _over(folder, logs_of(folder))


def _over(folder: Path | None, logs: Sequence[Log]) -> Study:
    return Study(
        name="jackson2001-maui",
        title="Backfill in the Maui scheduler: what it gains, which jobs it delays, and which way to do it",
        paper="D. Jackson, Q. Snell, M. Clement: Core Algorithms of the Maui Scheduler, JSSPP 2001, "
        "LNCS 2221.",
        summary="Logs of real machines are replayed by the policy `maui` with its defaults (priority is "
        "queue time, one reservation), without backfill and with FIRSTFIT, BESTFIT and GREEDY, as they were "
        f"recorded and squeezed to an offered load of {FULL:g}, under which the queue never ends. Backfill "
        "is judged by what it changes for each job and for the machine.",
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
            "molokini.workloads",
            "molokini.policies.maui",
            "molokini.studies.jackson2001_maui.maui_cases",
            "molokini.studies.jackson2001_maui.maui_logs",
            "molokini.studies.jackson2001_maui.maui_measures",
            "molokini.studies.log_files",
        ],
        before=(3, 3, 4, 0),
        claims=claims_over(logs),
        pictures=lambda results: pictures_over(results, logs),
        tables=lambda results: tables_over(results, logs),
        length="all jobs of a log",
        in_short=[
            "Backfill always shortens mean turnaround, and small and short jobs gain most, as the "
            "paper says.",
            "How much utilization it gains depends on the log: 20% on average with a queue that "
            "never ends, but far "
            "less or more on single machines, and next to nothing where there is room anyway.",
            "Users of these logs use more of their limits than the paper's did, and fewer jobs wait "
            "longer through "
            "backfill than the 10% that it names.",
            "The three ways to backfill reach nearly the same utilization; their mean turnarounds "
            "differ by far more, so "
            "utilization alone is no measure to choose one by.",
            "Figure 1, a small example, comes out exactly.",
        ],
        readings=[
            "The paper's own traces (the Maui High Performance Computing Center, the University of Utah) "
            f"are not to be had; {', '.join(log.title for log in logs) or 'no logs'} stand in for them.",
            f"Seed 1 is a log as it was recorded; under the others each job comes up to {SHAKE_S:g} s sooner "
            "or later, so that intervals say what is no accident of the log's instants.",
            "Utilization is that between the first and the last submission. As recorded, nearly all work is "
            "done in that time with and without backfill, so its gain is measured under the higher load.",
            f"The higher load is that of the first {MOST_UNDER_LOAD:,} jobs of a log: the queue grows with "
            "each, to thousands.",
            "A job of which the log says no limit is replayed with its run time as limit, and left "
            "out where limits are "
            "measured.",
            "Jobs end at their limits. Processors are counted, nodes are not looked at.",
            "Small and short: neither wider nor, by its limit, longer than the median job of the log. "
            "Backfilled: started before a job that was ahead in the queue.",
            "The expansion factor is turnaround over run time, runs of less than a minute counted as a "
            "minute.",
        ],
        full=Size("full", 5, 1.0),
        quick=Size("quick", 2, 0.02),
        over=over,
        inputs=logs,
    )


STUDY = _over(None, ())
