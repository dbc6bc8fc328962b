"""A scenario is run: tables are made, the engine goes on until it is over, results are read."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.compilation import compile_entry, interpreted
from molokini.model.errors import BadInput, MolokiniError
from molokini.process_sim.building import build, heap_spare
from molokini.process_sim.complaints import (
    deadlock,
    deadlocked,
    illegal_decision,
    stuck,
    too_many_classes,
)
from molokini.process_sim.engine import (
    ENGINE_SIGNATURE,
    POLICY_SIGNATURE,
    UNTRACED_ENGINE_SIGNATURE,
    UNTRACED_MEMORY_SIGNATURE,
    UNTRACED_STAMPED_SIGNATURE,
    begin,
    close,
    run,
)
from molokini.process_sim.needs import Needs
from molokini.process_sim.policies import local_policy, needs_of
from molokini.process_sim.scenario import Scenario, shown
from molokini.process_sim.stamps import SPARE
from molokini.process_sim.tables import RUN_NEXT, LocalPolicy, World
from molokini.process_sim.words import IllegalDecision, Stop

Pieces = NDArray[np.int64]
"""Lines of CPU, process (or -1), segment, start, end (ns)."""

BUDGET = 50_000_000
"""Facts between two looks at who wants to stop us."""


@cache
def _engine(traced: bool, memory: bool, stamped: bool) -> Any:
    signature = UNTRACED_MEMORY_SIGNATURE if memory else UNTRACED_ENGINE_SIGNATURE
    if stamped:
        signature = UNTRACED_STAMPED_SIGNATURE
    traced = traced or (memory and stamped)
    return compile_entry(run, ENGINE_SIGNATURE if traced else signature, long=True)


@cache
def _begin() -> Any:
    return compile_entry(begin, ENGINE_SIGNATURE)


@cache
def _close() -> Any:
    return compile_entry(close, ENGINE_SIGNATURE)


@cache
def _compiled_policy(policy: LocalPolicy) -> Any:
    return compile_entry(policy, POLICY_SIGNATURE)


def engine_parts(
    policy: LocalPolicy, traced: bool = False, memory: bool = False, stamped: bool = False
) -> tuple[Any, Any, Any, Any]:
    """(run, begin, close, policy), compiled or as they are.

    *traced*: it can keep a timeline; *memory*: it knows of main memory; *stamped*: of bytes on messages, and
    of CPUs that differ in speed.
    """
    if interpreted():
        return run, begin, close, policy
    return _engine(traced, memory, stamped), _begin(), _close(), _compiled_policy(policy)


def prepare(schemes: tuple[str, ...], memory: bool = False) -> None:
    """Compile what these schemes need; *memory*: with main memory."""
    for scheme in schemes:
        engine_parts(local_policy(scheme), memory=memory, stamped=needs_of(scheme).stamps)


class ScenarioReplay:
    """One run of a scenario: its tables, and how far it is."""

    def __init__(
        self,
        scenario: Scenario,
        window_ns: tuple[int, int] | None = None,
        policy: LocalPolicy | None = None,
        look: Callable[[World], None] | None = None,
        needs: Needs | None = None,
    ) -> None:
        self.scenario = scenario
        self.needs = needs or needs_of(scenario.settings.scheme)
        self.world = build(scenario, window_ns, self.needs)
        self._pieces: list[Pieces] = []
        self._look = look
        asked = self.world.asked
        self._parts = engine_parts(
            policy or local_policy(scenario.settings.scheme),
            self.world.trace.on != 0,
            self.world.memory.on != 0,
            bool(asked.stamped or asked.unlike),
        )
        self._begun = False

    def finish(self) -> "ScenarioReplay":
        """Go on until all is over, or ``until_ns``. Raises BadInput for a program that cannot go on."""
        run_it, begin_it, close_it, policy = self._parts
        world = self.world
        if not self._begun:
            begin_it(world, policy)
            self._begun = True
        stop = Stop.PAUSED
        while not world.illegal_decision:
            world.budget = world.events + BUDGET
            stop = Stop(run_it(world, policy))
            if stop is Stop.MORE_ROOM:
                enlarge(world)
            elif stop is Stop.TRACE_FULL:
                self._drain()
            elif stop is not Stop.PAUSED:
                break
            if self._look is not None:
                self._look(world)
        if stop is Stop.UNTIL:
            world.now = world.until
        close_it(world, policy)
        self._drain()
        self._judge(stop)
        return self

    def refuse_deadlocks(self) -> "ScenarioReplay":
        """Raise BadInput if a job waits for a message that no process sends; others may have gone on."""
        told = deadlocked(self.scenario, self.world)
        if told is not None:
            raise BadInput(f"{self.scenario.name}: {told}")
        return self

    def _drain(self) -> None:
        trace = self.world.trace
        if trace.count:
            self._pieces.append(trace.rows[: trace.count].copy())
            trace.count = 0

    def _judge(self, stop: Stop) -> None:
        if self.world.illegal_decision == IllegalDecision.CLASSES:
            raise BadInput(f"{self.scenario.name}: {too_many_classes(self.scenario, self.world)}")
        if self.world.illegal_decision:
            raise MolokiniError(
                f"the policy {self.scenario.settings.scheme} at {shown(int(self.world.now))}: "
                f"{illegal_decision(self.scenario, self.world)}"
            )
        if stop in (Stop.DEADLOCK, Stop.STUCK):
            tell = deadlock if stop is Stop.DEADLOCK else stuck
            raise BadInput(f"{self.scenario.name}: {tell(self.scenario, self.world)}")
        if stop not in (Stop.FINISHED, Stop.UNTIL):
            raise MolokiniError(
                f"the policy {self.scenario.settings.scheme} did what it may not: {stop.name}"
            )

    @property
    def pieces(self) -> Pieces:
        """What the CPUs did in the window, by CPU and start; neighbours of one kind are one piece."""
        if not self._pieces:
            return np.zeros((0, 5), dtype=np.int64)
        return joined(np.concatenate(self._pieces))


def joined(pieces: Pieces) -> Pieces:
    """Sort *pieces*, and make one of neighbours that say the same."""
    pieces = pieces[np.lexsort((pieces[:, 4], pieces[:, 3], pieces[:, 0]))]
    same = np.all(pieces[1:, :3] == pieces[:-1, :3], axis=1) & (pieces[1:, 3] == pieces[:-1, 4])
    first = np.concatenate(([True], ~same))
    last = np.concatenate((~same, [True]))
    found = pieces[first].copy()
    found[:, 4] = pieces[last][:, 4]
    return found


def enlarge(world: World) -> None:
    """Make room for more entries of the heap, and for more runs of stamps where these are few."""
    if world.asked.stamped and world.stamps.left < SPARE:
        _enlarge_stamps(world)
    old = world.agenda.heap
    new = np.zeros((2 * len(old) + 16_384, 4), dtype=np.int64)
    new[: len(old)] = old
    world.agenda.bind("heap", new)
    world.agenda.full = len(new) - heap_spare(world.cpus.key.size)


def _enlarge_stamps(world: World) -> None:
    old = world.stamps.runs
    new = np.zeros((2 * len(old) + SPARE, 4), dtype=np.int64)
    new[: len(old)] = old
    new[len(old) :, RUN_NEXT] = [*range(len(old) + 1, len(new)), world.stamps.free]
    world.stamps.bind("runs", new)
    world.stamps.free = len(old)
    world.stamps.left += len(new) - len(old)
