"""The curves of figures 5 and 6, and the nine local policies, from our results."""

from collections.abc import Callable, Hashable, Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.results import Interval, NotRun, Results
from molokini.studies.shown import Picture, Table
from molokini.studies.zhang2001_qos.paired import BLOCKED, MISSES, RESPONSE, interval_of
from molokini.studies.zhang2001_qos.qos_cases import (
    GRAINS_US,
    INTERVALS_US,
    LOADS,
    LOCALS,
    MIXES,
    OVERLOAD,
    SCHEMES,
    TWO_LEVEL,
    Local,
    Mixed,
)

_FIGURE_5 = (
    (RESPONSE, "best-effort response (s)"),
    (MISSES, "frames missed (share)"),
    ("rt_rejected_share", "real-time jobs rejected (share)"),
)
_READINGS = (
    (RESPONSE, "best-effort response (s)"),
    (BLOCKED, "blocked, of best-effort jobs (s)"),
    (MISSES, "frames missed (share)"),
)


def _known(results: Results, case: Hashable, metric: str) -> Interval | None:
    try:
        return interval_of(results, case, metric)
    except NotRun:
        return None


def _curve(
    results: Results,
    name: str,
    metric: str,
    case_at: Callable[[float], Mixed],
    loads: Sequence[float],
    style: int,
    dashed: bool,
) -> Curve | None:
    points = [(load, _known(results, case_at(load), metric)) for load in loads]
    known = [(load, found) for load, found in points if found is not None]
    if not known:
        return None
    x, found = [load for load, _ in known], [one for _, one in known]
    return Curve(
        name,
        x,
        [one.mean for one in found],
        [one.low for one in found],
        [one.high for one in found],
        style=style,
        dashed=dashed,
    )


def _of_mix(results: Results, mix: str) -> list[Panel]:
    found = []
    for metric, label in _FIGURE_5:
        curves = [
            _curve(results, scheme, metric, lambda load, of=scheme: Mixed(of, mix, load), LOADS, k, False)  # type: ignore[misc]
            for k, scheme in enumerate(SCHEMES)
        ]
        found.append(_panel(label, curves))
    return _with_curves(found)


def _panel(label: str, curves: Sequence[Curve | None]) -> Panel:
    return Panel("", "offered load", label, [one for one in curves if one is not None])


def _with_curves(panels: Sequence[Panel]) -> list[Panel]:
    return [panel for panel in panels if panel.curves]


def _admission(results: Results) -> list[Panel]:
    found = []
    for metric, label in _FIGURE_5:
        curves = [
            _curve(
                results,
                f"{scheme}{', admission' if admission else ''}",
                metric,
                lambda load, of=scheme, control=admission: Mixed(of, "b", load, control),  # type: ignore[misc]
                (*LOADS, OVERLOAD),
                k,
                admission,
            )
            for k, scheme in enumerate(SCHEMES)
            for admission in (False, True)
        ]
        found.append(_panel(label, curves))
    return _with_curves(found)


def _readings(results: Results) -> list[Panel]:
    found = []
    for metric, label in _READINGS:
        curves = [
            _curve(
                results,
                f"{scheme}, {'one by one' if arrivals else 'always there'}",
                metric,
                lambda load, of=scheme, one_by_one=arrivals: Mixed(of, "a", load, arrivals=one_by_one),  # type: ignore[misc]
                LOADS,
                k,
                arrivals,
            )
            for k, scheme in enumerate(TWO_LEVEL, 1)
            for arrivals in (False, True)
        ]
        found.append(_panel(label, curves))
    return _with_curves(found)


def _rates(mix: str) -> str:
    return ":".join(str(rate) for rate in MIXES[mix])


def pictures(results: Results) -> list[Picture]:
    """Figures 5 (a) to (c) and 6, and the two readings of a pipeline's source."""
    found = [
        Picture(
            f"figure-5{mix}",
            f"Figure 5({mix}): arrival rates {_rates(mix)} of real-time and best-effort jobs",
            "Without admission control. Responses are of all jobs that arrived; of one that has not ended "
            "there counts what there was of it until the end.",
            _of_mix(results, mix),
            3,
        )
        for mix in MIXES
    ]
    return [
        *found,
        Picture(
            "figure-6",
            "Figure 6: with and without admission control",
            f"Arrival rates 9:1; at {OVERLOAD:g} real-time jobs alone ask for three times what there is.",
            _admission(results),
            3,
        ),
        Picture(
            "readings",
            "Frames that are always there, and frames that come one by one",
            "Mix (a), without admission control.",
            _readings(results),
            3,
        ),
    ]


def _told(found: Interval | None, digits: int) -> str:
    if found is None:
        return "-"
    return f"{found.mean:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def tables(results: Results) -> list[Table]:
    """The nine local policies on best-effort jobs alone, and the intervals of periodic boost."""
    rows = [
        [
            name,
            *(_told(_known(results, Local(name, grain_us=grain), RESPONSE), 1) for grain in GRAINS_US),
            _told(_known(results, Local(name), "share_spin"), 3),
            _told(_known(results, Local(name), "share_switch"), 3),
        ]
        for name in LOCALS
    ]
    responses = [f"response (s), {grain / 1000:g} ms a round" for grain in GRAINS_US]
    intervals = [[f"{k / 1000:g}", _told(_known(results, Local("pb", k), RESPONSE), 1)] for k in INTERVALS_US]
    breakdown = [
        [
            scheme,
            f"{load:g}",
            *(
                _told(_known(results, Mixed(scheme, "a", load), f"be_all_{part}_s"), 1)
                for part in ("response", "queued", "ready", "blocked", "compute", "spin")
            ),
        ]
        for load in LOADS
        for scheme in SCHEMES
    ]
    return [
        Table(
            "where a best-effort job's time goes, mix (a), seconds",
            "section 5.1",
            ["scheme", "load", "response", "arrival queue", "ready", "blocked", "computing", "spinning"],
            breakdown,
        ),
        Table(
            "local policies, best-effort jobs alone",
            "section 2.1",
            ["policy", *responses, "spinning, of CPU time (5 ms)", "switching (5 ms)"],
            rows,
        ),
        Table(
            "the interval of periodic boost", "appendix", ["interval (ms)", "mean response (s)"], intervals
        ),
    ]
