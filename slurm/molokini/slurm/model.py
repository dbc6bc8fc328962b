"""A whole configuration of Slurm, typed: what ``slurm.conf`` says, and what its accounting database says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from molokini.slurm.conf_lines import Node, Partition
from molokini.slurm.database import Accounting
from molokini.slurm.declared import Parameter, parameters_of
from molokini.slurm.sections import Enforcement, Passes, Preemption, Priority, Scheduling, Selection

NEWEST = (26, 5)
"""The release whose rules hold where none is named."""
_SECTIONS = {
    "priority": Priority,
    "scheduling": Scheduling,
    "selection": Selection,
    "preemption": Preemption,
    "enforcement": Enforcement,
}


@dataclass(frozen=True, kw_only=True)
class SlurmConfig:
    """What a site has configured."""

    cluster: str = ""
    release: tuple[int, int] = NEWEST
    """Of Slurm: year and month."""
    priority: Priority = field(default_factory=Priority)
    scheduling: Scheduling = field(default_factory=Scheduling)
    passes: Passes = field(default_factory=Passes)
    selection: Selection = field(default_factory=Selection)
    preemption: Preemption = field(default_factory=Preemption)
    enforcement: Enforcement = field(default_factory=Enforcement)
    nodes: tuple[Node, ...] = ()
    """In Slurm's order."""
    partitions: tuple[Partition, ...] = ()
    accounting: Accounting = field(default_factory=Accounting)

    @property
    def default_partition(self) -> str:
        """Where jobs without a partition go, the last that says so; empty: there is none."""
        return next((one.name for one in reversed(self.partitions) if one.line.default), "")


def _by_name(found: Mapping[str, type]) -> Mapping[str, Parameter]:
    made = {}
    for name, section in found.items():
        for one in parameters_of(section, name):
            for spelling in (one.name, *one.aliases):
                made[spelling.lower()] = one
    return MappingProxyType(made)


PARAMETERS = _by_name(_SECTIONS)
"""The parameters of a slurm.conf that matter, by their names in lower case."""
PASS_PARAMETERS = _by_name({"passes": Passes})
"""The same of SchedulerParameters."""
