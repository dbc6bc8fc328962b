"""How long a process spins before it blocks, computed from the costs (two-phase spin-block; survey, 4.5).

Baseline: a round trip and a switch. Local: what it costs later to be woken up. Pairwise: as long as messages
keep coming in for the process it goes on, by windows in which a message pays for itself.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.tables import World
from molokini.process_sim.words import Wait


@kernel
def computed_spin(w: World) -> int:
    """Baseline and local part, ns."""
    baseline = 2 * (w.costs.send + w.costs.latency + w.costs.receive) + w.costs.switch
    return int(baseline + w.costs.interrupt + w.costs.move + w.costs.switch)


@kernel
def pair_window(w: World) -> int:
    """How long a process goes on for a message that has come in meanwhile, ns; 3 at least."""
    return int(max(3, 2 * w.costs.switch + w.costs.interrupt + w.costs.receive))


@kernel
def spun(w: World, p: int, window: int) -> int:
    """Block, or spin for *window* more, as a message for *p* has come within the last one; 0: block."""
    if window > 0 and w.procs.inbox[p] > w.procs.inbox_before[p]:
        w.procs.inbox_before[p] = w.procs.inbox[p]
        return window
    return Wait.BLOCK.value
