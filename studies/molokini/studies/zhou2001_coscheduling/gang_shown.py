"""The curves of Zhou and Brent's figures, and other workloads in tables."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from molokini.metrics.curves import Panel
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table, curve, plus_minus
from molokini.studies.zhou2001_coscheduling.gang_cases import (
    FIRST_LIMITS,
    HIGHEST,
    LEAST_RUNS_S,
    LOADS,
    LONG_FROM,
    LONG_LIMITS,
    NEAREST_LOADS,
    SECOND_LIMITS,
    ClassRun,
    first,
    fourth,
    second,
    third,
    varied,
)

_SLOWDOWN, _MEAN, _MOST = (
    ("slowdown", "mean slowdown"),
    ("mean_slots", "mean slots"),
    ("max_slots", "largest number of slots"),
)
_Setting = tuple[str, Callable[[float], ClassRun]]


def _panel(results: Results, metric: tuple[str, str], settings: Sequence[_Setting], title: str = "") -> Panel:
    curves = [
        curve(name, LOADS, [results.mean(at(load), metric[0]) for load in LOADS]) for name, at in settings
    ]
    return Panel(title or metric[1], "offered load (share of processors)", metric[1], curves)


def _limit(k: int) -> str:
    return f"{k}" if k else "no limit"


def _settings(name: str, of: Callable[..., ClassRun], values: Sequence[Any]) -> list[_Setting]:
    return [(f"{name} {value or 'no limit'}", lambda load, one=value: of(load, one)) for value in values]  # type: ignore[misc]


def pictures(results: Results) -> list[Picture]:
    """Figures 1 to 5."""
    one = _settings("k_m", first, FIRST_LIMITS)
    two = _settings("k_m", second, SECOND_LIMITS)
    shares = _settings("alpha_l", third, (1, *reversed(LONG_FROM)))
    long = _settings("k_l", lambda load, k: third(load, k_l=k), LONG_LIMITS)
    best: list[_Setting] = [
        ("old: experiment 2, k_m 1", lambda load: second(load, 1)),
        ("new: experiment 4", fourth),
    ]
    every = (_SLOWDOWN, _MEAN, _MOST)
    from_6 = _panel(results, _SLOWDOWN, one[FIRST_LIMITS.index(6) :], "mean slowdown, k_m from 6 on")
    of_long = ("long_slowdown", "mean slowdown of long jobs")
    three = [(_SLOWDOWN, shares), (_SLOWDOWN, long), (_MEAN, long)]
    shown = (
        ("all jobs alike", "Limits of jobs a processor.", [_panel(results, _SLOWDOWN, one), from_6]),
        (
            "long jobs alone are queued",
            "Limits of long jobs a processor.",
            [_panel(results, metric, two) for metric in every],
        ),
        (
            "six slots, and fewer long jobs",
            "Where long jobs begin, and how many.",
            [_panel(results, *both) for both in three],
        ),
        (
            "short jobs start at once",
            "Beside the best of experiment 2.",
            [_panel(results, metric, best) for metric in every],
        ),
        ("long jobs", "Jobs above 0.8 times the longest.", [_panel(results, of_long, best)]),
    )
    return [
        Picture(f"figure-{k}", f"Figure {k}: {title}", caption, panels, len(panels))
        for k, (title, caption, panels) in enumerate(shown, 1)
    ]


_NAMES = ("experiment 1, k_m 6", "experiment 1, k_m 30", "experiment 2, k_m 1", "experiment 4")
_METRICS = ("slowdown", "mean_slots", "max_slots")


def _line(results: Results, name: str, one: ClassRun) -> list[str]:
    wait_h, utilization = (results.mean(one, metric).mean for metric in ("max_wait_s", "utilization"))
    slowdowns = (plus_minus(results.mean(one, metric)) for metric in _METRICS)
    return [name, *slowdowns, f"{wait_h / 3600:.0f}", f"{utilization:.3f}"]


def tables(results: Results) -> list[Table]:
    """Other bounds of run times, and sizes of all numbers."""
    columns = ("setting", "mean slowdown", "mean slots", "largest number", "largest wait (h)", "utilization")
    bounds = [
        [f"from {least:g} s", *_line(results, name, replace(one, least_run_s=least))]
        for least in (1.0, *LEAST_RUNS_S)
        for name, one in zip(_NAMES, varied(HIGHEST), strict=True)
    ]
    sizes = [
        [f"{how}, load {load:g}", *_line(results, name, replace(one, sizes=how))]
        for load in NEAREST_LOADS
        for how in ("powers", "nearest")
        for name, one in zip(_NAMES, varied(load), strict=True)
    ]
    title = "sizes of all numbers, rounded to the nearest, beside powers of two"
    return [
        Table("other bounds of run times, load 0.9", "Variation", ("run times", *columns), bounds),
        Table(title, "Variation", ("sizes", *columns), sizes),
    ]
