"""Partitions: nodes divided into parts that no job spans, and in which of them each credential may run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

MOST = 62
"""Partitions that a set of them can name: a bit each."""


@dataclass(frozen=True)
class Partitions:
    """Which partition each node is in, from 0, and where credentials may not be."""

    of_node: tuple[int, ...]
    barred: Mapping[tuple[int, int, int], int] = field(default_factory=dict)
    """By user, group and queue: partitions that their jobs may not use, a bit each; none where not said."""
