"""Chiang and Vernon, JSSPP 2001: months of the Origin 2000 as the model makes them."""

from collections.abc import Sequence

from molokini.studies.chiang2001_o2k.cases import JOBS, Month, cases, prepare, run
from molokini.studies.chiang2001_o2k.claims import CLAIMS
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.study import Size, Study

_LARGE = (
    ("above the mean of processors times time", "above_mean_work", "15-18%", "88-89%"),
    ("above 20 h", "above_20_h", "12-17%", "71-82%"),
    ("more than 16 processors, above 10 min", "wide", "6-9%", "36-41%"),
    ("more than 4 GB, above 10 min", "hungry", "4-7%", "16-21%"),
)


def tables(results: Results) -> list[Table]:
    """Table 5: shares of jobs and of demand."""
    rows = []
    for name, metric, jobs, demand in _LARGE:
        shares = [results.mean(Month(), one).mean for one in (metric, f"{metric}_demand")]
        ours = [f"{100 * share:.1f}%" for share in shares]
        rows.append([name, jobs, ours[0], demand, ours[1]])
    columns = ("class", "jobs, paper", "jobs, ours", "demand, paper", "demand, ours")
    return [Table("Large jobs", "Table 5, October to December", columns, rows)]


def _no_pictures(results: Results) -> Sequence[Picture]:
    return []


STUDY = Study(
    name="chiang2001-o2k",
    title="The workload of a large shared-memory machine, from its description",
    paper="S.-H. Chiang, M. K. Vernon: Characteristics of a Large Shared Memory Production Workload, "
    "JSSPP 2001, "
    "LNCS 2221.",
    summary="The paper describes the jobs of the NCSA Origin 2000 and ends with a roadmap of a "
    "generator. Its "
    "distributions are figures, which our copy lacks; the model `o2k` follows the roadmap with tables "
    "that were set "
    "near what the text says. Months of it are held against the text and the tables: this says how good the "
    "model is, and where it is not. It says nothing about the machine.",
    cases=cases,
    run=run,
    prepare=prepare,
    sources=[
        "molokini.sim",
        "molokini.compiled",
        "molokini.tables",
        "molokini.room",
        "molokini.cycle",
        "molokini.shared",
        "molokini.workloads",
        "molokini.policies.easy",
        "molokini.studies.chiang2001_o2k.cases",
        "molokini.studies.chiang2001_o2k.measures",
    ],
    claims=CLAIMS,
    pictures=_no_pictures,
    tables=tables,
    length=f"a month of {JOBS:,} jobs, as many as in October 2000",
    in_short=[
        "The model keeps what the text says of processors, requests, run times, peaks of memory and the "
        "largest jobs.",
        "It does not keep the demand of memory: 45% of the hosts' memory where the paper has 63 to 84%. "
        "Its jobs that ask "
        "for much memory are too few, and the classes of large jobs are too small.",
        "Requests depend on processors by the class of size alone, so serial jobs ask for less "
        "additional time than the "
        "paper says.",
        "Exact estimates shorten slowdowns under EASY, as the paper expects, and lengthen mean response.",
    ],
    readings=[
        "Every table but that of Table 4 is ours: a claim that holds says that the model was set well.",
        "Demand is over the eight hosts that are shared (960 processors, 336 GB).",
        "A job of several classes of size is in the smallest that holds its processors and its memory.",
        "Exact estimates are the run times, cut at the requests, at which jobs end.",
    ],
    full=Size("full", 20, 1.0),
    quick=Size("quick", 3, 0.2),
)
