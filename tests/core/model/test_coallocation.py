"""Requests over clusters: what each kind asks for, and what none may say."""

import pytest

from molokini.model.coallocation import RequestKind, request_for
from molokini.model.errors import BadValue
from molokini.model.platforms import Cluster, Platform
from molokini.model.requests import Component, Request, Spread


def asked(kind: RequestKind, *sizes: int) -> list[tuple[int, int, Spread]]:
    return [(c.tasks, c.where, c.spread) for c in request_for(kind, sizes).components]


def test_ordered_components_name_their_clusters() -> None:
    assert asked(RequestKind.ORDERED, 2, 4) == [(4, 1, Spread.ONE_CLUSTER), (2, 0, Spread.ONE_CLUSTER)]


def test_unordered_components_stand_largest_first() -> None:
    assert [tasks for tasks, _, _ in asked(RequestKind.UNORDERED, 2, 4, 3)] == [4, 3, 2]


def test_only_the_sum_of_flexible_and_total_requests_counts() -> None:
    assert asked(RequestKind.FLEXIBLE, 4, 2, 2) == [(8, -1, Spread.CLUSTERS)]
    assert asked(RequestKind.TOTAL, 4, 2, 2) == [(8, -1, Spread.ONE_CLUSTER)]


@pytest.mark.parametrize("kind", RequestKind)
@pytest.mark.parametrize("sizes", [(), (0,), (4, -2), (4, 0, 2)])
def test_sizes_below_one_are_refused(kind: RequestKind, sizes: tuple[int, ...]) -> None:
    with pytest.raises(BadValue, match="components"):
        request_for(kind, sizes)


def test_none_of_them_can_be_placed_by_counting() -> None:
    assert not any(request_for(kind, (4,)).counted for kind in RequestKind)
    assert all(request_for(kind, (4, 3)).processors == 7 for kind in RequestKind)


def test_components_of_one_job_spread_alike() -> None:
    with pytest.raises(BadValue, match="spread"):
        Request((Component(1), Component(1, spread=Spread.CLUSTERS)))


@pytest.mark.parametrize(
    ("inside_s", "between_s"), [(-0.001, 0.0), (0.001, 0.0005), (float("nan"), 1.0), (0.0, float("nan"))]
)
def test_messages_between_clusters_are_no_faster(inside_s: float, between_s: float) -> None:
    with pytest.raises(BadValue, match="message"):
        Platform((Cluster(8),), inside_s, between_s)


def test_a_platform_has_clusters_and_they_have_nodes() -> None:
    assert Platform((Cluster(8), Cluster(4, 2))).processors == 16
    with pytest.raises(BadValue, match="clusters"):
        Platform(())
    with pytest.raises(BadValue, match="nodes"):
        Cluster(0)
    with pytest.raises(BadValue, match="processors per node"):
        Cluster(1, 0)
