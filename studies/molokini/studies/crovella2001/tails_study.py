"""Crovella, JSSPP 2001: what heavy tails do to statistics, queues and assignments."""

from collections.abc import Sequence
from functools import partial

from molokini.metrics.curves import Curve, Panel
from molokini.studies.crovella2001.tails_cases import (
    ASSIGNED,
    ASSIGNED_LAWS,
    ASSIGNMENTS,
    CONTRASTS,
    COSTS,
    DRAWS,
    HOSTS,
    LOADS,
    QUEUED,
    SHARED,
    Assigned,
    assigned_cells,
    cases,
    prepare,
    run,
)
from molokini.studies.crovella2001.tails_claims import CLAIMS, few_moves, sita_better
from molokini.studies.maps import Map
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.study import Case, Size, Study


def _shares(case: Case) -> tuple[str, int, float] | Case:
    """Assignments see the same jobs."""
    return (case.law, case.hosts, case.load) if isinstance(case, Assigned) else case


def _tables(results: Results) -> Sequence[Table]:
    rows = []
    for cell in assigned_cells():
        law, hosts, load = cell
        found = [
            results.mean(Assigned(*cell, policy), metric)
            for metric in ("mean_slowdown", "mean_wait")
            for policy in ASSIGNMENTS
        ]
        rows.append([law, str(hosts), f"{load:g}", *(f"{one.mean:,.3g}" for one in found)])
    names = tuple(f"{what}, {policy}" for what in ("slowdown", "wait") for policy in ASSIGNMENTS)
    columns = ("sizes", "hosts", "load", *names)
    return [Table("Assignments to hosts; slowdown is waiting over size", "Section 4.2", columns, rows)]


def _pictures(results: Results) -> Sequence[Picture]:
    panels = []
    for law in (*ASSIGNED_LAWS[:2], CONTRASTS[1]):
        curves = []
        for policy in ASSIGNMENTS:
            found = [results.mean(Assigned(law, 2, load, policy), "mean_slowdown") for load in LOADS]
            curves.append(Curve(policy, LOADS, [one.mean for one in found]))
        panels.append(
            Panel(
                f"{law}, two hosts",
                "load of each host",
                "mean slowdown (waiting over size)",
                curves,
                log_y=True,
            )
        )
    return [Picture("assignments", "Assignments to hosts", "Means over seeds.", panels)]


STUDY = Study(
    name="crovella2001",
    title="What heavy tails do to statistics, queues and assignments of jobs to hosts",
    paper="M. E. Crovella: Performance Evaluation with Heavy Tailed Distributions, JSSPP 2001, LNCS 2221.",
    summary="An extended abstract: properties of heavy-tailed distributions, what they do to statistics and "
    "to queues, and how systems may take advantage of them. Here distributions are drawn from and computed, "
    "single servers are simulated, and jobs are assigned to hosts by size (`sita-e`, `sita-u`), by the least "
    "work left, and moved by age.",
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
        "molokini.shared.hosts",
        "molokini.policies.sita_e",
        "molokini.policies.sita_u",
        "molokini.policies.least_work_left",
        "molokini.policies.migrate_by_age",
        "molokini.studies.crovella2001.tails_cases",
    ],
    claims=CLAIMS,
    pictures=_pictures,
    maps=[
        Map(
            "C8",
            "least work of a job that moves (s)",
            [(f"{cost:g}", partial(few_moves, cost=cost)) for cost in COSTS],
        ),
        *(
            Map(
                "C9",
                f"sizes and hosts, {metric.removeprefix('mean_')}",
                [
                    (f"{law} on {hosts}", partial(sita_better, law=law, metric=metric, hosts=hosts))
                    for law in (*ASSIGNED_LAWS, *CONTRASTS)
                    for hosts in HOSTS
                ],
            )
            for metric in ("mean_slowdown", "mean_wait")
        ),
    ],
    tables=_tables,
    length=f"{DRAWS:,} draws, {QUEUED:,} jobs of a queue, {ASSIGNED:,} of hosts, {SHARED:,} of hosts that "
    "share",
    shares=_shares,
    in_short=[
        "Draws and queues behave as the paper says: means settle slowly, and waits grow with the second "
        "moment.",
        "That SITA-E beats the least work left is clear for the heaviest tail and many hosts, and the "
        "contrary for the others: with 10^5 as the largest size two hosts with one queue are seldom both "
        "blocked.",
        "Few moves of old jobs help as the paper says if a job may move only after long work; that least "
        "work is not printed.",
    ],
    readings=[
        "Slowdown is waiting over size in C9 and C10, as in the paper, and response over size in C8.",
        "The shortest expected delay is `least-work-left`: jobs are serial, their sizes known, hosts first "
        "come first served.",
        "Sizes of assignments are bounded Pareto from 1 to 10^5, so that means of 60,000 jobs can be "
        "compared; alpha 3 and a nearly exponential distribution (gamma of shape 1.5, of which E[1/X] is "
        "finite) are the contrasts.",
        "Cutoffs of SITA-E and SITA-U are by formula, from the distribution and not from the jobs.",
        "A job moves where the oldest of the longest of four hosts has worked for 10 s over the "
        "difference of jobs less one; moves cost nothing. The paper cites another one for this.",
        "*Slightly* is read as less than half: the response of the largest 1% under SITA-U over that under "
        "SITA-E.",
        "That draws do not settle is judged by the share of the largest in the sum, and in the sum of "
        "squares.",
        "The paper prints no thresholds for C6, C7 and C8. Ours (waits within 10% of the formula; "
        "responses within 10% and slowdowns within 5%; a gain of 1.2 with at most 0.2 moves a job) were "
        "set after a first look at short runs.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.1),
)
