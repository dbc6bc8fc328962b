"""Windows on nodes that somebody wants in particular: by features, memory and how many."""

from typing import Any

import pytest

from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine, Node
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.policies.maui.configuration.configured import Configured
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import MauiSettings
from molokini.policies.maui.configuration.words import Allocation
from molokini.reports import report
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from molokini.reports.stopped import picture_of
from tests.kit.maui import NAMES, Whose, maui, request
from tests.kit.pictured import NUMBERS, picture
from tests.kit.workloads import Job

HOSTS = ["n1", "n2", "n3"]
SETTINGS = MauiSettings(
    nodes=NodeSettings(
        Allocation.FIRSTAVAILABLE,
        lines={"n2": NodeLine(features=("fast",)), "n3": NodeLine(features=("fast", "big"))},
    )
)
# Three of n1's four processors up to 100, with a quarter of its memory each; all of n2 up to 50.
JOBS = (Job(0, 100, 3), Job(1, 49, 4))
WISHES = {0: request(3, memory_mb=3072), 1: request(4, nodes=1)}


def machine(*memory_mb: float) -> Machine:
    """Nodes of four processors."""
    return Machine.of_nodes(
        [Node({Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: size * 1024}) for size in memory_mb]
    )


def three(jobs: tuple[Job, ...] = JOBS, **options: Any) -> ClusterSnapshot:
    replay = maui(
        jobs,
        SETTINGS,
        [Whose()] * len(jobs),
        machine=machine(4096, 4096, 8192),
        requests=WISHES,
        node_names=HOSTS,
        **options,
    )
    replay.run(10.0)
    return picture_of(replay, 10.0, NUMBERS, HOSTS, Configured(settings=SETTINGS))


def windows(p: ClusterSnapshot | None = None, **asked: Any) -> list[tuple[int, float | None, int]]:
    found = report("windows", p or three(), ReportRequest(**asked))["windows"]
    return [(one["processors"], one["duration_s"], one["nodes"]) for one in found]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"nodes": 1}, [(5, None, 2)]),
        ({"nodes": 3}, []),
        ({"features": ("fast",)}, [(4, None, 1)]),
        ({"features": ("fast", "big"), "processors": 5}, []),
        ({"memory": ">=8192"}, [(4, None, 1)]),
        ({"memory": "8192"}, [(4, None, 1)]),
        ({"memory": "<8192"}, [(1, None, 1)]),
        ({"memory": "==4096"}, [(1, None, 1)]),
        ({"memory": ">8192"}, []),
        ({"memory_each_mb": 1024}, [(5, None, 2)]),
        ({"memory_each_mb": 2048}, [(4, None, 1)]),
        ({"memory_each_mb": 4096}, [(2, None, 1)]),
        ({"memory": "<=4096", "features": ("fast",)}, []),
    ],
)
def test_windows_are_on_nodes_that_suit(
    asked: dict[str, Any], expected: list[tuple[int, float | None, int]]
) -> None:
    assert windows(**asked) == expected


def test_a_window_ends_where_a_node_is_reserved_for_others() -> None:
    ours = Reservation("ours", 4, 30.0, 60.0, {"user": (str(NAMES["cy"]),)}, Terms(hosts={"n3": 4}))
    kept = three(reservations=[ours])
    assert windows(kept, nodes=1) == [(5, 20.0, 2), (1, None, 1)]
    assert windows(kept, nodes=2) == [(5, 20.0, 2)]
    assert windows(kept, features=("big",)) == [(4, 20.0, 1)]
    assert windows(kept, features=("big",), duration_s=21.0) == []
    assert windows(kept, features=("big",), user="cy") == [(4, None, 1)]


def test_a_window_ends_where_a_job_has_a_reservation_on_a_node() -> None:
    # The third wants all of n1 and n2, which it has from 100 on.
    p = three((*JOBS, Job(2, 10, 12)))
    assert windows(p, nodes=1) == [(5, 90.0, 2)]
    assert windows(p, features=("big",)) == [(4, 90.0, 1)]


def test_nodes_out_of_service_are_in_no_window() -> None:
    p = three()
    p.tables.nodes.state[2] = NodeState.DRAINING
    assert windows(p, nodes=1) == [(1, None, 1)]


def test_what_cannot_be_wanted_is_said() -> None:
    with pytest.raises(BadValue, match="'fats' is not allowed; it must be one that a node has: big, fast"):
        windows(features=("fats",))
    with pytest.raises(BadValue, match="memory"):
        windows(memory="4 GB")
    with pytest.raises(BadValue, match="nodes"):
        windows(nodes=-1)
    with pytest.raises(BadValue, match="memory_each_mb"):
        windows(memory_each_mb=float("nan"))
    with pytest.raises(BadInput, match="only counts processors"):
        report("windows", picture(), ReportRequest(nodes=1))
