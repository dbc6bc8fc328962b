"""Rules of nodes: which jobs share them, where one job has several components, and how much one may have."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.node_rules import CLOSED, COUNTS, RULES, SEVERAL, NodeRule
from molokini.availability.placement import NAMES, place
from molokini.model.machine import Machine, Node
from molokini.model.requests import ANYWHERE
from molokini.model.resources import Resource
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables

ALONE = [NodeRule.SINGLE_JOB, NodeRule.SINGLE_TASK, NodeRule.SINGLE_USER, NodeRule.UNIQUE_USER]
Asked = list[tuple[int, int]]
"""Tasks, and processors of each, of every component."""


def ruled(rule: NodeRule, nodes: int = 2, each: int = 4) -> Tables:
    """Tables of empty nodes of this rule, and of a user (0) without rules."""
    t = make_tables(Machine.of_nodes([Node({Resource.PROCESSORS: float(each)})] * nodes), rows=4)
    t.placing.rules = RULES | (COUNTS if rule is NodeRule.UNIQUE_USER else 0)
    t.nodes.rule[:] = rule
    t.credentials.user[0] = 0
    return t


def placed(t: Tables, wanted: Asked, way: str = "first-fit") -> list[dict[int, int]] | None:
    """Tasks by node of each component; None: there is no room."""
    t.placing.way = NAMES.index(way)
    t.jobs.components[0], t.jobs.component_count[0] = 1, len(wanted)
    t.jobs.width[0] = sum(tasks * each for tasks, each in wanted)
    for k, (tasks, each) in enumerate(wanted, 1):
        t.components.tasks[k], t.components.need[k, 0] = tasks, each
        t.components.where[k], t.components.next[k] = ANYWHERE, k + 1
    before = t.nodes.free.copy()
    count = place(t, t.nodes.free, 0)
    assert (t.nodes.free == before).all(), "the room is as before"
    if count < 0:
        return None
    found: list[dict[int, int]] = [{} for _ in wanted]
    for k in range(count):
        found[t.placing.component[k] - 1][int(t.placing.node[k])] = int(t.placing.tasks[k])
    return found


@pytest.mark.parametrize("way", ["first-fit", "best-fit", "contiguous"])
@pytest.mark.parametrize("rule", [NodeRule.SINGLE_JOB, NodeRule.SINGLE_USER, NodeRule.UNIQUE_USER])
def test_components_of_one_job_share_a_node_that_is_for_one_job(rule: NodeRule, way: str) -> None:
    assert placed(ruled(rule, nodes=1), [(1, 2), (2, 1)], way) == [{0: 1}, {0: 2}]


def test_components_of_a_job_that_wants_its_nodes_for_itself_share_them() -> None:
    t = ruled(NodeRule.SHARED, nodes=1)
    t.credentials.rule[0] = NodeRule.SINGLE_JOB
    assert placed(t, [(1, 2), (2, 1)]) == [{0: 1}, {0: 2}]


def test_components_share_no_node_that_takes_a_single_task() -> None:
    assert placed(ruled(NodeRule.SINGLE_TASK), [(1, 2), (1, 1)]) == [{0: 1}, {1: 1}]
    assert placed(ruled(NodeRule.SINGLE_TASK, nodes=1), [(1, 2), (1, 1)]) is None


def test_what_a_job_may_have_of_a_node_is_for_all_its_components_together() -> None:
    t = ruled(NodeRule.SHARED)
    t.credentials.per_node[0] = 3
    assert placed(t, [(2, 1), (3, 1)]) == [{0: 2}, {0: 1, 1: 2}]
    t = ruled(NodeRule.SHARED, nodes=1)
    t.credentials.per_node[0] = 3
    assert placed(t, [(1, 2), (1, 2)]) is None


@pytest.mark.parametrize(
    ("rule", "holder", "admitted"),
    [
        (NodeRule.SHARED, SEVERAL, True),
        (NodeRule.SHARED, CLOSED, False),
        (NodeRule.SINGLE_JOB, 1, False),
        (NodeRule.SINGLE_TASK, 1, False),
        (NodeRule.SINGLE_USER, 1, True),
        (NodeRule.SINGLE_USER, 2, False),
        (NodeRule.SINGLE_USER, SEVERAL, False),
    ],
)
def test_who_else_is_on_the_node_decides(rule: NodeRule, holder: int, admitted: bool) -> None:
    """The job is of user 0, whose jobs hold nodes as 1."""
    t = ruled(rule, nodes=1)
    t.nodes.free[0, 0], t.nodes.holder[0], t.nodes.jobs[0] = 3.0, holder, 1
    assert (placed(t, [(1, 1), (1, 1)]) is not None) == admitted


@given(
    rule=st.sampled_from(NodeRule),
    most=st.integers(0, 4),
    wanted=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=3),
    way=st.sampled_from(["first-fit", "best-fit", "worst-fit", "contiguous"]),
)
@settings(max_examples=300, deadline=None)
def test_on_empty_nodes_rules_bound_the_whole_job(rule: NodeRule, most: int, wanted: Asked, way: str) -> None:
    t = ruled(rule, nodes=3)
    t.credentials.per_node[0] = most
    found = placed(t, wanted, way)
    if found is None:
        return
    for node in range(3):
        there = [(part.get(node, 0), each) for part, (_, each) in zip(found, wanted, strict=True)]
        processors = sum(tasks * each for tasks, each in there)
        assert processors <= 4
        assert most == 0 or processors <= most
        assert rule is not NodeRule.SINGLE_TASK or sum(tasks for tasks, _ in there) <= 1
    plain = ruled(NodeRule.SHARED, nodes=3)
    plain.credentials.per_node[0] = most
    if rule is not NodeRule.SINGLE_TASK:
        assert found == placed(plain, wanted, way), "an empty node is for one job anyhow"


def test_what_a_job_that_found_no_room_would_have_taken_is_not_the_next_ones() -> None:
    """Node 0 is of another user's job, on two of its four processors.

    A job of that user has room there for its first component, but none for its second. What it tried does
    not make the node look empty to a job of the next user.
    """
    t = ruled(NodeRule.SINGLE_USER, nodes=1)
    t.nodes.free[0, 0], t.nodes.holder[0], t.nodes.jobs[0] = 2.0, 8, 1
    t.credentials.user[0] = 7
    assert placed(t, [(2, 1), (1, 1)]) is None
    t.credentials.user[0] = 0
    assert placed(t, [(1, 1)]) is None
