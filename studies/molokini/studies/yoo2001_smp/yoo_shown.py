"""Figures 2 to 6 from our results, and how requests ended."""

from collections.abc import Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.results import Interval, NotRun, Results, interval, over
from molokini.studies.shown import Picture, Table
from molokini.studies.yoo2001_smp.yoo_cases import (
    ALONE,
    CAUSES,
    DRIVEN,
    FEW_GMETS,
    FINE,
    GMETS,
    HEAVY,
    HEAVY_SWEPT,
    LEVELS,
    LIGHT,
    PHASES,
    SLICES,
    SWEPT,
    TOGETHER,
    WAIT_SLICES,
    WORKLOADS,
    Reading,
    Run,
    ablations,
    batch,
    caused,
    demand,
    level,
    read,
    swept,
    waiting,
)

_RESPONSE, _WAIT = "be_response_s", "be_queued_s"
SHORT = {"drawn": "apart", "alike": "together"}


def _short(reading: Reading) -> str:
    return "fine" if reading == FINE else SHORT[reading.phases]


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
    for policy, name, dashed in ((ALONE, "uncoordinated, fine", True), (DRIVEN, "fine", False)):
        points = [(float(most), read(policy, level(most), FINE)) for most in LEVELS]
        curves += _curve(results, name, _RESPONSE, points, 3, dashed)
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
    for reading in HEAVY_SWEPT:
        for k, name in enumerate(WORKLOADS):
            if reading == FINE and name != HEAVY:
                continue
            gmets = GMETS if name == HEAVY else FEW_GMETS
            points = [(gmet, swept(name, reading, gmet, 30.0)) for gmet in gmets]
            curves += _curve(results, f"{name}, {_short(reading)}", _RESPONSE, points, *_style(k, reading))
    return Panel("Figure 5: slice 30 s", "GMET (s)", "mean response (s)", curves, log_y=True)


def _style(workload: int, reading: Reading) -> tuple[int, bool]:
    return workload + (3 if reading == FINE else 0), reading.phases == "alike" and reading != FINE


def _slices(results: Results) -> Panel:
    curves = []
    for reading in HEAVY_SWEPT:
        for k, name in enumerate(WORKLOADS):
            if reading == FINE and name == LIGHT:
                continue
            points = [(length, swept(name, reading, 5.0, length)) for length in SLICES]
            curves += _curve(results, f"{name}, {_short(reading)}", _RESPONSE, points, *_style(k, reading))
    return Panel("Figure 6: GMET 5 s", "slice (s)", "mean response (s)", curves, log_y=True)


def pictures(results: Results) -> list[Picture]:
    """Four panels, one a figure."""
    made = [_levels(results), _waits(results), _gmets(results), _slices(results)]
    panels = [panel for panel in made if panel.curves]
    caption = "Means over seeds with their 95% intervals; *fine*: the fifth reading."
    return [Picture("figures", "Figures 3 to 6", caption, panels)] if panels else []


def _told(found: Interval | None, digits: int = 1) -> str:
    if found is None:
        return "-"
    if found.is_of_one_seed:
        return f"{found.mean:.{digits}f}"
    return f"{found.mean:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def tables(results: Results) -> list[Table]:
    """Figure 2, what daemons did with the heavy workload, and what the loss there depends on."""
    return [_workloads(results), _ways(results), _causes(results)]


def _workloads(results: Results) -> Table:
    rows = []
    for name in WORKLOADS:
        cases = [
            (
                f"receivers {wait}",
                [
                    Run(ALONE, name, wait=wait),
                    *(read(DRIVEN, name, Reading(wait, phases)) for phases in PHASES),
                ],
            )
            for wait in ("block", "spin")
        ]
        spread = [Run(policy, name, placement="spread") for policy in (ALONE, DRIVEN)]
        cases.append(("receivers block, jobs spread", spread))
        for label, runs in cases:
            rows.append([name, label, *_both(results, runs)])
        # Its timers begin together.
        alone, driven = _both(results, [read(ALONE, name, FINE)]), _both(results, [read(DRIVEN, name, FINE)])
        label = f"receivers spin, {FINE.grain:g} of the time between messages"
        rows.append([name, label, alone[0], "-", driven[0], alone[3], "-", driven[3]])
    return Table(
        "mean response (s), and the share of CPU time idle or spinning",
        "figure 2",
        [
            *("workload", "", "uncoordinated", "timers apart", "timers together"),
            *("idle, uncoordinated", "idle, apart", "idle, together"),
        ],
        rows,
    )


def _both(results: Results, runs: Sequence[Run]) -> list[str]:
    """Responses and idle shares of at most three runs."""
    blank = ["-"] * (3 - len(runs))
    cells = [_told(_known(results, case, _RESPONSE)) for case in runs]
    idle = [_told(_known(results, case, "idle_share"), 2) for case in runs]
    return [*cells, *blank, *idle, *blank]


_COLUMNS = (
    (_RESPONSE, 1),
    ("coscheduled_share", 3),
    ("job_switches", 0),
    ("requests_accepted", 0),
    ("requests_discarded", 0),
    ("switches", 0),
)


def _ways(results: Results) -> Table:
    variants = []
    for reading in SWEPT:
        name = f"timers begin {SHORT[reading.phases]}"
        variants.append((f"as it is, {name}", read(DRIVEN, HEAVY, reading)))
        variants += [(f"{way}, {name}", case) for way, case in ablations(reading) if "level" not in way]
    variants.append(("dcs-sb", demand(TOGETHER)))
    told = [
        [name, *(_told(_known(results, case, metric), digits) for metric, digits in _COLUMNS)]
        for name, case in variants
    ]
    return Table(
        "the heavy workload in other ways",
        "section 2.1",
        [
            *("", "mean response (s)", "coscheduled, of scheduled time", "switches between jobs"),
            *("requests accepted", "requests discarded", "context switches"),
        ],
        told,
    )


def _causes(results: Results) -> Table:
    rows = []
    for name in CAUSES:
        alone, driven = caused(ALONE, name), caused(DRIVEN, name)
        rows.append(
            [
                name,
                _told(_known(results, alone, _RESPONSE)),
                _told(_known(results, driven, _RESPONSE)),
                _told(_reduction(results, driven, alone), 3),
                _told(_known(results, driven, "coscheduled_share"), 2),
            ]
        )
    return Table(
        "the heavy workload, as what the paper leaves open is varied (timers begin together)",
        "figure 2",
        ["", "uncoordinated (s)", "message-driven (s)", "reduction", "coscheduled, of scheduled time"],
        rows,
    )


def _reduction(results: Results, driven: Run, alone: Run) -> Interval | None:
    try:
        pairs = zip(results.samples(driven, _RESPONSE), results.samples(alone, _RESPONSE), strict=True)
        return interval([1 - over(one, other) for one, other in pairs])
    except NotRun:
        return None
