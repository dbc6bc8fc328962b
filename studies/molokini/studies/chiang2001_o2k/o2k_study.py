"""Chiang and Vernon, JSSPP 2001: months of the Origin 2000 as the model makes them, and other logs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from molokini.studies.chiang2001_o2k.o2k_cases import JOBS, cases_of, prepare, run
from molokini.studies.chiang2001_o2k.o2k_claims import claims_over
from molokini.studies.chiang2001_o2k.o2k_logs import FEWEST_GAPS, logs_of
from molokini.studies.chiang2001_o2k.o2k_shown import tables_over
from molokini.studies.log_files import Log
from molokini.studies.results import Results
from molokini.studies.shown import Picture
from molokini.studies.study import Size, Study


def over(folder: Path) -> Study:
    """The study with the logs of *folder* beside the model."""
    return _over(folder, logs_of(folder))


def _no_pictures(results: Results) -> Sequence[Picture]:
    return []


def _over(folder: Path | None, logs: Sequence[Log]) -> Study:
    return Study(
        name="chiang2001-o2k",
        title="The workload of a large shared-memory machine, from its description",
        paper="S.-H. Chiang, M. K. Vernon: Characteristics of a Large Shared Memory Production Workload, "
        "JSSPP 2001, LNCS 2221.",
        summary="The paper describes the jobs of the NCSA Origin 2000 and ends with a roadmap of a "
        "generator. Its distributions are figures, which our copy lacks; the model `o2k` follows the roadmap "
        "with tables that were set near what the text says. Months of it are held against the text and the "
        "tables: this says how good the model is, and where it is not. It says nothing about the machine. "
        "Where the paper speaks of workloads in general, logs of other machines stand beside it.",
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
            "molokini.policies.easy",
            "molokini.studies.chiang2001_o2k.o2k_cases",
            "molokini.studies.chiang2001_o2k.o2k_logs",
            "molokini.studies.chiang2001_o2k.o2k_measures",
            "molokini.studies.log_files",
        ],
        before=(13, 2, 1, 1),
        claims=claims_over(logs),
        pictures=_no_pictures,
        tables=lambda results: tables_over(results, logs),
        length=f"a month of {JOBS:,} jobs, as many as in October 2000, or all jobs of a log",
        in_short=[
            "The model keeps what the text and Tables 4 and 5 say of processors, memory, requests, run "
            "times, peaks of memory, demand and the largest jobs.",
            "Two shares of memory demand are beside Table 5, each by less than ten points: jobs above 20 h "
            "hold too little of it, jobs of more than 16 processors too much. In the model memory depends "
            "on processors alone; in the paper long jobs seem to ask for more of it.",
            "Nights and weekends have fewer jobs than by the rates of the paper, with which a weekday would "
            "have more jobs than it says.",
            "Exact estimates shorten slowdowns under EASY, as the paper expects; mean response hardly "
            "changes.",
            "Logs of other machines are otherwise than the paper's: in most months Weibull comes nearer to "
            "the gaps inside a period than the hyper-exponential distribution, half of the logs vary more "
            "than the paper says, and the run times of most are nearer to a hyper-exponential than to a "
            "Weibull distribution.",
        ],
        readings=[
            "Every table but that of Table 4 is ours: a claim that holds says that the model was set well.",
            "Demand is over the eight hosts that are shared (960 processors, 336 GB).",
            "A job of several classes of size is in the smallest that holds its processors and its memory.",
            "Exact estimates are the run times, cut at the requests, at which jobs end.",
            "That peaks of memory differ with the request (up to 32 MB, up to 128 MB, above) is in the text "
            "without a number, and not in the model; nor is the use that jobs make of their processors.",
            "What the paper says in general is asked of logs of other machines, too. They have no seeds, "
            "and all verdicts but that on gaps are those of the model.",
            "Gaps of logs are taken inside one period of one weekday (9 to 17 h, from 18 h on, before 8 h, "
            f"local time), month by month, where there are at least {FEWEST_GAPS}. Fits leave out gaps of "
            "0 s, and gaps that may be downtime by the rule of `workload info` unless it says otherwise. "
            "As in the paper H2 has the mean and the variation of the gaps; to run times it is fitted by "
            "likelihood.",
        ],
        full=Size("full", 20, 1.0),
        quick=Size("quick", 3, 0.2),
        over=over,
        inputs=logs,
    )


STUDY = _over(None, ())
