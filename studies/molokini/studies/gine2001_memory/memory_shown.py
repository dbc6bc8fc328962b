"""Curves of figures 6 to 13 from our results, and what the loads came out as."""

from collections.abc import Callable, Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.gine2001_memory.memory_cases import (
    DEFAULT_RATES,
    FREQUENCIES_MS,
    LOADS,
    LOW,
    MNOD_FREQUENCIES_MS,
    MNODS,
    OTHER_RATES,
    POLICIES,
    PUBLISHED_TASKS,
    SHARES,
    Load,
)
from molokini.studies.gine2001_memory.memory_claims import has_fewest
from molokini.studies.results import Interval, NotRun, Results
from molokini.studies.shown import Picture, Table

_MEASURES = (
    ("page_faults", "page faults a task"),
    ("correlation", "correlation (%)"),
    ("small_slowdown", "slowdown, small jobs"),
    ("large_slowdown", "slowdown, large jobs"),
    ("local_slowdown", "slowdown, local tasks"),
)


def _curve(
    results: Results, name: str, metric: str, at: Callable[[float], Load], x: Sequence[float], style: int
) -> Curve | None:
    known = []
    for one in x:
        try:
            known.append((one, results.mean(at(one), metric)))
        except NotRun:
            continue
    if not known:
        return None
    found = [one for _, one in known]
    return Curve(
        name,
        [one for one, _ in known],
        [one.mean for one in found],
        [one.low for one in found],
        [one.high for one in found],
        style=style,
    )


def _panel(x: str, y: str, curves: Sequence[Curve | None]) -> Panel:
    return Panel("", x, y, [one for one in curves if one is not None])


def _of_trial(results: Results, trial: str) -> list[Panel]:
    found = []
    for metric, label in _MEASURES:
        curves = [
            _curve(
                results,
                policy.upper(),
                metric,
                lambda k, of=policy: Load(of, trial, frequency_ms=int(k)),  # type: ignore[misc]
                FREQUENCIES_MS,
                style,
            )
            for style, policy in enumerate(POLICIES)
        ]
        found.append(_panel("CPU time between messages (ms)", label, curves))
    return [panel for panel in found if panel.curves]


def _low(results: Results) -> list[Panel]:
    found = []
    measures = (
        ("correlation", "correlation (%)"),
        ("parallel_slowdown", "slowdown, parallel jobs"),
        ("local_slowdown", "slowdown, local tasks"),
    )
    for metric, label in measures:
        curves = [
            _curve(results, policy.upper(), metric, lambda s, of=policy: Load(of, "low", s), SHARES, style)  # type: ignore[misc]
            for style, policy in enumerate(LOW)
        ]
        found.append(_panel("share of small jobs (pdt)", label, curves))
    return [panel for panel in found if panel.curves]


def pictures(results: Results) -> list[Picture]:
    """Figures 6 and 7, 9 to 13."""
    return [
        Picture("figure-6", "Figures 6 and 7: low memory load", "Memory load 0.7.", _low(results), 3),
        Picture("figure-9", "Figures 9, 10, 13(a)", "Memory load 1.0.", _of_trial(results, "medium"), 3),
        Picture("figure-11", "Figures 11, 12, 13(b)", "Memory load 1.5.", _of_trial(results, "high"), 3),
    ]


def _told(results: Results, case: Load, metric: str, digits: int = 2) -> str:
    try:
        found: Interval = results.mean(case, metric)
    except NotRun:
        return "-"
    return f"{found.mean:.{digits}f}"


def _fewest(results: Results, trial: str, rate: int, block: int) -> str:
    try:
        return has_fewest(results, trial, rate, block)
    except NotRun:
        return "-"


def _loads(results: Results) -> Table:
    rows = [
        [
            trial,
            f"{load:g}",
            _told(results, Load("csm", trial), "load"),
            f"{PUBLISHED_TASKS[trial]:g}",
            _told(results, Load("csm", trial), "tasks_a_node"),
            _told(results, Load("csm", trial), "interval_s", 1),
        ]
        for trial, (load, _) in LOADS.items()
    ]
    columns = ["trial", "load asked for", "load", "tasks a node, published", "ours", "interval (s)"]
    return Table("memory loads, and tasks a node", "section 5.2", columns, rows)


def _mnods(results: Results) -> Table:
    rows = [
        [
            str(value),
            *(
                _told(results, Load("csm", "medium", mnod=value, frequency_ms=k), metric)
                for metric in ("small_slowdown", "large_slowdown")
                for k in MNOD_FREQUENCIES_MS
            ),
        ]
        for value in MNODS
    ]
    columns = [f"{name}, {k} ms" for name in ("small", "large") for k in MNOD_FREQUENCIES_MS]
    return Table("slowdown under CSM by MNOD", "figure 8", ["MNOD", *columns], rows)


def _rates(results: Results) -> Table:
    rows = [
        [
            trial,
            str(rate),
            str(block),
            *(
                _told(results, Load(policy, trial, page_in=rate, block=block), "page_faults", 1)
                for policy in POLICIES
            ),
            _fewest(results, trial, rate, block),
        ]
        for trial in ("medium", "high")
        for rate, block in (DEFAULT_RATES, *OTHER_RATES)
    ]
    columns = ["trial", "pages a second", "block", *(policy.upper() for policy in POLICIES), "CSM has"]
    return Table("page faults a task, by the rates of the model of memory", "ours", columns, rows)


def _scales(results: Results) -> Table:
    rows = [
        [
            policy.upper(),
            *(
                _told(results, Load(policy, "medium", frequency_ms=300, scale=scale), metric)
                for metric in ("page_faults", "correlation", "small_slowdown", "large_slowdown")
                for scale in (20, 1)
            ),
        ]
        for policy in POLICIES
    ]
    kinds = ("faults", "correlation", "small", "large")
    columns = ["policy", *(f"{name}, {scale}" for name in kinds for scale in ("scaled", "full"))]
    return Table("CPU times scaled by 20, and those of the paper (load 1, 300 ms)", "ours", columns, rows)


def tables(results: Results) -> list[Table]:
    """What the loads came out as; MNOD; other rates of the model of memory; full length."""
    return [_loads(results), _mnods(results), _rates(results), _scales(results)]
