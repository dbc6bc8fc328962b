"""What things cost: each price is paid where it is due, and whoever has waited is as he was before."""

from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.compiled.compilation import interpreting
from molokini.process_sim.building import build
from molokini.process_sim.programs import channel_from, take_message
from molokini.process_sim.scenario import MS, US, Prices, Scenario, Settings
from molokini.process_sim.words import Arrival, Segment, Wait
from tests.kit.processes import FREE, compute, job, receive, send, whole

PAIR = (
    (compute(300 * US), send(1, 4000), receive(1), send(2, 4000), compute(3 * MS)),
    (receive(0), compute(200 * US), send(0, 4000)),
    (receive(0), compute(200 * US)),
)
BESIDE = (compute(5 * MS),)
WAYS = [Settings(wait=wait, arrival=arrival) for wait in Wait for arrival in Arrival]
"""Ways to wait and to be told of messages; no one of them has to do with all prices."""


@pytest.fixture(autouse=True)
def _interpreted() -> Iterator[None]:
    with interpreting():
        yield


def outcome(prices: Prices, way: Settings) -> list[Any]:
    """When all have ended, and what CPUs and processes have done."""
    jobs = [job("J", *PAIR, nodes=(0, 1, 0)), job("L", BESIDE, nodes=(1,)), job("M", BESIDE, nodes=(0,))]
    # The same time to spin, whatever the prices are.
    run = whole(Scenario("S", 2, jobs, prices=prices, settings=replace(way, spin_ns=70 * US)))
    world = run.world
    return [world.jobs.end.tolist(), world.procs.spent.tolist(), world.cpus.spent.tolist()]


@pytest.mark.parametrize("name", [one.name for one in fields(Prices)])
def test_each_price_is_paid_by_somebody(name: str) -> None:
    plain = Prices()
    other: Any = {"bytes_a_second": 10_000_000, "byte": Fraction(1, 3)}.get(
        name, getattr(plain, name) + 7 * US
    )
    dearer = replace(plain, **{name: other})
    assert any(outcome(plain, way) != outcome(dearer, way) for way in WAYS)


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(0, 100_000),
    cost=st.integers(0, 20 * US),
    byte=st.fractions(0, 5, max_denominator=1000),
    takes=st.integers(0, 20 * US),
)
def test_sending_costs_by_message_and_byte(size: int, cost: int, byte: Fraction, takes: int) -> None:
    prices = replace(FREE, send=cost, byte=byte, receive=takes)
    pair = job("J", (compute(US), send(1, size)), (receive(0),), nodes=(0, 1))
    run = whole(Scenario("S", 2, [pair], prices=prices))
    spent = run.world.procs.spent
    assert spent[0, Segment.SEND] == cost + size * byte.numerator // byte.denominator
    assert spent[1, Segment.RECEIVE] == takes
    assert run.world.procs.spent[0, Segment.COMPUTE] == US


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(0, 100_000),
    latency=st.integers(0, 50 * US),
    local=st.integers(0, 50 * US),
    rate=st.sampled_from([0, 1_000_000, 999_999_937]),
    together=st.booleans(),
)
def test_a_message_takes_latency_and_bytes(
    size: int, latency: int, local: int, rate: int, together: bool
) -> None:
    prices = replace(FREE, latency=latency, local_latency=local, bytes_a_second=rate)
    pair = job("J", (compute(US), send(1, size)), (receive(0),), nodes=(0, 0) if together else (0, 1))
    cpus = 2 if together else 1
    run = whole(Scenario("S", 2, [pair], cpus_a_node=cpus, prices=prices))
    on_wire = size * 1_000_000_000 // rate if rate and not together else 0
    assert run.world.jobs.end[0] == US + (local if together else latency) + on_wire


def test_no_message_overtakes_another_of_its_channel() -> None:
    prices = replace(FREE, bytes_a_second=1_000_000)
    programs = ((send(1, 1000), send(1, 0)), (receive(0), compute(5 * MS), receive(0)))
    run = whole(Scenario("S", 2, [job("J", *programs, nodes=(0, 1))], prices=prices))
    # The second, without a byte, has to wait for the first, which is on its way for 1 ms.
    assert run.world.procs.spent[1, Segment.SPIN] == MS
    assert run.world.jobs.end[0] == 6 * MS


@pytest.mark.parametrize("home", [*range(60), -1])
def test_who_takes_a_message_is_at_its_own_level_again(home: int) -> None:
    world = build(Scenario("S", 1, [job("J", (compute(US),), (receive(0),), nodes=(0, 0))]))
    world.procs.level[1], world.procs.home[1] = 7, home
    world.procs.waits[1] = channel = channel_from(world, 1, 0)
    world.channels.waiting[channel] = world.procs.inbox[1] = 1
    take_message(world, 1)
    assert world.procs.level[1] == (home if home >= 0 else 7)
    assert world.procs.home[1] == -1
    assert world.procs.waits[1] == -1
    assert world.channels.waiting[channel] == world.procs.inbox[1] == 0
