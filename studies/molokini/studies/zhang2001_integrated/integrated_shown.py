"""Figures and tables of the paper, drawn from our results."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from molokini.metrics.curves import Curve, Panel
from molokini.reports import report
from molokini.reports.stopped import numbers_of, picture_of
from molokini.studies.results import NotRun, Results
from molokini.studies.shown import MatrixPicture, Picture, Table, curve, plus_minus
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
    ROWS,
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
_BOTH = (("slowdown", "slowdown"), ("wait", "wait_s"))
_Named = Sequence[tuple[str, Line]]
_Draw = Callable[[Results], list[Panel]]


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
    for name, title, caption, draw in _SHOWN:
        with suppress(NotRun):
            panels = draw(results)
            found.append(Picture(name, title, caption, panels, min(2, len(panels))))
    return [*found, _matrix()]


def _panels(lines: Callable[[str], _Named], metrics: Sequence[tuple[str, str]] = _BOTH) -> _Draw:
    """A panel of each metric in each mode."""
    return lambda results: [
        _panel(results, f"{title}, {_WORDS[mode]}", lines(mode), metric)
        for title, metric in metrics
        for mode in MODES
    ]


def _all(mode: str) -> _Named:
    beside: list[tuple[str, Line]] = [("BF", bf), ("EASY", lambda factor: plain("easy", factor))]
    return beside + [(policy.upper(), gang(policy, mode)) for policy in ROWS]


def _priced(mode: str) -> _Named:
    return [(policy.upper(), paid(policy, Way(mode))) for policy in ROWS]


def _by_phi(what: str, run: Callable[[float, float], GangRun]) -> _Draw:
    lines: _Named = [(f"Phi {phi:g}", lambda factor, phi=phi: run(factor, phi)) for phi in PHIS]  # type: ignore[misc]
    return lambda results: [_panel(results, what.format(title), lines, metric) for title, metric in _BOTH]


def _figure_6(results: Results) -> list[Panel]:
    metrics = {"class 9 (good)": "wait_class_9_s", "all jobs": "wait_s", "class 0 (bad)": "wait_class_0_s"}
    curves = [_curve(results, name, bf, metric) for name, metric in metrics.items()]
    return [Panel("BF, Phi 0.2", RHO, WAIT, curves, log_y=True)]


def _figure_8(results: Results) -> list[Panel]:
    def of(mode: str) -> _Draw:
        what = f"BGS-5, {{}}, {_WORDS[mode]}"
        return _by_phi(what, lambda factor, phi: GangRun("bgs", factor, mode, phi=phi))

    return [panel for mode in MODES for panel in of(mode)(results)]


def _by_switch(mode: str, what: str, metric: str) -> _Draw:
    return lambda results: [
        _panel(results, f"{what}, switches cost {cs:.0%}", _seven(mode, cs), metric) for cs in SWITCHES
    ]


def _figure_11(results: Results) -> list[Panel]:
    panels = []
    for (title, metric), of_size in zip(_BOTH, ("slowdown_{}", "wait_{}_s"), strict=True):
        for mode in MODES:
            curves = [
                _curve(results, f"{name}, {size}", line, of_size.format(size))
                for name, line in (("BF", bf), ("BGS-5", gang("bgs", mode)))
                for size in ("small", "large")
            ]
            panels.append(Panel(f"{title}, {_WORDS[mode]}", RHO, _LABELS[metric], curves, log_y=True))
    return panels


def _figure_12(results: Results) -> list[Panel]:
    line = Curve("1 - utilization", (0.75, 1.0), (0.25, 0.0), dashed=True)
    draw = _panels(lambda mode: _seven(mode, 0.0), [("no cost of switches", "kappa")])
    return [replace(panel, curves=[*panel.curves, line]) for panel in draw(results)]


def _figure_14(results: Results) -> list[Panel]:
    bounds = TASKS[:-1]

    def panel(policy: str, factor: float) -> Panel:
        curves = []
        for cost_s in COSTS_S:
            runs = [priced(policy, factor, "rate", cost_s, tasks) for tasks in bounds]
            found = [results.mean(run, "slowdown").mean for run in runs]
            curves.append(Curve(f"C = {cost_s:g} s", [float(tasks) for tasks in bounds], found))
        title = f"{policy.upper()} at {0.55 * factor:.2f}, by rates"
        return Panel(title, "tasks that may migrate in a slice", SLOWDOWN, curves, log_y=True)

    return [panel(policy, factor) for factor in (1.2, 1.5) for policy in ("mgs", "mbgs")]


_SHOWN: tuple[tuple[str, str, str, _Draw], ...] = (
    (
        "all-policies",
        "All policies over utilization",
        "Five rows, no cost of switches and migrations; EASY is beside what the paper has.",
        _panels(_all),
    ),
    (
        "figure-5",
        "Figure 5: estimates under BF",
        "Phi is the share of exact estimates.",
        _by_phi("BF, {}", lambda factor, phi: plain("conservative", factor, phi)),
    ),
    (
        "figure-6",
        "Figure 6: who waits",
        "Class 9 ran for more than nine tenths of the estimate, class 0 for a tenth at most.",
        _figure_6,
    ),
    ("figure-8", "Figure 8: estimates under BGS-5", "As figure 5.", _figure_8),
    *(
        (
            f"figure-{number}{'' if mode == 'rate' else '-exact'}",
            f"Figure {number}: {what} {_WORDS[mode]}",
            "The number behind a policy is that of its rows.",
            _by_switch(mode, what, metric),
        )
        for number, (what, metric) in zip((9, 10), _BOTH, strict=True)
        for mode in MODES
    ),
    ("figure-11", "Figure 11: small and large jobs", "Large jobs have more than 32 processors.", _figure_11),
    ("figure-12", "Figure 12: loss of capacity", "Policies saturate at the line.", _figure_12),
    (
        "figure-14",
        "Figure 14: how much may migrate",
        "Means; C is what a migration takes. All 1,600 tasks change little beside 256.",
        _figure_14,
    ),
    (
        "figure-15",
        "Figure 15: migration at a price",
        "A migration takes 10 s, 64 tasks a slice at most.",
        _panels(_priced, (*_BOTH, ("loss of capacity", "kappa"))),
    ),
)


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
    found: list[Table] = []
    for make in (_table_of_slowdowns, _nearer, _varied_readings, _varied_jobs):
        with suppress(NotRun):
            found.append(make(results))
    return found


def _slowdown(results: Results, run: GangRun) -> str:
    ours = results.mean(run, "slowdown")
    return plus_minus(ours, 1 if ours.mean < 100 else 0)


def _table_of_slowdowns(results: Results) -> Table:
    def ours(policy: str, factor: float, mode: str) -> list[str]:
        run = rows(policy, factor, mode)
        better = f"{improvement(results, policy[1:], factor, mode).mean:.1%}" if policy[0] == "m" else ""
        return [f"{results.mean(run, 'rho').mean:.3f}", _slowdown(results, run), better]

    cells = [
        [
            *(str(place), policy.upper(), f"{rho:g}", f"{slowdown:,g}"),
            *(cell for mode in MODES for cell in ours(policy, FACTORS[place], mode)),
        ]
        for place, row in enumerate(TABLE_1)
        for policy, (rho, slowdown) in zip(POLICIES, row, strict=True)
    ]
    each = ("utilization", "slowdown", "better")
    columns = ["workload", "policy", "paper: utilization", "slowdown"]
    columns += [f"{word}, {_WORDS[mode]}" for mode in MODES for word in each]
    return Table("mean slowdown, and by which share migration lowers it", "Table 1", columns, cells)


def _nearer(results: Results) -> Table:
    """How far each mode is from the 36 slowdowns of Table 1."""

    def factor(mode: str, last: int) -> str:
        logs = [
            abs(math.log(results.mean(rows(policy, FACTORS[k], mode), "slowdown").mean / slowdown))
            for k in range(last)
            for policy, (_, slowdown) in zip(POLICIES, TABLE_1[k], strict=True)
        ]
        return f"{math.exp(sum(logs) / len(logs)):.2f}"

    cells = [
        [name, *(factor(mode, last) for mode in MODES)]
        for name, last in (("workloads 0 to 5", 6), ("all", 9))
    ]
    columns = ["slowdowns of", *(f"factor {_WORDS[mode]}" for mode in MODES)]
    title = "by which factor ours differ from the printed ones, as a geometric mean"
    return Table(title, "Table 1", columns, cells)


def _varied_readings(results: Results) -> Table:
    cells = []
    for factor in FACTORS:
        runs = [rows("bgs", factor, "rate"), *(GangRun("bgs", factor, other=other) for other in READINGS)]
        cells.append([f"{0.55 * factor:.2f}", *(_slowdown(results, run) for run in runs)])
    columns = ["load", "kept, literal", *READINGS]
    return Table("other readings of BGS-5: mean slowdown, by rates", "section 5.2", columns, cells)


def _varied_jobs(results: Results) -> Table:
    cells = []
    for jobs in ("", *OTHER_JOBS):
        for factor in OTHER_FACTORS:
            runs = [GangRun(policy, factor, jobs=jobs) for policy in ("conservative", *ROWS)]
            cells.append(
                [jobs or "the base", f"{0.55 * factor:.2f}", *(_slowdown(results, run) for run in runs)]
            )
    columns = ["jobs", "load", "BF", *map(str.upper, ROWS)]
    return Table("other base workloads: mean slowdown, by rates", "section 2.2", columns, cells)
