"""Chiang and Vernon, JSSPP 2001: months of the Origin 2000 as the model makes them."""

from collections.abc import Sequence

from molokini.studies.chiang2001_o2k.cases import JOBS, Month, cases, prepare, run
from molokini.studies.chiang2001_o2k.claims import CLAIMS
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.study import Size, Study

_LARGE = (
    ("above the mean of processors times time", "above_mean_work", "15-18%", "88-89%", "76-83%"),
    ("above 20 h", "above_20_h", "12-17%", "71-82%", "80-88%"),
    ("more than 16 processors, above 10 min", "wide", "6-9%", "36-41%", "10-22%"),
    ("more than 4 GB, above 10 min", "hungry", "4-7%", "16-21%", "36-54%"),
)


def tables(results: Results) -> list[Table]:
    """Table 5: shares of jobs and of demand."""
    rows = []
    for name, metric, jobs, demand, memory in _LARGE:
        names = (metric, f"{metric}_demand", f"{metric}_memory")
        ours = [f"{100 * results.mean(Month(), one).mean:.1f}%" for one in names]
        rows.append([name, jobs, ours[0], demand, ours[1], memory, ours[2]])
    what = ("jobs", "processor demand", "memory demand")
    columns = ("class", *(f"{one}, {whose}" for one in what for whose in ("paper", "ours")))
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
        "The model keeps what the text and Tables 4 and 5 say of processors, memory, requests, run times, "
        "peaks of memory, demand and the largest jobs.",
        "Two shares of memory demand are beside Table 5, each by less than ten points: jobs above 20 h hold "
        "too little of it, jobs of more than 16 processors too much. In the model memory depends on "
        "processors alone; in the paper long jobs seem to ask for more of it.",
        "Nights and weekends have fewer jobs than by the rates of the paper, with which a weekday would have "
        "more jobs than it says.",
        "Exact estimates shorten slowdowns under EASY, as the paper expects; mean response hardly changes.",
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
