"""How long a placed job runs, as kernels for engine and policies: ``applications.placed`` compiled."""

from molokini.applications import placed
from molokini.applications.placed import Costs
from molokini.applications.placed import Place as Place
from molokini.applications.placed import run_s as run_s
from molokini.applications.placed import together as together
from molokini.compiled.compilation import kernel
from molokini.tables.tables import Tables

for _function in placed.KERNELS:
    # Their modules do without numba, because agents call them, too; here they become kernels.
    kernel(_function)


@kernel
def run_of(t: Tables, row: int, kind: int, tasks: int) -> float:
    """Seconds that *row* takes, run as *kind*, with so many tasks; the tables hold its amount and costs."""
    return run_s(kind, t.jobs.load[row], together(tasks), costs_of(t, row))


@kernel
def costs_of(t: Tables, row: int) -> Costs:
    """What the tables say that a unit of the amount of *row* costs."""
    k = t.jobs.application[row]
    return (
        t.applications.send_s[k],
        t.applications.compute_s[k],
        t.applications.setup_send_s[k],
        t.applications.setup_compute_s[k],
    )
