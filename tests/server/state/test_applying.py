"""No kind of fact is without an effect, and no effect without its fact."""

from molokini.model.codec import KINDS
from molokini.server.state.effects.table import EFFECTS


def test_each_kind_of_fact_has_one_effect() -> None:
    assert set(EFFECTS) == set(KINDS.values())
    assert len(set(EFFECTS.values())) == len(EFFECTS)
