"""A present state run on under one scenario."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from molokini.availability.placement import NAMES as PLACEMENTS
from molokini.compiled.structs import Floats, Ints
from molokini.model.choices import STANDING
from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine, Node
from molokini.model.policy import Value
from molokini.model.reservations import Credential, Reservation
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.policies import LoadedPolicy
from molokini.sim.agenda import add_end
from molokini.sim.engine import ARRIVING
from molokini.sim.happenings import drain
from molokini.sim.replay import Options, Replay
from molokini.tables.additions import add_nodes
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.tables import NEVER, Tables
from molokini.tables.usage import charge_as
from molokini.whatif.drawing import Draw
from molokini.whatif.present import Present
from molokini.workloads.workload import Workload

MOST_NODES = 1_000_000


@dataclass(frozen=True)
class Scenario:
    """What is different from now on; without a vector the policy stays as it is."""

    name: str
    policy: LoadedPolicy
    values: Mapping[str, Value]
    vector: Sequence[float] | None = None
    reservations: tuple[Reservation, ...] = field(default=())
    """More of them: a drain is one that no job may use."""
    nodes: int | None = None
    """Another number of nodes: more as the last one is, or the last ones take no more jobs. None: as many."""


@dataclass(frozen=True)
class Outcome:
    """What became of each job: those that are there by row, then those that arrived. NaN: not by then."""

    submit_s: Floats
    start_s: Floats
    end_s: Floats
    run_s: Floats
    processors: Ints
    user: Ints
    group: Ints
    queue: Ints
    waited: Ints
    """Rows of the jobs that waited at first or arrived."""
    refused: Ints
    """Rows of those that were refused."""
    capacity: int
    """Processors that take jobs."""


def outcome(present: Present, scenario: Scenario, draw: Draw, until_s: float) -> Outcome:
    """What happens up to *until_s*. Raises BadInput where the scenario cannot go on from this state."""
    t = present.tables.copy()
    check(present, scenario)
    if scenario.nodes is not None:
        _resize(t, scenario.nodes)
    workload = _workload(present, draw)
    # Jobs that are there arrived before: the workload says how long all of them take.
    replay = _replay(present, scenario, workload, t, draw)
    replay.run(until_s)
    found, count = replay.schedule(), len(present.jobs)
    submit_s = workload.submit_s.copy()
    submit_s[:count] = present.tables.jobs.submit_s[:count]
    waited = np.concatenate([np.arange(present.waiting), np.arange(count, len(workload))])
    return Outcome(
        submit_s,
        found.start_s,
        found.end_s,
        replay.agenda.workload.run_s.copy(),
        workload.processors,
        workload.user,
        workload.group,
        workload.queue,
        waited,
        np.flatnonzero(found.refused_rows),
        _capacity(t, scenario.nodes),
    )


def check(present: Present, scenario: Scenario) -> None:
    """Raise BadInput where *scenario* cannot go on from this state."""
    declaration = scenario.policy.declaration
    name = scenario.name
    if scenario.nodes is not None and not 1 <= scenario.nodes <= MOST_NODES:
        raise BadValue("--nodes", scenario.nodes, f"a whole number from 1 to {MOST_NODES:,}")
    if scenario.nodes is not None and not present.nodes:
        raise BadInput("--nodes: this machine has counted processors and no nodes")
    in_rows = present.tables.matrix.count > 0 or declaration.takes_turns(scenario.values)
    if scenario.vector is not None and in_rows:
        raise BadInput(f"{name}: jobs in rows of a matrix and jobs with processors of their own do not mix")
    if scenario.vector is not None and declaration.counts(scenario.values):
        count = len(present.jobs)
        if present.tables.jobs.needs_placement[:count].any():
            raise BadInput(f"{name} counts processors, and jobs here wish for more; choose another policy")
    reserved = scenario.reservations or present.reservations
    if reserved and not declaration.reserves(scenario.values):
        raise BadInput(f"{name} cannot keep jobs out of reservations or drained nodes; choose another policy")


def _resize(t: Tables, nodes: int) -> None:
    """Have so many nodes that take jobs; those that go keep the jobs that run there."""
    last = t.nodes.count - 1
    if nodes > t.nodes.count:
        capacity = {one: float(t.nodes.total[last, one]) for one in Resource if t.nodes.total[last, one]}
        like = Node(capacity, int(t.nodes.group[last]), int(t.nodes.features[last]))
        add_nodes(t, [like] * (nodes - t.nodes.count))
    for node in range(nodes, last + 1):
        if t.nodes.state[node] == NodeState.UP:
            drain(t, node)


def _capacity(t: Tables, nodes: int | None) -> int:
    """Processors of the machine, without those of nodes that this scenario takes away."""
    away = 0 if nodes is None else t.nodes.total[nodes : t.nodes.count, Resource.PROCESSORS].sum()
    return int(t.machine.processors_in_all - away)


def _replay(present: Present, scenario: Scenario, workload: Workload, t: Tables, draw: Draw) -> Replay:
    count, now = len(present.jobs), present.now_s
    parameters = scenario.vector if scenario.vector is not None else t.parameters.tolist()
    options = Options(placement=PLACEMENTS[t.placing.way], parameters=parameters)
    machine = Machine.counted(max(1, t.machine.processors_in_all))
    wake_s = t.cycle.wake_s
    replay = Replay(workload, machine, scenario.policy, scenario.values, options, tables=t)
    agenda = replay.agenda
    agenda.counted_only = 0
    agenda.now, agenda.workload.next = now, count
    t.jobs.serial[:count] = np.arange(count)
    t.cycle.replan = 1
    running = t.queue.running[: t.queue.running_count].tolist()
    for row in sorted(running):
        add_end(agenda, t, row, max(now, _end_s(t, row, float(agenda.workload.run_s[row]))))
    if scenario.reservations:
        nodes = {name: number for number, name in enumerate(present.nodes)}
        numbers = _numbers(present)
        both = [*present.reservations, *scenario.reservations]
        set_reservations(t, both, numbers, NEVER, nodes, lambda name: numbers(Credential.USER, name))
    if scenario.vector is not None:
        t.bind("parameters", np.array(scenario.vector, dtype=np.float64))
        t.site.bind("tallies", np.zeros(len(scenario.vector)))
        charge_as(t, *scenario.policy.declaration.charged(list(scenario.vector)), now)
    elif present.choice is not None:
        t.noted[STANDING] = present.choice
    if scenario.vector is not None or scenario.reservations or scenario.nodes is not None:
        # Something is different: a pass at once.
        agenda.phase = ARRIVING
    else:
        t.cycle.wake_s = wake_s
    return replay


def _end_s(t: Tables, row: int, run_s: float) -> float:
    """When a running job ends if it takes *run_s*."""
    if t.jobs.work_s[row] == 0.0 and t.jobs.rate[row] == 1.0:
        return float(t.jobs.start_s[row] + run_s)
    return float(t.jobs.expected_end_s[row] - (t.jobs.estimate_s[row] - run_s) / t.jobs.rate[row])


def _numbers(present: Present) -> Callable[[Credential, str], int]:
    known = {name: number for number, name in enumerate(present.names)}
    return lambda _, name: known.get(name, -2)


def _workload(present: Present, draw: Draw) -> Workload:
    """The jobs that are there, as if they came now, and those that arrive."""
    t, count, more = present.tables, len(present.jobs), draw.arrivals
    credential = t.jobs.credential[:count]
    first = int(t.jobs.number[:count].max(initial=0)) + 1
    size = count + len(more)
    return Workload(
        name="from now on",
        number=np.concatenate([np.arange(first - count, first), first + np.arange(len(more))]),
        submit_s=np.concatenate([np.full(count, present.now_s), more.submit_s]),
        run_s=np.concatenate([draw.run_s, more.run_s]),
        estimate_s=np.concatenate([t.jobs.estimate_s[:count], more.estimate_s]),
        processors=np.concatenate([t.jobs.width[:count], more.processors]),
        user=np.concatenate([t.credentials.user[credential], more.user]),
        group=np.concatenate([t.credentials.group[credential], more.group]),
        queue=np.concatenate([t.credentials.queue[credential], more.queue]),
        records=np.zeros((size, 18)),
        names=dict.fromkeys(("user", "group", "queue"), present.names),
    )
