"""Jobs over several clusters in the plain world, and worlds of them; written from the rules alone.

Bucur and Epema, JSSPP 2001, sections 2.3 and 2.5. A cluster is a group of nodes.

Independent of the product's choice of clusters, its lanes and its policies; of the product it uses requests
as they are written (``model.requests``, ``model.coallocation``).
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from molokini.model.coallocation import RequestKind, request_for
from molokini.model.policy import Value
from molokini.model.requests import Request, Spread
from tests.kit.cluster_worlds import over_the_fewest
from tests.kit.plain_nodes import Part, Place, Placing, Room, take
from tests.kit.plain_policies import Conservative, Easy, Fcfs
from tests.kit.plain_world import NEVER, WAITING, PlainJob, PlainWorld
from tests.kit.workloads import Job
from tests.kit.worlds import World, draw_world

Lying = list[dict[int, int]]
"""Of each part of a job, so many tasks on each cluster."""


def over_clusters(idle: Sequence[int], parts: Sequence[Part], values: dict[str, Value]) -> Lying | None:
    """On which clusters *parts* lie where so many processors of each are idle; None: there is no room."""
    left, found, taken = list(idle), [], set()
    for part in parts:
        able = [room if part.group in (-1, k) else 0 for k, room in enumerate(left)]
        if part.spread is Spread.ONE_CLUSTER:
            sign = {"worst": -1, "best": 1, "first": 0}[str(values.get("fit", "worst"))]
            which = [k for k in range(len(able)) if k not in taken and able[k] >= part.tasks]
            if not which:
                return None
            here = {min(which, key=lambda k: (sign * able[k], k)): part.tasks}
            taken |= set(here)
        else:
            spread = over_the_fewest(part.tasks, able, str(values.get("spread", "balance")))
            if spread is None:
                return None
            here = spread
        for cluster, tasks in here.items():
            left[cluster] -= tasks
        found.append(here)
    return found


class OnClusters(Placing):
    """Parts that want clusters are put on them; the others on nodes."""

    values: dict[str, Value]

    def place(self, room: Room, parts: Sequence[Part]) -> list[Place] | None:
        if all(part.spread is Spread.NODES for part in parts):
            return super().place(room, parts)
        idle = [0] * (1 + max(node.group for node in self.nodes))
        for node, one in enumerate(self.nodes):
            idle[one.group] += self.fits(room, node, Part(1, parts[0].need))
        lying = over_clusters(idle, parts, self.values)
        return None if lying is None else self.inside(room, parts, lying)

    def inside(self, room: Room, parts: Sequence[Part], lying: Lying) -> list[Place] | None:
        """The same where it is known on which clusters *parts* lie: their nodes in order."""
        left, found = [list(one) for one in room], []
        for number, (part, clusters) in enumerate(zip(parts, lying, strict=True)):
            for cluster, tasks in clusters.items():
                for node in (n for n, one in enumerate(self.nodes) if one.group == cluster):
                    here = min(tasks, self.fits(left, node, part))
                    if here > 0:
                        found.append((node, here, number))
                        take(left, node, here, part)
                        tasks -= here
                if tasks > 0:
                    return None
        return found


class OverClusters(PlainWorld):
    """The plain world in which jobs may want clusters."""

    def placing(self, job: PlainJob, beside_reserved: bool) -> OnClusters:
        plain = super().placing(job, beside_reserved)
        found = OnClusters(plain.nodes, plain.down, plain.way, plain.barred, plain.rounds)
        found.values = self.world.values
        return found

    def _could_ever(self, job: PlainJob) -> bool:
        none = [0] * len(self.nodes)
        empty = OnClusters(self.nodes, set(), self.world.placement, none, none)
        empty.values = self.world.values
        whole = [list(node.total) for node in self.nodes]
        return job.width <= self.world.processors and empty.place(whole, job.parts) is not None


class FcfsOverClusters(OverClusters, Fcfs):
    """No job overtakes another."""


class EasyOverClusters(OverClusters, Easy):
    """EASY: the head has a promised start."""


class ConservativeOverClusters(OverClusters, Conservative):
    """Each cluster is planned by itself, and a job starts on the clusters on which it was planned."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.lying: dict[int, Lying] = {}
        """Of each job that is planned, where."""
        self.found: Lying = []
        """Where the job that was asked for last fits."""

    def _free_of_clusters(self, at: float, planned: list[tuple[float, PlainJob]]) -> list[int]:
        room = self.room_at(at)
        free = [0] * (1 + max(node.group for node in self.nodes))
        for node, one in enumerate(self.nodes):
            free[one.group] += int(room[node][0])
        for start, job in planned:
            if start <= at < start + job.left(self.now):
                for clusters in self.lying[job.row]:
                    for cluster, tasks in clusters.items():
                        free[cluster] -= tasks
        return free

    def _least_free(self, job: PlainJob, at: float, planned: list[tuple[float, PlainJob]]) -> list[int]:
        seconds = range(max(1, job.left(self.now)))
        return [
            max(0, min(of_one))
            for of_one in zip(*(self._free_of_clusters(at + k, planned) for k in seconds), strict=True)
        ]

    def _left_alone(self, job: PlainJob, at: float, planned: list[tuple[float, PlainJob]]) -> bool:
        """Whether *job* there stays out of what is reserved for others."""
        for second in (at + k for k in range(max(1, job.left(self.now)))):
            strange = any(self.wants(job, one) is None for one in self.lasting(second))
            free = sum(self._free_of_clusters(second, planned))
            if strange and free - self.kept(job, second) < job.width:
                return False
        return True

    def fits(self, job: PlainJob, at: float, planned: list[tuple[float, PlainJob]]) -> bool:
        least = self._least_free(job, at, planned)
        found = over_clusters(least, job.parts, self.world.values)
        if found is None or not self._left_alone(job, at, planned):
            return False
        self.found = found
        return True

    def _put(self, job: PlainJob, at: float) -> None:
        if at < NEVER:
            self.lying[job.row] = self.found
        super()._put(job, at)

    def _still_fits(self, job: PlainJob, at: float, planned: list[tuple[float, PlainJob]]) -> bool:
        """Where it was planned, if that is known and has room; else on other clusters."""
        if job.row not in self.lying:
            return self.fits(job, at, planned)
        least = self._least_free(job, at, planned)
        wanted = [0] * len(least)
        for clusters in self.lying[job.row]:
            for cluster, tasks in clusters.items():
                wanted[cluster] += tasks
        if any(want > free for want, free in zip(wanted, least, strict=True)):
            return self.fits(job, at, planned)
        self.found = self.lying[job.row]
        return self._left_alone(job, at, planned)

    def _compress(self) -> None:
        for job in self.those(WAITING):
            if job.planned is None or job.planned <= self.now:
                continue
            before, job.planned = job.planned, None
            at = self.earliest(job, self._plan())
            job.planned = before
            if at < before:
                self._put(job, at)

    def take_out_of_plan(self, job: PlainJob) -> None:
        super().take_out_of_plan(job)
        self.lying.pop(job.row, None)

    def place_now(self, job: PlainJob) -> list[Place] | None:
        return self.placing(job, True).inside(self.room, job.parts, self.lying[job.row])


CLUSTERED: list[tuple[str, dict[str, Value], type[PlainWorld]]] = [
    ("fcfs-worstfit", {"fit": "worst", "spread": "balance"}, FcfsOverClusters),
    ("fcfs-worstfit", {"fit": "best", "spread": "fill"}, FcfsOverClusters),
    ("easy-worstfit", {"fit": "worst", "spread": "balance"}, EasyOverClusters),
    ("easy-worstfit", {"fit": "first", "spread": "fill"}, EasyOverClusters),
    ("conservative-worstfit", {"fit": "worst", "spread": "balance"}, ConservativeOverClusters),
    ("conservative-worstfit", {"fit": "best", "spread": "fill"}, ConservativeOverClusters),
]
"""Policies over clusters whose every start is known, with their parameters."""


def draw_clustered(random: Random, policy: str, values: dict[str, Value]) -> World:
    """A world of two to four clusters, and jobs that ask for them in one way each."""
    world = draw_world(random, policy, values)
    while not world.nodes:
        world = draw_world(random, policy, values)
    clusters = random.randint(2, len(world.nodes))
    groups = [k if k < clusters else random.randrange(clusters) for k in range(len(world.nodes))]
    nodes = tuple(replace(node, group=group) for node, group in zip(world.nodes, groups, strict=True))
    jobs: list[Job] = []
    requests: dict[int, Request] = {}
    for row, job in enumerate(world.jobs):
        requests[row] = _request(random, clusters)
        shortest = 1 if policy.startswith("conservative") else 0
        estimate = max(shortest, job.estimated)
        jobs.append(replace(job, width=requests[row].processors, estimate=estimate))
    return replace(world, nodes=nodes, jobs=tuple(jobs), requests=requests)


def _request(random: Random, clusters: int) -> Request:
    kind = random.choice(list(RequestKind))
    sizes = [random.choice([1, 1, 2, 2, 3, 4]) for _ in range(random.randint(1, clusters))]
    return request_for(kind, sizes)
