"""Workloads that a model makes: by name, with parameters of the same kind as a policy's, and a seed.

``molokini simulate --workload NAME --set name=value`` takes its workload from here. A model is one entry:
its name, its parameters with ranges and sources, and the function that makes the jobs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from molokini.model.errors import UnknownName
from molokini.model.policy import Parameter, Value, values_of
from molokini.workloads import das, divisible
from molokini.workloads.workload import Workload


def _nothing(values: Mapping[str, Value], workload: Workload) -> dict[str, float]:
    return {}


@dataclass(frozen=True)
class Generated:
    """One model of a workload."""

    name: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    make: Callable[[Mapping[str, Value], int], Workload]
    """The jobs, from the value of every parameter and a seed; BadInput where values do not go together."""
    told: Callable[[Mapping[str, Value], Workload], dict[str, float]] = _nothing
    """Figures of the workload that was made, by name, for results."""

    def values(self, given: Mapping[str, str]) -> dict[str, Value]:
        """Every parameter's value: as *given* (in text), else its default."""
        return values_of(f"workload {self.name}", self.parameters, given)


GENERATED: dict[str, Generated] = {
    model.name: model
    for model in (
        Generated(
            divisible.NAME,
            "divisible loads with deadlines, arriving at a cluster of equal nodes",
            divisible.SOURCE,
            divisible.PARAMETERS,
            divisible.make,
            divisible.loads_told,
        ),
        Generated(
            das.NAME,
            "jobs that ask for processors of several clusters and communicate",
            das.SOURCE,
            das.PARAMETERS,
            das.make,
            das.loads_told,
        ),
    )
}
"""Every model by name."""


def generated(name: str) -> Generated:
    """The model called *name*; UnknownName says which is nearest."""
    if name not in GENERATED:
        raise UnknownName("generated workload", name, GENERATED)
    return GENERATED[name]
