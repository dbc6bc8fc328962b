"""The clock of an agent that does not wait for grants."""

from molokini.agents.clocks import ScaledClock


def test_it_goes_at_its_rate_from_where_it_was_set() -> None:
    clock = ScaledClock(10.0)
    clock.set(500.0, 1000.0)
    assert clock.at(1002.0) == 520.0
    assert clock.until(560.0, 1002.0) == 4.0, "of real time"
    assert clock.until(510.0, 1002.0) == 0.0


def test_what_the_server_says_puts_it_forward_and_never_back() -> None:
    clock = ScaledClock(2.0)
    clock.set(100.0, 0.0)
    clock.at_least(90.0, 5.0)
    assert clock.at(5.0) == 110.0
    clock.at_least(150.0, 5.0)
    assert clock.at(6.0) == 152.0
