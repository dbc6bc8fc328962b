"""Where a sweep's replays are made: ``InProcess()``, ``Processes(N)``, ``Dask(where, N)``."""

from molokini.parallel.dask_executor import Dask
from molokini.parallel.executors import InProcess
from molokini.parallel.processes import Processes

__all__ = ["Dask", "InProcess", "Processes"]
