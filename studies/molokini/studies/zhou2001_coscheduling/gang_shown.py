"""The curves of Zhou and Brent's figures, and other workloads in tables."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from molokini.metrics.curves import Panel
from molokini.studies.results import Interval, Results
from molokini.studies.shown import Picture, Table, curve
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
    curves = []
    for name, at in settings:
        found = [results.mean(at(load), metric[0]) for load in LOADS]
        curves.append(curve(name, LOADS, found))
    return Panel(title or metric[1], "offered load (share of processors)", metric[1], curves)


def _limit(k: int) -> str:
    return f"{k}" if k else "no limit"


def pictures(results: Results) -> list[Picture]:
    """Figures 1 to 5."""
    one: list[_Setting] = [(f"k_m {_limit(k)}", lambda load, k=k: first(load, k)) for k in FIRST_LIMITS]  # type: ignore[misc]
    two: list[_Setting] = [(f"k_m {_limit(k)}", lambda load, k=k: second(load, k)) for k in SECOND_LIMITS]  # type: ignore[misc]
    shares: list[_Setting] = [
        (f"alpha_l {a:g}", lambda load, a=a: third(load, a))  # type: ignore[misc]
        for a in (1.0, *reversed(LONG_FROM))
    ]
    long: list[_Setting] = [(f"k_l {k}", lambda load, k=k: third(load, k_l=k)) for k in LONG_LIMITS]  # type: ignore[misc]
    best: list[_Setting] = [
        ("old: experiment 2, k_m 1", lambda load: second(load, 1)),
        ("new: experiment 4", fourth),
    ]
    three = [
        _panel(results, _SLOWDOWN, shares),
        _panel(results, _SLOWDOWN, long),
        _panel(results, _MEAN, long),
    ]
    every = (_SLOWDOWN, _MEAN, _MOST)
    return [
        Picture(
            "figure-1",
            "Figure 1: all jobs alike",
            "Limits of jobs a processor.",
            [
                _panel(results, _SLOWDOWN, one),
                _panel(results, _SLOWDOWN, one[FIRST_LIMITS.index(6) :], "mean slowdown, k_m from 6 on"),
            ],
            2,
        ),
        Picture(
            "figure-2",
            "Figure 2: long jobs alone are queued",
            "Limits of long jobs a processor.",
            [_panel(results, metric, two) for metric in every],
            3,
        ),
        Picture(
            "figure-3",
            "Figure 3: six slots, and fewer long jobs",
            "Where long jobs begin, and how many.",
            three,
            3,
        ),
        Picture(
            "figure-4",
            "Figure 4: short jobs start at once",
            "Beside the best of experiment 2.",
            [_panel(results, metric, best) for metric in every],
            3,
        ),
        Picture(
            "figure-5",
            "Figure 5: long jobs",
            "Jobs above 0.8 times the longest.",
            [_panel(results, ("long_slowdown", "mean slowdown of long jobs"), best)],
            1,
        ),
    ]


def _cell(ours: Interval) -> str:
    return f"{ours.mean:.2f} ± {(ours.high - ours.low) / 2:.2f}"


_NAMES = ("experiment 1, k_m 6", "experiment 1, k_m 30", "experiment 2, k_m 1", "experiment 4")
_METRICS = ("slowdown", "mean_slots", "max_slots")


def _line(results: Results, name: str, one: ClassRun) -> list[str]:
    wait_h = results.mean(one, "max_wait_s").mean / 3600
    utilization = results.mean(one, "utilization").mean
    return [
        name,
        *(_cell(results.mean(one, metric)) for metric in _METRICS),
        f"{wait_h:.0f}",
        f"{utilization:.3f}",
    ]


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
    return [
        Table("other bounds of run times, load 0.9", "Variation", ("run times", *columns), bounds),
        Table(
            "sizes of all numbers, rounded to the nearest, beside powers of two",
            "Variation",
            ("sizes", *columns),
            sizes,
        ),
    ]
