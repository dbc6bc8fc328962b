"""What facts about the parts of an attempt make of a state, where it lies on the nodes of several agents."""

from molokini.model import facts as h
from molokini.server.state.effects.table import effect_of
from molokini.server.state.jobs import NO_AGENTS, Element
from molokini.server.state.state import State


@effect_of(h.PartEnded)
def part_ended(state: State, fact: h.PartEnded) -> None:
    """One of its agents has ended; the attempt goes on."""
    note_part(state, fact)


def note_part(state: State, fact: h.PartEnded) -> None:
    """Remember how a part has ended until the attempt does."""
    state.ended_parts.setdefault((fact.job, fact.index), []).append(fact)


def forget_parts(state: State, element: Element) -> None:
    """The attempt is over, or starts again elsewhere."""
    state.ended_parts.pop((element.job.id, element.index), None)


@effect_of(h.AttemptGone)
def attempt_gone(state: State, fact: h.AttemptGone) -> None:
    """An agent from which it was taken has let it go."""
    element = state.element(fact.job, fact.index)
    set_left(state, element, tuple(agent for agent in element.left_at if agent != fact.agent))


def set_left(state: State, element: Element, agents: tuple[str, ...]) -> None:
    """*agents* may still run *element*; none: no other agent may."""
    if not agents:
        element.left_at, element.left_attempt = NO_AGENTS, 0
        state.left.pop((element.job.id, element.index), None)
        return
    if not element.left_at:
        element.left_attempt = element.attempt
    element.left_at = agents
    state.left[element.job.id, element.index] = element


def leave_agents(state: State, element: Element, before: tuple[str, ...]) -> None:
    """*element* has its place; the agents *before* were to run it and may still do so.

    Where it was taken from others earlier, these have it and *before* never got it. Agents that keep it are
    told so; where any other is to have it, all let it go first, so that no two attempts overlap.
    """
    if not element.left_at and set(before) != set(state.agents_of(element)):
        forget_parts(state, element)
        set_left(state, element, before)
