"""Policies as a run wants them: by name or file, with the value of each parameter."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from molokini.experiments.asked import Settings, Texts, texts
from molokini.experiments.computed import computed_values, is_computed
from molokini.model.errors import BadFile, BadInput, UnknownName
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.model.specs import split_spec
from molokini.policies import LoadedPolicy, load_policy
from molokini.sim.replay import Options
from molokini.workloads.workload import Workload

POLICY_PATH_VARIABLE = "MOLOKINI_POLICY_PATH"
FREE = " on the free machine"
"""Behind the name of a policy that has the machine without reservations and outages."""


@dataclass(frozen=True)
class Chosen:
    """A policy with the value of each of its parameters."""

    policy: LoadedPolicy
    values: Mapping[str, Value]
    free: bool = field(default=False, kw_only=True)
    """Whether it has the machine without reservations and outages, while others have not."""
    given: frozenset[str] = field(default=frozenset(), kw_only=True)
    """The parameters that the user has given a value."""

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.policy.name + FREE * self.free

    def with_values(self, values: Mapping[str, Value]) -> "Chosen":
        """The same policy with other values of its parameters."""
        return replace(self, values=values)

    @property
    def parameters(self) -> set[str]:
        """The names of what can be set."""
        return {parameter.name for parameter in self.policy.declaration.parameters}

    @property
    def licenses(self) -> Mapping[str, int]:
        """The licences that it counts, by name."""
        return {}

    def vector(self, workload: Workload) -> Sequence[float]:
        """The vector that the policy's functions read in a replay of *workload*."""
        return self.policy.declaration.vector(self.values_for(workload))

    def values_for(self, workload: Workload, processors: int | None = None) -> Mapping[str, Value]:
        """The values of its parameters, those computed that are left to the workload."""
        return computed_values(self.policy.declaration, self.values, workload, processors)

    def workload(self, workload: Workload) -> Workload:
        """*workload* with what the policy gives to jobs that do not say it."""
        return workload

    def options(self, options: Options, workload: Workload, machine: Machine) -> Options:
        """*options* with all that the policy brings to a replay of *workload* on *machine*.

        Raises BadInput for what does not go together.
        """
        values = self.values_for(workload, machine.processors)
        return replace(options, parameters=self.policy.declaration.vector(values))

    def part(self, workloads: Sequence[Workload]) -> dict[str, Any]:
        """What results say of it beside its name and its parameters."""
        declaration = self.policy.declaration
        computed = {}
        if is_computed(declaration, self.values) and len(workloads) == 1:
            value = self.values_for(workloads[0])[declaration.computed]
            assert isinstance(value, tuple)
            computed = {"computed": {declaration.computed: list(value)}}
        return {**({"free_machine": True} if self.free else {}), **computed}

    def notes(self, workloads: Sequence[Workload]) -> list[str]:
        """What its user should know, one line each."""
        declaration = self.policy.declaration
        if not is_computed(declaration, self.values):
            return []
        found = []
        for workload in workloads:
            value = self.values_for(workload)[declaration.computed]
            assert isinstance(value, tuple)
            shown = ",".join(f"{one:.15g}" for one in value) or "none"
            found.append(f"{self.policy.name}: {declaration.computed}={shown}, computed from {workload.name}")
        return found


def remarks(chosen: Chosen, machine: Machine) -> list[str]:
    """What the user of a result of the policy on this machine should know, one line each."""
    remark = chosen.policy.declaration.remark
    text = remark(chosen.values, machine.processors) if remark is not None else ""
    return [text] if text else []


def policy_folders(given: Texts) -> list[Path]:
    """The folders of ``--policy-dir``, which must exist, then those of ``MOLOKINI_POLICY_PATH``."""
    folders = [Path(name) for name in texts(given)]
    for folder in folders:
        if not folder.is_dir():
            raise BadFile(str(folder), "there is no such folder of policies")
    listed = [Path(name) for name in os.environ.get(POLICY_PATH_VARIABLE, "").split(":") if name]
    return folders + [folder for folder in listed if folder.is_dir()]


def settings(given: Settings) -> dict[str, str]:
    """The values of ``--set`` by name, as texts."""
    if isinstance(given, Mapping):
        return {name: text_of(value) for name, value in given.items()}
    found = {}
    for text in texts(given):
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput(f"--set {text}: it takes NAME=VALUE")
        if name.strip() in found:
            raise BadInput(f"--set {text}: {name.strip()} has a value already; give each parameter once")
        found[name.strip()] = value.strip()
    return found


def text_of(value: object) -> str:
    """A parameter's value as one would type it."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _loaded(name: str, folders: Sequence[Path]) -> LoadedPolicy:
    """The policy called *name*. Raises UnknownName; BadInput for several names in one."""
    try:
        return load_policy(name, folders)
    except UnknownName as error:
        several = [one.strip() for one in name.split(",")]
        if len(several) > 1 and any(one in error.known for one in several):
            repeated = " ".join(f"--policy {one}" for one in several)
            raise BadInput(f"--policy {name}: it takes one name; compare takes several: {repeated}") from None
        raise


def choose(specs: Sequence[str], given: Settings, folders: Sequence[Path]) -> list[Chosen]:
    """The policies of *specs*; each takes of *given* the parameters that it has.

    A spec is a name or a file, and may bring parameters of its own: ``easy?order=shortest``.
    Raises UnknownName for a parameter that none of them has.
    """
    wanted = settings(given)
    loaded = [(_loaded(name, folders), own) for name, own in map(split_spec, specs)]
    if len(loaded) > 1:
        known = {parameter.name for policy, _ in loaded for parameter in policy.declaration.parameters}
        for name in wanted.keys() - known:
            raise UnknownName("parameter of these policies", name, known)
    chosen = []
    for policy, own in loaded:
        names = {parameter.name for parameter in policy.declaration.parameters}
        shared = {name: value for name, value in wanted.items() if name in names or len(loaded) == 1}
        values = {**shared, **own}
        chosen.append(Chosen(policy, policy.declaration.values(values), given=frozenset(values)))
    return chosen
