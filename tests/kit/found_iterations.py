"""Small worlds under Maui, found among thousands, that come out otherwise where one rule is dropped.

What each comes to was found with the plain iterations, not with the policy: of the product only the
vocabulary of ``model`` and the settings of ``maui.configuration`` are used.
"""

from dataclasses import replace

from molokini.model.machine import Node
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import (
    BackfillMetric,
    BackfillPolicy,
    QosFlag,
    ReservationPolicy,
)
from tests.kit.plain_iterations import Rules
from tests.kit.workloads import Job
from tests.kit.worlds import GIB, World

_RULES = Rules(
    BackfillPolicy.FIRSTFIT,
    BackfillMetric.PROCESSORS,
    "merged",
    depth=0,
    reservation=ReservationPolicy.CURRENT_HIGHEST,
    buckets=((1, ()),),
    most_starts=0,
    by_queue_time=0.0,
    priority={"1": 5, "2": 3, "3": 3},
    flags=dict.fromkeys(("1", "2", "3"), frozenset()),
    active={},
    idle={},
)


def _found(
    rules: Rules, *jobs: Job, nodes: tuple[float, ...] = (), reservations: tuple[Reservation, ...] = ()
) -> World:
    """Eight processors, or nodes of so many."""
    vector = tuple(float(one) for one in vector_of(rules.settings, by_number))
    made = tuple(Node({Resource.PROCESSORS: one, Resource.MEMORY_KB: GIB}, group=1) for one in nodes)
    number = int(sum(nodes)) or 8
    return World("maui", {}, jobs, made, number, reservations=reservations, vector=vector)


_KEPT = replace(_RULES, reservation=ReservationPolicy.HIGHEST, idle={"1": 1})
_ONE_START = replace(_KEPT, buckets=((3, ()),), most_starts=1, priority={"1": 0, "2": 3, "3": 0}, idle={})
_MOVES = replace(_KEPT, buckets=((3, ()),), priority={"1": 3, "2": 3, "3": 0}, idle={})
_ALWAYS = replace(
    _RULES,
    flags={
        "1": frozenset(),
        "2": frozenset({QosFlag.NO_BACKFILL}),
        "3": frozenset({QosFlag.RESERVE_ALWAYS}),
    },
)

FOUND_ITERATIONS: dict[str, tuple[World, Rules]] = {
    "a job with a reservation that it keeps makes room below a limit of eligible jobs": (
        # The wide job counts as eligible at 0, and has a reservation from then on: the other may start at 1.
        _found(
            _KEPT,
            Job(0, 8, 6, 8, 1, 1),
            Job(0, 2, 2, 6, 2, 1),
            reservations=(Reservation("r", 4, 0.0, 10.0),),
        ),
        _KEPT,
    ),
    "a start inside a reservation lets a job begin that keeps its own": (
        # At 4 job 1 is due and finds no room beside the reservation, of which job 2 uses all as it starts.
        _found(
            _MOVES,
            Job(0, 4, 6, 4, 1, 2),
            Job(3, 7, 3, 25, 2, 2),
            Job(3, 16, 3, 20, 3, 3),
            Job(3, 24, 2, 30, 4, 1),
            reservations=(Reservation("r", 1, 23.0, 37.0, {"user": ("3",)}),),
        ),
        _MOVES,
    ),
    "a job stays off a node that another will have while some of it is reserved": (
        # At 7 job 2 begins, and job 1, which waits for the next iteration, is to have three of node a. One is
        # reserved from 18 on, when both still run.
        _found(
            _ONE_START,
            Job(0, 7, 5, 7, 1, 2),
            Job(4, 20, 3, 20, 2, 1),
            Job(5, 7, 3, 25, 3, 2),
            nodes=(4.0, 3.0, 2.0),
            reservations=(
                Reservation("now", 1, 2.0, 16.0, terms=Terms(hosts={"b": 1})),
                Reservation("later", 3, 18.0, 30.0, terms=Terms(hosts={"a": 1, "b": 1, "c": 1})),
            ),
        ),
        _ONE_START,
    ),
    **{
        f"the phase of priorities ends with the last reservation, {and_what}": (
            # Job 1 has the one reservation, and job 2, which is not backfilled, waits for the next phase.
            _found(_ALWAYS, Job(0, 10, 6, 10, 1, 1), Job(1, 10, 6, 10, 2, 1), Job(1, 5, 2, 5, 3, 2), *more),
            _ALWAYS,
        )
        for and_what, more in {
            "whoever may come who always gets one": (),
            "although one is there who always gets one": (Job(1, 30, 4, 30, 4, 3),),
            "although one comes later who always gets one": (Job(20, 30, 4, 30, 4, 3),),
        }.items()
    },
}
"""By the rule."""
