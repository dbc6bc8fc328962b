"""Small worlds in which many features meet: a machine, a few jobs, and what happens to them.

``draw_world`` draws one from a seed. Every feature is drawn or left out by itself, so that each two of them
meet often; ``features_of`` says which a world has, and a test counts the pairs.

Independent of the engine and of what policies do: a policy is asked only for what it declares (whether it
counts, whether it can keep jobs out of reservations), so that no world is drawn that it refuses.
"""

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from molokini.model.machine import Machine, Node
from molokini.model.policy import Value
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.requests import ANYWHERE, Component, Request, Spread
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.sim.replay import Overrun
from tests.kit.workloads import Job, in_order

NAMES = ("a", "b", "c", "d")
USERS = (1, 2, 3)
GIB = 1024.0


@dataclass(frozen=True)
class World:
    """Everything that a replay is given. Times are whole seconds, jobs are in order of submission."""

    policy: str
    values: dict[str, Value]
    jobs: tuple[Job, ...]
    nodes: tuple[Node, ...] = ()
    """Empty: *processors* that are only counted."""
    processors: int = 8
    requests: dict[int, Request] = field(default_factory=dict)
    placement: str = "first-fit"
    reservations: tuple[Reservation, ...] = ()
    facts: tuple[AgendaEvent, ...] = ()
    overrun: str = "kill"
    vector: tuple[float, ...] | None = field(default=None, repr=False)
    """The policy's whole vector, where it has more than parameters."""

    @property
    def machine(self) -> Machine:
        """What the engine is given."""
        return Machine.of_nodes(self.nodes) if self.nodes else Machine.counted(self.processors)

    @property
    def options(self) -> dict[str, Any]:
        """The rest of it."""
        return {
            "requests": self.requests,
            "placement": self.placement,
            "reservations": self.reservations,
            "facts": self.facts,
            "node_names": NAMES[: len(self.nodes)],
            "overrun": Overrun(self.overrun),
            "parameters": self.vector,
        }

    @property
    def horizon_s(self) -> int:
        """An instant by which all is over, whatever the policy: all that happens, and then all work."""
        happenings = [fact.time_s for fact in self.facts] + [one.end_s for one in self.reservations]
        last = max([self.jobs[-1].submit, *happenings])
        lost = 1 + sum(fact.kind is EventKind.NODE_LOST for fact in self.facts)
        return int(last + lost * sum(job.estimated + 1 for job in self.jobs) + 2)

    def without(self, row: int) -> "World":
        """The same without one job."""
        moved = {k - (k > row): one for k, one in self.requests.items() if k != row}
        facts = []
        for fact in self.facts:
            if fact.kind in _OF_NODES:
                facts.append(fact)
            elif fact.subject != row:
                facts.append(replace(fact, subject=fact.subject - (fact.subject > row)))
        jobs = self.jobs[:row] + self.jobs[row + 1 :]
        return replace(self, jobs=jobs, requests=moved, facts=tuple(facts))


_OF_NODES = (EventKind.NODE_LOST, EventKind.NODE_RETURNED)


def draw_world(random: Random, policy: str, values: dict[str, Value], crowd: bool = False) -> World:
    """A world for *policy*.

    *crowd*: many narrow jobs behind a wide one, and small reservations, of which a user has access to one at
    most. No job wishes for nodes: where it would be placed may change as others start, so that one pass would
    not be all that a second could have.
    """
    declared = load_policy(policy).declaration
    counted_only = declared.counted_only
    nodes = _nodes(random) if random.random() < 0.7 else ()
    if declared.in_blocks:
        nodes = _to_a_power_of_two(nodes)
    processors = sum(int(node.capacity[Resource.PROCESSORS]) for node in nodes) or 8
    shortest = 1 if policy == "conservative" else 0
    jobs = (_crowd if crowd else _jobs)(random, processors, shortest)
    requests: dict[int, Request] = {}
    if nodes and not counted_only and not crowd and random.random() < 0.75:
        jobs, requests = _requests(random, jobs, nodes)
    contiguous = nodes and not counted_only and not policy.startswith("easy")
    ways = ["first-fit", "best-fit", "worst-fit", *(["contiguous"] if contiguous else [])]
    world = World(policy, values, tuple(jobs), nodes, processors, requests, random.choice(ways))
    if random.random() < 0.65 and declared.reserves(values):
        most = random.randint(1, 2) if crowd else processors
        world = replace(world, reservations=_reservations(random, world, most))
    facts: list[AgendaEvent] = []
    if random.random() < 0.45:
        facts += _losses(random, world)
    if random.random() < 0.4:
        facts += _holds(random, len(jobs))
    if random.random() < 0.35:
        for _ in range(random.randint(1, 2)):
            facts.append(AgendaEvent(random.randint(0, 30), EventKind.CANCELLED, random.randrange(len(jobs))))
    return replace(world, facts=tuple(facts))


def _to_a_power_of_two(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Two of *nodes*, or four, with four processors each."""
    return tuple(
        replace(node, capacity={**node.capacity, Resource.PROCESSORS: 4.0})
        for node in (nodes if len(nodes) == 4 else nodes[:2])
    )


def _nodes(random: Random) -> tuple[Node, ...]:
    found = []
    for _ in range(random.randint(2, 4)):
        capacity = {
            Resource.PROCESSORS: float(random.choice([2, 3, 4, 4])),
            Resource.MEMORY_KB: GIB * random.choice([2, 4, 8]),
        }
        found.append(Node(capacity, group=random.randint(0, 1), features=random.choice([0, 1, 3])))
    return tuple(found)


def _jobs(random: Random, processors: int, shortest: int) -> list[Job]:
    jobs, at = [], 0
    count = random.randint(3, 9)
    numbers = random.sample(range(1, count + 1), count)
    halves = [1, 2, processors // 2, processors // 2 + 1, processors - 1, processors]
    for k in range(count):
        at += random.choice([0, 0, 0, 1, 1, 2, 3, 6])
        width = random.choice(halves) if random.random() < 0.5 else random.randint(1, processors)
        if random.random() < 0.02:
            width = processors + 1
        estimate = max(shortest, random.choice([0, 1, 2, 3, 4, 5, 6, 8, 10, 12]))
        run = estimate if random.random() < 0.5 else random.randint(0, estimate + 2)
        jobs.append(Job(at, run, width, estimate, numbers[k], random.choice(USERS)))
    return in_order(jobs)


def _crowd(random: Random, processors: int, shortest: int) -> list[Job]:
    """One that runs, a wide one behind it, and narrow ones of all lengths that could pass it."""
    beside = random.randint(1, min(3, processors - 2))
    made = [(0, random.randint(4, 15), random.randint(beside + 1, processors - 1))]
    made.append((1, random.randint(1, 12), processors - beside))
    for _ in range(random.randint(4, 9)):
        estimate = random.choice([1, 2, 4, 8, 16, 20, 25, 30])
        made.append((random.randint(1, 5), max(shortest, estimate), random.randint(1, beside + 1)))
    numbers = random.sample(range(1, len(made) + 1), len(made))
    jobs = []
    for number, (at, estimate, width) in zip(numbers, made, strict=True):
        run = estimate if random.random() < 0.7 else random.randint(0, estimate + 2)
        jobs.append(Job(at, run, width, estimate, number, random.choice(USERS)))
    return in_order(jobs)


def _requests(
    random: Random, jobs: list[Job], nodes: tuple[Node, ...]
) -> tuple[list[Job], dict[int, Request]]:
    """Most jobs get one of a few requests, as what is found out about one may be used for the next."""
    made, found = list(jobs), {}
    kinds = [_request(random, len(nodes)) for _ in range(random.randint(1, 4))]
    for row, job in enumerate(jobs):
        if random.random() < 0.4:
            continue
        found[row] = random.choice(kinds)
        made[row] = replace(job, width=found[row].processors)
    return made, found


def _request(random: Random, nodes: int) -> Request:
    return Request(tuple(_component(random, nodes) for _ in range(random.choice([1, 1, 1, 2]))))


def _component(random: Random, nodes: int) -> Component:
    each = random.choice([1, 1, 2, 3])
    need = {Resource.PROCESSORS: float(each)}
    if random.random() < 0.4:
        need[Resource.MEMORY_KB] = GIB * random.choice([1, 2, 3])
    return Component(
        random.randint(1, nodes + 1),
        need,
        where=random.choice([ANYWHERE, ANYWHERE, ANYWHERE, 0, 1]),
        tasks_per_node=random.choice([0, 0, 1, 2]),
        features=random.choice([0, 0, 0, 1, 2, 3]),
    )


def _reservations(random: Random, world: World, most: int) -> tuple[Reservation, ...]:
    """On nodes or not, *most* processors each; of those that are not, a user has access to one at most."""
    found: list[Reservation] = []
    users = list(USERS)
    random.shuffle(users)
    for k in range(random.randint(1, 3)):
        start_s = random.randint(0, 25)
        end_s = float(start_s + random.randint(1, 15))
        shared = random.random() < 0.3
        if world.nodes and random.random() < 0.65:
            sizes = [int(node.capacity[Resource.PROCESSORS]) for node in world.nodes]
            hosts = {
                NAMES[node]: random.randint(1, min(most, sizes[node]))
                for node in random.sample(range(len(world.nodes)), random.randint(1, len(world.nodes)))
            }
            signs = ["", "+", "=", "-"]
            names = [f"{user}{random.choice(signs)}" for user in USERS if random.random() < 0.4]
            terms, size = Terms(shared=shared, hosts=hosts), sum(hosts.values())
        else:
            names = [str(users.pop())] if users and random.random() < 0.7 else []
            terms, size = Terms(shared=shared), random.randint(1, most)
        access = {"user": tuple(names)} if names else {}
        made = Reservation(f"r{k}", size, float(start_s), end_s, access, terms)
        found.append(_with_terms(random, made) if names else made)
    return tuple(found)


def _with_terms(random: Random, one: Reservation) -> Reservation:
    """Now and then not all that it admits have access, or short jobs have, too, where it is on nodes."""
    denied, required, access = {}, {}, dict(one.access)
    limit_s = str(random.choice([2, 4, 6, 8]))
    if random.random() < 0.15:
        denied = random.choice([{"user": (str(random.choice(USERS)),)}, {"duration": (limit_s,)}])
    if random.random() < 0.15:
        required = random.choice([{"user": (str(random.choice(USERS)),)}, {"duration": (limit_s,)}])
    if random.random() < 0.15 and one.terms.hosts:
        access["duration"] = (limit_s,)
    return replace(one, access=access, terms=replace(one.terms, denied=denied, required=required))


def _losses(random: Random, world: World) -> list[AgendaEvent]:
    """Losses and later returns: of a node, once each, or of counted processors, never more than there are."""
    facts = []
    left = world.processors
    several = random.choice([1, 1, 2]) if world.nodes else 1
    for node in random.sample(range(max(1, len(world.nodes))), several):
        for _ in range(1 if world.nodes else random.randint(1, 2)):
            at, length = random.randint(0, 20), random.randint(1, 15)
            subject, amount = (node, 0) if world.nodes else (-1, random.randint(1, max(1, left // 2)))
            left -= amount
            facts.append(AgendaEvent(at, EventKind.NODE_LOST, subject, amount))
            facts.append(AgendaEvent(at + length, EventKind.NODE_RETURNED, subject, amount))
    return facts


def _holds(random: Random, jobs: int) -> list[AgendaEvent]:
    facts = []
    for _ in range(random.randint(1, 3)):
        at, row = random.randint(0, 20), random.randrange(jobs)
        facts.append(AgendaEvent(at, EventKind.HELD, row))
        facts.append(AgendaEvent(at + random.randint(0, 9), EventKind.RELEASED, row))
    return facts


def features_of(world: World) -> set[str]:
    """What a world has that may get in the way of something else."""
    found = {f"policy {world.policy}" + "".join(f" {name}={value}" for name, value in world.values.items())}
    found.add("nodes" if world.nodes else "counted")
    if world.nodes:
        found.add(world.placement)
    components = [one for request in world.requests.values() for one in request.components]
    if components:
        found.add("requests")
    marks = {
        "several components": any(len(request.components) > 1 for request in world.requests.values()),
        "memory": any(Resource.MEMORY_KB in one.need for one in components),
        "group of nodes": any(one.where != ANYWHERE for one in components),
        "features of nodes": any(one.features for one in components),
        "over clusters": any(one.spread is Spread.CLUSTERS for one in components),
        "in one cluster": any(one.spread is Spread.ONE_CLUSTER for one in components),
        "tasks a node": any(one.tasks_per_node for one in components),
        "wider than the machine": any(job.width > world.processors for job in world.jobs),
        "run time 0": any(job.run == 0 for job in world.jobs),
        "ended early": any(job.run < job.estimated for job in world.jobs),
    }
    for one in world.reservations:
        where = "on nodes" if one.terms.hosts else "on a number"
        found |= {f"reserved {where}", f"{'shared' if one.terms.shared else 'kept'} {where}"}
        for name in one.access.get("user", ()):
            found.add(f"access {where} {name[1:]}".strip())
    marks["denied"] = any(one.terms.denied for one in world.reservations)
    marks["required"] = any(one.terms.required for one in world.reservations)
    marks["short jobs admitted"] = any("duration" in one.access for one in world.reservations)
    marks["reservations overlap"] = any(
        one is not other and one.start_s < other.end_s and other.start_s < one.end_s
        for one in world.reservations
        for other in world.reservations
    )
    for fact in world.facts:
        found.add(fact.kind.name.lower())
    return found | {name for name, there in marks.items() if there}
