"""What a divisible job is made of, and what is planned for it; plain tuples, as snapshots keep them."""

from typing import NamedTuple

from molokini.applications.divisible import Costs
from molokini.applications.kinds import WHOLE
from molokini.model.job_specs import JobSpec

COSTS = ("send_s", "compute_s", "setup_send_s", "setup_compute_s")
"""The costs of a load by their names on the wire, in the order of ``Costs.numbers``."""
RULE = WHOLE.name.lower()
"""How a load is cut by policies that do not divide: all of its processors end together."""


class Load(NamedTuple):
    """A load and what a unit of it costs."""

    size: float
    send_s: float
    compute_s: float
    setup_send_s: float
    setup_compute_s: float

    @staticmethod
    def of(spec: JobSpec) -> "Load | None":
        """The load of a specification that was accepted; None of a job that cannot be divided."""
        wanted = spec.get("divisible")
        if wanted is None:
            return None
        costs = (wanted["send_s"], wanted["compute_s"], wanted["setup_send_s"], wanted["setup_compute_s"])
        return Load(float(wanted["load"]), *map(float, costs))

    @property
    def costs(self) -> Costs:
        """All but the size."""
        return Costs(*self[1:])


class Cut(NamedTuple):
    """How the load of a job is cut."""

    rule: str
    processors: int
    execution_s: float
    """Seconds from the first transmission to the last end."""
