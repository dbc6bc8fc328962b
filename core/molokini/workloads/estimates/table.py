"""Models of estimates by name, with their parameters."""

from collections.abc import Mapping

from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("estimates", "exact", "the run time", Kind.CHOICE, choices=("exact",), source="ours"),
)


def estimated(values: Mapping[str, Value], streams: Streams, run_s: Floats, rounded: bool) -> Floats:
    """An estimate for each run time."""
    return run_s
