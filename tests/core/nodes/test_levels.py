"""The 60 levels, line by line as the manual of Solaris prints them; who is raised for having starved."""

import pytest

from molokini.nodes.ready import (
    after_quantum,
    after_sleep,
    after_starving,
    highest,
    patience_of,
    quantum_of,
)

TABLE = {
    # levels: quantum in ms, after a quantum (None: ten lower), after a sleep, after starving
    range(10): (200, 0, 50, 50),
    range(10, 20): (160, None, 51, 51),
    range(20, 30): (120, None, 52, 52),
    range(30, 35): (80, None, 53, 53),
    range(35, 40): (80, None, 54, 54),
    range(40, 45): (40, None, 55, 55),
    range(45, 46): (40, None, 56, 56),
    range(46, 47): (40, None, 57, 57),
    range(47, 49): (40, None, 58, 58),
    range(49, 59): (40, None, 58, 59),
    range(59, 60): (20, 49, 59, 59),
}


@pytest.mark.parametrize("levels", TABLE, ids=str)
def test_the_table_of_levels(levels: range) -> None:
    quantum, expired, slept, starved = TABLE[levels]
    for level in levels:
        assert quantum_of(level) == quantum * 1_000_000
        assert after_quantum(level) == (level - 10 if expired is None else expired)
        assert after_sleep(level) == slept
        assert after_starving(level) == starved
        assert patience_of(level) == (32_000 if level == 59 else 0)


def test_every_level_is_in_the_table() -> None:
    assert sorted(level for levels in TABLE for level in levels) == list(range(60))


def test_the_highest_bit_of_a_mask() -> None:
    assert highest(0) == -1
    for bit in range(61):
        assert highest(1 << bit) == highest(1 << bit | 1) == highest((1 << bit) * 2 - 1) == bit
