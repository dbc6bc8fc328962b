"""``--workload NAME``: whose each ``--set`` is, and the jobs that the model makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molokini.clients.preparing import Chosen, settings, split_spec
from molokini.clients.results import plain_values
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.policy import Value
from molokini.policies import load_policy
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
    workload: str, spec: str, given: Sequence[str], folders: Sequence[Path]
) -> tuple[Made, Chosen]:
    """The model called *workload* and the policy of *spec*; each takes of *given* the parameters that it has.

    A name that both have is given to both. Raises UnknownName, with the nearest, for one that neither has.
    """
    wanted, model = settings(given), generated(workload)
    name, own = split_spec(spec)
    policy = load_policy(name, folders)
    of_model = {parameter.name for parameter in model.parameters}
    of_policy = {parameter.name for parameter in policy.declaration.parameters}
    for setting in wanted:
        if setting not in of_model | of_policy:
            what = f"parameter of workload {model.name} or policy {policy.name}"
            raise UnknownName(what, setting, of_model | of_policy)
    made = model.values({name: value for name, value in wanted.items() if name in of_model})
    values = {name: value for name, value in wanted.items() if name in of_policy}
    return Made(model, made), Chosen(policy, policy.declaration.values({**values, **own}))


def check_source(log: str | None, workload: str | None) -> None:
    """Complain unless there is one workload."""
    if (log is None) == (workload is None):
        raise BadInput("a workload is needed, and one: give a LOG, or --workload NAME")
