"""What is run for Zhang and Sivasubramaniam 2001: two classes arriving, windows, local policies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from molokini.process_sim.accounts import job_accounts, measures
from molokini.process_sim.arriving import Arrivals
from molokini.process_sim.replaying import ScenarioReplay, prepare
from molokini.process_sim.scenario import (
    MS,
    US,
    Dist,
    Frames,
    Job,
    Pipeline,
    Process,
    S,
    Scenario,
    Settings,
    Step,
)
from molokini.process_sim.scenario_files import Source, local_of
from molokini.process_sim.words import Draw, Op
from molokini.studies.study import Point, Row, seed_for

FULL_S = 3600
"""Seconds in which the jobs of both classes arrive; the run goes on until the last of them has ended ..."""
DRAIN = 4
"""... or until so many times as long: then what has not ended counts up to there."""
SHORT_S = 900
"""The same for best-effort jobs alone, which arrive in a quarter of the time."""
SOURCES: tuple[Frames, ...] = ("arrivals", "ahead", "ready")
"""Readings of a pipeline's source; the first is the text's, a *steady input video stream* (line 35)."""
SCHEMES = ("1gs", "2dcs-tdm", "2dcs-ps")
TWO_LEVEL = SCHEMES[1:]
MIXES = {"a": (2, 1), "b": (9, 1), "c": (1, 9)}
"""Arrival rates of real-time and of best-effort jobs in figure 5 (a), (b), (c)."""
LOADS = (0.3, 0.6, 0.9, 1.2)
HIGH = LOADS[2:]
OVERLOAD = 4.0
"""At which real-time jobs alone ask for three times what there is, rates 9:1."""
LOCALS = ("spin", "sb", "sy", "dcs", "dcs-sb", "dcs-sy", "pb", "pb-sb", "pb-sy")
INTERVALS_US = (250, 500, 1000, 2000, 4000, 8000, 16000)
IO_SKEW = ((10, 0), (0, 50))
"""In per cent: the chance of an I/O in a round, and how much processes differ."""
GRAINS_US = (1000, 5000)
"""What a process of the best-effort jobs alone computes between two exchanges, on average."""
_RT_WORK_S = 180 * 4.2e-3 * 30
_BE_WORK_S = 120.0


@dataclass(frozen=True)
class Mixed:
    """Both classes arrive, at rates of a mix that make up a load."""

    scheme: str
    mix: str
    load: float
    admission: bool = False
    nodes: int = 16
    minutes: int = 3
    carry_over: bool = False
    source: Frames = SOURCES[0]
    warm: int = 0
    """Periods of a job that are not judged, while its pipeline fills."""


@dataclass(frozen=True)
class Apart:
    """Both classes arrive, each with a load of its own."""

    scheme: str
    rt_load: float
    be_load: float
    admission: bool = False


@dataclass(frozen=True)
class Window:
    """A greedy real-time process beside best-effort ones on one node."""

    scheme: str


@dataclass(frozen=True)
class Local:
    """Best-effort jobs alone, under a local policy."""

    name: str
    boost_us: int = 1000
    grain_us: int = 5000


@dataclass(frozen=True)
class Alone:
    """Best-effort jobs alone, under a scheme, with more or less I/O and skew."""

    scheme: str
    io_percent: int = 0
    skew_percent: int = 0


AnyCase = Mixed | Apart | Window | Local | Alone


def cases() -> list[AnyCase]:
    """Every case once."""
    found: list[AnyCase] = []
    for source in SOURCES:
        found += [Mixed(one, mix, load, source=source) for mix in MIXES for load in LOADS for one in SCHEMES]
        found += [Mixed(one, "b", OVERLOAD, source=source) for one in SCHEMES]
        found += [
            Mixed(one, "b", load, True, source=source) for load in (*LOADS, OVERLOAD) for one in SCHEMES
        ]
        found += [carried(source, warm) for warm in (0, 1)]
    for variant in varied():
        found += [replace(variant, scheme=scheme) for scheme in SCHEMES]
    found += [Apart(scheme, 0.4, load, True) for load in (0.0, 0.3) for scheme in TWO_LEVEL]
    for io, skew in ((0, 0), *IO_SKEW):
        found += [Alone(scheme, io, skew) for scheme in ("1gs", "2dcs-ps")]
    found += [Window(scheme) for scheme in TWO_LEVEL]
    found += [Local(name, grain_us=grain) for grain in GRAINS_US for name in LOCALS]
    found += [Local("pb", interval) for interval in INTERVALS_US]
    return list(dict.fromkeys(found))


def carried(source: Frames, warm: int) -> Mixed:
    """1GS under admission control where surplus frames count for the next period."""
    return Mixed("1gs", "b", HIGH[-1], True, carry_over=True, source=source, warm=warm)


def varied() -> Sequence[Mixed]:
    """Other sizes and durations, at the highest load of mix (a)."""
    at = Mixed("1gs", "a", HIGH[-1])
    return [replace(at, nodes=8), replace(at, nodes=32), replace(at, minutes=1), replace(at, minutes=6)]


def prepare_all() -> None:
    """Compile what all runs need."""
    prepare(("local", *SCHEMES))


def run(point: Point) -> Row:
    """Measure one case."""
    case = point.case
    until, short = (max(30, round(full * point.length)) * S for full in (FULL_S, SHORT_S))
    seed = seed_for("zhang2001", point.seed) % (2**31)
    if isinstance(case, Window):
        return _window(case)
    if isinstance(case, Local):
        return _local(case, short, seed)
    if isinstance(case, Alone):
        return _alone(case, short, seed)
    if isinstance(case, Apart):
        return _measured(_apart(case, until, seed), until)
    assert isinstance(case, Mixed)
    return _measured(_mixed(case, until, seed), until)


def _measured(scenario: Scenario, arriving: int) -> Row:
    run_of = ScenarioReplay(
        replace(scenario, until_ns=max(DRAIN * arriving, scenario.until_ns or 0))
    ).finish()
    found = {**measures(run_of), **_of_all(run_of)}
    # Real-time jobs leave soon after the last has arrived: what comes later is no time of both classes.
    switches = (found.pop("class_switches_a_second") or 0.0) * run_of.world.now / arriving
    ended = [job["end_ns"] for job in job_accounts(run_of) if job["class"] == "be"]
    delivered = sum(end is not None and end <= arriving for end in ended) / (arriving / S / 3600)
    return {**found, "class_switches_a_second": switches, "be_delivered_an_hour": delivered}


def _of_all(run_of: ScenarioReplay) -> Row:
    """Means over all best-effort jobs that arrived.

    Those that end are the quicker ones: a scheme under which few end would look good. Of a job that has not
    ended there counts what there was until the end of the run.
    """
    now = int(run_of.world.now)
    best = [job for job in job_accounts(run_of) if job["class"] == "be" and job["arrival_ns"] <= now]
    lasted = [((now if job["end_ns"] is None else job["end_ns"]) - job["arrival_ns"]) / S for job in best]
    found: dict[str, float | int | None] = {
        "be_all": len(best),
        "be_all_ended": sum(job["end_ns"] is not None for job in best),
        "be_all_response_s": _mean(lasted),
        "be_all_queued_s": _mean([job["queued_ns"] / S for job in best]),
    }
    for column in ("ready", "blocked", "io", "compute", "spin"):
        each = [job[f"{column}_ns"] / S / job["processes"] for job in best]
        found[f"be_all_{column}_s"] = _mean(each)
    return found


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _scenario(settings: Settings, arrivals: Arrivals, nodes: int, seed: int) -> Scenario:
    empty = Scenario("zhang2001", nodes, [], seed=seed, until_ns=arrivals.for_ns, settings=settings)
    return Source(empty, arrivals, "zhang2001").made()


def loads_of(mix: str, load: float, minutes: int = 3) -> tuple[float, float]:
    """The loads of the classes whose arrival rates have the ratio of *mix*, together *load*."""
    rt, be = MIXES[mix]
    real, best = rt * _RT_WORK_S * minutes / 3, be * _BE_WORK_S * 9 / 16
    return load * real / (real + best), load * best / (real + best)


def _mixed(case: Mixed, until: int, seed: int) -> Scenario:
    rt, be = loads_of(case.mix, case.load, case.minutes)
    pipeline = Pipeline(duration_ns=case.minutes * 60 * S, source=case.source, skipped=case.warm)
    settings = Settings(scheme=case.scheme, admission=case.admission, carry_over=case.carry_over)
    return _scenario(settings, Arrivals(rt, be, until, pipeline), case.nodes, seed)


def _apart(case: Apart, until: int, seed: int) -> Scenario:
    arrivals = Arrivals(case.rt_load, case.be_load, until)
    return _scenario(Settings(scheme=case.scheme, admission=case.admission), arrivals, 16, seed)


def _short_jobs(until: int) -> Arrivals:
    """Best-effort jobs of 20 s for a quarter of the time, so many that they meet on most nodes."""
    return Arrivals(0.0, 0.8, until // 4, be_work=Dist(Draw.ERLANG, 20 * S, 4))


def _to_the_end(settings: Settings, arrivals: Arrivals, until: int, seed: int) -> Row:
    """All jobs come to an end, or those that do not would make a bad policy look good."""
    made = _scenario(settings, arrivals, 16, seed)
    return _measured(replace(made, until_ns=10 * until), arrivals.for_ns)


def _local(case: Local, until: int, seed: int) -> Row:
    wait, arrival = local_of("local", case.name)
    settings = Settings(wait=wait, arrival=arrival, boost_ns=case.boost_us * 1000)
    grain = Dist(Draw.EXPONENTIAL, case.grain_us * US)
    return _to_the_end(settings, replace(_short_jobs(until), be_compute=grain), until, seed)


def _alone(case: Alone, until: int, seed: int) -> Row:
    made = replace(_short_jobs(until), io_chance=case.io_percent / 100, skew=case.skew_percent / 100)
    return _to_the_end(Settings(scheme=case.scheme), made, until, seed)


def _window(case: Window) -> Row:
    """The least time of the real-time class in any window, and its share of the whole."""
    endless = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),)
    greedy = Job("R", [Process(endless, 0)], 0, Pipeline(duration_ns=None, patience_ns=None))
    others = [Job(f"B{k}", [Process(endless, 0)]) for k in range(2)]
    settings = Settings(scheme=case.scheme, top_quantum_ns=10 * MS)
    length = 300 * S
    run_of = ScenarioReplay(
        Scenario("window", 1, [greedy, *others], until_ns=length, settings=settings), (0, length)
    ).finish()
    mine = run_of.pieces[run_of.pieces[:, 1] == 0]
    # A division's switch is its own: what the class is given, not what it computes.
    given = mine[mine[:, 2] < 5]
    window = settings.cycle_ns + 2 * settings.sync_ns
    return {
        "least_s": _least(given, window, length) / S,
        "least_of_3_s": _least(given, 3 * S, length) / S,
        "share": float((given[:, 4] - given[:, 3]).sum()) / length,
    }


def _least(pieces: np.ndarray, window: int, length: int) -> float:
    """The least that *pieces* cover of any window inside: one that begins or ends at a border of a piece."""
    edges = np.concatenate((pieces[:, 3], pieces[:, 4]))
    begins = np.concatenate((edges, edges - window, [0]))
    begins = begins[(begins >= 0) & (begins <= length - window)]
    times = np.concatenate(([0], pieces[:, 3:5].ravel()))
    covered = np.concatenate(([0], np.cumsum(np.diff(times) * (np.arange(times.size - 1) % 2))))
    at = np.interp(begins + window, times, covered) - np.interp(begins, times, covered)
    return float(at.min())
