"""The shadow time is the earliest end that suffices, however it is searched for; who spares the head."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from molokini.availability.node_rules import PARTITIONS
from molokini.availability.placement import place, take_placed
from molokini.availability.shadow import nodes_take_now, shadow_of, spares_head
from molokini.cycle import verbs
from molokini.cycle.cycle import begin_pass, end_pass
from molokini.cycle.verbs import start
from molokini.model.machine import Machine, Node
from molokini.model.requests import ANYWHERE
from molokini.model.resources import Resource
from molokini.tables import transitions
from molokini.tables.additions import add_shapes
from molokini.tables.allocations import write_entries
from molokini.tables.making import make_tables
from molokini.tables.tables import NEVER, Tables
from molokini.tables.waiting import close_queue
from tests.kit.plain_availability import Asked, Parts, PlainRoom
from tests.kit.plain_nodes import Part, Placing, PlainNode

NODES, EACH = 5, 3
running = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(1, EACH), st.integers(1, 9)), max_size=14)
one = st.tuples(st.integers(1, NODES), st.integers(1, EACH))
# Two components may take each other's room, which is where a search goes wrong: most heads have two.
components = st.one_of(*[st.lists(one, min_size=parts, max_size=parts) for parts in (2, 2, 2, 1)])


def submitted(t: Tables, number: int, estimate_s: float, wanted: list[tuple[int, int]]) -> int:
    """A row that waits; *wanted*: (tasks, processors a task), a component each, one task a node."""
    row = transitions.new_row(t)
    t.jobs.number[row] = t.jobs.serial[row] = number
    t.jobs.estimate_s[row] = estimate_s
    t.jobs.width[row] = sum(tasks * each for tasks, each in wanted)
    t.jobs.component_count[row], following = len(wanted), -1
    for tasks, each in wanted:
        component = int(t.components.free)
        t.components.free = int(t.components.next[component])
        t.components.spare -= 1
        t.components.tasks[component], t.components.per_node[component] = tasks, 1
        t.components.where[component], t.components.need[component, 0] = ANYWHERE, each
        t.components.next[component] = following
        following = component
    t.jobs.components[row] = following
    transitions.wish(t, row)
    transitions.submit(t, row)
    return row


def filled(jobs: list[tuple[int, int, int]], machine: Machine | None = None) -> Tables:
    """(node, processors, estimate) of each; those that no longer fit are left out."""
    t = make_tables(machine or Machine.uniform(NODES, EACH), rows=32)
    for number, (node, processors, estimate_s) in enumerate(jobs):
        if t.nodes.free[node, 0] >= processors:
            row = submitted(t, number + 1, float(estimate_s), [(1, processors)])
            t.placing.node[0], t.placing.tasks[0] = node, 1
            t.placing.component[0] = t.jobs.components[row]
            write_entries(t, row, 1)
            transitions.start(t, row, 0.0, 1.0, True)
    return t


def one_by_one(t: Tables, head: int, ends: list[tuple[float, int]]) -> tuple[float, int, list[float]]:
    """Shadow time, extra processors and free processors of each node then, as the definition says it."""
    t.nodes.scratch[:] = t.nodes.free
    free = t.machine.idle
    for at in sorted({end for end, _ in ends}):
        for end, row in ends:
            if end != at:
                continue
            free += int(t.jobs.width[row])
            entry = int(t.jobs.entries[row])
            while entry >= 0:
                need = t.components.need[t.entries.component[entry]]
                t.nodes.scratch[t.entries.node[entry]] += t.entries.tasks[entry] * need
                entry = int(t.entries.next[entry])
        if free >= t.jobs.width[head] and place(t, t.nodes.scratch, head) >= 0:
            return at, free - int(t.jobs.width[head]), t.nodes.scratch[:, 0].tolist()
    return NEVER, free - int(t.jobs.width[head]), t.nodes.scratch[:, 0].tolist()


@example(
    # At 4 there is a place, at 5 none: steps over several instants would pass it by.
    jobs=[(4, 3, 5), (1, 3, 4), (2, 2, 3), (3, 2, 7)],
    wanted=[(1, 3), (3, 1)],
    more=[],
)
@example(
    # All of the instant 4 together leave no place; some of them alone would.
    jobs=list(
        zip(
            (1, 1, 0, 4, 0, 2, 0, 2, 0, 2, 3, 2, 1),
            (1, 1, 1, 3, 1, 2, 3, 3, 1, 2, 2, 1, 1),
            (4, 4, 4, 7, 8, 1, 2, 7, 4, 8, 3, 6, 2),
            strict=True,
        )
    ),
    wanted=[(3, 1), (3, 2)],
    more=[],
)
@given(
    jobs=running,
    wanted=components,
    more=st.lists(st.tuples(st.integers(1, EACH), st.integers(1, 9)), max_size=3),
)
@settings(max_examples=300, deadline=None)
def test_the_earliest_end_that_suffices(
    jobs: list[tuple[int, int, int]], wanted: list[tuple[int, int]], more: list[tuple[int, int]]
) -> None:
    t = filled(jobs)
    head = submitted(t, 100, 5.0, wanted)
    also = [submitted(t, 200 + k, float(long_s), [(1, each)]) for k, (each, long_s) in enumerate(more)]
    begin_pass(t, 0.0)
    ends = [(float(t.jobs.expected_end_s[row]), int(row)) for row in t.queue.running[: t.queue.running_count]]
    for row in also:
        # What this pass has started holds processors like any other.
        if t.jobs.width[row] <= t.machine.idle and start(t, row):
            ends.append((float(t.jobs.estimate_s[row]), row))
    if t.jobs.width[head] <= t.machine.idle and place(t, t.nodes.free, head) >= 0:
        return
    wants = one_by_one(t, head, ends)
    shadow_s, extra = shadow_of(t, head, 0.0)
    assert (shadow_s, extra, t.nodes.scratch[:, 0].tolist()) == wants


def test_where_nothing_runs_no_end_comes() -> None:
    t = filled([])
    t.nodes.free[:] = 0.0
    head = submitted(t, 1, 5.0, [(1, 1)])
    begin_pass(t, 0.0)
    t.machine.idle = 0
    assert shadow_of(t, head, 0.0) == (NEVER, -1)
    assert not np.any(t.nodes.scratch)


def plain_asked(
    nodes: list[PlainNode], parts: list[Part], partitions: list[int], allowed: list[int]
) -> Asked:
    """Where a job of these parts goes by first fit: in the first partition that it may use and has room."""

    def asked(free: Sequence[int]) -> Parts | None:
        for partition in dict.fromkeys(partitions):
            down = {node for node, one in enumerate(partitions) if one != partition}
            placing = Placing(nodes, down, "first-fit", [0] * len(nodes), [0] * len(nodes))
            found = placing.place([[float(one)] for one in free], parts) if partition in allowed else None
            if found is not None:
                return {node: int(tasks * parts[part].need[0]) for node, tasks, part in found}
        return None

    return asked


@given(
    jobs=running,
    kinds=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=NODES, max_size=NODES),
    partitions=st.none() | st.lists(st.integers(0, 2), min_size=NODES, max_size=NODES),
    barred=st.integers(0, 7),
    wanted=components,
    where=st.sampled_from([ANYWHERE, ANYWHERE, 0, 1]),
    features=st.sampled_from([0, 0, 1, 2]),
)
@settings(max_examples=300, deadline=None)
def test_the_first_second_at_which_plain_nodes_have_room(
    jobs: list[tuple[int, int, int]],
    kinds: list[tuple[int, int]],
    partitions: list[int] | None,
    barred: int,
    wanted: list[tuple[int, int]],
    where: int,
    features: int,
) -> None:
    """A lane a node: clusters and features of nodes, and partitions, of which the job may use some."""
    capacity = {Resource.PROCESSORS: float(EACH)}
    t = filled(jobs, Machine.of_nodes([Node(capacity, group, bits) for group, bits in kinds]))
    room = PlainRoom([EACH] * NODES, 12)
    for row in t.queue.running[: t.queue.running_count].tolist():
        node = int(t.entries.node[t.jobs.entries[row]])
        room.take({node: int(t.jobs.held[row])}, 0, int(t.jobs.expected_end_s[row]))
    head = submitted(t, 100, 5.0, wanted)
    component = int(t.jobs.components[head])
    # The first component asks for a cluster and for features.
    t.components.where[component], t.components.features[component] = where, features
    begin_pass(t, 0.0)
    if partitions is not None:
        order = list(dict.fromkeys(partitions))
        t.placing.rules, t.partitions.count = PARTITIONS, len(order)
        t.partitions.order[: len(order)], t.nodes.partition[:] = order, partitions
        t.credentials.barred[0], t.credentials.first[0] = barred, -1
    parts = [Part(tasks, (float(each),), most=1) for tasks, each in reversed(wanted)]
    parts[0] = replace(parts[0], group=where, features=features)
    nodes = [PlainNode((float(EACH),), group, bits) for group, bits in kinds]
    allowed = [k for k in range(3) if partitions is None or not barred >> k & 1]
    asked = plain_asked(nodes, parts, partitions or [0] * NODES, allowed)
    now = room.fits(asked, 0, 0)
    assert (place(t, t.nodes.free, head) >= 0) == (now is not None)
    if now is None:
        shadow_s, extra = shadow_of(t, head, 0.0)
        assert shadow_s == room.earliest(asked, 0, 0)[0]
        if shadow_s < NEVER:
            free = room.free[int(shadow_s)]
            assert (t.nodes.scratch[:, 0].tolist(), extra) == (free, sum(free) - t.jobs.width[head])


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
def test_the_shadow_counts_what_this_pass_has_started_and_resumed(machine: Machine, seed: int) -> None:
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
    head = submitted(t, 90, 5.0, [(random.randint(2, NODES), random.randint(1, EACH))])
    other = submitted(t, 91, 5.0, [(random.randint(1, NODES), random.randint(1, EACH))])
    shapes = [[(random.randint(1, 2), random.randint(1, EACH))] for _ in range(3)]
    asking, _ = [], add_shapes(t, len(shapes))
    for k in range(10):
        shape = random.randrange(3)
        row = submitted(t, 100 + k, 50.0, shapes[shape])
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
