"""The scheduling clock: no instant is jumped over or lived through twice, whatever is done to it."""

import pytest

from molokini.model.errors import BadValue
from molokini.server.caller_errors import WrongClock
from molokini.server.time.clock import Clock, ClockKind


class Monotonic:
    """The machine's clock, turned by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_another_rate_holds_from_now_on() -> None:
    machine = Monotonic()
    clock = Clock(ClockKind.SCALED, 10.0, 50.0, machine)
    machine.now += 5.0
    assert clock.now() == 100.0
    clock.set_rate(2.0)
    assert (clock.now(), clock.rate, clock.name) == (100.0, 2.0, "scaled:2")
    machine.now += 5.0
    assert clock.now() == 110.0
    assert clock.real_s(120.0) == 5.0
    assert clock.real_s(110.0) == 0.0


def test_it_stands_while_it_is_paused_and_goes_on_from_there() -> None:
    machine = Monotonic()
    clock = Clock(ClockKind.SCALED, 10.0, 0.0, machine)
    machine.now += 1.0
    clock.pause()
    machine.now += 100.0
    assert (clock.now(), clock.rate, clock.real_s(11.0)) == (10.0, 0.0, float("inf"))
    # What is due already is due, whether it goes on or not.
    assert clock.real_s(10.0) == clock.real_s(9.0) == 0.0
    clock.resume()
    assert clock.now() == 10.0
    machine.now += 3.0
    assert clock.now() == 40.0
    clock.pause()
    machine.now += 100.0
    clock.set_rate(1.0)
    clock.resume()
    machine.now += 3.0
    assert clock.now() == 43.0


def test_a_real_clock_has_one_rate_and_does_not_stop() -> None:
    clock = Clock(ClockKind.REAL, 7.0, 0.0, Monotonic())
    assert clock.rate == 1.0
    for refused in (clock.pause, lambda: clock.set_rate(2.0), lambda: clock.advance(1.0)):
        with pytest.raises(WrongClock):
            refused()


def test_advances_add_up_before_the_clock_has_come_so_far() -> None:
    clock = Clock(ClockKind.STEPPED, start_s=5.0)
    clock.advance(10.0)
    clock.advance(10.0)
    assert (clock.now(), clock.limit_s) == (5.0, 25.0)
    clock.turn_to(25.0)
    clock.advance(0.5)
    clock.advance(0.0)
    assert clock.limit_s == 25.5
    with pytest.raises(AssertionError):
        clock.turn_to(24.0)
    clock.pause()
    with pytest.raises(WrongClock, match="resume it first"):
        clock.advance(1.0)


@pytest.mark.parametrize("seconds", [-1.0, 2.0**43, float("nan"), float("inf")])
def test_advances_out_of_the_range(seconds: float) -> None:
    with pytest.raises(BadValue, match=r"^advance_s: "):
        Clock(ClockKind.STEPPED).advance(seconds)


@pytest.mark.parametrize("rate", [0.0, -1.0, 1e6 + 1, float("nan")])
def test_rates_out_of_the_range(rate: float) -> None:
    with pytest.raises(BadValue, match=r"^rate: "):
        Clock(ClockKind.SCALED, rate)
    clock = Clock(ClockKind.SCALED, 2.0)
    with pytest.raises(BadValue, match=r"^rate: "):
        clock.set_rate(rate)
    assert clock.rate == 2.0


def test_a_virtual_clock_has_no_limit() -> None:
    clock = Clock(ClockKind.VIRTUAL, start_s=3.0)
    assert (clock.runs, clock.limit_s, clock.name) == (False, float("inf"), "virtual")


def test_where_its_beginning_lies_on_the_clock_of_the_machine() -> None:
    machine = Monotonic()
    clock = Clock(ClockKind.SCALED, 4.0, 20.0, machine)
    assert clock.zero_s() == 1000.0 - 5.0
    machine.now += 10.0
    assert clock.zero_s() == 1000.0 - 5.0
    clock.set_rate(2.0)
    assert clock.now() == 60.0
    assert clock.zero_s() == 1010.0 - 30.0
