"""A specification as it was sent, and what the last check has made of it."""

from typing import Any, NamedTuple

from molokini.model.happened import Spec, WrittenSpec
from molokini.server.state.queues import Queue


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


class AskedSpec(dict[str, Any]):
    """One that many submissions may share: nobody changes it. What was accepted once is not checked again."""

    __slots__ = ("accepted", "basis")

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.accepted: WrittenSpec | None = None
        self.basis: Basis | None = None
