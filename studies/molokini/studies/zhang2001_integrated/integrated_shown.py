"""Figures and tables of the paper, drawn from our results."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from molokini.metrics.curves import Curve, Panel
from molokini.reports import report
from molokini.reports.stopped import numbers_of, picture_of
from molokini.studies.results import Interval, NotRun, Results
from molokini.studies.shown import MatrixPicture, Picture, Table, curve
from molokini.studies.zhang2001_integrated.claims_migration import POLICIES, TABLE_1, improvement, paid
from molokini.studies.zhang2001_integrated.claims_sharing import gang
from molokini.studies.zhang2001_integrated.integrated_cases import (
    COSTS_S,
    FACTORS,
    JOBS,
    LEVELS,
    MODES,
    OTHER_FACTORS,
    OTHER_JOBS,
    PHIS,
    READINGS,
    SWITCHES,
    TASKS,
    GangRun,
    Way,
    made,
    plain,
    priced,
    replayed,
    rows,
)
from molokini.studies.zhang2001_integrated.judging import Line, bf

RHO, SLOWDOWN, WAIT = "utilization", "mean bounded slowdown", "mean wait (s)"
_LABELS = {"slowdown": SLOWDOWN, "wait_s": WAIT, "kappa": "loss of capacity"}
_WORDS = {"rate": "by rates", "exact": "on the grid"}
_Named = Sequence[tuple[str, Line]]


def _curve(results: Results, name: str, line: Line, metric: str, style: int | None = None) -> Curve:
    """A curve over utilization; beyond saturation it goes straight up."""
    found = [results.mean(line(factor), metric) for factor in FACTORS]
    x = [results.mean(line(factor), "rho").mean for factor in FACTORS]
    if metric != "kappa" and len(results.seeds) > 1:
        # A logarithmic axis has no room for what is 0 or less.
        found = [replace(one, low=max(one.low, one.mean / 3)) for one in found]
    return curve(name, x, found, style)


def _panel(results: Results, title: str, lines: _Named, metric: str) -> Panel:
    curves = [_curve(results, name, line, metric, k) for k, (name, line) in enumerate(lines)]
    label = next(words for known, words in _LABELS.items() if metric.startswith(known.removesuffix("_s")))
    return Panel(title, RHO, label, curves, log_y=metric != "kappa")


def _seven(mode: str, switch: float) -> _Named:
    """The configurations of figures 9, 10 and 12."""
    found: list[tuple[str, Line]] = [("BF", bf)]
    for policy in ("gs", "bgs"):
        found += [(f"{policy.upper()}-{mpl}", gang(policy, mode, mpl, switch)) for mpl in LEVELS]
    return found


def pictures(results: Results) -> list[Picture]:
    """The figures that have curves, as far as they were run; and a matrix."""
    found: list[Picture] = []
    for draw in (_table_1, _figure_5, _figure_6, _figure_8, _figure_9, _figure_10, _figure_11, _figure_12):
        found += _as_run(draw, results)
    return [*found, *_as_run(_figure_14, results), *_as_run(_figure_15, results), _matrix()]


def _as_run(draw: Callable[[Results], list[Picture]], results: Results) -> list[Picture]:
    try:
        return draw(results)
    except NotRun:
        return []


def _table_1(results: Results) -> list[Picture]:
    panels = []
    for metric, title in (("slowdown", "slowdown"), ("wait_s", "wait")):
        for mode in MODES:
            lines: list[tuple[str, Line]] = [("BF", bf), ("EASY", lambda factor: plain("easy", factor))]
            lines += [(policy.upper(), gang(policy, mode)) for policy in ("gs", "bgs", "mgs", "mbgs")]
            panels.append(_panel(results, f"{title}, {_WORDS[mode]}", lines, metric))
    caption = "Five rows, no cost of switches and migrations; EASY is beside what the paper has."
    return [Picture("all-policies", "All policies over utilization", caption, panels)]


def _figure_5(results: Results) -> list[Picture]:
    def line(phi: float) -> Line:
        return lambda factor: plain("conservative", factor, phi)

    lines = [(f"Phi {phi:g}", line(phi)) for phi in PHIS]
    panels = [_panel(results, f"BF, {title}", lines, metric) for title, metric in _BOTH]
    return [
        Picture("figure-5", "Figure 5: estimates under BF", "Phi is the share of exact estimates.", panels)
    ]


_BOTH = (("slowdown", "slowdown"), ("wait", "wait_s"))


def _figure_6(results: Results) -> list[Picture]:
    metrics = {"class 9 (good)": "wait_class_9_s", "all jobs": "wait_s", "class 0 (bad)": "wait_class_0_s"}
    curves = [_curve(results, name, bf, metric) for name, metric in metrics.items()]
    panel = Panel("BF, Phi 0.2", RHO, WAIT, curves, log_y=True)
    caption = "Class 9 ran for more than nine tenths of the estimate, class 0 for a tenth at most."
    return [Picture("figure-6", "Figure 6: who waits", caption, [panel], 1)]


def _figure_8(results: Results) -> list[Picture]:
    def line(phi: float, mode: str) -> Line:
        return lambda factor: GangRun("bgs", factor, mode, phi=phi)

    panels = [
        _panel(
            results, f"BGS-5, {title}, {_WORDS[mode]}", [(f"Phi {p:g}", line(p, mode)) for p in PHIS], metric
        )
        for mode in MODES
        for title, metric in _BOTH
    ]
    return [Picture("figure-8", "Figure 8: estimates under BGS-5", "As figure 5.", panels)]


def _by_switch(results: Results, number: int, what: str, metric: str) -> list[Picture]:
    found = []
    for mode in MODES:
        panels = [
            _panel(results, f"{what}, switches cost {cs:.0%}", _seven(mode, cs), metric) for cs in SWITCHES
        ]
        name = f"figure-{number}" + ("" if mode == "rate" else "-exact")
        caption = "The number behind a policy is that of its rows."
        found.append(Picture(name, f"Figure {number}: {what} {_WORDS[mode]}", caption, panels))
    return found


def _figure_9(results: Results) -> list[Picture]:
    return _by_switch(results, 9, "slowdown", "slowdown")


def _figure_10(results: Results) -> list[Picture]:
    return _by_switch(results, 10, "wait", "wait_s")


def _of_size(metric: str, size: str) -> str:
    """``wait_s`` of large jobs is ``wait_large_s``."""
    return f"wait_{size}_s" if metric == "wait_s" else f"{metric}_{size}"


def _figure_11(results: Results) -> list[Picture]:
    panels = []
    for title, metric in _BOTH:
        for mode in MODES:
            curves = [
                _curve(results, f"{name}, {size}", line, _of_size(metric, size))
                for name, line in (("BF", bf), ("BGS-5", gang("bgs", mode)))
                for size in ("small", "large")
            ]
            label = _LABELS[metric]
            panels.append(Panel(f"{title}, {_WORDS[mode]}", RHO, label, curves, log_y=True))
    caption = "Large jobs have more than 32 processors."
    return [Picture("figure-11", "Figure 11: small and large jobs", caption, panels)]


def _figure_12(results: Results) -> list[Picture]:
    panels = []
    for mode in MODES:
        panel = _panel(results, f"no cost of switches, {_WORDS[mode]}", _seven(mode, 0.0), "kappa")
        line = Curve("1 - utilization", (0.75, 1.0), (0.25, 0.0), dashed=True)
        panels.append(Panel(panel.title, RHO, panel.y_label, [*panel.curves, line]))
    return [Picture("figure-12", "Figure 12: loss of capacity", "Policies saturate at the line.", panels)]


def _figure_14(results: Results) -> list[Picture]:
    panels = []
    bounds = TASKS[:-1]
    for factor in (1.2, 1.5):
        for policy in ("mgs", "mbgs"):
            curves = []
            for cost_s in COSTS_S:
                runs = [priced(policy, factor, "rate", cost_s, tasks) for tasks in bounds]
                found = [results.mean(run, "slowdown").mean for run in runs]
                curves.append(Curve(f"C = {cost_s:g} s", [float(tasks) for tasks in bounds], found))
            title = f"{policy.upper()} at {0.55 * factor:.2f}, by rates"
            panels.append(Panel(title, "tasks that may migrate in a slice", SLOWDOWN, curves, log_y=True))
    caption = "Means; C is what a migration takes. All 1,600 tasks change little beside 256."
    return [Picture("figure-14", "Figure 14: how much may migrate", caption, panels)]


def _figure_15(results: Results) -> list[Picture]:
    panels = []
    for title, metric in (*_BOTH, ("loss of capacity", "kappa")):
        for mode in MODES:
            lines = [(policy.upper(), paid(policy, Way(mode))) for policy in ("gs", "bgs", "mgs", "mbgs")]
            panels.append(_panel(results, f"{title}, {_WORDS[mode]}", lines, metric))
    caption = "A migration takes 10 s, 64 tasks a slice at most."
    return [Picture("figure-15", "Figure 15: migration at a price", caption, panels)]


def _matrix() -> Picture:
    """BGS-5 at the middle of workload 5."""
    workload = made(1, JOBS, 1.5, 0.2)
    replay = replayed(workload, rows("bgs", 1.5, "rate"))
    at_s = float(workload.submit_s[len(workload) // 2])
    replay.run(at_s)
    found = report("matrix", picture_of(replay, at_s, numbers_of(workload)))
    below = f"{len(found['jobs'])} jobs in the matrix, {found['waiting']} waiting"
    title = "The matrix of BGS-5 at a load of 0.83, when half of the jobs have come"
    return MatrixPicture("matrix", title, "Workload 5, seed 1.", matrix=found, below=below)


def tables(results: Results) -> list[Table]:
    """Table 1 beside ours, and what was varied."""
    found = []
    for make in (_table_of_slowdowns, _nearer, _varied_readings, _varied_jobs):
        try:
            found.append(make(results))
        except NotRun:
            continue
    return found


def _cell(ours: Interval) -> str:
    digits = 1 if ours.mean < 100 else 0
    return f"{ours.mean:,.{digits}f} ± {(ours.high - ours.low) / 2:,.{digits}f}"


def _table_of_slowdowns(results: Results) -> Table:
    cells = []
    for place, factor in enumerate(FACTORS):
        for k, policy in enumerate(POLICIES):
            rho, slowdown = TABLE_1[place][k]
            row = [str(place), policy.upper(), f"{rho:g}", f"{slowdown:,g}"]
            for mode in MODES:
                run = rows(policy, factor, mode)
                row += [f"{results.mean(run, 'rho').mean:.3f}", _cell(results.mean(run, "slowdown"))]
                row.append(
                    f"{improvement(results, policy[1:], factor, mode).mean:.1%}" if policy[0] == "m" else ""
                )
            cells.append(row)
    each = ("utilization", "slowdown", "better")
    columns = ["workload", "policy", "paper: utilization", "slowdown"]
    columns += [f"{word}, {_WORDS[mode]}" for mode in MODES for word in each]
    return Table("mean slowdown, and by which share migration lowers it", "Table 1", columns, cells)


def _nearer(results: Results) -> Table:
    """How far each mode is from the 36 slowdowns of Table 1."""
    cells = []
    for name, last in (("workloads 0 to 5", 6), ("all", 9)):
        row = [name]
        for mode in MODES:
            logs = [
                abs(
                    math.log(results.mean(rows(policy, FACTORS[k], mode), "slowdown").mean / TABLE_1[k][p][1])
                )
                for k in range(last)
                for p, policy in enumerate(POLICIES)
            ]
            row.append(f"{math.exp(sum(logs) / len(logs)):.2f}")
        cells.append(row)
    columns = ["slowdowns of", *(f"factor {_WORDS[mode]}" for mode in MODES)]
    return Table(
        "by which factor ours differ from the printed ones, as a geometric mean", "Table 1", columns, cells
    )


def _varied_readings(results: Results) -> Table:
    cells = []
    for factor in FACTORS:
        runs = [rows("bgs", factor, "rate"), *(GangRun("bgs", factor, other=other) for other in READINGS)]
        cells.append([f"{0.55 * factor:.2f}", *(_cell(results.mean(run, "slowdown")) for run in runs)])
    columns = ["load", "kept, literal", *READINGS]
    return Table("other readings of BGS-5: mean slowdown, by rates", "section 5.2", columns, cells)


def _varied_jobs(results: Results) -> Table:
    cells = []
    for jobs in ("", *OTHER_JOBS):
        for factor in OTHER_FACTORS:
            runs = [GangRun("conservative", factor, jobs=jobs)]
            runs += [GangRun(policy, factor, jobs=jobs) for policy in ("gs", "bgs", "mgs", "mbgs")]
            cells.append(
                [
                    jobs or "the base",
                    f"{0.55 * factor:.2f}",
                    *(_cell(results.mean(run, "slowdown")) for run in runs),
                ]
            )
    columns = ["jobs", "load", "BF", "GS", "BGS", "MGS", "MBGS"]
    return Table("other base workloads: mean slowdown, by rates", "section 2.2", columns, cells)
