"""The curves of figures 5 and 6, and the nine local policies, from our results."""

from collections.abc import Callable, Hashable, Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.process_sim.scenario import Frames
from molokini.studies.results import Interval, NotRun, Results
from molokini.studies.shown import Picture, Table, curve
from molokini.studies.zhang2001_qos.paired import MISSES, RESPONSE, interval_of
from molokini.studies.zhang2001_qos.qos_cases import (
    GRAINS_US,
    INTERVALS_US,
    LOADS,
    LOCALS,
    MIXES,
    OVERLOAD,
    SCHEMES,
    SOURCES,
    Local,
    Mixed,
)

_DELIVERED = "be_delivered_an_hour"
_RESPONSE = (RESPONSE, "best-effort response (s)")
_MISSES = (MISSES, "frames missed (share)")
_REJECTED = ("rt_rejected_share", "real-time jobs rejected (share)")


def _known(results: Results, case: Hashable, metric: str) -> Interval | None:
    try:
        return interval_of(results, case, metric)
    except NotRun:
        return None


def _curve(
    results: Results, name: str, metric: str, cases: Sequence[Mixed], style: int, dashed: bool, across: str
) -> Curve:
    """*across*: the metric that is the abscissa; empty: the offered load."""
    at = [_known(results, case, across) if across else None for case in cases]
    x = [case.load if mean is None else mean.mean for case, mean in zip(cases, at, strict=True)]
    return curve(name, x, [_known(results, case, metric) for case in cases], style, dashed)


def _panel(
    results: Results,
    shown: tuple[str, str],
    case_at: Callable[[str, float, bool], Mixed],
    loads: Sequence[float] = LOADS,
    controls: Sequence[bool] = (False,),
    across: str = "",
    title: str = "",
) -> list[Panel]:
    """A panel of all schemes, with and without admission control; none where nothing is known."""
    curves = [
        _curve(results, f"{scheme}{', admission' if control else ''}", shown[0], cases, k, control, across)
        for k, scheme in enumerate(SCHEMES)
        for control in controls
        if (cases := [case_at(scheme, load, control) for load in loads])
    ]
    known = [one for one in curves if one.x]
    label = "delivered to best-effort jobs (jobs an hour)" if across else "offered load"
    return [Panel(title, label, shown[1], known)] if known else []


def _of_mix(results: Results, mix: str) -> list[Panel]:
    across = ((_RESPONSE, _DELIVERED), (_MISSES, ""), (_REJECTED, ""))
    return [
        panel
        for shown, at in across
        for panel in _panel(results, shown, lambda scheme, load, _: Mixed(scheme, mix, load), across=at)
    ]


def _admission(results: Results) -> list[Panel]:
    loads, shown = (*LOADS, OVERLOAD), (_RESPONSE, _MISSES, _REJECTED)
    return [
        panel
        for one in shown
        for panel in _panel(
            results,
            one,
            lambda scheme, load, control: Mixed(scheme, "b", load, control),
            loads,
            (False, True),
        )
    ]


def _readings(results: Results) -> list[Panel]:
    def of(source: Frames) -> Callable[[str, float, bool], Mixed]:
        return lambda scheme, load, control: Mixed(scheme, "a", load, source=source)

    return [
        panel
        for shown in (_RESPONSE, _MISSES)
        for source in SOURCES
        for panel in _panel(results, shown, of(source), title=f"source: {source}")
    ]


def pictures(results: Results) -> list[Picture]:
    """Figures 5 (a) to (c) and 6, and the readings of a pipeline's source."""
    found = [
        Picture(
            f"figure-5{mix}",
            f"Figure 5({mix}): arrival rates {':'.join(map(str, rates))} of real-time and best-effort jobs",
            "Without admission control. Responses are of all jobs that arrived, over the jobs an hour that "
            "ended while jobs arrived, as the paper's figure has them.",
            _of_mix(results, mix),
            3,
        )
        for mix, rates in MIXES.items()
    ]
    overload = f"Arrival rates 9:1; at {OVERLOAD:g} real-time jobs alone ask for three times what there is."
    with_control = "Figure 6: with and without admission control"
    sources = "Frames one by one, ahead of real time by a period, and always there"
    without = "Mix (a), without admission control."
    return [
        *found,
        Picture("figure-6", with_control, overload, _admission(results), 3),
        Picture("readings", sources, without, _readings(results), 3),
    ]


def tables(results: Results) -> list[Table]:
    """The nine local policies on best-effort jobs alone, and the intervals of periodic boost."""

    def told(case: Hashable, metric: str, digits: int = 1) -> str:
        found = _known(results, case, metric)
        if found is None:
            return "-"
        return f"{found.mean:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"

    parts = ("response", "queued", "ready", "blocked", "compute", "spin")
    breakdown = [
        [one, f"{load:g}", *(told(Mixed(one, "a", load), f"be_all_{part}_s") for part in parts)]
        for load in LOADS
        for one in SCHEMES
    ]
    policies = [
        [
            name,
            *(told(Local(name, grain_us=grain), RESPONSE) for grain in GRAINS_US),
            *(told(Local(name), metric, 3) for metric in ("share_spin", "share_switch")),
        ]
        for name in LOCALS
    ]
    responses = [f"response (s), {grain / 1000:g} ms a round" for grain in GRAINS_US]
    columns = ["policy", *responses, "spinning, of CPU time (5 ms)", "switching (5 ms)"]
    intervals = [[f"{k / 1000:g}", told(Local("pb", k), RESPONSE)] for k in INTERVALS_US]
    columns_of_boost = ["interval (ms)", "mean response (s)"]
    return [
        Table(
            "where a best-effort job's time goes, mix (a), seconds",
            "section 5.1",
            ["scheme", "load", "response", "arrival queue", "ready", "blocked", "computing", "spinning"],
            breakdown,
        ),
        Table("local policies, best-effort jobs alone", "section 2.1", columns, policies),
        Table("the interval of periodic boost", "appendix", columns_of_boost, intervals),
    ]
