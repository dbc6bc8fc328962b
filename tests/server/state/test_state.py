"""No part of a state is left out: where states are compared, and where facts have their effects."""

from molokini.model.codec import KINDS
from molokini.server.state.effects.table import EFFECTS
from molokini.server.state.state import State
from tests.kit.live_picture import picture

OTHERWISE = {
    "tables": "rows, nodes and processors",
    "by_row": "rows",
    "open_jobs": "open",
    "reserved_for": "a new process looks again",
    "to_look_at": "empty between turns, but for what a new process looks at again",
    "waking": "a new process looks at those again that wait for others",
    "present_s": "a server's clock",
    "zero_s": "a server's clock",
    "cores": "agents say them when they come",
    "keeps": "agents say it when they come",
    "events": "a new process has none",
    "says_passes": "which journal it is made of",
    "_site": "made of the policy",
}
"""Attributes that have no part of their own in a picture, and why."""


def test_nothing_of_a_state_is_left_out_when_states_are_compared() -> None:
    state = State()
    assert set(vars(state)) - set(picture(state)) == set(OTHERWISE)


def test_each_kind_of_fact_has_one_effect() -> None:
    assert set(EFFECTS) == set(KINDS.values())
    assert len(set(EFFECTS.values())) == len(EFFECTS)
