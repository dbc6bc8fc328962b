"""Figures 2 to 6 from our results, and how requests ended."""

from collections.abc import Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.results import Interval, NotRun, Results
from molokini.studies.shown import Picture, Table
from molokini.studies.yoo2001_smp.yoo_cases import (
    ALONE,
    DEMAND,
    DRIVEN,
    FEW_GMETS,
    GMETS,
    HEAVY,
    LEVELS,
    PHASES,
    SLICES,
    WAIT_SLICES,
    WORKLOADS,
    Reading,
    Run,
    ablations,
    batch,
    level,
    read,
    swept,
    waiting,
)

_RESPONSE, _WAIT = "be_response_s", "be_queued_s"
SHORT = {"drawn": "apart", "alike": "together"}


def _known(results: Results, case: Run, metric: str) -> Interval | None:
    try:
        return results.mean(case, metric)
    except NotRun:
        return None


def _curve(
    results: Results, name: str, metric: str, points: Sequence[tuple[float, Run]], style: int, dashed: bool
) -> list[Curve]:
    found = [(x, _known(results, case, metric)) for x, case in points]
    known = [(x, one) for x, one in found if one is not None]
    if not known:
        return []
    y = [one.mean for _, one in known]
    ends = [(one.mean, one.mean) if one.is_of_one_seed else (one.low, one.high) for _, one in known]
    low, high = [end[0] for end in ends], [end[1] for end in ends]
    return [Curve(name, [x for x, _ in known], y, low, high, style=style, dashed=dashed)]


def _levels(results: Results) -> Panel:
    curves = []
    for wait in ("block", "spin"):
        dashed = wait == "spin"
        points = [(float(most), Run(ALONE, level(most), wait=wait)) for most in LEVELS]
        curves += _curve(results, f"uncoordinated, {wait}", _RESPONSE, points, 0, dashed)
        for k, phases in enumerate(PHASES, 1):
            reading = Reading(wait, phases)
            points = [(float(most), read(DRIVEN, level(most), reading)) for most in LEVELS]
            curves += _curve(results, f"{SHORT[phases]}, {wait}", _RESPONSE, points, k, dashed)
    return Panel("Figure 3", "multiprogramming level", "mean response (s)", curves, log_y=True)


def _waits(results: Results) -> Panel:
    curves = []
    for phases in PHASES:
        for k, length in enumerate(WAIT_SLICES):
            points = [(float(most), waiting(length, most, phases)) for most in LEVELS]
            name = f"slice {length:g} s, {SHORT[phases]}"
            curves += _curve(results, name, _WAIT, points, k, phases == "alike")
    curves += _curve(results, "batch", _WAIT, [(float(most), batch()) for most in LEVELS], 3, False)
    return Panel("Figure 4", "multiprogramming level", "mean wait (s)", curves, log_y=True)


def _gmets(results: Results) -> Panel:
    curves = []
    for phases in PHASES:
        for k, name in enumerate(WORKLOADS):
            gmets = GMETS if name == HEAVY else FEW_GMETS
            points = [(gmet, swept(name, phases, gmet, 30.0)) for gmet in gmets]
            curves += _curve(results, f"{name}, {SHORT[phases]}", _RESPONSE, points, k, phases == "alike")
    return Panel("Figure 5: slice 30 s", "GMET (s)", "mean response (s)", curves, log_y=True)


def _slices(results: Results) -> Panel:
    curves = []
    for phases in PHASES:
        for k, name in enumerate(WORKLOADS):
            points = [(length, swept(name, phases, 5.0, length)) for length in SLICES]
            curves += _curve(results, f"{name}, {SHORT[phases]}", _RESPONSE, points, k, phases == "alike")
    return Panel("Figure 6: GMET 5 s", "slice (s)", "mean response (s)", curves, log_y=True)


def pictures(results: Results) -> list[Picture]:
    """Four panels, one a figure."""
    made = [_levels(results), _waits(results), _gmets(results), _slices(results)]
    panels = [panel for panel in made if panel.curves]
    caption = "Means over seeds with their 95% intervals."
    return [Picture("figures", "Figures 3 to 6", caption, panels)] if panels else []


def _told(found: Interval | None, digits: int = 1) -> str:
    if found is None:
        return "-"
    if found.is_of_one_seed:
        return f"{found.mean:.{digits}f}"
    return f"{found.mean:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def tables(results: Results) -> list[Table]:
    """Figure 2, and what daemons did with the heavy workload."""
    rows = []
    for name in WORKLOADS:
        cases = [(f"receivers {wait}", [Run(ALONE, name, wait=wait)]) for wait in ("block", "spin")]
        cases = [
            (label, [*alone, *(read(DRIVEN, name, Reading(alone[0].wait, phases)) for phases in PHASES)])
            for label, alone in cases
        ]
        spread = [Run(policy, name, placement="spread") for policy in (ALONE, DRIVEN)]
        cases.append(("receivers block, jobs spread", spread))
        for label, runs in cases:
            cells = [_told(_known(results, case, _RESPONSE)) for case in runs]
            idle = [_told(_known(results, case, "idle_share"), 2) for case in runs]
            blank = ["-"] * (3 - len(runs))
            rows.append([name, label, *cells, *blank, *idle, *blank])
    columns = (
        (_RESPONSE, 1),
        ("coscheduled_share", 3),
        ("job_switches", 0),
        ("requests_accepted", 0),
        ("requests_discarded", 0),
        ("switches", 0),
    )
    variants = []
    for phases in PHASES:
        timers = f", timers begin {SHORT[phases]}"
        variants.append((f"as it is{timers}", Run(DRIVEN, HEAVY, phases=phases)))
        variants += [(f"{name}{timers}", case) for name, case in ablations(phases) if "level" not in name]
    variants.append(("dcs-sb", Run(DEMAND, HEAVY)))
    told = [
        [name, *(_told(_known(results, case, metric), digits) for metric, digits in columns)]
        for name, case in variants
    ]
    return [
        Table(
            "mean response (s), and the share of CPU time idle or spinning",
            "figure 2",
            [
                *("workload", "", "uncoordinated", "timers apart", "timers together"),
                *("idle, uncoordinated", "idle, apart", "idle, together"),
            ],
            rows,
        ),
        Table(
            "the heavy workload in other ways",
            "section 2.1",
            [
                *("", "mean response (s)", "coscheduled, of scheduled time", "switches between jobs"),
                *("requests accepted", "requests discarded", "context switches"),
            ],
            told,
        ),
    ]
