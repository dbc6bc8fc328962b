"""``molokini coschedule``: a cluster looked at from inside its nodes."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.arguments.coschedule import (
    CompareWaysArguments,
    ExplainArguments,
    OneRunArguments,
    RunScenarioArguments,
    TimelineArguments,
)
from molokini.clients.compiling import compilation_told
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.clients.show.coschedule_tables import (
    show_comparison,
    show_explained,
    show_pieces,
    show_run,
)
from molokini.experiments.coscheduling import Way, compare_ways, load_range, run_scenario, ways
from molokini.experiments.local_policies import why_plain
from molokini.metrics.curves import Curve, Panel
from molokini.model.errors import BadInput, BadValue, Conflict
from molokini.parallel.progress import progress_bar
from molokini.process_sim.account_files import check_account_file, write_accounts
from molokini.process_sim.accounts import as_dict
from molokini.process_sim.explaining import explained
from molokini.process_sim.keys import MOST_NS
from molokini.process_sim.rates import rated_jobs
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import S, shown
from molokini.process_sim.scenario_files import MOST_SEED, Source, read_scenario
from molokini.process_sim.tracing import pieces_as_dicts, rows_of

TIMELINE_SCHEMA = "molokini.coschedule-timeline/1"
_CURVES = (
    ("be_response_s", "mean response of best-effort jobs (s)"),
    ("rt_miss_rate", "frames missed (share)"),
    ("rt_rejected_share", "real-time jobs rejected (share)"),
    ("share_spin", "CPU time spun away (share)"),
)


def explain(arguments: ExplainArguments) -> dict[str, Any]:
    """Print what a scenario means, with every default filled in; also returns the JSON."""
    check_outputs({"--json": arguments.json}, [arguments.scenario])
    found = explained(read_scenario(arguments.scenario))
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        show_explained(found)
    return found


def run(arguments: RunScenarioArguments) -> dict[str, Any]:
    """Run a scenario once, write and print who did what; also returns the JSON."""
    tables = {"--jobs": arguments.jobs, "--cpus": arguments.cpus}
    check_outputs({"--json": arguments.json, "--plot": arguments.plot, **tables}, [arguments.scenario])
    check_picture("--plot", arguments.plot)
    for option, name in tables.items():
        check_account_file(option, name)
    source, way, seed = _one(arguments)
    with compilation_told():
        done = run_scenario(source, way, seed)
    found = as_dict(done)
    if way.policy_file is not None:
        found["scenario"]["policy_file"] = way.policy_file
    _tell_plain([way])
    write_json(found, arguments.json)
    for part, name in (("jobs", arguments.jobs), ("cpus", arguments.cpus)):
        if name is not None:
            write_accounts(found[part], name)
    if arguments.plot is not None:
        _draw_rates(done, arguments.plot)
    if arguments.json != STANDARD_OUTPUT:
        show_run(found)
    return found


def _draw_rates(done: ScenarioReplay, name: str) -> None:
    """Rates and targets of all applications, and the periods that the controller chose."""
    from molokini.plots import panels, save

    rated = [one for one in rated_jobs(done) if one.rate]
    if not rated:
        raise BadInput("--plot: no job of this run has a target rate; give one (rate) under local = feedback")
    rates = [
        curve
        for place, one in enumerate(rated)
        for curve in (
            Curve(one.job, one.iteration, one.rate, style=place),
            Curve(f"{one.job}: target", one.iteration, one.target, style=place, dashed=True),
        )
    ]
    periods = [
        Curve(one.job, one.iteration, [1000 * value for value in one.period_s], style=place)
        for place, one in enumerate(rated)
    ]
    shown = [
        Panel("", "iteration", "rate (% of the full rate)", rates),
        Panel("", "iteration", "period (ms)", periods),
    ]
    save(panels(f"{done.scenario.name}: rates under feedback control", shown), name)


def _tell_plain(wanted: Sequence[Way]) -> None:
    """Say which policies of one's own made everything run as plain Python, and why."""
    for way in wanted:
        if way.policy_file is not None and (why := why_plain(way.policy_file)) is not None:
            print(
                f"molokini: {way.policy_file}: numba cannot compile it ({why}); all ran as plain Python",
                file=sys.stderr,
            )


def _one(arguments: OneRunArguments) -> tuple[Source, Way, int | None]:
    """The scenario, the way to schedule and the seed that are asked for."""
    if arguments.local is not None and arguments.scheme not in (None, "local"):
        raise Conflict(
            "--local", f"the scheme {arguments.scheme} has local policies of its own; leave one out"
        )
    if arguments.seed is not None and not 0 <= arguments.seed <= MOST_SEED:
        raise BadValue("--seed", arguments.seed, f"a whole number from 0 to {MOST_SEED:,}")
    source = read_scenario(arguments.scenario)
    locals_ = [arguments.local] if arguments.local is not None else []
    schemes = [arguments.scheme] if arguments.scheme is not None and not locals_ else []
    found = ways(source.scenario.settings, locals_, schemes, arguments.admission, arguments.set)
    return source, found[0], arguments.seed


def compare(arguments: CompareWaysArguments) -> dict[str, Any]:
    """Run several ways to schedule, over seeds and loads; write, draw and print; also returns the JSON."""
    check_outputs({"--json": arguments.json, "--plot": arguments.plot}, [arguments.scenario])
    check_picture("--plot", arguments.plot)
    source = read_scenario(arguments.scenario)
    plain = source.scenario.settings
    wanted = ways(plain, arguments.local, arguments.scheme, arguments.admission, arguments.set)
    rt = load_range("--rt-rate", arguments.rt_rate) if arguments.rt_rate is not None else []
    be = load_range("--be-rate", arguments.be_rate) if arguments.be_rate is not None else []
    with compilation_told(), progress_bar(source.scenario.name) as progress:
        found = compare_ways(source, wanted, arguments.seeds, rt, be, arguments.workers, progress)
    _tell_plain(wanted)
    write_json(found, arguments.json)
    if arguments.plot is not None:
        from molokini.plots import panels, save

        save(panels(f"{source.scenario.name}: {arguments.seeds} seeds", _panels(found)), arguments.plot)
    if arguments.json != STANDARD_OUTPUT:
        show_comparison(found)
    return found


def _panels(found: Mapping[str, Any]) -> list[Panel]:
    """A panel a metric that was measured: curves over the load, or one bar a way."""
    points: Sequence[Mapping[str, Any]] = found["points"]
    axis = "rt_load" if len({point.get("rt_load") for point in points}) > 1 else "be_load"
    swept = len({point.get(axis) for point in points}) > 1
    names = list(dict.fromkeys(point["way"] for point in points))
    panels = []
    for metric, label in _CURVES:
        curves = []
        for place, name in enumerate(names):
            mine = [
                (point.get(axis, 0.0) if swept else float(place), point["measures"][metric])
                for point in points
                if point["way"] == name and point["measures"][metric]["mean"] is not None
            ]
            if mine:
                curves.append(_curve(name, mine))
        if curves and any(any(curve.y) for curve in curves):
            what = {"rt_load": "offered load, real time", "be_load": "offered load, best effort"}[axis]
            panels.append(Panel("", what if swept else "", label, curves, bars=not swept))
    if not panels:
        raise BadInput("--plot: the run has no measurements to draw; simulate for longer (until)")
    return panels


def _curve(name: str, points: Sequence[tuple[float, Mapping[str, float]]]) -> Curve:
    x, y = [at for at, _ in points], [one["mean"] for _, one in points]
    low = [one["low"] if one["low"] is not None else one["mean"] for _, one in points]
    high = [one["high"] if one["high"] is not None else one["mean"] for _, one in points]
    return Curve(name, x, y, low, high)


def timeline(arguments: TimelineArguments) -> dict[str, Any]:
    """Run a scenario and print or draw what each CPU did in a window; also returns the JSON."""
    files = {"--json": arguments.json, "--plot": arguments.plot, "--html": arguments.html}
    check_outputs(files, [arguments.scenario])
    check_picture("--plot", arguments.plot)
    begin, end = _instant("--from", arguments.begin), MOST_NS
    if arguments.end is not None:
        end = _instant("--to", arguments.end)
        if end <= begin:
            raise BadValue("--to", arguments.end, "later than --from")
    source, way, seed = _one(arguments)
    if arguments.end is not None and (source.scenario.until_ns or MOST_NS) > end:
        source = _until(source, end)
    with compilation_told():
        done = run_scenario(source, way, seed, (begin, end))
    _tell_plain([way])
    window = (begin, min(end, int(done.world.now)))
    found = _timeline(done, window)
    write_json(found, arguments.json)
    if arguments.plot is not None:
        _draw(done, window, arguments.plot, way)
    if arguments.html is not None:
        from molokini.experiments.timeline_pages import write_timeline_page

        write_timeline_page(done, window, _heading(done, window, way, "--html"), arguments.html)
    if arguments.json != STANDARD_OUTPUT:
        show_pieces(found)
    return found


def _until(source: Source, end: int) -> Source:
    from dataclasses import replace

    return replace(source, scenario=replace(source.scenario, until_ns=end))


def _instant(option: str, seconds: float) -> int:
    if not 0 <= seconds <= MOST_NS / S:
        raise BadValue(option, seconds, f"seconds from 0 to {MOST_NS // S:,}")
    return round(seconds * S)


def _timeline(done: ScenarioReplay, window: tuple[int, int]) -> dict[str, Any]:
    return {
        "schema": TIMELINE_SCHEMA,
        "scenario": done.scenario.name,
        "from_ns": window[0],
        "to_ns": window[1],
        "pieces": pieces_as_dicts(done),
    }


def _draw(done: ScenarioReplay, window: tuple[int, int], name: str, way: Way) -> None:
    from molokini.plots import process_timeline, save

    heading = _heading(done, window, way, "--plot")
    save(process_timeline(heading, done.pieces, rows_of(done), window), name)


def _heading(done: ScenarioReplay, window: tuple[int, int], way: Way, option: str) -> str:
    if window[1] <= window[0]:
        ended = shown(int(done.world.now))
        raise BadInput(f"--from: the run ended at {ended}; there is nothing left for {option}")
    settings = done.scenario.settings
    policy = way.name if way.policy_file is not None else settings.scheme
    if policy == "local":
        policy = f"{settings.wait.name.lower()}+{settings.arrival.name.lower()}"
    return f"{done.scenario.name}, {policy}: {shown(window[0])} to {shown(window[1])}"
