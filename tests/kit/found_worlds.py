"""Small worlds, found among thousands, that come out otherwise where one rule is dropped.

What each comes to was found with the plain worlds, not with the engine: of the product only the vocabulary of
``model`` is used.
"""

from molokini.model.coallocation import RequestKind, request_for
from molokini.model.machine import Node
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from tests.kit.plain_clusters import ConservativeOverClusters
from tests.kit.plain_policies import Conservative, Easy, EasyDepth, FirstFit, Srpt
from tests.kit.plain_world import PlainWorld
from tests.kit.workloads import Job
from tests.kit.worlds import GIB, World

_P, _M = Resource.PROCESSORS, Resource.MEMORY_KB

FOUND: dict[str, tuple[World, type[PlainWorld]]] = {
    "who does not spare the head leaves the room as it was": (
        # At 7 the head, job 3, waits for tasks of 3 processors with memory, on nodes 0 and 2. Another is put
        # aside because it would take them; who is looked at next must not find more room than there was.
        World(
            "easy",
            {"order": "queue"},
            (
                Job(0, 2, 3, 2, 1, 3),
                Job(0, 6, 10, 6, 9, 3),
                Job(3, 0, 5, 0, 4, 1),
                Job(5, 10, 6, 12, 2, 2),
                Job(5, 5, 2, 5, 7, 3),
                Job(7, 4, 4, 6, 5, 3),
            ),
            (
                Node({_P: 4.0, _M: 8 * GIB}, group=1),
                Node({_P: 4.0, _M: 2 * GIB}, group=1),
                Node({_P: 3.0, _M: 8 * GIB}, group=1),
            ),
            11,
            {
                0: Request((Component(3, {_P: 1.0}, tasks_per_node=2),)),
                3: Request((Component(2, {_P: 3.0, _M: 3 * GIB}, tasks_per_node=2),)),
            },
            "best-fit",
        ),
        Easy,
    ),
    "a job of no length that a reservation keeps out now is promised an instant, too": (
        # Job 1, of no length, has the one promise; so job 2 has none, and job 3 starts though it delays it.
        World(
            "easy-depth",
            {"depth": 1},
            (Job(0, 20, 2, 20, 1, 2), Job(1, 0, 4, 0, 2, 2), Job(2, 5, 8, 5, 3, 2), Job(3, 30, 2, 30, 4, 2)),
            reservations=(Reservation("a", 4, 0.0, 10.0, {"user": ("1",)}),),
        ),
        EasyDepth,
    ),
    "a job that nodes keep out is planned with the next change": (
        # At 7 job 3 has room by counting, not on nodes, and is planned for the end of job 2 at 14.
        # Planned as if it ran from 7 on, it would keep job 4 out of processors that nobody uses.
        World(
            "easy-depth",
            {"depth": 1},
            (
                Job(1, 3, 6, 3, 5, 1),
                Job(2, 2, 7, 2, 3, 1),
                Job(2, 8, 5, 8, 8, 2),
                Job(5, 0, 5, 10, 9, 1),
                Job(7, 2, 2, 12, 1, 3),
            ),
            tuple(Node({_P: p, _M: 8 * GIB}, group=1) for p in (4.0, 4.0, 2.0)),
            10,
            placement="worst-fit",
            reservations=(Reservation("r1", 2, 15.0, 30.0, {}, Terms(hosts={"c": 2})),),
        ),
        EasyDepth,
    ),
    "a job that started later than planned is in the plan for as long as it runs": (
        # By counting there is room for job 1 at 7, on nodes at 12. At 14 the second cluster is emptier.
        World(
            "conservative-worstfit",
            {"fit": "worst", "spread": "balance"},
            (Job(2, 10, 2, 10, 1, 1), Job(7, 6, 6, 6, 2, 3), Job(14, 10, 2, 10, 3, 1)),
            tuple(Node({_P: p, _M: 4 * GIB}, group=g) for p, g in ((4.0, 0), (4.0, 1), (4.0, 0), (3.0, 1))),
            15,
            {
                0: request_for(RequestKind.TOTAL, [2]),
                1: request_for(RequestKind.ORDERED, [4, 2]),
                2: request_for(RequestKind.TOTAL, [2]),
            },
            "contiguous",
            (
                Reservation("r0", 4, 9.0, 22.0, {"user": ("1-",)}, Terms(hosts={"a": 4})),
                Reservation(
                    "r1",
                    10,
                    1.0,
                    9.0,
                    {"user": ("2", "3")},
                    Terms(shared=True, hosts={"c": 3, "d": 1, "a": 3, "b": 3}),
                ),
            ),
        ),
        ConservativeOverClusters,
    ),
    "a job that was due and is held leaves the plan": (
        # By counting there is room for job 0 at 0, on nodes there is not; at 3 it is held.
        World(
            "conservative-worstfit",
            {"fit": "worst", "spread": "balance"},
            (Job(0, 7, 5, 12, 2, 2), Job(5, 6, 5, 6, 5, 1)),
            tuple(Node({_P: p, _M: 4 * GIB}, group=g) for p, g in ((4.0, 0), (3.0, 1), (4.0, 2))),
            11,
            {0: request_for(RequestKind.UNORDERED, [3, 2]), 1: request_for(RequestKind.FLEXIBLE, [5])},
            "best-fit",
            (Reservation("r1", 6, 10.0, 22.0, {"user": ("1-",)}, Terms(hosts={"a": 2, "b": 1, "c": 3})),),
            (AgendaEvent(3, EventKind.HELD, 0, 0), AgendaEvent(6, EventKind.RELEASED, 0, 0)),
        ),
        ConservativeOverClusters,
    ),
    "what those with access use of a reservation is room that a compression finds": (
        # Job 1, of user 1, is inside the reservation from 7 on. So job 3 has room at 11, when a job of the
        # plan goes whose room begins later.
        World(
            "conservative",
            {},
            (
                Job(0, 7, 4, 7, 1, 3),
                Job(1, 5, 5, 11, 7, 1),
                Job(2, 3, 2, 4, 5, 1),
                Job(3, 4, 1, 4, 4, 3),
                Job(4, 4, 2, 4, 3, 1),
            ),
            (Node({_P: 2.0, _M: 2 * GIB}, group=1), Node({_P: 4.0, _M: 8 * GIB}, group=1)),
            6,
            {},
            "worst-fit",
            (Reservation("r0", 1, 0.0, 12.0, {"user": ("1=", "2=")}, Terms(hosts={"b": 1})),),
            (AgendaEvent(11, EventKind.CANCELLED, 4, 0),),
        ),
        Conservative,
    ),
    "a job that started later than planned is in the plan for as long as it runs, also of one machine": (
        # At 25 job 8 is due, and job 7, which a reservation on a node had delayed, runs still.
        World(
            "conservative",
            {},
            (
                Job(0, 6, 6, 6, 1, 3),
                Job(1, 11, 7, 11, 6, 3),
                Job(1, 3, 2, 20, 11, 1),
                Job(2, 20, 1, 20, 3, 3),
                Job(3, 30, 1, 30, 2, 2),
                Job(3, 6, 2, 20, 7, 1),
                Job(4, 20, 1, 20, 4, 3),
                Job(4, 8, 2, 8, 9, 2),
                Job(5, 8, 2, 16, 5, 2),
            ),
            (Node({_P: 4.0, _M: 8 * GIB}, group=1), Node({_P: 4.0, _M: 4 * GIB}, group=1)),
            8,
            {},
            "best-fit",
            (Reservation("r0", 1, 14.0, 15.0, {"user": ("1+", "2-")}, Terms(hosts={"a": 1})),),
            (AgendaEvent(5, EventKind.HELD, 3, 0), AgendaEvent(6, EventKind.RELEASED, 3, 0)),
        ),
        Conservative,
    ),
    "a head that nodes keep out, although counting sees room, is promised a later instant": (
        # From 11 to 22 there is room for job 0 by number, and none on nodes: job 3 may have it, at 11 and not
        # only a second later.
        World(
            "easy",
            {"order": "best-fit"},
            (
                Job(1, 11, 8, 11, 2, 2),
                Job(1, 16, 1, 16, 3, 3),
                Job(2, 30, 1, 30, 4, 1),
                Job(5, 10, 2, 8, 7, 3),
            ),
            tuple(Node({_P: p, _M: 4 * GIB}, group=1) for p in (4.0, 2.0, 4.0)),
            10,
            {},
            "best-fit",
            (
                Reservation("r0", 3, 2.0, 11.0, {}, Terms(hosts={"c": 1, "a": 1, "b": 1})),
                Reservation("r1", 3, 22.0, 33.0, {"user": ("3=",)}, Terms(hosts={"a": 1, "b": 1, "c": 1})),
                Reservation("r2", 1, 20.0, 25.0, {"user": ("3",)}, Terms(hosts={"c": 1})),
            ),
        ),
        Easy,
    ),
    "what is used of a reservation may shrink where one begins that is open to all": (
        # Job 4 has what r2 keeps up to 20, when its node is in r0: then r2 keeps another one from job 3.
        World(
            "conservative",
            {},
            (
                Job(1, 6, 10, 9, 1, 2),
                Job(3, 13, 2, 30, 4, 2),
                Job(3, 16, 3, 16, 6, 2),
                Job(5, 16, 4, 16, 3, 2),
                Job(5, 18, 4, 16, 5, 3),
            ),
            tuple(Node({_P: p, _M: 4 * GIB}, group=0) for p in (3.0, 3.0, 3.0, 4.0)),
            13,
            {},
            "worst-fit",
            (
                Reservation(
                    "r0", 3, 20.0, 35.0, {"user": ("1+", "2+", "3=")}, Terms(hosts={"b": 1, "d": 1, "c": 1})
                ),
                Reservation("r2", 1, 15.0, 24.0, {"user": ("3",)}),
            ),
        ),
        Conservative,
    ),
    "a job that this pass suspends gives its processors back once": (
        # Six are reserved from 30 on for others. Job 2 would reach into that, whatever job 0 has left.
        World(
            "srpt",
            {},
            (Job(0, 20, 6, 20, 1, 1), Job(5, 3, 4, 3, 2, 1), Job(5, 60, 4, 60, 3, 1)),
            reservations=(Reservation("r0", 6, 30.0, 60.0, {"user": ("2",)}),),
        ),
        Srpt,
    ),
    **{
        f"{policy}: a job takes all that an end inside a reservation gives": (
            # Job 0 runs inside the reservation until 3, and job 1 is planned for 3, as wide: as many
            # processors are free then as before, and one of them is kept again, so job 2 has to wait.
            World(
                policy,
                {},
                (Job(0, 3, 4, 3, 1, 2), Job(0, 16, 4, 16, 2, 1), Job(0, 16, 1, 16, 3, 3)),
                processors=5,
                reservations=(Reservation("r", 1, 2.0, 30.0, {"user": ("2",)}, Terms(shared=True)),),
            ),
            simulator,
        )
        for policy, simulator in (("easy", Easy), ("conservative", Conservative))
    },
    "nodes of two clusters that are as full are not alike": (
        # Job 0 has a processor of each node. Three wishes find no room, and the fourth one does.
        World(
            "firstfit",
            {},
            (
                Job(0, 100, 4, 100, 1, 1),
                Job(1, 10, 2, 10, 2, 1),
                Job(1, 10, 4, 10, 3, 1),
                Job(1, 10, 2, 10, 4, 1),
                Job(1, 10, 1, 10, 5, 1),
            ),
            tuple(Node({_P: 2.0, _M: GIB}, group=group) for group in (0, 0, 1, 1)),
            8,
            {
                0: Request((Component(4, {_P: 1.0}, tasks_per_node=1),)),
                1: Request((Component(1, {_P: 2.0}),)),
                2: Request((Component(2, {_P: 2.0}, tasks_per_node=1),)),
                3: Request((Component(1, {_P: 2.0}, where=1),)),
                4: Request((Component(1, {_P: 1.0}, where=1),)),
            },
        ),
        FirstFit,
    ),
}
"""By the rule."""
