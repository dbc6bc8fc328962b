"""What the survey has no figures of: completion by grain, fairness and progress of mixed programs."""

from collections.abc import Hashable, Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.results import Interval, NotRun, Results
from molokini.studies.shown import Picture, Table
from molokini.studies.survey_coscheduling.scheme_cases import (
    GRAINS_US,
    INTERVALS_US,
    LIMITS_US,
    MIXED,
    POLICIES,
    SKEWS,
    SLOTS_MS,
    Beside,
    Bsp,
    Desk,
    Mixed,
)

_BESIDE = ("sb-computed", "dcs-sb-fair", "dcs-fitted", "tickets")


def _known(results: Results, case: Hashable, metric: str) -> Interval | None:
    try:
        return results.mean(case, metric)
    except NotRun:
        return None


def _curve(name: str, points: Sequence[tuple[float, Interval | None]], style: int) -> Curve | None:
    known = [(x, found) for x, found in points if found is not None]
    if not known:
        return None
    found = [one for _, one in known]
    return Curve(
        name,
        [x for x, _ in known],
        [one.mean for one in found],
        [one.low for one in found],
        [one.high for one in found],
        style=style,
    )


def _panel(title: str, x: str, y: str, curves: Sequence[Curve | None]) -> Panel:
    return Panel(title, x, y, [one for one in curves if one is not None])


def pictures(results: Results) -> list[Picture]:
    """Completion of three jobs by grain; a job beside a serial process by interval."""
    grains = sorted({*GRAINS_US, *LIMITS_US})
    completion = [
        _curve(p, [(g / 1000, _known(results, Bsp(p, g), "completion_s")) for g in grains], style)
        for style, p in enumerate((*POLICIES, "gang"))
    ]
    panels = [_panel("three jobs", "grain (ms)", "completion (s)", completion)]
    for metric, label in (("response_s", "response (s)"), ("share", "share of the CPU")):
        curves = [
            _curve(p, [(k / 1000, _known(results, Beside(p, k), metric)) for k in INTERVALS_US], style)
            for style, p in enumerate(_BESIDE)
        ]
        panels.append(_panel("beside a serial process", "between messages (ms)", label, curves))
    shown = [panel for panel in panels if panel.curves]
    return [
        Picture(
            "schemes",
            "Three parallel jobs, and one beside a serial process on each node",
            "The gang changes jobs each 500 ms for nothing: the ideal of the survey.",
            shown,
            3,
        )
    ]


def _told(found: Interval | None, digits: int = 3) -> str:
    return "-" if found is None else f"{found.mean:.{digits}f}"


def tables(results: Results) -> list[Table]:
    """Who has how much of the CPU where grains are mixed; interactive processes; completion."""
    mixed = [
        [
            policy,
            f"{skew}%",
            *(
                _told(_known(results, Mixed(policy, skew), metric), 2 if metric == "desk_wait_ms" else 3)
                for metric in (
                    *("fine", "middle", "coarse", "serial", "jain", "jain_of_jobs", "progress"),
                    "desk_wait_ms",
                )
            ),
        ]
        for skew in SKEWS
        for policy in MIXED
    ]
    completion = [
        [
            policy,
            *(
                _told(_known(results, Bsp(policy, grain, skew), "completion_s"), 2)
                for skew in SKEWS
                for grain in GRAINS_US
            ),
        ]
        for policy in (*POLICIES, "gang")
    ]
    desks = [
        [f"gang, slots of {k} ms", _told(_known(results, Desk("dhc", k), "wait_ms"), 2)] for k in SLOTS_MS
    ]
    desks += [[name, _told(_known(results, Desk(name), "wait_ms"), 2)] for name in ("sb", "tickets")]
    columns = [f"{grain / 1000:g} ms, skew {skew}%" for skew in SKEWS for grain in GRAINS_US]
    return [
        Table(
            "performance and fairness of mixed programs: shares of the CPU",
            "section 7",
            [
                *("policy", "skew", "1 ms", "10 ms", "100 ms", "serial", "Jain index", "the same of jobs"),
                *("computing of parallel jobs", "wait of a burst (ms)"),
            ],
            mixed,
        ),
        Table("completion of three jobs of one grain (s)", "section 4.5", ["policy", *columns], completion),
        Table("wait of an interactive burst of 1 ms", "section 5", ["policy", "wait (ms)"], desks),
    ]
