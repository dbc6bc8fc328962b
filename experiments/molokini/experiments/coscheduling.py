"""Process-level scenarios as runs: one of them, or several ways to schedule it over seeds and loads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from molokini.cycle.ports import Progress
from molokini.experiments.local_policies import own_needs, own_policy, run_own, why_plain
from molokini.metrics.coscheduling import Sample, differences, summary
from molokini.model.errors import BadValue, UnknownName
from molokini.parallel.executors import outcomes
from molokini.parallel.processes import default_workers
from molokini.process_sim.accounts import measures
from molokini.process_sim.calibrating import Calibrated, calibrated
from molokini.process_sim.checking import check_settings
from molokini.process_sim.needs import Needs
from molokini.process_sim.policies import named_policies, needs_of
from molokini.process_sim.replaying import ScenarioReplay, prepare
from molokini.process_sim.scenario import SCHEMES, Settings
from molokini.process_sim.scenario_files import Source, local_of
from molokini.process_sim.words import Arrival, Wait

COMPARE_SCHEMA = "molokini.coschedule-compare/1"
_MOST_SEEDS = 1000
_MOST_POINTS = 1000
NO_LOADS: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class Way:
    """A way to schedule: what it is called, and the settings."""

    name: str
    settings: Settings
    policy_file: str | None = None
    """The file of a local policy of one's own."""


def ways(
    plain: Settings,
    locals_: Sequence[str],
    schemes: Sequence[str],
    admission: bool | None,
    given: Sequence[str] = (),
) -> list[Way]:
    """What is asked for by local policies, by name or file, and schemes; else the scenario's own way.

    *given*: parameters of named policies as NAME=VALUE; each goes to the ways whose policy has it.
    Raises BadValue, BadFile for a file that is no local policy, UnknownName for a parameter of none of them.
    """
    if admission is not None:
        plain = replace(plain, admission=admission)
    found = []
    for name in locals_:
        if name.endswith(".py"):
            own_policy(name)
            found.append(Way(Path(name).stem, replace(plain, scheme="local", given=()), name))
            continue
        if name in named_policies():
            found.append(_named(name, plain))
            continue
        wait, arrival = local_of("--local", name)
        found.append(Way(name, replace(plain, scheme="local", wait=wait, arrival=arrival, given=())))
    for name in schemes:
        if name in named_policies():
            found.append(_named(name, plain))
        elif name not in SCHEMES:
            raise BadValue("--scheme", name, f"one of {', '.join((*SCHEMES, *named_policies()))}")
        else:
            found.append(Way(name, replace(plain, scheme=name, given=())))
    if not found:
        found.append(Way(plain.scheme, plain))
    names = [way.name for way in found]
    if len(set(names)) < len(names):
        raise BadValue("--local, --scheme", names, "each way to schedule once")
    return _with_parameters(found, given)


def _named(name: str, plain: Settings) -> Way:
    """A named policy; it keeps the scenario's parameters where the scenario names it, too."""
    given = plain.given if plain.scheme == name else ()
    return Way(name, replace(plain, scheme=name, wait=Wait.BLOCK, arrival=Arrival.NONE, given=given))


def _with_parameters(found: Sequence[Way], given: Sequence[str]) -> list[Way]:
    """Each parameter goes to the ways whose policy has it. Raises BadValue, or UnknownName where none has."""
    asked: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadValue("--set", text, "NAME=VALUE, as mnod=3")
        asked[name] = value
    needs = [_needs(way) for way in found]
    known = {one.name for each in needs for one in each.parameters}
    for name in asked:
        if name not in known:
            raise UnknownName(f"parameter of {', '.join(way.name for way in found)}", name, known)
    return [
        replace(way, settings=replace(way.settings, given=_given(way, each, asked)))
        for way, each in zip(found, needs, strict=True)
    ]


def _given(way: Way, needs: Needs, asked: Mapping[str, str]) -> tuple[int, ...]:
    values = dict(
        zip((one.name for one in needs.parameters), way.settings.given or needs.defaults, strict=True)
    )
    for one in needs.parameters:
        if one.name in asked:
            values[one.name] = one.value_of(f"--set {one.name}", asked[one.name])
    return tuple(values.values())


def _needs(way: Way) -> Needs:
    return own_needs(way.policy_file) if way.policy_file else needs_of(way.settings.scheme)


def load_range(option: str, text: str) -> list[float]:
    """``0.2,0.4`` or ``A:B:STEP``, the end included. Raises BadValue."""
    allowed = "offered loads from 0 to 100, as 0.5, 0.2,0.4 or 0.2:1.4:0.2"
    try:
        if ":" in text:
            first, last, step = (float(part) for part in text.split(":"))
            if not (0 < step <= 100 and 0 <= first <= last <= 100 and (last - first) / step < _MOST_POINTS):
                raise BadValue(option, text, allowed)
            return [round(first + k * step, 9) for k in range(int((last - first) / step + 1e-9) + 1)]
        found = [float(part) for part in text.split(",")]
    except ValueError:
        raise BadValue(option, text, allowed) from None
    if not all(0 <= one <= 100 for one in found):
        raise BadValue(option, text, allowed)
    return found


def with_interval(source: Source, told: Progress | None = None) -> Source:
    """*source* with the interval between jobs that its memory load asks for, found by bisection.

    Raises BadInput, with the nearest load, where no interval gives it.
    """
    tasks = source.tasks
    if tasks is None or tasks.load is None:
        return source
    steps = 0

    def step(_: Calibrated) -> None:
        nonlocal steps
        steps += 1
        if told is not None:
            told(steps, max(steps + 1, 10))

    found = calibrated(source.scenario, tasks, f"{source.file}: tasks.load", step)
    return replace(source, tasks=replace(tasks, load=None, interval_ns=found.interval_ns))


def run_scenario(
    source: Source,
    way: Way,
    seed: int | None = None,
    window_ns: tuple[int, int] | None = None,
    loads: Mapping[str, float] = NO_LOADS,
) -> ScenarioReplay:
    """Run the scenario once; *window_ns*: with a timeline of what happens between."""
    check_settings(source.file, way.settings, source.scenario.prices)
    source = with_interval(source)
    scenario = source.made(seed, way.settings, **dict(loads))
    if way.policy_file is not None:
        done = run_own(way.policy_file, scenario, window_ns)
    else:
        done = ScenarioReplay(scenario, window_ns).finish()
    # A timeline is what shows how it came to a deadlock.
    return done if window_ns is not None else done.refuse_deadlocks()


@dataclass(frozen=True)
class _Point:
    way: Way
    loads: tuple[tuple[str, float], ...]
    seed: int


@dataclass(frozen=True)
class _Runner:
    source: Source

    def __call__(self, point: _Point) -> Sample:
        return measures(run_scenario(self.source, point.way, point.seed, loads=dict(point.loads)))


def compare_ways(
    source: Source,
    wanted: Sequence[Way],
    seeds: int,
    rt_loads: Sequence[float] = (),
    be_loads: Sequence[float] = (),
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run every way at every load with the same seeds: means, intervals, and differences to the first way.

    All ways see the same programs and arrivals. The same result whatever the number of *workers*.
    """
    if not 1 <= seeds <= _MOST_SEEDS:
        raise BadValue("--seeds", seeds, f"a whole number from 1 to {_MOST_SEEDS:,}")
    loads: list[tuple[tuple[str, float], ...]] = [
        tuple(pair for pair in (("rt_load", rt), ("be_load", be)) if pair[1] is not None)
        for rt in (rt_loads or [None])  # type: ignore[list-item]
        for be in (be_loads or [None])  # type: ignore[list-item]
    ]
    source = with_interval(source)
    heaviest = max(loads, key=lambda one: sum(load for _, load in one))
    for way in wanted:
        check_settings(source.file, way.settings, source.scenario.prices)
        source.made(None, way.settings, **dict(heaviest))
    points = [
        _Point(way, one, source.scenario.seed + k) for one in loads for way in wanted for k in range(seeds)
    ]
    schemes = tuple(dict.fromkeys(way.settings.scheme for way in wanted))
    prepare(schemes, memory=source.scenario.memory is not None)
    for way in wanted:
        if way.policy_file is not None:
            why_plain(way.policy_file)
    rows: list[Sample] = []
    for row in outcomes(_Runner(source), points, default_workers(workers)):
        rows.append(row)
        if progress is not None:
            progress(len(rows), len(points))
    return {
        "schema": COMPARE_SCHEMA,
        "scenario": source.scenario.name,
        "seeds": [source.scenario.seed + k for k in range(seeds)],
        "base": wanted[0].name,
        "points": _points(rows, loads, wanted, seeds),
    }


def _points(
    rows: Sequence[Sample], loads: Sequence[tuple[tuple[str, float], ...]], wanted: Sequence[Way], seeds: int
) -> list[dict[str, Any]]:
    found, at = [], 0
    for one in loads:
        base = rows[at : at + seeds]
        for way in wanted:
            mine = rows[at : at + seeds]
            found.append(
                {
                    **dict(one),
                    "way": way.name,
                    "measures": summary(mine),
                    "less_base": differences(mine, base),
                    "runs": [dict(row) for row in mine],
                }
            )
            at += seeds
    return found
