"""Local policies of one's own: a Python file with one function, compiled as the shipped ones are."""

import inspect
import traceback
from functools import cache
from pathlib import Path

from molokini.compiled.compilation import interpreted, interpreting
from molokini.cycle.calling import NOT_COMPILABLE
from molokini.model.errors import BadFile, BadInput, MolokiniError
from molokini.policies import module_of
from molokini.process_sim.complaints import illegal_decision, process_name
from molokini.process_sim.needs import Needs
from molokini.process_sim.replaying import ScenarioReplay, engine_parts
from molokini.process_sim.scenario import Scenario, shown
from molokini.process_sim.tables import LocalPolicy

_NEEDED = "policy(world, hook, subject, value)"


@cache
def own_policy(file: str) -> LocalPolicy:
    """The function ``policy(world, hook, subject, value)`` of *file*. Raises BadFile."""
    found: LocalPolicy | None = getattr(module_of(Path(file)), "policy", None)
    if not inspect.isfunction(found):
        raise BadFile(file, f"a file of a local policy needs a function {_NEEDED}")
    try:
        inspect.signature(found).bind(None, None, None, None)
    except TypeError:
        raise BadFile(file, f"its policy must be a function of four arguments, {_NEEDED}") from None
    return found


def own_needs(file: str) -> Needs:
    """What the policy of *file* declares beside its function. Raises BadFile."""
    found = getattr(module_of(Path(file)), "NEEDS", Needs())
    if not isinstance(found, Needs):
        raise BadFile(file, "its NEEDS must be a molokini.process_sim.needs.Needs")
    return found


@cache
def why_plain(file: str) -> str | None:
    """Why numba cannot compile the policy, in a line; None where it can. Then all runs as plain Python."""
    policy = own_policy(file)
    try:
        engine_parts(policy)
    except NOT_COMPILABLE as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        # numba first says in which step it failed.
        return next((line for line in lines if not line.startswith("Failed in")), type(error).__name__)
    return None


def run_own(file: str, scenario: Scenario, window_ns: tuple[int, int] | None) -> ScenarioReplay:
    """Run *scenario* under the policy of *file*. Raises BadFile for what the policy does wrong."""
    policy, needs = own_policy(file), own_needs(file)
    if interpreted() or why_plain(file) is None:
        return _finished(file, ScenarioReplay(scenario, window_ns, policy, needs=needs))
    with interpreting():
        return _finished(file, ScenarioReplay(scenario, window_ns, policy, needs=needs))


def _finished(file: str, run: ScenarioReplay) -> ScenarioReplay:
    try:
        return run.finish()
    except BadInput:
        _check_quanta(file, run)
        raise
    except MolokiniError:
        raise BadFile(file, _misdeed(run)) from None
    except Exception as error:
        line = next(
            (
                frame.lineno
                for frame in reversed(traceback.extract_tb(error.__traceback__))
                if Path(frame.filename) == Path(file).absolute() or frame.filename == file
            ),
            None,
        )
        raise BadFile(file, f"{type(error).__name__}: {error}", line) from None


def _check_quanta(file: str, run: ScenarioReplay) -> None:
    """A process without a quantum exceeds its quantum at once, again and again: no fault of its program."""
    cpus = run.world.cpus
    if ((cpus.proc >= 0) & (cpus.quantum <= 0)).any():
        at = shown(int(run.world.now))
        raise BadFile(
            file, f"QUANTUM_END at {at} left a CPU without a quantum: set world.cpus.quantum[cpu]"
        ) from None


def _misdeed(run: ScenarioReplay) -> str:
    """What the policy did that it may not, at which instant."""
    world, p, at = run.world, int(run.world.culprit), shown(int(run.world.now))
    if world.illegal_decision:
        return f"at {at}: {illegal_decision(run.scenario, world)}"
    if not 0 <= p < world.procs.state.size:
        return f"PICK at {at} returned {p}: it must be a process of that CPU, or -1"
    return (
        f"PICK at {at} returned {p}, {process_name(run.scenario, world, p)}, which is not ready on that CPU"
    )
