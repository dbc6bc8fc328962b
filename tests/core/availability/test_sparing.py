"""The head's shadow where a pass has started, resumed and taken off jobs; and which jobs spare the head."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from molokini.availability.placement import place, take_placed
from molokini.availability.shadow import nodes_take_now, shadow_of, spares_head
from molokini.cycle import verbs
from molokini.cycle.cycle import begin_pass, end_pass
from molokini.model.machine import Machine
from molokini.tables import transitions
from molokini.tables.additions import add_shapes
from molokini.tables.making import make_tables
from molokini.tables.tables import NEVER, Tables
from molokini.tables.waiting import close_queue
from tests.core.availability.test_shadow import EACH, NODES, filled
from tests.core.availability.test_shadow import submitted as wishing

P, NOW = 12, 20.0


def plain(t: Tables, width: int, estimate_s: float) -> int:
    row = transitions.new_row(t)
    t.jobs.width[row], t.jobs.estimate_s[row] = width, estimate_s
    t.jobs.number[row] = row + 1
    transitions.submit(t, row)
    return row


def begun(t: Tables, rows: list[int], now: float) -> None:
    """These jobs run from *now* on, where placement puts them."""
    begin_pass(t, now)
    for row in rows:
        assert verbs.start(t, row)
    end_pass(t)
    for row in rows:
        transitions.start(t, row, now, 1.0, True)
    close_queue(t)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(
    "machine", [Machine.counted(P), Machine.uniform(3, P // 3)], ids=["counted", "nodes"]
)
def test_the_shadow_counts_what_this_pass_has_started_and_resumed_and_not_what_it_has_taken_off(
    machine: Machine, seed: int
) -> None:
    random = Random(seed)
    t = make_tables(machine, rows=24)
    running, left = list[int](), P
    for _ in range(8):
        row = plain(t, random.randint(1, 4), random.randint(25, 35))
        if t.jobs.width[row] <= left:
            left -= int(t.jobs.width[row])
            running.append(row)
    begun(t, running, 0.0)
    # Where a job wishes for nodes, they decide; plain jobs still take any.
    t.queue.wishing = int(t.nodes.count > 0)
    asleep = [row for row in running if random.random() < 0.3]
    for row in asleep:
        transitions.suspend(t, row, random.choice([5.0, 10.0]))
    begin_pass(t, NOW)
    ends = {row: float(t.jobs.estimate_s[row]) for row in running if row not in asleep}
    for row in list(ends):
        if random.random() < 0.3:
            random.choice([verbs.suspend, verbs.requeue, verbs.cancel])(t, row)
            del ends[row]
    for row in [*asleep, *t.queue.waiting[t.queue.head : t.queue.tail].tolist()]:
        if t.jobs.width[row] <= t.machine.idle and random.random() < 0.6:
            (verbs.resume if row in asleep else verbs.start)(t, row)
            ends[row] = NOW + t.jobs.estimate_s[row] - t.jobs.work_s[row]
    idle = P - sum(int(t.jobs.width[row]) for row in ends)
    assert t.machine.idle == idle
    for width in range(idle + 1, P + 1):
        head = t.jobs.state.size - 1
        t.jobs.width[head] = width
        free = {
            at: idle + sum(int(t.jobs.width[row]) for row in ends if ends[row] <= at) for at in ends.values()
        }
        shadow_s = min((at for at, left in free.items() if left >= width), default=NEVER)
        extra = free[shadow_s] - width if shadow_s < NEVER else P - width
        assert shadow_of(t, head, NOW) == (shadow_s, extra)


def spares(t: Tables, row: int, head: int, scratch: NDArray[np.float64]) -> bool:
    """Whether *head* is placeable in *scratch* less the place that *row* gets now; if so that is taken."""
    count = place(t, t.nodes.free, row)
    if count < 0:
        return False
    take_placed(t, scratch, count, -1.0)
    if place(t, scratch, head) >= 0:
        return True
    count = place(t, t.nodes.free, row)
    take_placed(t, scratch, count, 1.0)
    return False


@pytest.mark.parametrize("seed", range(80))
def test_a_job_spares_the_head_if_that_can_still_be_placed_beside_it(seed: int) -> None:
    """Whoever was asked about before, of the same shape or not, for this head or another; started or not."""
    random = Random(seed)
    jobs = [(random.randrange(NODES), random.randint(1, EACH), random.randint(1, 9)) for _ in range(9)]
    t = filled(jobs)
    head = wishing(t, 90, 5.0, [(random.randint(2, NODES), random.randint(1, EACH))])
    other = wishing(t, 91, 5.0, [(random.randint(1, NODES), random.randint(1, EACH))])
    shapes = [[(random.randint(1, 2), random.randint(1, EACH))] for _ in range(3)]
    asking, _ = [], add_shapes(t, len(shapes))
    for k in range(10):
        shape = random.randrange(3)
        row = wishing(t, 100 + k, 50.0, shapes[shape])
        t.jobs.shape[row] = shape + 1
        asking.append(row)
    begin_pass(t, 0.0)
    if nodes_take_now(t, head):
        assert (t.nodes.scratch == t.nodes.free).all()
        assert place(t, t.nodes.free, head) >= 0
        return
    shadow_s, _ = shadow_of(t, head, 0.0)
    if shadow_s == NEVER:
        return
    for row in asking:
        scratch = t.nodes.scratch.copy()
        asked = random.choice([head, head, other])
        wanted = spares(t, row, asked, scratch)
        assert spares_head(t, row, asked) == wanted
        assert (t.nodes.scratch == scratch).all()
        if wanted and random.random() < 0.5:
            assert verbs.start(t, row)
        elif wanted:
            # It does not start after all.
            count = place(t, t.nodes.free, row)
            take_placed(t, t.nodes.scratch, count, 1.0)
