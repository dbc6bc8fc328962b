"""MAXNODE of each job, and what a QoS has in its place."""

import pytest

from molokini.policies.maui.configuration.settings import Qos
from tests.core.policies.maui.selection.test_throttling import FIELDS, MINE, QOSES, THEIRS, limited, line_of
from tests.kit.maui import finished, nodes, request
from tests.kit.workloads import Job

JOBS = [Job(0, 10, 1), Job(0, 10, 2), Job(0, 10, 3)]
ON_NODES = {k: request(k + 1, nodes=k + 1) for k in range(3)}
"""Jobs of one node, two and three."""


@pytest.mark.parametrize("type_", FIELDS)
def test_who_asks_for_more_nodes_than_each_job_may_have_is_refused(type_: str) -> None:
    how = limited(type_, line_of(type_, max_nodes_per_job=2))
    for whose, refused in ((MINE, [False, False, True]), (THEIRS, [False] * 3)):
        schedule = finished(JOBS, how, [whose] * 3, machine=nodes(3, 4), requests=ON_NODES).schedule()
        assert schedule.refused_rows.tolist() == refused


def test_that_of_a_qos_stands_in_place_of_the_others() -> None:
    for most, refused in ((1, [False, True, True]), (2, [False, False, True]), (3, [False] * 3)):
        qos = {**QOSES, "high": Qos(max_nodes_per_job_override=most)}
        how = limited("users", line_of("users", max_nodes_per_job=2), qos=qos)
        schedule = finished(JOBS, how, [MINE] * 3, machine=nodes(3, 4), requests=ON_NODES).schedule()
        assert schedule.refused_rows.tolist() == refused
