"""What a model of a workload declares: its name, its parameters with their sources, what makes the jobs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from molokini.model.policy import Parameter, Value, values_of
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
    rigid: bool = True
    """Whether its jobs ask for processors and a time, as those of a log do."""
    note: str = ""
    """What its user should know before relying on it; empty: nothing."""

    def values(self, given: Mapping[str, str]) -> dict[str, Value]:
        """Every parameter's value: as *given* (in text), else its default unless it is ``rare``."""
        return values_of(f"workload {self.name}", self.parameters, given)
