"""Who shares a node with whom, and sets of nodes: one scenario a policy, worked out by hand."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from molokini.availability.node_rules import NodeRule, SetOrder, SetPolicy
from molokini.model.decisions import Refusal
from molokini.model.errors import BadValue
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSets, NodeSettings
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Qos
from molokini.policies.maui.configuration.words import (
    Allocation,
    PreemptPolicy,
    QosFlag,
    SetAttribute,
)
from molokini.sim.replay import Replay
from tests.core.policies.maui.nodes.test_allocation import nodes_of
from tests.kit.maui import Whose, at, finished, giving_way, maui, nodes, request
from tests.kit.replays import starts
from tests.kit.workloads import Job

ANN, BOB, CY = Whose("ann"), Whose("bob"), Whose("cy")
LONG = 1000.0


def ruled(access: NodeRule = NodeRule.SHARED, **lines: NodeLine) -> MauiSettings:
    return MauiSettings(
        nodes=NodeSettings(Allocation.FIRSTAVAILABLE, access, lines={name: lines[name] for name in lines})
    )


def placed(
    how: MauiSettings,
    jobs: Sequence[Job],
    offers: Machine,
    whose: Sequence[Whose] | None = None,
    requests: Mapping[int, Request] | None = None,
) -> list[list[int] | None]:
    """The nodes of each job at 100 s; None: it does not run."""
    replay = maui(jobs, how, whose, machine=offers, requests=dict(requests or {}))
    t = at(replay, 100)
    running = set(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist())
    return [nodes_of(replay, k + 1) if k + 1 in running else None for k in range(len(jobs))]


class TestAccess:
    """Two nodes of 4 processors; jobs of 1, 2 and 1, then one of 1, by ann, bob, ann and bob."""

    JOBS = (Job(0, LONG, 1), Job(1, LONG, 2), Job(2, LONG, 1), Job(3, LONG, 1))
    WHOSE = (ANN, BOB, ANN, BOB)

    @pytest.mark.parametrize(
        ("access", "wanted"),
        [
            (NodeRule.SHARED, [[0], [0], [0], [1]]),
            (NodeRule.SHARED_ONLY, [[0], [0], [0], [1]]),
            (NodeRule.SINGLE_JOB, [[0], [1], None, None]),
            (NodeRule.SINGLE_USER, [[0], [1], [0], [1]]),
            (NodeRule.UNIQUE_USER, [[0], [0], [1], [1]]),
        ],
    )
    def test_of_all_nodes(self, access: NodeRule, wanted: list[list[int] | None]) -> None:
        assert placed(ruled(access), self.JOBS, nodes(2, 4), self.WHOSE) == wanted

    def test_single_task_puts_one_task_on_a_node(self) -> None:
        jobs = (Job(0, LONG, 2), Job(1, LONG, 1), Job(2, LONG, 1))
        assert placed(ruled(NodeRule.SINGLE_TASK), jobs, nodes(3, 4)) == [[0, 1], [2], None]

    def test_of_one_node_goes_before_that_of_all(self) -> None:
        """n1 takes one job at a time; n2 is shared."""
        how = ruled(n1=NodeLine(access=NodeRule.SINGLE_JOB))
        assert placed(how, self.JOBS, nodes(2, 4), self.WHOSE) == [[0], [1], [1], [1]]
        how = ruled(NodeRule.SINGLE_JOB, n1=NodeLine(access=NodeRule.SHARED))
        assert placed(how, self.JOBS, nodes(2, 4), self.WHOSE) == [[0], [0], [0], [1]]

    def test_default_speaks_for_all_lines(self) -> None:
        how = ruled(DEFAULT=NodeLine(access=NodeRule.SINGLE_JOB), n1=NodeLine(speed=2.0))
        assert placed(how, self.JOBS, nodes(2, 4), self.WHOSE) == [[0], [1], None, None]

    def test_a_job_starts_when_its_node_is_given_up(self) -> None:
        jobs = (Job(0, 100, 1), Job(1, 300, 1), Job(2, 50, 1), Job(3, 50, 1))
        assert starts(finished(jobs, ruled(NodeRule.SINGLE_JOB), machine=nodes(2, 4))) == [0, 1, 100, 150]

    def test_a_job_that_is_promised_a_node_is_not_delayed(self) -> None:
        """Job 3 takes two nodes whole: it is promised 300. Job 4 would be on n1 up to 600 and waits, job 5
        not. Counting processors would have let both in.
        """
        jobs = (Job(0, 100, 1), Job(1, 299, 1), Job(2, 100, 8), Job(103, 500, 1), Job(104, 190, 1))
        replay = finished(jobs, ruled(NodeRule.SINGLE_JOB), machine=nodes(2, 4))
        assert starts(replay) == [0.0, 1.0, 300.0, 400.0, 104.0]

    def test_of_a_qos(self) -> None:
        """DEDICATED: bob's jobs share with nobody, whatever the nodes say."""
        qos = {"high": Qos(flags=frozenset({QosFlag.DEDICATED})), "DEFAULT": Qos()}
        how = MauiSettings(
            qos=qos, system=Credential(qos_list=("high",)), nodes=NodeSettings(Allocation.FIRSTAVAILABLE)
        )
        whose = (ANN, Whose("bob", qos="high"), ANN, ANN, Whose("cy", qos="high"))
        jobs = (Job(0, LONG, 1), Job(1, LONG, 1), Job(2, LONG, 3), Job(3, LONG, 1), Job(4, LONG, 1))
        assert placed(how, jobs, nodes(3, 4), whose) == [[0], [1], [0], [2], None]

    def test_of_a_qos_is_what_a_promise_holds(self) -> None:
        """Job 3 (DEDICATED) is promised all of n1 at 100, two deep: job 4 would stay, and goes after it."""
        qos = {"high": Qos(flags=frozenset({QosFlag.DEDICATED})), "DEFAULT": Qos()}
        how = MauiSettings(
            qos=qos,
            system=Credential(qos_list=("high",)),
            nodes=NodeSettings(Allocation.FIRSTAVAILABLE),
            buckets=(Bucket(2),),
        )
        jobs = (Job(0, 100, 2), Job(0, 1000, 4), Job(1, 50, 1), Job(2, 500, 2))
        requests = {1: Request((Component(1, {Resource.PROCESSORS: 4.0}),))}
        whose = (ANN, ANN, Whose("bob", qos="high"), ANN)
        replay = finished(jobs, how, whose, machine=nodes(2, 4), requests=requests)
        assert starts(replay) == [0, 0, 100, 150]

    def test_shared_only_takes_no_job_that_wants_it_for_itself(self) -> None:
        qos = {"high": Qos(flags=frozenset({QosFlag.DEDICATED})), "DEFAULT": Qos()}
        lines = {"n1": NodeLine(access=NodeRule.SHARED_ONLY)}
        how = MauiSettings(
            qos=qos,
            system=Credential(qos_list=("high",)),
            nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines=lines),
        )
        assert placed(how, [Job(0, LONG, 1)], nodes(2, 4), [Whose("bob", qos="high")]) == [[1]]

    @hypothesis_settings(max_examples=15, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.integers(0, 40), st.integers(1, 60), st.integers(1, 6), st.sampled_from([ANN, BOB, CY])
            ),
            min_size=1,
            max_size=25,
        ),
        st.sampled_from(list(NodeRule)),
    )
    def test_no_node_breaks_its_rule(
        self, drawn: list[tuple[int, int, int, Whose]], access: NodeRule
    ) -> None:
        drawn.sort(key=lambda one: one[0])
        jobs = [Job(submit, length, width) for submit, length, width, _ in drawn]
        replay = maui(jobs, ruled(access), [one[3] for one in drawn], machine=nodes(4, 3))
        for until_s in range(0, 140, 7):
            at(replay, until_s)
            _assert_rules(replay, access)
        assert replay.run()


def _assert_rules(replay: Replay, access: NodeRule) -> None:
    t = replay.tables
    there: dict[int, list[tuple[int, int, int]]] = {}
    for row in t.queue.running[: t.queue.running_count].tolist():
        entry = int(t.jobs.entries[row])
        while entry >= 0:
            user = int(t.credentials.user[t.jobs.credential[row]])
            there.setdefault(int(t.entries.node[entry]), []).append((row, user, int(t.entries.tasks[entry])))
            entry = int(t.entries.next[entry])
    for holders in there.values():
        users = [user for _, user, _ in holders]
        if access in (NodeRule.SINGLE_JOB, NodeRule.SINGLE_TASK):
            assert len(holders) == 1
        if access is NodeRule.SINGLE_TASK:
            assert holders[0][2] == 1
        if access is NodeRule.SINGLE_USER:
            assert len(set(users)) == 1
        if access is NodeRule.UNIQUE_USER:
            assert len(set(users)) == len(users)


class TestMostJobs:
    JOBS = (Job(0, LONG, 1), Job(1, LONG, 1), Job(2, LONG, 1), Job(3, LONG, 1))

    def test_of_a_node(self) -> None:
        how = ruled(n1=NodeLine(most_jobs=2))
        assert placed(how, self.JOBS, nodes(2, 4)) == [[0], [0], [1], [1]]

    def test_of_one_user(self) -> None:
        how = ruled(DEFAULT=NodeLine(most_jobs_per_user=1))
        assert placed(how, self.JOBS, nodes(2, 4), (ANN, ANN, BOB, ANN)) == [[0], [1], [0], None]

    def test_a_job_that_has_several_components_on_a_node_is_one_there(self) -> None:
        """Ann's first job has both of its components on n1: it is one of her two, and one of the three."""
        parts = {0: Request((Component(1), Component(1, {Resource.PROCESSORS: 2.0})))}
        jobs = (Job(0, LONG, 3), *self.JOBS[1:])
        how = ruled(DEFAULT=NodeLine(most_jobs_per_user=2))
        assert placed(how, jobs, nodes(2, 8), [ANN] * 4, parts) == [[0, 0], [0], [1], [1]]
        how = ruled(DEFAULT=NodeLine(most_jobs=3))
        assert placed(how, jobs, nodes(2, 8), [ANN] * 4, parts) == [[0, 0], [0], [0], [1]]


def kinds(*offers: tuple[int, int]) -> Machine:
    """Nodes of (processors, memory in MB)."""
    return Machine.of_nodes(
        [
            Node({Resource.PROCESSORS: float(processors), Resource.MEMORY_KB: memory * 1024.0})
            for processors, memory in offers
        ]
    )


class TestSets:
    """n1, n2: switch a; n3, n4, n5: switch b; two processors each."""

    LINES: ClassVar = {f"n{k}": NodeLine(features=("a",) if k < 3 else ("b",)) for k in range(1, 6)}

    def how(
        self, policy: SetPolicy, lines: Mapping[str, NodeLine] | None = None, **sets: object
    ) -> MauiSettings:
        made = NodeSets(policy, **{"attribute": SetAttribute.FEATURE, **sets})  # type: ignore[arg-type]
        return MauiSettings(
            nodes=NodeSettings(Allocation.FIRSTAVAILABLE, sets=made, lines=lines or self.LINES)
        )

    def test_one_of_takes_the_smallest_or_the_largest_that_does(self) -> None:
        for order, wanted in ((SetOrder.BEST_FIT, [0, 1]), (SetOrder.WORST_FIT, [2, 3])):
            how = self.how(SetPolicy.ONE_OF, order=order)
            assert placed(how, [Job(0, LONG, 4)], nodes(5, 2)) == [wanted]

    def test_one_of_takes_no_set_that_is_too_small(self) -> None:
        how = self.how(SetPolicy.ONE_OF, order=SetOrder.BEST_FIT)
        assert placed(how, [Job(0, LONG, 5)], nodes(5, 2)) == [[2, 3, 4]]

    def test_first_of_takes_the_first_listed_that_does(self) -> None:
        for values, wanted in ((("b", "a"), [2, 3]), (("a", "b"), [0, 1])):
            how = self.how(SetPolicy.FIRST_OF, values=values)
            assert placed(how, [Job(0, LONG, 4)], nodes(5, 2)) == [wanted]

    def test_any_of_takes_nodes_of_all_that_are_listed(self) -> None:
        lines = {**self.LINES, "n1": NodeLine(features=("c",))}
        how = self.how(SetPolicy.ANY_OF, lines, values=("a", "b"))
        assert placed(how, [Job(0, LONG, 4)], nodes(5, 2)) == [[1, 2]]

    def test_best_resource_takes_the_fastest(self) -> None:
        lines = {**self.LINES, "n4": NodeLine(features=("b",), speed=3.0)}
        how = self.how(SetPolicy.ONE_OF, lines, order=SetOrder.BEST_RESOURCE)
        assert placed(how, [Job(0, LONG, 2)], nodes(5, 2)) == [[2]]

    def test_min_loss_wastes_the_least_speed(self) -> None:
        """In a speeds are 1 and 2: with 2 tasks each 2 are wasted; in b they are equal where the job goes."""
        lines = {**self.LINES, "n2": NodeLine(features=("a",), speed=2.0)}
        how = self.how(SetPolicy.ONE_OF, lines, order=SetOrder.MIN_LOSS)
        assert placed(how, [Job(0, LONG, 4)], nodes(5, 2)) == [[2, 3]]

    def test_min_loss_counts_the_speed_that_each_task_wastes(self) -> None:
        """4 tasks, 3 on the first node of a set: in a 1 is wasted once, in b 0.9 three times."""
        speeds = {"n1": ("a", 1.0), "n2": ("a", 2.0), "n3": ("b", 1.9), "n4": ("b", 1.0)}
        lines = {name: NodeLine(features=(letter,), speed=speed) for name, (letter, speed) in speeds.items()}
        how = self.how(SetPolicy.ONE_OF, lines, order=SetOrder.MIN_LOSS)
        assert placed(how, [Job(0, LONG, 4)], nodes(4, 3)) == [[0, 1]]

    @pytest.mark.parametrize("order", list(SetOrder))
    def test_of_equal_sets_the_first_is_taken(self, order: SetOrder) -> None:
        lines = {f"n{k}": NodeLine(features=("a",) if k < 3 else ("b",)) for k in range(1, 5)}
        how = self.how(SetPolicy.ONE_OF, lines, order=order)
        assert placed(how, [Job(0, LONG, 4)], nodes(4, 2)) == [[0, 1]]

    def test_without_delay_a_job_rather_runs_outside_a_set(self) -> None:
        """Switch b is half taken: 5 processors are in no set."""
        jobs = (Job(0, 200, 3), Job(1, LONG, 5), Job(2, 30, 1))
        first = self.how(SetPolicy.FIRST_OF, values=("b", "a"))
        assert starts(finished(jobs, first, machine=nodes(5, 2)))[1] == 1.0
        insisting = self.how(SetPolicy.FIRST_OF, values=("b", "a"), insisted=True)
        assert starts(finished(jobs, insisting, machine=nodes(5, 2))) == [0.0, 200.0, 2.0]

    def test_with_delay_a_job_larger_than_any_set_is_refused(self) -> None:
        how = self.how(SetPolicy.ONE_OF, insisted=True)
        replay = finished([Job(0, 10, 7), Job(1, 10, 6)], how, machine=nodes(5, 2))
        schedule = replay.schedule()
        assert starts(replay) == [None, 1.0]
        assert schedule.refused == {Refusal.NEVER_PLACEABLE.name.lower(): 1}

    def test_by_memory_and_by_speed(self) -> None:
        offers = kinds((2, 1024), (2, 2048), (2, 1024), (2, 2048))
        how = self.how(
            SetPolicy.FIRST_OF, {"DEFAULT": NodeLine()}, attribute=SetAttribute.MEMORY, values=("2048",)
        )
        assert placed(how, [Job(0, LONG, 4)], offers) == [[1, 3]]
        lines = {
            f"n{k + 1}": NodeLine(processor_speed=speed)
            for k, speed in enumerate([350.0, 450.0, 360.0, 450.0])
        }
        by_speed = {"attribute": SetAttribute.PROCESSOR_SPEED, "order": SetOrder.MIN_LOSS}
        how = self.how(SetPolicy.ONE_OF, lines, tolerance=0.0, **by_speed)
        assert placed(how, [Job(0, LONG, 4)], offers) == [[1, 3]]
        # 360 is within 5% of 350: now there are two such sets, and the faster wastes nothing.
        how = self.how(SetPolicy.FIRST_OF, lines, tolerance=0.05, **by_speed)
        assert placed(how, [Job(0, LONG, 4)], offers) == [[0, 2]]

    def test_values_that_are_no_numbers(self) -> None:
        with pytest.raises(BadValue, match="NODESETLIST"):
            NodeSets(SetPolicy.ONE_OF, SetAttribute.MEMORY, ("big",))


def test_qos_features_keep_jobs_to_their_nodes() -> None:
    nodes_settings = NodeSettings(
        Allocation.FIRSTAVAILABLE,
        qos_features={"high": ("fast",)},
        lines={"n2": NodeLine(features=("fast", "big")), "n1": NodeLine(features=("big",))},
    )
    how = MauiSettings(
        qos={"high": Qos(), "DEFAULT": Qos()}, system=Credential(qos_list=("high",)), nodes=nodes_settings
    )
    jobs = (Job(0, 50, 2), Job(1, LONG, 1), Job(2, 10, 1), Job(3, 10, 3))
    whose = (Whose("ann", qos="high"), ANN, Whose("bob", qos="high"), Whose("bob", qos="high"))
    replay = maui(jobs, how, whose, machine=nodes(2, 2))
    at(replay, 10)
    assert (nodes_of(replay, 1), nodes_of(replay, 2)) == ([1], [0])
    assert replay.run()
    assert starts(replay) == [0.0, 1.0, 50.0, None], "the last is wider than all that is fast"


def test_features_of_queues_keep_jobs_to_their_nodes_beside_those_of_their_qos() -> None:
    lines = {"n1": NodeLine(features=("fast",)), "n2": NodeLine(features=("fast", "big"))}
    features = {"short": ("fast",), "DEFAULT": ("slow",)}
    nodes_settings = NodeSettings(
        Allocation.LASTAVAILABLE,
        qos_features={"high": ("big",)},
        queue_features=features,
        lines={**lines, "n3": NodeLine(features=("slow",))},
    )
    how = MauiSettings(
        queues={"short": Credential(), "long": Credential(), "DEFAULT": Credential()},
        qos={"high": Qos(), "DEFAULT": Qos()},
        system=Credential(qos_list=("high",)),
        nodes=nodes_settings,
    )
    jobs = (Job(0, 50, 2), Job(1, LONG, 2), Job(2, LONG, 1), Job(3, 10, 2), Job(4, 10, 5))
    high, low = Whose("ann", queue="short", qos="high"), Whose("ann", queue="short")
    replay = maui(jobs, how, (high, Whose("ann", queue="long"), low, high, low), machine=nodes(3, 2))
    at(replay, 10)
    assert [nodes_of(replay, k) for k in (1, 2, 3)] == [[1], [2], [0]]
    assert replay.run()
    assert starts(replay) == [0.0, 1.0, 2.0, 50.0, None], "the last is wider than all that is fast"


def test_rules_end_with_the_policy() -> None:
    """Memory, swap and generic resources are counted under rules as without."""
    jobs = (Job(0, LONG, 1), Job(1, LONG, 1), Job(2, LONG, 1))
    wishes = {0: request(1, 3000), 1: request(1, 3000), 2: request(1, 1000)}
    offers = kinds((4, 4096), (4, 4096))
    assert placed(ruled(NodeRule.SINGLE_USER), jobs, offers, requests=wishes) == [[0], [1], [0]]


@pytest.mark.quick(one_in=66)
@pytest.mark.parametrize("allocation", list(Allocation))
@pytest.mark.parametrize("access", list(NodeRule))
def test_compiled_and_interpreted_place_alike(allocation: Allocation, access: NodeRule) -> None:
    lines = {
        f"n{k + 1}": NodeLine(features=("ab"[k % 2],), speed=1.0 + k % 3, priority=k * 7 % 5, most_jobs=3)
        for k in range(6)
    }
    sets = NodeSets(SetPolicy.ONE_OF, SetAttribute.FEATURE, order=SetOrder.WORST_FIT)
    how = MauiSettings(nodes=NodeSettings(allocation, access, sets, lines=lines))
    jobs = [Job(7 * k % 50 + k, 20 + 13 * k % 90, 1 + k * 5 % 7) for k in range(40)]
    jobs.sort(key=lambda one: one.submit)
    whose = [(ANN, BOB, CY)[k * 3 % 7 % 3] for k in range(40)]
    wishes = {k: request(1 + k % 2, 500.0 + 100 * k) for k in range(0, 40, 5)}
    jobs = [
        Job(job.submit, job.run, wishes[k].processors) if k in wishes else job for k, job in enumerate(jobs)
    ]
    offers = kinds(*[(4, 4096 + 512 * k) for k in range(6)])
    found = []
    for compiled in (False, True):
        replay = maui(jobs, how, whose, machine=offers, requests=wishes, compiled=compiled)
        at(replay, 60)
        t = replay.tables
        there = [
            nodes_of(replay, int(t.jobs.number[row])) for row in t.queue.running[: t.queue.running_count]
        ]
        assert replay.run()
        found.append((there, starts(replay)))
    assert found[0] == found[1]
    assert any(start is not None for start in found[0][1])


@pytest.mark.parametrize(
    ("limits", "used"),
    [
        ({"users": 2}, [2, 2, 1]),
        ({"users": 3, "queues": 4}, [3, 2, 0]),
        ({"users": 3, "queues": 2}, [2, 2, 1]),
        ({"system": 2}, [2, 2, 1]),
        ({"system": 3, "users": 2}, [2, 2, 1]),
        ({"system": 2, "users": 3}, [2, 2, 1]),
    ],
)
def test_maxprocpernode_bounds_what_a_job_has_on_one_node(limits: dict[str, int], used: list[int]) -> None:
    names = {"users": "ann", "queues": "long"}
    bounds = {kind: Credential(max_processors_per_node=most) for kind, most in limits.items()}
    lines = {kind: {name: bounds[kind]} for kind, name in names.items() if kind in bounds}
    made = MauiSettings(**lines, system=bounds.get("system", Credential()))  # type: ignore[arg-type]
    replay = maui(
        [Job(0, 10, 5), Job(0, 10, 3)], made, [Whose(), Whose(user="bob", queue="short")], nodes(3, 4)
    )
    replay.run(0)
    t = replay.tables
    by_node = [0, 0, 0]
    entry = int(t.jobs.entries[t.jobs.number == 1][0])
    while entry >= 0:
        by_node[int(t.entries.node[entry])] += int(t.entries.tasks[entry])
        entry = int(t.entries.next[entry])
    assert by_node == used
    assert starts(replay) == [0, 0]


def test_a_job_that_no_nodes_take_under_maxprocpernode_is_refused() -> None:
    made = MauiSettings(users={"DEFAULT": Credential(max_processors_per_node=2)})
    jobs, whose = [Job(0, 10, 6), Job(0, 10, 7), Job(0, 10, 2)], [Whose()] * 3
    requests = {2: request(2, nodes=1)}
    replay = finished(jobs, made, whose, nodes(3, 4), requests=requests)
    assert starts(replay) == [0, None, 0]
    assert replay.agenda.results.refusal.tolist() == [0, Refusal.NEVER_PLACEABLE, 0]


@pytest.mark.parametrize(
    ("lines", "line", "features"),
    [
        ({"n1": NodeLine(features=("fast",))}, Credential(), {"long": ("fast",)}),
        (
            {"n2": NodeLine(access=NodeRule.SHARED_ONLY)},
            Credential(job_flags=frozenset({QosFlag.DEDICATED})),
            {},
        ),
    ],
)
def test_who_is_kept_to_few_nodes_is_asked_about_by_himself(
    lines: dict[str, NodeLine], line: Credential, features: dict[str, tuple[str, ...]]
) -> None:
    """All 8 of two nodes run for bob; one node alone takes ann's: 5 can never run, 4 can."""
    how = MauiSettings(nodes=NodeSettings(lines=lines, queue_features=features), queues={"long": line})
    jobs = [Job(0, 10, 8), Job(1, 10, 5), Job(1, 10, 4)]
    whose = [Whose("bob", queue="short"), Whose("ann"), Whose("ann")]
    schedule = finished(jobs, how, whose, machine=nodes(2, 4)).schedule()
    assert schedule.refused_rows.tolist() == [False, True, False]
    assert schedule.start_s[2] == 10


def test_who_may_have_few_processors_of_a_node_is_asked_about_by_himself() -> None:
    """All 8 of two nodes run for bob; ann, who may have one of each, can never run 4, however wide he was."""
    made = MauiSettings(users={"ann": Credential(max_processors_per_node=1)})
    jobs, whose = [Job(0, 10, 8), Job(1, 10, 4), Job(1, 10, 2)], [Whose("bob"), Whose("ann"), Whose("ann")]
    schedule = finished(jobs, made, whose, machine=nodes(2, 4)).schedule()
    assert schedule.refused_rows.tolist() == [False, True, False]
    assert schedule.start_s[2] == 10


def test_a_job_that_goes_on_counts_on_its_node_in_the_same_iteration() -> None:
    """A node takes one job of each user: ann's second waits for the end of her first, which stands still from
    30 to 80 for bob's.
    """
    one_each = NodeSettings(Allocation.FIRSTAVAILABLE, NodeRule.UNIQUE_USER)
    how = giving_way(PreemptPolicy.SUSPEND, nodes=one_each)
    whose = (Whose("ann", qos="low"), ANN, Whose("bob", qos="high"))
    replay = finished((Job(0, 100, 2), Job(1, 10, 2), Job(30, 50, 4)), how, whose, machine=nodes(1, 4))
    assert starts(replay) == [0, 150, 30]
