"""The table of effects: what each kind of fact makes of a state, and which fact a decision becomes.

The modules beside it fill it, by subject; maker and effect of a fact stand together.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from molokini.model.decisions import Decision
from molokini.model.happened import Happened, Placed
from molokini.server.state.jobs import Element
from molokini.server.state.state import State


class Decided(NamedTuple):
    """One decision of a pass."""

    element: Element
    now: float
    value: float
    argument: int
    more: int
    """As its verb has written them."""
    placed: Placed

    @property
    def whose(self) -> tuple[int, int]:
        """The job, and its place in an array."""
        return self.element.job.id, self.element.index


Fact = TypeVar("Fact", bound=Happened)
Effect = Callable[[State, Fact], None]
Maker = Callable[[State, Decided], Happened]

EFFECTS: dict[type[Happened], Effect[Any]] = {}
"""What each kind of fact does."""
MAKERS: dict[int, Maker] = {}
"""The fact that a decision becomes; what is not here only the simulator can do."""


def effect_of(kind: type[Fact]) -> Callable[[Effect[Fact]], Effect[Fact]]:
    """Mark the function that *kind* calls for."""

    def mark(effect: Effect[Fact]) -> Effect[Fact]:
        assert kind not in EFFECTS
        EFFECTS[kind] = effect
        return effect

    return mark


def maker_of(decision: Decision) -> Callable[[Maker], Maker]:
    """Mark the function that makes the fact of *decision*."""

    def mark(maker: Maker) -> Maker:
        assert decision not in MAKERS
        MAKERS[decision] = maker
        return maker

    return mark
