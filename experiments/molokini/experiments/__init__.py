"""Runs as values: ``from molokini.experiments import simulate, compare, sweep``.

The names below are the face of this package. They are imported when they are first used: a command loads
only what its own run needs.
"""

from typing import TYPE_CHECKING

from molokini.model.lazy_face import lazy_face

if TYPE_CHECKING:
    from molokini.experiments.comparing import compare as compare
    from molokini.experiments.comparison import Comparison as Comparison
    from molokini.experiments.executors import Dask as Dask
    from molokini.experiments.executors import InProcess as InProcess
    from molokini.experiments.executors import Processes as Processes
    from molokini.experiments.result import Result as Result
    from molokini.experiments.saturating import capacity as capacity
    from molokini.experiments.simulating import simulate as simulate
    from molokini.experiments.sweeps.face import sweep as sweep
    from molokini.experiments.sweeps.swept import Swept as Swept
    from molokini.workloads.workload import Workload as Workload

_WHERE = {
    "Dask": "executors",
    "InProcess": "executors",
    "Processes": "executors",
    "Comparison": "comparison",
    "Result": "result",
    "Workload": "logs",
    "capacity": "saturating",
    "compare": "comparing",
    "simulate": "simulating",
    "Swept": "sweeps.swept",
    "sweep": "sweeps.face",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = lazy_face(__name__, _WHERE)
