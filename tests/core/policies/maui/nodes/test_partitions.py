"""Partitions of nodes: no job spans them, lists say who may be where, defaults where they go first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from molokini.availability.node_rules import NodeRule
from molokini.cycle.dry_run import dry_run
from molokini.model.decisions import Rule
from molokini.model.errors import BadValue
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.site import NO_NODE, NOT_YET, NodeNumberOf
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Qos
from molokini.policies.maui.configuration.vector import vector_of
from molokini.policies.maui.configuration.words import (
    Allocation,
    ListRule,
    PreemptPolicy,
)
from molokini.tables.sizes import MOST_PARTITIONS
from molokini.tables.tables import Tables
from tests.core.policies.maui.nodes.test_allocation import nodes_of
from tests.kit.invariants import assert_no_overuse, assert_tables_empty
from tests.kit.maui import (
    Whose,
    at,
    finished,
    giving_way,
    maui,
    node_of,
    nodes,
    number_of,
    request,
)
from tests.kit.replays import starts
from tests.kit.workloads import Job

ANN, BOB, CY = Whose("ann"), Whose("bob"), Whose("cy")
LONG = 1000.0
FOUR = nodes(4, 4)
HALVES = {"n2": "b", "n4": "b"}
"""Nodes 0 and 2 are DEFAULT's, nodes 1 and 3 are b's."""


def divided(of: Mapping[str, str] = HALVES, **more: object) -> MauiSettings:
    lines = {name: NodeLine(partition=partition) for name, partition in of.items()}
    made = MauiSettings(nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines=lines))
    return replace(made, **more)  # type: ignore[arg-type]


def listed(*names: str, first: str = "", rule: ListRule = ListRule.ADD) -> Credential:
    return Credential(partition_list=names or None, partition_rule=rule, partition_default=first)


def placed(
    how: MauiSettings, jobs: Sequence[Job], whose: Sequence[Whose] | None = None
) -> list[list[int] | None]:
    """The nodes of each job at 100 s; None: it does not run."""
    replay = maui(jobs, how, whose, machine=FOUR)
    t = at(replay, 100)
    running = set(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist())
    return [nodes_of(replay, k + 1) if k + 1 in running else None for k in range(len(jobs))]


def test_a_job_waits_for_one_partition_though_there_is_room_in_all() -> None:
    """5 in one half and 5 in the other: 6 are free, 3 in each. The last is wider than both."""
    jobs = (Job(0, 50, 5), Job(0, 80, 5), Job(10, 10, 6), Job(60, 10, 9))
    replay = finished(jobs, divided(), machine=FOUR)
    assert starts(replay)[:3] == [0, 0, 50]
    assert replay.schedule().refused_rows.tolist() == [False, False, False, True]
    assert_tables_empty(replay)


def test_partitions_are_tried_in_the_order_of_their_nodes() -> None:
    jobs = [Job(0, LONG, 4)] * 4
    assert placed(divided(), jobs) == [[0], [2], [1], [3]]
    assert placed(divided({"n1": "z", "n2": "z"}), jobs) == [[0], [1], [2], [3]]
    assert placed(divided({"n1": "z", "n4": "z"}), jobs) == [[0], [3], [1], [2]]


def test_default_speaks_for_nodes_without_a_line() -> None:
    lines = {"DEFAULT": NodeLine(partition="b"), "n1": NodeLine(speed=2.0), "n3": NodeLine(partition="a")}
    how = MauiSettings(nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines=lines))
    assert placed(how, [Job(0, LONG, 4)] * 4) == [[0], [1], [3], [2]]


class TestLists:
    """PLIST and PDEF of credentials; two jobs of four processors of each of ann and bob."""

    JOBS = (Job(0, LONG, 4), Job(1, LONG, 4), Job(2, LONG, 4), Job(3, LONG, 4))
    WHOSE = (ANN, ANN, BOB, BOB)

    def of(self, how: MauiSettings, whose: Sequence[Whose] = WHOSE) -> list[list[int] | None]:
        return placed(how, self.JOBS, whose)

    def test_a_list_says_where_jobs_may_be(self) -> None:
        assert self.of(divided(users={"ann": listed("b")})) == [[1], [3], [0], [2]]
        assert self.of(divided(users={"ann": listed("b"), "bob": listed("b")})) == [[1], [3], None, None]

    def test_lists_are_joined(self) -> None:
        both = divided(users={"ann": listed("b")}, queues={"long": listed("DEFAULT")})
        assert self.of(both) == [[0], [2], None, None]
        assert self.of(replace(both, groups={"staff": listed("b")})) == [[0], [2], [1], [3]]

    def test_what_is_not_said_comes_from_defaults_line_and_the_system(self) -> None:
        assert self.of(divided(users={"DEFAULT": listed("b")})) == [[1], [3], None, None]
        assert self.of(divided(system=listed("b"))) == [[1], [3], None, None]

    def test_one_list_must_have_it_too(self) -> None:
        how = divided(users={"ann": listed("b", "DEFAULT")}, groups={"staff": listed("b", rule=ListRule.ALL)})
        assert self.of(how) == [[1], [3], None, None]

    def test_one_list_counts_alone(self) -> None:
        how = divided(users={"ann": listed("b", rule=ListRule.ALONE)}, groups={"staff": listed("DEFAULT")})
        assert self.of(how) == [[1], [3], [0], [2]]

    def test_of_a_qos_that_a_job_asks_for(self) -> None:
        qos = {"high": Qos(partition_list=("b",)), "DEFAULT": Qos()}
        how = divided(qos=qos, users={"ann": Credential(qos_list=("high",))})
        urgent = (Whose("ann", qos="high"), ANN, Whose("bob", qos="high"), BOB)
        assert self.of(how, urgent) == [[1], [0], [2], [3]], "bob may not have it, and has the default"

    def test_a_default_is_tried_first_and_may_be_used(self) -> None:
        assert self.of(divided(users={"ann": listed(first="b")})) == [[1], [3], [0], [2]]
        jobs = [Job(0, LONG, 4)] * 3
        assert placed(divided(users={"ann": listed(first="b")}), jobs) == [[1], [3], [0]]
        assert placed(divided(users={"ann": listed(first="b")}, system=listed("DEFAULT")), jobs) == [
            [1],
            [3],
            [0],
        ]

    def test_the_default_of_a_user_goes_before_that_of_a_queue(self) -> None:
        how = divided(users={"ann": listed(first="b")}, queues={"long": listed(first="DEFAULT")})
        assert self.of(how, (ANN, BOB, ANN, BOB)) == [[1], [0], [3], [2]]
        assert self.of(divided(system=listed(first="b")))[:2] == [[1], [3]]

    def test_nowhere_by_default_and_somewhere_by_a_list(self) -> None:
        """SYSCFG[base] PLIST= and a list for those who may run."""
        how = divided(system=Credential(partition_list=()), groups={"staff": listed("DEFAULT")})
        others = (replace(ANN, group="guests"), replace(BOB, group="guests"))
        assert self.of(how, (ANN, others[0], BOB, others[1])) == [[0], None, [2], None]
        alone = divided({}, system=Credential(partition_list=()))
        replay = finished(self.JOBS, alone, self.WHOSE, machine=FOUR)
        assert replay.schedule().refused_rows.all()

    def test_who_may_be_nowhere_is_refused(self) -> None:
        how = divided(users={"ann": listed("nowhere")})
        replay = finished(self.JOBS, how, self.WHOSE, machine=FOUR)
        assert replay.schedule().refused_rows.tolist() == [True, True, False, False]

    def test_plain_jobs_are_asked_about_by_who_they_are(self) -> None:
        """A partition of 12 and one of 4: ann's list has the small one alone."""
        how = divided({"n4": "b"}, users={"ann": listed("b")})
        jobs = (Job(0, 10, 12), Job(1, 10, 4), Job(2, 10, 5), Job(3, 10, 3))
        replay = finished(jobs, how, (BOB, ANN, ANN, ANN), machine=FOUR)
        assert replay.schedule().refused_rows.tolist() == [False, False, True, False]


def to_come(name: str) -> int:
    return NOT_YET if name in ("later", "other") else node_of(name)


def never(name: str) -> int:
    return NO_NODE if name in ("later", "other") else node_of(name)


@pytest.mark.parametrize(("number", "refused"), [(to_come, False), (never, True)])
def test_who_waits_for_nodes_that_have_not_come_is_not_refused(number: NodeNumberOf, refused: bool) -> None:
    how = divided({"n4": "b", "later": "c", "other": "b"}, users={"ann": listed("c"), "bob": listed("b")})
    jobs = (Job(0, 10, 1), Job(0, 10, 6), Job(1, 10, 4))
    replay = maui(jobs, how, (ANN, BOB, BOB), machine=FOUR, node_number=number)
    replay.run()
    assert replay.schedule().refused_rows.tolist() == [refused, refused, False]
    assert replay.schedule().start_s[2] == 1, "nobody is in its way"
    t = dry_run(replay.tables, replay.policy.begin, replay.policy.schedule, 50.0)
    told = {int(t.jobs.number[row]): Rule(int(t.reasons.rule[row])) for row in waiting(t)}
    wide = Rule.WIDER_THAN_PARTITIONS
    assert told == ({} if refused else {1: wide, 2: wide})


def test_who_is_wider_than_what_is_left_in_service_of_each_partition_is_told_so() -> None:
    """Each of two partitions of 8 has lost a node: 6 find as many in both together, and 4 in the widest."""
    facts = [AgendaEvent(5, EventKind.NODE_LOST, node) for node in (0, 1)]
    jobs = (Job(10, 10, 6), Job(10, 10, 4))
    replay = maui(jobs, divided().choosing(defer_s=0.0), machine=FOUR, facts=facts)
    t = dry_run(at(replay, 10), replay.policy.begin, replay.policy.schedule, 11.0)
    [row] = waiting(t)
    assert (t.jobs.number[row], Rule(int(t.reasons.rule[row])), t.reasons.limit[row]) == (
        1,
        Rule.WIDER_THAN_PARTITIONS,
        4.0,
    )


def waiting(t: Tables) -> list[int]:
    return [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail]]


def test_a_job_of_a_partition_that_is_full_says_so() -> None:
    how = divided(users={"ann": listed("b")})
    jobs = (Job(0, LONG, 6), Job(1, LONG, 8), Job(2, LONG, 3), Job(3, LONG, 5))
    replay = maui(jobs, how, [ANN] * 4, machine=FOUR)
    replay.run(100)
    t = dry_run(replay.tables, replay.policy.begin, replay.policy.schedule, 100.0)
    found = {
        int(t.jobs.number[row]): (Rule(int(t.reasons.rule[row])), t.reasons.limit[row]) for row in waiting(t)
    }
    assert found[2] == (Rule.RESERVED_LATER, LONG)
    assert found[3] == (Rule.NO_PARTITION_FREE, 2.0)
    assert found[4] == (Rule.NO_PARTITION_FREE, 2.0)


def test_the_first_in_line_is_spared_in_its_partition_and_others_fill_the_other() -> None:
    """b is full up to 100, when job 2 takes all of it: job 3 would be in the way, job 4 is elsewhere."""
    how = divided(users={"ann": listed("b"), "bob": listed("DEFAULT")})
    jobs = (Job(0, 100, 5), Job(1, 100, 8), Job(2, 200, 3), Job(3, LONG, 8), Job(4, 90, 3))
    replay = finished(jobs, how, (ANN, ANN, ANN, BOB, ANN), machine=FOUR)
    assert starts(replay) == [0, 100, 200, 3, 4]


def test_those_alone_give_way_whose_partition_it_may_use() -> None:
    """The cheapest runs in DEFAULT, where bob may not be: he has the one of b give way."""
    how = giving_way(
        PreemptPolicy.CANCEL,
        users={"ann": Credential(qos_default="low"), "bob": listed("b")},
        groups={"guests": Credential(qos_default="high")},
        nodes=divided().nodes,
    )
    jobs = (Job(0, 500, 6), Job(1, 400, 8), Job(10, 50, 8))
    replay = finished(jobs, how, (ANN, ANN, Whose("bob", "guests")), machine=FOUR)
    schedule = replay.schedule()
    assert schedule.start_s.tolist() == [0, 1, 10]
    assert schedule.end_s.tolist() == [500, 10, 60]
    # Nobody goes in vain: all of DEFAULT's would not be enough for him.
    wide = finished((*jobs[:2], Job(10, 50, 9)), how, (ANN, ANN, Whose("bob", "guests")), machine=FOUR)
    assert wide.schedule().end_s.tolist()[:2] == [500, 401]


def test_those_who_give_way_are_all_of_one_partition() -> None:
    """Bob's 8 take the half of two of ann's jobs; the one of 6, cheaper, is in b beside cy's, and stays."""
    users = {"ann": Credential(qos_default="low"), "bob": Credential(qos_default="high")}
    how = giving_way(PreemptPolicy.CANCEL, users=users, nodes=divided().nodes)
    jobs = (Job(0, 500, 4), Job(0, 500, 4), Job(0, 400, 6), Job(0, 300, 2), Job(10, 50, 8))
    schedule = finished(jobs, how, (ANN, ANN, ANN, CY, BOB), machine=FOUR).schedule()
    assert schedule.start_s.tolist() == [0, 0, 0, 0, 10]
    assert schedule.end_s.tolist() == [10, 10, 400, 300, 60]


def test_rules_of_nodes_hold_inside_partitions() -> None:
    made = divided(users={"ann": listed("b")})
    how = replace(made, nodes=replace(made.nodes, access=NodeRule.SINGLE_JOB))
    jobs = [Job(0, LONG, 1)] * 3
    assert placed(how, jobs) == [[1], [3], None]


def test_more_partitions_than_can_be_told_apart_are_refused() -> None:
    many = {f"n{k}": f"p{k}" for k in range(MOST_PARTITIONS)}
    with pytest.raises(BadValue, match=f"at most {MOST_PARTITIONS}"):
        divided(many)


@hypothesis_settings(max_examples=25, deadline=None)
@given(
    jobs=st.lists(
        st.tuples(
            st.integers(0, 50), st.integers(1, 60), st.integers(1, 9), st.booleans(), st.integers(0, 2)
        ),
        min_size=1,
        max_size=14,
    ),
    parts=st.lists(st.sampled_from("abc"), min_size=4, max_size=4),
    bars=st.sets(st.sampled_from("abc"), min_size=1),
)
def test_no_job_spans_partitions(
    jobs: list[tuple[int, int, int, bool, int]], parts: list[str], bars: set[str]
) -> None:
    """Many narrow and wide ones, plain or of whole nodes, by three users of whom ann has a list."""
    jobs.sort()
    how = divided({f"n{k + 1}": part for k, part in enumerate(parts)}, users={"ann": listed(*sorted(bars))})
    work = [Job(float(submit), float(run), width) for submit, run, width, _, _ in jobs]
    requests = {
        k: request(width, nodes=1) for k, (*_, width, whole, _) in enumerate(jobs) if whole and width < 5
    }
    whose = [(ANN, BOB, CY)[who] for *_, who in jobs]
    replay = finished(work, how, whose, machine=FOUR, requests=requests)
    assert_no_overuse(replay)
    assert_tables_empty(replay)
    schedule = replay.schedule()
    again = maui(work, how, whose, machine=FOUR, requests=requests)
    for at_s in sorted({float(s) for s in schedule.start_s[~schedule.refused_rows]}):
        t = at(again, at_s)
        for row in t.queue.running[: t.queue.running_count]:
            number = int(t.jobs.number[row])
            where = {parts[node] for node in nodes_of(again, number)}
            assert len(where) == 1
            if whose[number - 1] is ANN:
                assert where <= bars


def test_the_vector_numbers_partitions_alike_for_nodes_and_lists() -> None:
    how = divided(users={"ann": listed("b")})
    assert how.partitions == ("DEFAULT", "b")
    assert MauiSettings().partitions == ()
    assert vector_of(how, number_of, node_of) != vector_of(divided(), number_of, node_of)


@pytest.mark.deep
@hypothesis_settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), parts=st.lists(st.sampled_from("abc"), min_size=4, max_size=4))
def test_counting_and_looking_at_nodes_find_the_same(seed: int, parts: list[str]) -> None:
    """A bound on jobs of a node that never binds has every node looked at."""
    random = np.random.default_rng(seed)
    submits = np.sort(random.integers(0, 60, 16))
    work = [Job(float(at), float(random.integers(1, 60)), int(random.integers(1, 9))) for at in submits]
    whose = [(ANN, BOB)[int(who)] for who in random.integers(0, 2, len(work))]
    found = []
    for bound in (None, 1000):
        lines = {f"n{k + 1}": NodeLine(partition=part, most_jobs=bound) for k, part in enumerate(parts)}
        how = MauiSettings(
            nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines=lines), users={"ann": listed("a", first="b")}
        )
        schedule = finished(work, how, whose, machine=FOUR).schedule()
        found.append((schedule.start_s.tolist(), schedule.refused_rows.tolist()))
    assert str(found[0]) == str(found[1])
