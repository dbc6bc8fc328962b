"""All policies of the family against Figure 3 in plain Python, and against what they promise."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.applications.divisible import Costs
from molokini.model.decisions import Rule
from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.policies import load_policy
from molokini.policies.divisible import POLICIES
from molokini.sim.replay import Options, Replay
from tests.kit.divisible_worlds import FigureThree, Task, begun, divisible_workload, planned, replayed
from tests.kit.invariants import assert_no_overuse, assert_tables_empty, assert_work_conserved

NODES = 8
EASY_COSTS = Costs(1.0, 10.0)
SET_UP_COSTS = Costs(2.0, 10.0, 3.0, 4.0)
every_member = pytest.mark.parametrize("policy", [policy.name for policy in POLICIES])


@st.composite
def task_lists(draw: st.DrawFn, costs: Costs = EASY_COSTS, most: int = 14) -> list[Task]:
    """Tasks with many ties, at a load that has some refused; deadlines that are met exactly among them."""
    tasks, at = [], 0.0
    for _ in range(draw(st.integers(0, most))):
        at += draw(st.sampled_from([0.0, 0.0, 1.0, 5.0, 12.0, 30.0]))
        size = draw(st.sampled_from([1.0, 2.0, 5.0, 8.0, 13.0, 20.5]))
        nodes = draw(st.integers(1, NODES))
        slack = draw(st.sampled_from([1.0, 1.0, 1.3, 2.0, 5.0]))
        tasks.append(Task(at, size, slack * costs.execution_s("opr", size, nodes)))
    return tasks


@pytest.mark.quick(one_in=7)
@every_member
@given(tasks=task_lists())
@settings(max_examples=60, deadline=None)
def test_decisions_are_those_of_figure_3(policy: str, tasks: list[Task]) -> None:
    values = {"k": 3} if policy.endswith("-k") else {}
    replay = replayed(tasks, policy, NODES, EASY_COSTS, values)
    assert planned(replay) == FigureThree(policy, NODES, EASY_COSTS, k=3).run(tasks)
    assert_no_overuse(replay)
    assert_tables_empty(replay)


@pytest.mark.parametrize("policy", ["edf-opr-mn", "fifo-epr-mn", "mwf-opr-mn", "edf-epr-an"])
@given(tasks=task_lists(SET_UP_COSTS))
@settings(max_examples=40, deadline=None)
def test_the_same_with_set_up_costs(policy: str, tasks: list[Task]) -> None:
    replay = replayed(tasks, policy, NODES, SET_UP_COSTS)
    assert planned(replay) == FigureThree(policy, NODES, SET_UP_COSTS).run(tasks)


@pytest.mark.parametrize("policy", ["edf-opr-mn", "edf-epr-an", "fifo-opr-mn"])
@given(tasks=task_lists())
@settings(max_examples=40, deadline=None)
def test_the_same_with_a_shared_port(policy: str, tasks: list[Task]) -> None:
    replay = replayed(tasks, policy, NODES, EASY_COSTS, {"port": "shared"})
    found = planned(replay)
    assert found == FigureThree(policy, NODES, EASY_COSTS, shared_port=True).run(tasks)
    sent = sorted((start, start + tasks[k].size * EASY_COSTS.send_s) for k, (start, _, _) in found.items())
    assert all(one[1] <= other[0] for one, other in pairwise(sent))


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("port", ["unlimited", "shared"])
@pytest.mark.parametrize("policy", ["edf-opr-mn", "fifo-epr-mn", "mwf-opr-mn", "edf-opr-an", "edf-opr-k"])
@given(tasks=task_lists())
@settings(max_examples=25, deadline=None)
def test_the_same_where_nodes_released_earliest_are_taken(policy: str, port: str, tasks: list[Task]) -> None:
    values: dict[str, Any] = {"take": "earliest", "port": port, **({"k": 3} if policy.endswith("-k") else {})}
    replay = replayed(tasks, policy, NODES, EASY_COSTS, values)
    plain = FigureThree(policy, NODES, EASY_COSTS, k=3, shared_port=port == "shared", take_latest=False)
    assert planned(replay) == plain.run(tasks)
    assert_no_overuse(replay)
    assert_tables_empty(replay)


@pytest.mark.parametrize(("take", "start_s"), [("earliest", "when the first ends"), ("latest", "at once")])
def test_a_node_that_is_free_long_before_a_start_may_be_left_to_others(take: str, start_s: str) -> None:
    """One of five nodes is idle. The second task waits for two; the third, planned after it, wants one."""
    four, two = (EASY_COSTS.execution_s("opr", 20.0, n) for n in (4, 2))
    tasks = [Task(0, 20.0, four), Task(0, 20.0, four + two), Task(1, 5.0, 400.0)]
    found = planned(replayed(tasks, "edf-opr-mn", 5, EASY_COSTS, {"take": take}))
    assert [found[k][1] for k in range(3)] == [4, 2, 1]
    assert found[1][0] == four
    assert found[2][0] == (1.0 if start_s == "at once" else four)


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("costs", [EASY_COSTS, SET_UP_COSTS, Costs(0.0, 10.0)])
@pytest.mark.parametrize("policy", ["edf-epr-mn", "fifo-epr-an", "mwf-epr-mn", "edf-epr-k"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_same_where_nodes_are_free_with_chunks(policy: str, costs: Costs, data: st.DataObject) -> None:
    tasks = data.draw(task_lists(costs))
    values: dict[str, Any] = {"release": "each", **({"k": 3} if policy.endswith("-k") else {})}
    replay = replayed(tasks, policy, NODES, costs, values)
    assert planned(replay) == FigureThree(policy, NODES, costs, k=3, release_each=True).run(tasks)
    assert_no_overuse(replay)
    assert_work_conserved(replay)
    assert_tables_empty(replay)


def test_nodes_that_are_more_than_counted_are_not_given_back_one_by_one() -> None:
    with pytest.raises(BadValue, match=r"release: 'each' .* where processors are counted"):
        replayed([], "edf-epr-mn", NODES, EASY_COSTS, {"release": "each"}, Machine.uniform(NODES, 1))


@pytest.mark.quick(one_in=7)
@every_member
@given(tasks=task_lists())
@settings(max_examples=40, deadline=None)
def test_who_is_admitted_meets_his_deadline_exactly(policy: str, tasks: list[Task]) -> None:
    schedule = replayed(
        tasks, policy, NODES, EASY_COSTS, {"k": 2} if policy.endswith("-k") else {}
    ).schedule()
    for k, task in enumerate(tasks):
        if not schedule.refused_rows[k]:
            assert schedule.end_s[k] <= task.until
    assert sum(schedule.refused.values()) == schedule.refused_rows.sum()
    assert set(schedule.refused) <= {"deadline_too_tight", "deadline_not_guaranteed"}


@pytest.mark.quick(one_in=7)
@every_member
@given(tasks=task_lists(most=10))
@settings(max_examples=10, deadline=None)
def test_interpreted_and_compiled_runs_are_equal(policy: str, tasks: list[Task]) -> None:
    values = {"k": 2} if policy.endswith("-k") else {}
    compiled = replayed(tasks, policy, NODES, EASY_COSTS, values)
    assert planned(replayed(tasks, policy, NODES, EASY_COSTS, values, interpreted=True)) == planned(compiled)


@given(tasks=task_lists())
@settings(max_examples=40, deadline=None)
def test_on_nodes_as_on_counted_processors(tasks: list[Task]) -> None:
    on_nodes = replayed(tasks, "edf-opr-mn", NODES, EASY_COSTS, machine=Machine.uniform(NODES, 1))
    assert planned(on_nodes) == planned(replayed(tasks, "edf-opr-mn", NODES, EASY_COSTS))
    assert_tables_empty(on_nodes)


def test_a_task_alone_gets_the_fewest_nodes_that_do() -> None:
    size, three = 10.0, EASY_COSTS.execution_s("opr", 10.0, 3)
    tasks = [Task(0, size, three)]
    assert planned(replayed(tasks, "edf-opr-mn", NODES, EASY_COSTS)) == {0: (0.0, 3, three)}
    tasks = [Task(0, size, np.nextafter(three, 0))]
    assert planned(replayed(tasks, "edf-opr-mn", NODES, EASY_COSTS))[0][1] == 4


def test_a_deadline_that_nobody_could_meet_and_one_that_others_stand_in_the_way_of() -> None:
    alone = EASY_COSTS.execution_s("opr", 10.0, NODES)
    tasks = [Task(0, 10.0, 0.99 * alone), Task(0, 10.0, alone), Task(0, 10.0, alone)]
    schedule = replayed(tasks, "edf-opr-an", NODES, EASY_COSTS).schedule()
    assert schedule.refused == {"deadline_too_tight": 1, "deadline_not_guaranteed": 1}
    assert schedule.refused_rows.tolist() == [True, False, True]


def test_a_newcomer_may_not_spoil_who_was_admitted() -> None:
    """The second has the earlier deadline and would go first under EDF; then the first would be late."""
    alone = EASY_COSTS.execution_s("opr", 10.0, NODES)
    running, first = Task(0, 10.0, alone), Task(1, 10.0, 2 * alone)
    second = Task(2, 1.0, 2 * alone - 2)
    schedule = replayed([running, first, second], "edf-opr-an", NODES, EASY_COSTS).schedule()
    assert schedule.refused_rows.tolist() == [False, False, True]
    assert schedule.end_s[1] <= first.until


@pytest.mark.parametrize("policy", ["edf-opr-an", "fcfs"])
def test_on_a_smaller_machine_a_load_takes_the_nodes_that_there_are(policy: str) -> None:
    replay = replayed([Task(0, 10.0, 1000.0)], policy, NODES, EASY_COSTS, machine=Machine.counted(3))
    assert planned(replay) == {0: (0.0, 3, EASY_COSTS.execution_s("opr", 10.0, 3))}


def test_more_nodes_than_there_are_is_refused() -> None:
    with pytest.raises(BadValue, match="at most the machine's 8"):
        replayed([], "edf-opr-k", NODES, EASY_COSTS, {"k": 9})


@pytest.mark.parametrize("policy", ["edf-opr-mn", "fifo-opr-an", "edf-epr-k"])
def test_when_nodes_are_lost_nobody_is_forgotten(policy: str) -> None:
    """Promises are broken then, but every job runs or is refused, and never on nodes that are not there."""
    tasks = [Task(7.0 * k, 10.0, 80.0) for k in range(12)]
    facts = [
        AgendaEvent(20.0, EventKind.NODE_LOST, -1, 5),
        AgendaEvent(60.0, EventKind.NODE_LOST, -1, 3),
        AgendaEvent(150.0, EventKind.NODE_RETURNED, -1, 8),
    ]
    schedule = replayed(tasks, policy, NODES, EASY_COSTS, facts=facts).schedule()
    assert (schedule.finished | schedule.refused_rows).all()
    assert schedule.finished.any()


@pytest.mark.parametrize("policy", ["edf-opr-mn", "fifo-opr-an", "edf-epr-k"])
def test_while_no_node_is_up_who_waits_keeps_its_width(policy: str) -> None:
    tasks = [Task(7.0 * k, 10.0, 400.0) for k in range(12)]
    facts = [
        AgendaEvent(20.0, EventKind.NODE_LOST, -1, 8),
        AgendaEvent(150.0, EventKind.NODE_RETURNED, -1, 8),
    ]
    loaded = load_policy(policy)
    workload = divisible_workload(tasks, NODES, EASY_COSTS)
    replay = Replay(workload, Machine.counted(NODES), loaded, None, Options(facts=facts))
    for at_s in (20.0, 25.0, 100.0):
        replay.run(at_s)
        t = replay.tables
        waiting = t.queue.waiting[t.queue.head : t.queue.tail]
        assert waiting.size > 0
        assert (t.jobs.width[waiting] > 0).all()
        assert np.isfinite(t.jobs.estimate_s[waiting]).all()


def test_with_no_nodes_up_arrivals_wait() -> None:
    facts = [AgendaEvent(0.0, EventKind.NODE_LOST, -1, 8), AgendaEvent(50.0, EventKind.NODE_RETURNED, -1, 8)]
    schedule = replayed([Task(10.0, 5.0, 500.0)], "edf-opr-mn", NODES, EASY_COSTS, facts=facts).schedule()
    assert schedule.start_s.tolist() == [50.0]


@pytest.mark.parametrize(
    ("policy", "wanted"), [("edf-opr-mn", 1.0), ("fifo-opr-an", 1.0), ("edf-epr-k", 4.0)]
)
def test_why_an_arrival_waits_while_no_node_is_up(policy: str, wanted: float) -> None:
    facts = [AgendaEvent(5.0, EventKind.NODE_LOST, -1, 8), AgendaEvent(50.0, EventKind.NODE_RETURNED, -1, 8)]
    replay = begun([Task(10.0, 5.0, 500.0)], policy, NODES, EASY_COSTS, facts=facts)
    replay.tables.cycle.explain = 1
    replay.run(until_s=10.0)
    t = replay.tables
    row = int(t.queue.waiting[t.queue.head])
    told = t.reasons.rule[row], t.reasons.limit[row], t.reasons.value[row]
    assert told == (Rule.NOT_ENOUGH_FREE, 0.0, wanted)


def test_why_an_admitted_load_waits_for_its_start() -> None:
    all_of_it = EASY_COSTS.execution_s("opr", 20.0, NODES)
    replay = begun([Task(0.0, 20.0, all_of_it), Task(1.0, 5.0, 500.0)], "edf-opr-an", NODES, EASY_COSTS)
    replay.tables.cycle.explain = 1
    replay.run(until_s=1.0)
    t = replay.tables
    row = int(t.queue.waiting[t.queue.head])
    told = t.reasons.rule[row], t.reasons.limit[row], t.reasons.value[row]
    assert told == (Rule.RESERVED_LATER, all_of_it, 8.0)
