"""``--workload NAME``: what each ``--set`` belongs to, and the jobs that the model makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molokini.experiments.asked import Log, Settings
from molokini.experiments.choosing import Chosen, choose, settings
from molokini.experiments.parts import plain_values
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.policy import Value
from molokini.workloads.generated import Generated, generated
from molokini.workloads.workload import Workload


@dataclass(frozen=True)
class Made:
    """A model with the value of each of its parameters."""

    model: Generated
    values: Mapping[str, Value]

    def workload(self, seed: int, jobs: int | None = None) -> Workload:
        """The jobs of *seed*, the first *jobs* of them."""
        if jobs is not None and jobs < 1:
            raise BadValue("--jobs", jobs, "a whole number of 1 or more")
        made = self.model.make(self.values, seed)
        return made if jobs is None else made.take(slice(0, jobs))

    def part(self, workload: Workload) -> dict[str, Any]:
        """The model as results for machines tell it."""
        return {
            "name": self.model.name,
            "parameters": plain_values(self.values),
            **self.model.told(self.values, workload),
        }


def choose_both(
    workload: str, specs: Sequence[str], given: Settings, folders: Sequence[Path]
) -> tuple[Made, list[Chosen]]:
    """The model called *workload* and the policies of *specs*; each takes of *given* what it has.

    A name that several have is given to all of them. Raises UnknownName, with the nearest, for one that
    none has.
    """
    wanted, model, plain = settings(given), generated(workload), choose(specs, {}, folders)
    of_model = {parameter.name for parameter in model.parameters}
    of_policies = set[str]().union(*(one.parameters for one in plain))
    for setting in wanted.keys() - of_model - of_policies:
        policies = f"policy {plain[0].policy.name}" if len(plain) == 1 else "these policies"
        raise UnknownName(
            f"parameter of workload {model.name} or {policies}", setting, of_model | of_policies
        )
    made = model.values({name: value for name, value in wanted.items() if name in of_model})
    theirs = {name: value for name, value in wanted.items() if name in of_policies}
    return Made(model, made), choose(specs, theirs, folders)


def check_source(log: Log | None, workload: str | None) -> None:
    """Complain unless there is one workload."""
    if (log is None) == (workload is None):
        raise BadInput("a workload is needed, and one: give a LOG, or --workload NAME")
