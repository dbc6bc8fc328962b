"""A present state under a scenario: a case by hand, and what is refused."""

import numpy as np
import pytest

from molokini.model.errors import BadInput
from molokini.model.machine import Machine, Node
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.tables.excerpts import excerpt
from molokini.whatif.compared import judged, moved_before
from molokini.whatif.drawing import by_estimates
from molokini.whatif.present import Present
from molokini.whatif.scenarios import Scenario, check, outcome
from tests.kit.replays import prepared
from tests.kit.workloads import Job

NODES = ("n1", "n2")
END_S = 10_000.0


def present(jobs: list[Job], policy: str = "easy", at_s: float = 1.0) -> Present:
    """The state at *at_s* on two nodes of four processors."""
    node = Node({Resource.PROCESSORS: 4.0})
    replay = prepared(jobs, policy, Machine.of_nodes([node, node]))
    replay.run(until_s=at_s)
    t = replay.tables
    part = excerpt(t, t.queue.waiting[t.queue.head : t.queue.tail].copy())
    count = part.queue.tail + part.queue.running_count
    called = tuple(str(int(number)) for number in part.jobs.number[:count])
    return Present(at_s, part, called, ("ann",), NODES, policy, {})


def plain(policy: str, *reservations: Reservation) -> Scenario:
    loaded = load_policy(policy)
    return Scenario("as it is", loaded, loaded.declaration.values({}), None, reservations)


def starts(one: Present, scenario: Scenario) -> dict[str, float]:
    found = outcome(one, scenario, by_estimates(one), END_S)
    return dict(zip(one.jobs, found.start_s.tolist(), strict=True))


def test_a_drained_node_delays_exactly_the_jobs_of_a_case_by_hand() -> None:
    # Job 1 has node n1 to 100. Jobs 2 and 3 wait for all of the machine and for half of it.
    jobs = [
        Job(0, 100, 8, number=1),
        Job(0, 100, 8, number=2),
        Job(0, 50, 4, number=3),
        Job(0, 40, 2, number=4),
    ]
    one = present(jobs)
    assert starts(one, plain("easy")) == {"1": 0.0, "2": 100.0, "3": 200.0, "4": 200.0}
    # n2 is away from 150 to 400. Job 2 would run into it, and waits for its end; jobs 3 and 4 fit on n1 and
    # n2 before it begins: they start at 100, ahead of job 2, whom they do not delay.
    away = Reservation("r", 4, 150.0, 400.0, terms=Terms(hosts={"n2": 4}))
    assert starts(one, plain("easy", away)) == {"1": 0.0, "2": 400.0, "3": 100.0, "4": 100.0}
    first, second = plain("easy"), plain("easy", away)
    outcomes = [[outcome(one, each, by_estimates(one), END_S)] for each in (first, second)]
    _, changed = judged(one, ["as it is", "drained"], outcomes, END_S)
    assert [(each.job, each.change_s) for each in changed.moved] == [
        ("2", 300.0),
        ("3", -100.0),
        ("4", -100.0),
    ]
    # Jobs 3 and 4 start before it begins, not later; as it is, job 2 does: all three.
    assert moved_before(outcomes[0], outcomes[1], 150.0) == 3.0
    assert moved_before(outcomes[0], outcomes[1], 100.0) == 0.0
    by_size = {each.name: (each.jobs, each.mean_change_s) for each in changed.changes if each.by == "size"}
    assert by_size == {"5-8": (1.0, 300.0), "3-4": (1.0, -100.0), "2": (1.0, -100.0)}


def test_another_policy_decides_at_once() -> None:
    # Under fcfs job 3 waits behind job 2; under easy it starts at the present instant.
    jobs = [Job(0, 100, 6, number=1), Job(0, 100, 8, number=2), Job(0, 50, 2, number=3)]
    one = present(jobs, "fcfs")
    assert starts(one, plain("fcfs"))["3"] == 200.0
    easy = load_policy("easy")
    values = easy.declaration.values({})
    other = Scenario("easy", easy, values, tuple(easy.declaration.vector(values)))
    assert starts(one, other) == {"1": 0.0, "2": 100.0, "3": 1.0}


def test_the_state_stays_as_it_was() -> None:
    one = present([Job(0, 100, 6, number=1), Job(0, 100, 8, number=2)])
    before = one.to_bytes()
    starts(one, plain("easy"))
    again = Present.from_bytes(before)
    assert np.array_equal(again.tables.jobs.record, one.tables.jobs.record)
    assert again.tables.numbers_in_order().tolist() == one.tables.numbers_in_order().tolist()


def test_curves_and_figures_are_those_of_a_case_by_hand() -> None:
    one = present([Job(0, 100, 8, number=1), Job(0, 100, 8, number=2)])
    [found] = judged(one, ["as it is"], [[outcome(one, plain("easy"), by_estimates(one), 201.0)]], 201.0)
    assert found.figures["started_jobs"].middle == 1.0
    assert found.figures["ended_jobs"].middle == 2.0
    assert found.figures["mean_wait_s"].middle == 100.0
    assert found.figures["mean_bounded_slowdown"].middle == 2.0
    assert found.figures["utilization"].middle == pytest.approx(199 / 200)
    assert (found.waiting.middle[0], found.waiting.middle[-1]) == (1.0, 0.0)
    assert (found.busy.middle[0], found.busy.middle[-1]) == (8.0, 0.0)


@pytest.mark.parametrize(("policy", "word"), [("gs", "rows"), ("ps", "rows|reserv|mix")])
def test_a_policy_that_cannot_go_on_from_here_is_refused(policy: str, word: str) -> None:
    one = present([Job(0, 100, 8, number=1)])
    loaded = load_policy(policy)
    values = loaded.declaration.values({})
    away = Reservation("r", 4, 150.0, 400.0, terms=Terms(hosts={"n2": 4}))
    scenario = Scenario(policy, loaded, values, tuple(loaded.declaration.vector(values)), (away,))
    with pytest.raises(BadInput, match=word):
        check(one, scenario)


def test_bytes_that_are_no_state_are_refused() -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        Present.from_bytes(b"nothing of the kind")
