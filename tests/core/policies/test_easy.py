"""EASY: the head's promise, the order of candidates, and the rules at the edges."""

import pytest
from hypothesis import given, settings

from molokini.model.machine import Machine
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation
from molokini.model.resources import Resource
from tests.kit.reference import Easy, Member
from tests.kit.replays import finished, prepared, starts
from tests.kit.workloads import Job, in_order, job_lists

PROCESSORS = 8


class Promising(Easy):
    """Keeps, for every job, the shadow time of the last pass in which it was the blocked head."""

    def __init__(self, jobs: list[Job], processors: int) -> None:
        super().__init__(jobs, processors)
        self.promised: dict[int, float] = {}

    def decide(self) -> None:
        super().decide()
        if self.queue:
            self.promised[self.queue[0].number] = self.shadow()


@given(jobs=job_lists(PROCESSORS, most=30))
@settings(max_examples=200, deadline=None)
def test_the_head_starts_no_later_than_promised_at_any_pass(jobs: list[Job]) -> None:
    """Shadow times from the tables at each instant, by definition, not by the policy's own function."""
    replay = prepared(jobs, "easy", PROCESSORS)
    promised: dict[int, float] = {}
    now = 0.0
    while not replay.run(until_s=now):
        t = replay.tables
        if t.queue.head < t.queue.tail:
            head = int(t.queue.waiting[t.queue.head])
            running = [
                (float(t.jobs.expected_end_s[r]), int(t.jobs.width[r]))
                for r in t.queue.running[: t.queue.running_count]
            ]
            width = int(t.jobs.width[head])
            shadow = min(
                at for at, _ in running if PROCESSORS - sum(w for end, w in running if end > at) >= width
            )
            number = int(t.jobs.number[head])
            assert shadow <= promised.get(number, shadow), "a promise moved later"
            promised[number] = shadow
        now += 1.0
    for job, start in zip(in_order(jobs), starts(replay), strict=True):
        assert start is None or start <= promised.get(job.number, start)


@given(jobs=job_lists(PROCESSORS, most=30))
@settings(max_examples=100, deadline=None)
def test_the_reference_keeps_its_promise_too(jobs: list[Job]) -> None:
    simulator = Promising(jobs, PROCESSORS)
    members: list[Member] = simulator.simulate()
    for member in members:
        assert member.refused or member.started is not None
        if member.started is not None:
            assert member.started <= simulator.promised.get(member.number, member.started)


@given(jobs=job_lists(PROCESSORS, most=30, shortest=1))
@settings(max_examples=150, deadline=None)
def test_depth_of_one_is_easy(jobs: list[Job]) -> None:
    deep = finished(jobs, "easy-depth", PROCESSORS, {"depth": 1})
    assert starts(deep) == starts(finished(jobs, "easy", PROCESSORS))


def test_a_candidate_may_end_at_the_very_shadow_time_but_not_after() -> None:
    jobs = [Job(0, 10, 5), Job(1, 5, 8)]
    assert starts(finished([*jobs, Job(2, 8, 3)])) == [0.0, 10.0, 2.0]
    assert starts(finished([*jobs, Job(2, 9, 3)])) == [0.0, 10.0, 15.0]


def test_extra_processors_count_all_that_is_released_at_the_shadow_time() -> None:
    # Both running jobs end at 10: 8 free then, 5 for the head, 3 extra.
    running = [Job(0, 10, 3), Job(0, 10, 3)]
    assert starts(finished([*running, Job(1, 5, 5), Job(2, 50, 2)])) == [0.0, 0.0, 10.0, 2.0]
    # One of them ends later: it is not there for the head, nor for anybody else.
    running = [Job(0, 10, 3), Job(0, 11, 3)]
    assert starts(finished([*running, Job(1, 5, 5), Job(2, 50, 2)])) == [0.0, 0.0, 10.0, 11.0]


def test_extra_processors_are_used_up() -> None:
    running = [Job(0, 10, 3), Job(0, 10, 2)]
    long = Job(2, 50, 2)
    # 8 free at 10, 5 for the head: 3 extra, enough for one of the two.
    assert starts(finished([*running, Job(1, 5, 5), long, Job(2, 50, 1), long])) == [
        0.0, 0.0, 10.0, 2.0, 2.0, 15.0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("order", "first"),
    [("queue", [2.0, None, None]), ("shortest", [None, 2.0, None]), ("best-fit", [None, None, 2.0])],
)
def test_candidates_are_tried_in_the_order_asked_for(order: str, first: list[float | None]) -> None:
    # 3 processors are free until 20; each candidate fits alone, no two together.
    jobs = [Job(0, 20, 5), Job(1, 5, 8), Job(2, 9, 2), Job(2, 4, 2), Job(2, 17, 3)]
    replay = prepared(jobs, "easy", PROCESSORS, {"order": order})
    replay.run(until_s=3.0)
    assert starts(replay)[2:] == first


def test_an_overdue_job_is_expected_a_second_from_every_pass() -> None:
    # Overdue since 10. At 10.5 it is expected at 11.5 again, so the candidate of 0.75 s fits before it.
    jobs = [Job(0, 13, 5, 10), Job(1, 5, 8), Job(10, 1, 8), Job(10.5, 0.75, 2)]
    assert starts(finished(jobs, "easy", PROCESSORS, overrun="extend"))[3] == 10.5


@pytest.mark.parametrize("reservations", [(), (Reservation("far", 1, 1000.0, 1010.0, {"user": ("7",)}),)])
def test_the_head_has_its_whole_node_beside_far_reservations(reservations: tuple[Reservation, ...]) -> None:
    # The head alone wishes for a node. At 10 the second is whole, and one processor of the first is free.
    jobs = [Job(0, 100, 3), Job(0, 10, 3), Job(1, 5, 4), Job(2, 50, 1)]
    requests = {2: Request((Component(1, {Resource.PROCESSORS: 4.0}),))}
    machine = Machine.uniform(2, 4)
    replay = finished(jobs, "easy", machine, requests=requests, reservations=reservations)
    assert starts(replay) == [0.0, 0.0, 10.0, 10.0]
