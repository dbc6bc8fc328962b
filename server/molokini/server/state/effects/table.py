"""The table of effects: what each kind of fact makes of a state, and which fact a decision becomes.

The modules beside it fill it, by subject; maker and effect of a fact stand together.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from molokini.model.decisions import Decision
from molokini.model.facts import Fact, Placed
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


FactT = TypeVar("FactT", bound=Fact)
Effect = Callable[[State, FactT], None]
Maker = Callable[[State, Decided], Fact]

EFFECTS: dict[type[Fact], Effect[Any]] = {}
"""What each kind of fact does."""
MAKERS: dict[int, Maker] = {}
"""The fact that a decision becomes; what is not here only the simulator can do."""


def effect_of(kind: type[FactT]) -> Callable[[Effect[FactT]], Effect[FactT]]:
    """Mark the function that *kind* calls for."""

    def mark(effect: Effect[FactT]) -> Effect[FactT]:
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
