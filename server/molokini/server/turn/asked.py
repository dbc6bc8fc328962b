"""Specifications as they were sent, and what the last check has made of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from molokini.model.job_specs import JobSpec
from molokini.model.written_specs import WrittenSpec
from molokini.server.state.queues import Queue

RUN_S = "outcome.run_s"
"""The one field within another that jobs of a batch have of their own."""


class Basis(NamedTuple):
    """All that a check of a specification looks at beside it, but for counts and other jobs."""

    machine: object
    """Another object whenever nodes or queues have changed."""
    queue: Queue
    limits: Any
    operator: bool
    policy: object

    def same(self, other: "Basis") -> bool:
        """Whether both are the very same things."""
        return all(mine is its for mine, its in zip(self, other, strict=True))


class AskedSpec:
    """A specification that many submissions share unchanged; accepted once, it is not checked again."""

    __slots__ = ("accepted", "basis", "clean", "spec")

    def __init__(self, spec: JobSpec) -> None:
        self.spec = spec
        self.accepted: WrittenSpec | None = None
        self.basis: Basis | None = None
        self.clean = False
        """Whether its texts are known to hold no character that they must not."""


class AskedBatch:
    """Jobs that were sent together: what each shares with its like, and columns of its own."""

    def __init__(
        self, bare: Sequence[AskedSpec], own: Mapping[str, Sequence[Any]], whole: Callable[[int], AskedSpec]
    ) -> None:
        self.bare = bare
        """Each without the fields of *own*; many are the same."""
        self.own = dict(sorted(own.items()))
        """Of each of these fields the values, none of which is unset; by name, ``outcome.run_s`` within."""
        self._whole = whole

    def __len__(self) -> int:
        return len(self.bare)

    def __iter__(self) -> Iterator[AskedSpec]:
        """The whole specifications, made one by one: not for what can be said of columns."""
        return map(self._whole, range(len(self.bare)))
