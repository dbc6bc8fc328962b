"""Harchol-Balter et al., JSSPP 2001: SRPT against sharing, by formula and by simulation."""

from collections.abc import Sequence
from functools import partial

from molokini.metrics.curves import Curve, Panel
from molokini.studies.harchol_balter2001.srpt_cases import (
    HEAVY,
    JOBS,
    LIGHT,
    LOADS,
    SIMULATED_LOADS,
    WEB,
    Formula,
    Simulated,
    cases,
    prepare,
    run,
)
from molokini.studies.harchol_balter2001.srpt_claims import CLAIMS, crossing, every_size_of, measured_at
from molokini.studies.maps import Map
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.study import Case, Size, Study


def _shares(case: Case) -> tuple[str, float] | Case:
    """Policies on one server see the same jobs."""
    return (case.law, case.load) if isinstance(case, Simulated) else case


def _tables(results: Results) -> Sequence[Table]:
    rows = []
    for law in (*HEAVY, *LIGHT, WEB):
        one = crossing(results, law)
        figures = [results.samples(Formula(law, load), "slowdown_factor")[0] for load in (0.7, 0.9, 0.99)]
        ratio = results.samples(Formula(law, 0.9), "largest_ratio")[0]
        better = results.samples(Formula(law, 0.9), "share_better")[0]
        shown = "none" if one == 1.0 else f"{one:g}"
        rows.append(
            [law, *(f"{value:.2f}" for value in figures), f"{ratio:.4f}", f"{100 * better:.4f}%", shown]
        )
    columns = (
        "sizes",
        "slowdown lower by, load 0.7",
        "0.9",
        "0.99",
        "largest ratio of responses at 0.9",
        "jobs better at 0.9",
        "first load at which some size is worse",
    )
    return [
        Table("SRPT against sharing by formula; slowdown is response over size", "Section 2", columns, rows)
    ]


def _pictures(results: Results) -> Sequence[Picture]:
    factors = [
        Curve(law, LOADS, [results.samples(Formula(law, load), "slowdown_factor")[0] for load in LOADS])
        for law in (*HEAVY[:2], *LIGHT[:3])
    ]
    ratios = [
        Curve(law, LOADS, [results.samples(Formula(law, load), "largest_ratio")[0] for load in LOADS])
        for law in (*HEAVY[:2], *LIGHT[:3])
    ]
    measured = []
    for policy in ("ps", "six-bands", "srpt"):
        found = [results.mean(Simulated(WEB, load, policy), "mean_response") for load in SIMULATED_LOADS]
        means, low, high = ([getattr(one, end) for one in found] for end in ("mean", "low", "high"))
        measured.append(Curve(policy, SIMULATED_LOADS, means, low, high))
    panels = [
        Panel("mean slowdown of sharing over that of SRPT", "load", "factor", factors, log_y=True),
        Panel("worst size: response of SRPT over sharing", "load", "ratio", ratios, log_y=True),
        Panel(
            "simulated, sizes as of the web trace",
            "load",
            "mean response (means of 1 s)",
            measured,
            log_y=True,
        ),
    ]
    return [Picture("srpt", "SRPT against sharing", "Formulas, and simulations of one server.", panels)]


STUDY = Study(
    name="harchol-balter2001",
    title="SRPT on one server against processor sharing",
    paper="M. Harchol-Balter, N. Bansal, B. Schroeder, M. Agrawal: SRPT Scheduling for Web Servers, JSSPP "
    "2001, LNCS 2221.",
    summary="The paper gives the mean response of each size under SRPT in closed form, says how it compares "
    "with processor sharing (FAIR), and reports on a web server that approximates SRPT by six bands of "
    "priority. The formulas are computed here for four heavy-tailed distributions and six others, and held "
    "against simulations of one processor; the web server is replaced by the policy `srpt` with six "
    "`levels`.",
    cases=cases,
    run=run,
    prepare=prepare,
    sources=[
        "molokini.sim",
        "molokini.compiled",
        "molokini.tables",
        "molokini.cycle",
        "molokini.queueing",
        "molokini.workloads",
        "molokini.policies.srpt",
        "molokini.policies.ps",
        "molokini.policies.fcfs",
        "molokini.policies.sjf",
        "molokini.studies.harchol_balter2001.srpt_cases",
    ],
    claims=CLAIMS,
    pictures=_pictures,
    maps=[
        Map("H8", "sizes", [(law, partial(every_size_of, law=law)) for law in HEAVY]),
        Map("H13", "load", [(f"{load:g}", partial(measured_at, load=load)) for load in SIMULATED_LOADS]),
    ],
    tables=_tables,
    length=f"{JOBS:,} jobs of each simulated server",
    shares=_shares,
    in_short=[
        "What is claimed of the queue holds by the formula, but for one word: up to which load every size "
        "prefers SRPT depends on the tail (0.9 to 0.99 here).",
        "Simulated means agree with the formula; with 120,000 jobs of a heavy tail they are too uncertain to "
        "say so within 1%.",
        "What was measured on the web server is more than the queue can give: at a load of 0.8 sharing has a "
        "slowdown of 5 for every size, so that no request can be better by 10.",
    ],
    readings=[
        "Heavy-tailed (HT) is the paper's property: the largest 1% of the jobs hold half of the work. "
        "Exponential, bounded Pareto of alpha 1.5 and others are not, and nothing that is said of HT is "
        "asked of them.",
        "Slowdown is response over size, as in the paper.",
        "Any distribution, and all loads, are the ten distributions and eleven loads of the table.",
        "Thresholds of the six bands are in a report that is not at hand. Ours give each band the same work. "
        "Inside a band requests share the processor.",
        "The trace (World Cup 1998) is not at hand: sizes are bounded Pareto of alpha 1.1 whose largest 3% "
        "hold half of the work, as the paper says of the trace.",
        "The variance of response is that of response over size among jobs of a bin of sizes.",
        "That some order of the jobs is an optimal schedule is used where all orders of six jobs are tried.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.05),
)
