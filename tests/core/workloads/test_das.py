"""Jobs for several clusters as the model makes them."""

from typing import Any

import numpy as np
import pytest

from molokini.model.coallocation import RequestKind
from molokini.model.errors import BadInput, BadValue
from molokini.model.requests import Spread
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload


def made(seed: int = 1, **given: Any) -> Workload:
    model = generated("das")
    return model.make(model.values({name: str(value) for name, value in given.items()}), seed)


def test_component_sizes_are_drawn_from_d() -> None:
    workload = made(jobs=50_000)
    assert workload.components is not None
    sizes = workload.components.tasks
    weight = {i: 0.95**i * (3 if i in (1, 2, 4, 8) else 1) for i in range(1, 9)}
    for size, expected in weight.items():
        chance = expected / sum(weight.values())
        deviation = np.sqrt(chance * (1 - chance) / sizes.size)
        assert abs(np.mean(sizes == size) - chance) < 5 * deviation


def test_all_sizes_alike() -> None:
    workload = made(jobs=10_000, sizes="uniform", largest=4)
    assert workload.components is not None
    counts = np.bincount(workload.components.tasks)[1:] / 40_000
    assert counts == pytest.approx([0.25] * 4, abs=0.02)


@pytest.mark.parametrize("kind", RequestKind)
def test_components_add_up_to_the_processors(kind: RequestKind) -> None:
    workload = made(jobs=500, mix=kind.value)
    components = workload.components
    assert components is not None
    sums = np.add.reduceat(components.tasks, components.first)
    assert (sums == workload.processors).all()
    apart = kind in (RequestKind.ORDERED, RequestKind.UNORDERED)
    assert (components.count == (4 if apart else 1)).all()
    assert set(components.spread.tolist()) == {
        Spread.CLUSTERS if kind is RequestKind.FLEXIBLE else Spread.ONE_CLUSTER
    }


def test_total_requests_alone_get_one_cluster() -> None:
    alone = made(mix="total").platform
    others = made(mix="flexible").platform
    assert alone is not None
    assert others is not None
    assert [cluster.nodes for cluster in alone.clusters] == [32]
    assert [cluster.nodes for cluster in others.clusters] == [8] * 4


def test_the_same_jobs_whatever_is_asked_for() -> None:
    one = made(jobs=300, mix="ordered", ratio=10)
    other = made(jobs=300, mix="flexible", ratio=100, load=0.9)
    assert (one.processors == other.processors).all()
    assert (one.run_s == other.run_s).all()
    gaps, others = np.diff(one.submit_s), np.diff(other.submit_s)
    assert gaps / gaps.sum() == pytest.approx(others / others.sum())
    again, another = made(jobs=300, mix="ordered", ratio=10), made(2, jobs=300)
    assert (one.submit_s == again.submit_s).all()
    assert (one.run_s != another.run_s).any()


def test_a_mix_has_its_shares() -> None:
    components = made(jobs=20_000, mix="ordered:0.25,flexible:0.75").components
    assert components is not None
    assert np.mean(components.count == 4) == pytest.approx(0.25, abs=0.02)


def test_jobs_that_ask_for_the_same_are_of_one_kind() -> None:
    components = made(jobs=2_000, mix="ordered:0.3,unordered:0.3,flexible:0.4").components
    assert components is not None
    kind_of: dict[tuple[tuple[int, int, int], ...], int] = {}
    columns = (components.tasks, components.where, components.spread)
    for first, count, kind in zip(
        components.first.tolist(), components.count.tolist(), components.kind.tolist(), strict=True
    ):
        parts = (column[first : first + count].tolist() for column in columns)
        assert kind_of.setdefault(tuple(zip(*parts, strict=True)), kind) == kind
    assert sorted(kind_of.values()) == list(range(1, len(kind_of) + 1))


@pytest.mark.parametrize("mix", ["ordered", "unordered", "flexible", "total"])
def test_no_placement_takes_longer_than_the_estimate(mix: str) -> None:
    workload = made(jobs=2_000, mix=mix, ratio=100)
    assert (workload.estimate_s >= workload.run_s).all()
    if mix == "ordered":
        assert workload.components is not None
        sizes = workload.components.tasks.reshape(-1, 4)
        smallest, total = sizes.min(axis=1), sizes.sum(axis=1)
        slowest_s = 0.001 * (smallest - 1) + 0.1 * (total - smallest)
        assert workload.estimate_s - workload.run_s == pytest.approx(slowest_s)


def test_the_measured_application() -> None:
    workload = made(jobs=2_000, application="gauss-seidel")
    assert workload.communication is not None
    assert set(workload.processors.tolist()) == {8, 16}
    small = workload.processors == 8
    # Iterations times the update of a sweep, Table 2.
    assert 2436 * 0.953e-3 <= workload.run_s[small].min() <= workload.run_s[small].max() <= 2436 * 0.972e-3
    borders_s = workload.communication.between_s[~small]
    assert 2132 * 6.3e-3 <= borders_s.min() <= borders_s.max() <= 2132 * 7.7e-3


def test_the_measured_application_has_sizes_of_its_own() -> None:
    """Its components have 2 or 4 tasks, so that nodes which hold those will do, whatever largest is."""
    workload = made(jobs=200, application="gauss-seidel", nodes=4, smallest=3, largest=8)
    assert workload.components is not None
    assert set(workload.components.tasks.tolist()) == {2, 4}
    with pytest.raises(BadInput, match="largest: 4 is not allowed; it must be at most nodes"):
        made(jobs=1, application="gauss-seidel", nodes=3, largest=1)


def test_what_is_taken_out_takes_its_components_along() -> None:
    workload = made(jobs=100, mix="ordered:0.5,flexible:0.5")
    part = workload.take(np.arange(10, 20))
    assert part.components is not None
    assert part.communication is not None
    whole = workload.components
    assert whole is not None
    assert (part.components.first == whole.first[10:20]).all()
    assert len(part.communication.inside_s) == 10


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ratio": 0.5}, "ratio"),
        ({"largest": 9}, "one cluster"),
        ({"largest": 9, "mix": "unordered"}, "one cluster"),
        ({"largest": 9, "mix": "flexible"}, "on 32 processors"),
        ({"smallest": 5, "largest": 4}, "smallest"),
        ({"smallest": 0}, "smallest"),
        ({"smallest": -2}, "smallest"),
        ({"nodes": 0}, "nodes"),
        ({"components": 5}, "components"),
        ({"mix": "total:0.5,ordered:0.5"}, "total request"),
        ({"mix": "ordered:0.5,flexible:0.6"}, "add up to 1"),
        ({"mix": "ordered:1.5,flexible:-0.5"}, "add up to 1"),
        ({"mix": "ordered:nan"}, "add up to 1"),
        ({"mix": "orderd"}, "ordered"),
        ({"mix": "ordered,flexible"}, "SHARE"),
        ({"application": "gauss-seidel", "clusters": 2}, "4 clusters"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        made(1, **given)


def test_seeds_are_not_negative() -> None:
    with pytest.raises(BadValue, match="seed"):
        made(-1)
