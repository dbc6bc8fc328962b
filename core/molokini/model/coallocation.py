"""The four ways in which a job may ask for processors of several clusters.

Bucur and Epema, JSSPP 2001, section 2.3. They differ in what they leave to the scheduler: nothing, the choice
of the cluster for each component, or everything.
"""

from collections.abc import Sequence
from enum import StrEnum

from molokini.model.errors import BadValue
from molokini.model.requests import ANYWHERE, Component, Request, Shape, Spread

MOST_COMPONENTS = 1000
"""The most components of one job."""


class RequestKind(StrEnum):
    """What the sizes of a request say."""

    ORDERED = "ordered"
    """Component *i* goes to cluster *i*."""
    UNORDERED = "unordered"
    """Each component goes to any cluster, which it shares with no other component of the job."""
    FLEXIBLE = "flexible"
    """Only the sum counts; the fewest clusters that have room."""
    TOTAL = "total"
    """Only the sum counts; all of it inside one cluster."""


def request_for(kind: RequestKind, sizes: Sequence[int]) -> Request:
    """The request of *kind* for components of *sizes* processors; BadValue where one is below 1.

    The tasks of flexible and total requests are as many as all sizes together.
    """
    if not 1 <= len(sizes) <= MOST_COMPONENTS:
        raise BadValue("components", len(sizes), f"from 1 to {MOST_COMPONENTS:,} sizes")
    for size in sizes:
        if size < 1:
            raise BadValue("components", ",".join(map(str, sizes)), "sizes of 1 processor or more")
    if kind is RequestKind.FLEXIBLE:
        return _of([Component(sum(sizes), spread=Spread.CLUSTERS)])
    if kind is RequestKind.TOTAL:
        return _of([Component(sum(sizes), spread=Spread.ONE_CLUSTER)])
    ordered = kind is RequestKind.ORDERED
    return _of(
        [
            Component(size, where=cluster if ordered else ANYWHERE, spread=Spread.ONE_CLUSTER)
            for cluster, size in enumerate(sizes)
        ]
    )


def _of(components: Sequence[Component]) -> Request:
    return Request(tuple(components), Shape.COMPONENTS)
