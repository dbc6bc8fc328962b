"""``molokini.experiments.sweep``: the one function of sweeps, for Python and for the command."""

from molokini.experiments.asked import Grid
from molokini.experiments.calling import asking
from molokini.experiments.host import Host
from molokini.experiments.sweeps.sweep_runs import swept
from molokini.experiments.sweeps.swept import Swept
from molokini.parallel.progress import progress_bar


@asking(Grid)
def sweep(asked: Grid) -> Swept:
    """Replay every point of a sweep: workloads x machines x loads x policies x parameters x seeds.

    *logs* may be a TOML file, whose keys are the other arguments; those that are given go before it. A policy
    takes the parameters that it has. With *output*, rows are kept as they come, and the same call goes on
    after a kill. *executor*: ``Processes(N)``, ``InProcess()``, ``Dask(where, N)`` or a word of ``--dask``;
    nothing in the table and the report depends on it. A terminal or a notebook shows a bar meanwhile.
    Raises BadInput for what cannot be used.
    """
    return swept(asked, Host(bar=progress_bar))
