"""Facts applied to a state: one function a kind of fact, and nothing else changes it.

The same functions run when a fact has just become durable and when a journal is replayed, so a state that was
recovered equals the one that was lost. They check nothing: what is journalled has been checked.
"""

from molokini.model import facts as h
from molokini.model.facts import Fact
from molokini.model.written_specs import WrittenSpec
from molokini.server.state.effects.table import EFFECTS
from molokini.server.state.state import State

_NO_SPEC = (WrittenSpec({}),)


def apply(state: State, fact: Fact, serial: int, time_s: float) -> None:
    """*fact*, number *serial* of the journal, has happened at *time_s*."""
    state.serial, state.now = serial, time_s
    EFFECTS[type(fact)](state, fact)
    remember(state, fact, serial, time_s)


def remember(state: State, fact: Fact, serial: int, time_s: float) -> None:
    """Keep *fact* for watchers."""
    if isinstance(fact, h.JobsSubmitted):
        # Watchers need the number; the jobs keep the specifications.
        fact = h.JobsSubmitted(fact.first_id, fact.user, _NO_SPEC * len(fact.specs))
    state.events.append((serial, time_s, fact))
