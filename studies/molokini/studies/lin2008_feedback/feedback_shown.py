"""Figures of Lin, Sundararaj and Dinda 2008, from our results."""

from collections.abc import Sequence

from molokini.metrics.curves import Panel
from molokini.studies.lin2008_feedback.feedback_cases import (
    DISKS,
    LATE,
    MANY,
    PERIODS_MS,
    RATIOS,
    SEARCHES,
    SETS,
    TARGETS,
    THRESHOLDS,
    Run,
    coarse,
    crowded,
    drifting,
    grid,
    in_memory,
    many,
    searched,
)
from molokini.studies.lin2008_feedback.feedback_claims import CLAIMS
from molokini.studies.lin2008_feedback.real_claims import ONLY_REAL
from molokini.studies.lin2008_feedback.real_figures import MEASURED, recorded
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table, curve


def pictures(results: Results) -> Sequence[Picture]:
    """Rates by period, drift, stability by threshold, oscillation by programs, the disk, and memory."""
    by_period = [
        curve(ratio, PERIODS_MS, [results.mean(grid(ratio, 50, p), "mean") for p in PERIODS_MS])
        for ratio in ("5:1", "1:1", "1:2", "1:5")
    ]
    steady = [
        curve(ratio, THRESHOLDS, [results.mean(coarse(one, ratio), "steady") for one in THRESHOLDS])
        for ratio in RATIOS
    ]
    outside = [
        curve(name, MANY, [results.mean(case(k), "outside") for k in MANY])
        for name, case in (("in step", many), ("1% of slices late for good", crowded))
    ]
    late = [100 * part for part in LATE]
    drift = [
        curve(name, late, [results.mean(drifting(part, control), "smooth_range") for part in LATE])
        for name, control in (("without control", False), ("with control", True))
    ]
    rates = [results.mean(in_memory("5:1", sets), "mean") for sets in SETS]
    shares = [100 * share for share in DISKS]
    cases = [Run(ratio="1:0", disk=share, control=False) for share in DISKS]
    disk = [curve("1:0", shares, [results.mean(case, "bias") for case in cases])]
    shown = [
        Panel("without control, at 50%", "period (ms)", "rate (% of the full rate)", by_period),
        Panel("slices 2 ms late for good", "of all slices (%)", "range of five iterations (points)", drift),
        Panel("an iteration of five periods", "threshold (points)", "runs that stay within (share)", steady),
        Panel("programs at 10%", "programs (1)", "reports outside the threshold (share)", outside),
        Panel("disk, at 50%", "disk (% of an iteration alone)", "rate less target (points)", disk),
        Panel("memory, at 30%", "working sets (% of memory)", "rate (%)", [curve("5:1", SETS, rates)]),
    ]
    return [Picture("figures", "Figures 2, 3, 5, 12, 13 and 15", "Ours, simulated.", shown)]


def tables(results: Results) -> Sequence[Table]:
    """Figure 4: three ratios at their targets."""
    rows = []
    for ratio in RATIOS:
        for target in TARGETS:
            case = Run(ratio=ratio, targets=(target,))
            means = [results.mean(case, name).mean for name in ("mean", "worst_response", "within", "orders")]
            rows.append([ratio, f"{target}%", *(f"{one:.3g}" for one in means)])
    columns = ["ratio", "target", "mean rate (%)", "reports until within", "share within from then", "orders"]
    return [
        Table("targets", "Figure 4: ratios and targets", columns, rows),
        _searches(results),
        _side_by_side(results),
    ]


def _searches(results: Results) -> Table:
    """The rules of search, on the same runs."""
    rows = []
    for rule in SEARCHES:
        names = ("orders", "worst_response", "within", "bias")
        rows.append([rule, *(str(results.mean(searched(rule), name)) for name in names)])
    columns = ["search", "orders", "reports until within", "share within from then", "bias (points)"]
    return Table("searches", "Beyond the paper: rules of search from a start out of phase", columns, rows)


def _side_by_side(results: Results) -> Table:
    """Claims that real programs are about, too, and which side has judged them."""
    record, rows = recorded(), []
    for claim in CLAIMS:
        if claim.name not in MEASURED:
            continue
        finding = claim.judged(results)
        real = record.of(claim.name) if record is not None else []
        told = "; ".join(one.text for one in real) or "not recorded"
        only_real = claim.name in ONLY_REAL
        simulated = "no" if only_real else str(finding.verdict)
        by = "real" if only_real and real else "neither" if only_real else "simulated"
        rows.append([claim.name, claim.text, simulated, told, by])
    where = record.where if record is not None else "no run is recorded"
    columns = ["claim", "text", "simulated", f"real ({where})", "judged by"]
    return Table("real", "Real and simulated side by side", columns, rows)
