"""From what the shell said to what a replay needs: workload, machine, policies, options.

Everything is checked here, before anything runs; all complaints are ``BadInput``.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from molokini.clients.arguments import (
    COPY_SHIFT_S,
    MOST_COPIES,
    ReplayArguments,
    RunArguments,
    SimulateArguments,
)
from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy, load_policy
from molokini.room.placement import NAMES as PLACEMENTS
from molokini.sim.replay import Options, Overrun, Ties
from molokini.workloads.readers import read_workload
from molokini.workloads.scaling import clone, scale_load
from molokini.workloads.synthetic import generate
from molokini.workloads.workload import Header, Workload

POLICY_PATH_VARIABLE = "MOLOKINI_POLICY_PATH"
BREAKDOWNS = ("size", "user", "group", "queue", "run_time")
_GENERATED = "synthetic:"
_SHOWN = 40
_MOST_PROCESSORS = 2**40
"""Signs of a log's header that a message repeats, at most."""

Choice = TypeVar("Choice", Overrun, Ties)


@dataclass(frozen=True)
class Chosen:
    """A policy with the value of each of its parameters."""

    policy: LoadedPolicy
    values: Mapping[str, Value]

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.policy.name

    def vector(self, workload: Workload) -> Sequence[float]:
        """The vector that the policy's functions read in a replay of *workload*."""
        return self.policy.declaration.vector(self.values)

    def workload(self, workload: Workload) -> Workload:
        """*workload* with what the policy gives to jobs that do not say it."""
        return workload

    def options(self, options: Options, workload: Workload, machine: Machine) -> Options:
        """*options* with all that the policy brings to a replay of *workload* on *machine*.

        Raises BadInput for what does not go together.
        """
        return replace(options, parameters=self.vector(workload))

    def part(self, workloads: Sequence[Workload]) -> dict[str, Any]:
        """What results say of it beside its name and its parameters."""
        return {}

    def notes(self, workloads: Sequence[Workload]) -> list[str]:
        """What its user should know, one line each."""
        return []


def remarks(chosen: Chosen, machine: Machine) -> list[str]:
    """What the user of a result of the policy on this machine should know, one line each."""
    remark = chosen.policy.declaration.remark
    text = remark(chosen.values, machine.processors) if remark is not None else ""
    return [text] if text else []


def policy_folders(given: Sequence[str]) -> list[Path]:
    """The folders of ``--policy-dir``, which must exist, then those of ``MOLOKINI_POLICY_PATH``."""
    folders = [Path(name) for name in given]
    for folder in folders:
        if not folder.is_dir():
            raise BadFile(str(folder), "there is no such folder of policies")
    listed = [Path(name) for name in os.environ.get(POLICY_PATH_VARIABLE, "").split(":") if name]
    return folders + [folder for folder in listed if folder.is_dir()]


def settings(given: Sequence[str]) -> dict[str, str]:
    """``name=value`` of ``--set`` by name."""
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput(f"--set {text}: it takes NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def choose(specs: Sequence[str], given: Sequence[str], folders: Sequence[Path]) -> list[Chosen]:
    """The policies of *specs*; each takes of *given* the parameters that it has.

    A spec is a name or a file, and may bring parameters of its own: ``easy?order=shortest``.
    Raises UnknownName for a parameter that none of them has.
    """
    wanted = settings(given)
    loaded = [(load_policy(name, folders), own) for name, own in map(split_spec, specs)]
    if len(loaded) > 1:
        known = {parameter.name for policy, _ in loaded for parameter in policy.declaration.parameters}
        for name in wanted.keys() - known:
            raise UnknownName("parameter of these policies", name, known)
    chosen = []
    for policy, own in loaded:
        names = {parameter.name for parameter in policy.declaration.parameters}
        shared = {name: value for name, value in wanted.items() if name in names or len(loaded) == 1}
        chosen.append(Chosen(policy, policy.declaration.values({**shared, **own})))
    return chosen


def breakdowns(by: str | None) -> list[str]:
    """The parts of ``--by``. Raises UnknownName."""
    names = [name.strip() for name in (by or "").split(",") if name.strip()]
    for name in names:
        if name not in BREAKDOWNS:
            raise UnknownName("breakdown", name, BREAKDOWNS)
    return list(dict.fromkeys(names))


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """``name?key=value&key=value`` in its parts."""
    name, _, query = spec.partition("?")
    own = {}
    for pair in filter(None, query.split("&")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"{spec}: after the question mark stands KEY=VALUE, joined by &")
        own[key] = value
    return name, own


def read_log(spec: str, *, strict: bool = False, jobs: int | None = None, seed: int = 0) -> Workload:
    """The log in a file, or a generated workload: ``synthetic:benchmark?jobs=1000&load=0.9``.

    *seed* is for a generated workload that names none.
    """
    if jobs is not None and jobs < 1:
        raise BadValue("--jobs", jobs, "a whole number of 1 or more")
    if not spec.startswith(_GENERATED):
        return read_workload(spec, strict=strict, limit=jobs)
    name, own = split_spec(spec.removeprefix(_GENERATED))
    for key in own.keys() - {"jobs", "processors", "load", "seed"}:
        raise UnknownName("parameter of a generated workload", key, ("jobs", "processors", "load", "seed"))
    workload = generate(
        name,
        jobs=_whole(own, "jobs", 10_000),
        processors=_whole(own, "processors"),
        load=_real(own, "load"),
        seed=_whole(own, "seed", seed),
    )
    return workload if jobs is None else workload.take(slice(0, jobs))


def _whole(given: Mapping[str, str], key: str, default: int | None = None) -> int | None:
    if key not in given:
        return default
    try:
        return int(given[key])
    except ValueError:
        raise BadValue(key, given[key], "a whole number") from None


def _real(given: Mapping[str, str], key: str) -> float | None:
    try:
        return float(given[key]) if key in given else None
    except ValueError:
        raise BadValue(key, given[key], "a number") from None


def check_machine(arguments: RunArguments) -> None:
    """Complain about machine options that contradict each other."""
    if (arguments.nodes is None) != (arguments.procs_per_node is None):
        raise BadInput("--nodes and --procs-per-node are given together")
    if arguments.nodes is not None and arguments.procs is not None:
        raise BadInput("--procs and --nodes are two ways to describe the machine; give one of them")
    counts = {
        "--procs": arguments.procs,
        "--nodes": arguments.nodes,
        "--procs-per-node": arguments.procs_per_node,
    }
    for option, count in counts.items():
        if count is not None and not 1 <= count <= _MOST_PROCESSORS:
            raise BadValue(option, count, "a whole number from 1 to 2^40")
    if arguments.placement is not None:
        if arguments.placement not in PLACEMENTS:
            raise BadValue("--placement", arguments.placement, "one of " + ", ".join(PLACEMENTS))
        if arguments.nodes is None:
            raise BadInput("--placement needs --nodes: counted processors are interchangeable")


def machine_for(workload: Workload, arguments: RunArguments) -> Machine:
    """The machine of the options, else the one that the log names."""
    if arguments.nodes is not None and arguments.procs_per_node is not None:
        return Machine.uniform(arguments.nodes, arguments.procs_per_node)
    if arguments.procs is not None:
        return Machine.counted(arguments.procs)
    if workload.platform is not None:
        return Machine.of_platform(workload.platform)
    if workload.machine_processors is None:
        raise BadInput(f"{workload.name}: {_no_machine(workload.header)}; give --procs N")
    return Machine.counted(workload.machine_processors)


def _no_machine(header: Header) -> str:
    for label in ("MaxProcs", "MaxNodes"):
        named = header.first(label)
        if named is not None:
            return f"{label} in its header is {named[:_SHOWN]!r}, which is no number of processors"
    return "the log does not say how many processors its machine has (no MaxProcs in its header)"


def check_load_factor(factor: float) -> None:
    """Complain about a factor by which no gap can be divided."""
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue("--load-factor", factor, "a finite number above 0")


def check_clone(copies: int) -> None:
    """Complain about a number of copies that nobody can mean."""
    if not 1 <= copies <= MOST_COPIES:
        raise BadValue("--clone", copies, f"a whole number from 1 to {MOST_COPIES:,}")


def loaded(workload: Workload, arguments: SimulateArguments) -> Workload:
    """The workload under the load that was asked for: its gaps divided, then each job with its copies."""
    scaled = scale_load(workload, arguments.load_factor)
    try:
        return clone(scaled, arguments.clone, arguments.seed, shift_s=COPY_SHIFT_S)
    except BadValue as error:  # a log's numbers may be too large to be raised
        raise BadValue("--clone", arguments.clone, error.allowed) from None


def replay_options(arguments: RunArguments) -> Options:
    """How to replay."""
    return Options(
        overrun=_choice("--overrun", arguments.overrun, Overrun),
        ties=_choice("--ties", arguments.ties, Ties),
        placement=arguments.placement or PLACEMENTS[0],
    )


def _choice(option: str, text: str, kind: type[Choice]) -> Choice:
    try:
        return kind(text)
    except ValueError:
        raise BadValue(option, text, "one of " + ", ".join(kind)) from None


def check_statistics(arguments: ReplayArguments) -> None:
    """Complain about a threshold or a batch size that no metric can be computed with."""
    if not (math.isfinite(arguments.tau) and arguments.tau > 0):
        raise BadValue("--tau", arguments.tau, "a positive number of seconds")
    if arguments.batch_size is not None and arguments.batch_size < 1:
        raise BadValue("--batch-size", arguments.batch_size, "a whole number of jobs, 1 or more")
    check_seed(arguments.seed)


def check_seed(seed: int) -> None:
    """Complain about a seed that nothing can be drawn by."""
    if seed < 0:
        raise BadValue("--seed", seed, "a whole number of 0 or more")


def check_seeds(seeds: int) -> None:
    """Complain about a number of seeds that nobody can mean."""
    if not 0 <= seeds <= 10_000:
        raise BadValue("--seeds", seeds, "a whole number from 0 to 10,000")
