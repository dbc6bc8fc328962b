"""The executor that is asked for: by itself, by the word of ``--dask``, or by a number of processes."""

from molokini.model.errors import BadInput
from molokini.parallel.executors import Executor
from molokini.parallel.processes import Processes, default_workers


def chosen_executor(asked: "Executor | str | None", workers: int | None) -> Executor:
    """The executor *asked* for, on *workers* of its own; without one, processes of this machine.

    Raises BadValue for a number or a place that is none, MissingExtra without what it needs.
    """
    default_workers(workers)
    if asked is None:
        return Processes(workers)
    if isinstance(asked, str):
        from molokini.parallel.dask_executor import Dask

        return Dask(asked, workers)
    if workers is not None:
        raise BadInput("--workers: an executor says itself how many; leave one of them out")
    return asked
