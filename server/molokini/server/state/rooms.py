"""Room for target rates: what jobs have of the cores of real nodes, and on which nodes others find room.

A job that is submitted with a target asks for nodes with room for it, as it asks for features: a bit stands
for a target on so many cores, and before each pass nodes get the bits of those for which they have room.
So the policy in force places such jobs as all others, and keeps them waiting while too few nodes have room.
"""

from collections import Counter
from dataclasses import dataclass, field

from molokini.feedback.admission import emptiest
from molokini.feedback.aims import Aim
from molokini.feedback.controlling import Rules, share_of
from molokini.feedback.deadlines import bounds_of
from molokini.feedback.edf import WHOLE, has_room
from molokini.feedback.targets import target_of
from molokini.model.facts import Placed
from molokini.model.job_specs import JobSpec
from molokini.server.state.jobs import Element, JobStatus
from molokini.server.state.state import State
from molokini.tables.tables import Tables


def use_of(spec: JobSpec) -> int:
    """What a job of *spec* uses of its busiest processor at its full rate, millionths."""
    return round(WHOLE * spec.get("full_use", 1.0)) or WHOLE


def aim_submitted(spec: JobSpec, rate: str) -> Aim:
    """The aim of a job of *spec* at *rate*, before anything is known of how it goes."""
    aim = Aim(rate, spec.get("full_rate", 0.0), use=use_of(spec))
    return aim.measuring() if spec.get("measure_full_use") else aim


def least_share(spec: JobSpec) -> int:
    """The share of a core (millionths) that a job of *spec* needs when it starts; 0: none, or not known."""
    return share_of(_least_target(spec), use_of(spec))


def _least_target(spec: JobSpec) -> int:
    rate = spec.get("rate", "")
    if not rate:
        return 0
    if (bounds := bounds_of("rate", rate)) is not None:
        return bounds[0]
    asked, full = target_of("rate", rate), spec.get("full_rate", 0.0)
    return asked.of(full) if asked.share or full > 0 else 0


def aim_in_force(state: State, element: Element) -> Aim | None:
    """The target of what runs, by command or as it was submitted; None: it has none."""
    aim, spec = state.aims.get((element.job.id, element.index)), element.job.spec
    if aim is None and (rate := spec.get("rate")):
        return aim_submitted(spec, rate)
    return aim if aim is not None and aim.rate else None


def cores_of(state: State, node: int) -> int:
    """How many cores the real processes of *node* have."""
    record = state.machine.nodes[node]
    return state.cores(record.name) or record.processors


class Taken:
    """What target rates have of each core of each node, in millionths of it."""

    def __init__(self, state: State, but: tuple[int, int] | None = None) -> None:
        """*but*: a job that is not counted."""
        self._state, self._but = state, but
        self._cores: dict[int, list[int]] = {}
        for element in state.rows.by_row.values():
            if element.status.active:
                self._count(element)

    def of(self, node: int) -> list[int]:
        """Of each core of *node*."""
        if node not in self._cores:
            self._cores[node] = [0] * cores_of(self._state, node)
        return self._cores[node]

    def _count(self, element: Element) -> None:
        place = (element.job.id, element.index)
        aim = aim_in_force(self._state, element) if place != self._but else None
        if aim is None:
            return
        # A job whose control has not begun will have what it was submitted with.
        target = aim.control.share if aim.control is not None else least_share(element.job.spec)
        for number, count in element.nodes if target else ():
            # An agent that came again may have fewer cores than those that were chosen.
            name = self._state.machine.nodes[number].name
            there = len(self.of(number))
            known = [core for core in aim.cores.get(name, ()) if core < there]
            self.take(number, known or emptiest(self.of(number), count), target)

    def take(self, node: int, cores: list[int], target: int) -> None:
        """So much is taken of these cores, too."""
        for core in cores:
            self.of(node)[core] += target

    def has_room(self, node: int, processors: int, target: int) -> bool:
        """Whether *node* takes a job at *target* on so many processors."""
        keeps = self._state.keeps(self._state.machine.nodes[node].name)
        cores = self.of(node)
        fits = all(has_room(cores[core], target, keeps.share) for core in emptiest(cores, processors))
        return fits and not keeps.lacks(target, Rules())


def processors_together(spec: JobSpec) -> int:
    """On how many processors of one node a job of *spec* may lie."""
    resources = spec.get("resources", {})
    if "processors_per_node" in resources:
        return resources["processors_per_node"]
    processors = resources.get("processors", 1)
    return -(-processors // max(1, resources.get("nodes", 1)))


def mark_rooms(state: State) -> None:
    """Nodes have the bits of all that they have room for now; those that only pretend have none.

    Where no node is real all have them: nothing keeps a rate there, and nothing is gained by waiting.
    """
    t, bits = state.tables, state.rows.room_bits
    if not bits:
        return
    taken, every = Taken(state), sum(bits.values())
    elsewhere = 0 if any(record.real for record in state.machine.nodes) else every
    for record in state.machine.nodes:
        found = elsewhere
        if record.real:
            found = sum(
                bit for (target, count), bit in bits.items() if taken.has_room(record.number, count, target)
            )
        _mark(t, record.number, every, found)


def _mark(t: Tables, node: int, every: int, found: int) -> None:
    features = int(t.nodes.features[node])
    changed = features & ~every | found
    if changed != features:
        t.nodes.features[node] = changed
        t.cycle.replan = 1


def asks_for_room(state: State, element: Element) -> bool:
    """Whether *element* is placed by room: not where the policy places no jobs on nodes."""
    every = sum(state.rows.room_bits.values())
    return any(one.features & every for one in element.job.request.components)


@dataclass
class Starting:
    """Jobs that are started in one pass, of which each has room beside those before it."""

    state: State
    taken: Taken | None = None
    started: int = 0
    left_out: list[Element] = field(default_factory=list)

    def finds_room(self, element: Element, placed: Placed) -> bool:
        """Whether *element* has room where it is to start; then that is taken."""
        target = least_share(element.job.spec)
        if not target or not asks_for_room(self.state, element):
            return True
        need, nodes = self.state.tables.components.need, self.state.machine.nodes
        there: Counter[int] = Counter()
        for node, tasks, component in placed:
            there[node] += tasks * int(need[component, 0])
        real = [(node, count) for node, count in there.items() if nodes[node].real]
        self.taken = self.taken or Taken(self.state)
        if not all(self.taken.has_room(node, count, target) for node, count in real):
            self.left_out.append(element)
            return False
        for node, count in real:
            self.taken.take(node, emptiest(self.taken.of(node), count), target)
        self.started += 1
        return True


def why_no_room(state: State, element: Element) -> str:
    """Why *element*, which waits, finds no room for its target; empty: it does, or needs none."""
    spec = element.job.spec
    target = least_share(spec) if element.status is JobStatus.WAITING else 0
    real = [record for record in state.machine.nodes if record.real]
    if not target or not real or not asks_for_room(state, element):
        return ""
    taken, count = Taken(state), processors_together(spec)
    wanted = spec.get("resources", {}).get("nodes", 1)
    fitting = sum(taken.has_room(record.number, count, target) for record in real)
    if fitting >= wanted:
        return ""
    left: list[tuple[int, str]] = []
    for record in real:
        cores = taken.of(record.number)
        share = state.keeps(record.name).share - max(cores[core] for core in emptiest(cores, count))
        left.append((-max(0, share), record.name))
    told = ", ".join(f"{-share / 10_000:g}% on {name}" for share, name in sorted(left)[:3])
    more = f", and less on {len(left) - 3} more" if len(left) > 3 else ""
    needs = f"{wanted} nodes, and {fitting} have it" if wanted > 1 else "a node"
    return f"its rate needs room for {target / 10_000:g}% of a core on {needs}: there is {told} left{more}"
