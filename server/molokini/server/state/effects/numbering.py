"""What numbers of elements make of a state."""

from molokini.model import facts as h
from molokini.model.facts import NO_INDEX
from molokini.server.state.effects.holding import known_element
from molokini.server.state.effects.table import effect_of
from molokini.server.state.state import State


@effect_of(h.ElementsNumbered)
def elements_numbered(state: State, fact: h.ElementsNumbered) -> None:
    """Elements have numbers of their own."""
    job = state.jobs[fact.job]
    assert job.array is not None
    for number, index in enumerate(fact.indices, fact.first_number):
        known_element(state, job, index).number = number
        state.numbers.add(number, job.id, index)
    if fact.last != NO_INDEX:
        known_element(state, job, fact.last).number = job.id
    job.array.numbered += len(fact.indices) + (fact.last != NO_INDEX)
    state.next_id = max(state.next_id, fact.first_number + len(fact.indices))
