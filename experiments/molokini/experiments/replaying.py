"""One replay, timed: the functions that every run is made with."""

from dataclasses import replace
from time import perf_counter
from typing import TypeVar

from molokini.availability.placement import NAMES as PLACEMENTS
from molokini.cycle.ports import Progress
from molokini.experiments.asked import RunOptions
from molokini.experiments.asked_features import heeded
from molokini.experiments.asked_nodes import least_of, memory_of, requests_of
from molokini.experiments.choosing import Chosen
from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.model.policy import PACKING
from molokini.parallel.beside import beside
from molokini.sim.compiled import compiled_engine, is_engine_kept
from molokini.sim.replay import Options, Overrun, Replay, Ties
from molokini.sim.schedule import Schedule
from molokini.sim.stepping import Stepping, run_stepped
from molokini.tables.tables import NEVER
from molokini.workloads.workload import Workload

Choice = TypeVar("Choice", Overrun, Ties)


def replayed(
    workload: Workload, machine: Machine, chosen: Chosen, options: Options, progress: Progress | None = None
) -> Schedule:
    """The schedule of *workload*; its ``elapsed_s`` is the replay alone, compilation left out."""
    schedule = finished(prepared(workload, machine, chosen, options), progress)
    return replace(schedule, policy=chosen.name)


def prepared(workload: Workload, machine: Machine, chosen: Chosen, options: Options) -> Replay:
    """A replay of *workload*, everything compiled that it will call."""
    workload = chosen.workload(workload)
    whole = chosen.options(options, workload, machine)
    if whole.requests is None:
        features = heeded(chosen, workload, machine)
        machine = machine if features is None else features.machine(machine)
        whole = replace(whole, requests=requests_of(workload, machine, chosen.licenses, features))
    if whole.least_s is None:
        whole = replace(whole, least_s=least_of(workload))
    if whole.memory_kb is None and chosen.values.get(PACKING) == "memory":
        whole = replace(whole, memory_kb=memory_of(workload))
    replay = Replay(workload, machine, chosen.policy, chosen.values, whole)
    compile_both(replay)
    return replay


def compile_both(replay: Replay) -> None:
    """Compile what *replay* will call: where nothing is in the cache, engine and policy beside each other."""
    if replay.options.interpreted or is_engine_kept(replay.plain):
        replay.prepare()
        return
    with beside(replay.prepare_policy):
        compiled_engine(replay.plain)
    replay.prepare()


def finished(replay: Replay, progress: Progress | None = None, stepping: Stepping | None = None) -> Schedule:
    """The schedule of *replay*, run to its end, in steps where *stepping* is given, and timed."""
    before = perf_counter()
    if stepping is not None:
        return replace(run_stepped(replay, stepping, progress), elapsed_s=perf_counter() - before)
    replay.run(NEVER, progress)
    return replay.schedule(perf_counter() - before)


def replay_options(asked: RunOptions) -> Options:
    """How to replay."""
    return Options(
        overrun=_choice("--overrun", asked.overrun, Overrun),
        ties=_choice("--ties", asked.ties, Ties),
        placement=asked.placement or PLACEMENTS[0],
    )


def _choice(option: str, text: str, kind: type[Choice]) -> Choice:
    try:
        return kind(text)
    except ValueError:
        raise BadValue(option, text, "one of " + ", ".join(kind)) from None
