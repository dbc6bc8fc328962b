"""The timelines that were worked by hand: H1 to H6, H17 of the reference, interpreted and compiled.

Each line is a CPU: pieces with their ends, in microseconds or milliseconds.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from molokini.compiled.compilation import interpreted
from molokini.process_sim.scenario import MS, US, Scenario, Settings
from molokini.process_sim.words import Arrival, Segment, Wait
from tests.kit.processes import (
    FREE,
    PLAIN,
    assert_timeline,
    both_ways,
    compute,
    ends,
    job,
    loop,
    receive,
    send,
    timeline,
    whole,
)


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"], autouse=True)
def _compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(request.param)


def two_nodes(x_us: int, settings: Settings, b_first: bool = True) -> Scenario:
    """A on node 0 computes and sends to B on node 1, where L computes, too."""
    pair = job("J", (compute(x_us * US), send(1)), (receive(0), compute(100 * US)), nodes=(0, 1), names="AB")
    other = job("L", (compute(1000 * US),), nodes=(1,), names="L")
    return Scenario("H", 2, [pair, other] if b_first else [other, pair], prices=PLAIN, settings=settings)


def test_h1_ping_pong() -> None:
    pair = job(
        "J",
        (compute(100 * US), send(1), receive(1)),
        (receive(0), compute(100 * US), send(0)),
        nodes=(0, 1),
        names="AB",
    )
    run = whole(Scenario("H1", 2, [pair], prices=PLAIN))
    assert_timeline(
        run,
        """
        0: A compute 100, A send 105, A spin 255, A receive 260
        1: B spin 125, B receive 130, B compute 230, B send 235
        """,
    )
    assert run.world.procs.spent[0, :4].tolist() == [100 * US, 150 * US, 5 * US, 5 * US]
    assert run.world.procs.spent[1, :4].tolist() == [100 * US, 125 * US, 5 * US, 5 * US]


def test_h2_spin_block_with_a_short_wait() -> None:
    run = whole(two_nodes(400, Settings(wait=Wait.BLOCK, spin_ns=50 * US)))
    assert_timeline(
        run,
        """
        0: A compute 400, A send 405
        1: B spin 50, kernel 53, L switch 253, L compute 425, kernel 481, B switch 681, B receive 686,\
           B compute 786, L switch 986, L compute 1814
        """,
    )
    assert ends(run) == [786, 1814]
    assert run.world.cpus.spent[1, Segment.SWITCH] == 600 * US
    assert run.world.cpus.spent[1, Segment.KERNEL] == 59 * US


def test_h3a_spinning_wins() -> None:
    run = whole(two_nodes(400, Settings(quantum_ns=1000 * US)))
    assert_timeline(run, "1: B spin 425, B receive 430, B compute 530, L switch 730, L compute 1730")


def test_h3b_spinning_over_quanta() -> None:
    run = whole(two_nodes(5000, Settings(quantum_ns=1000 * US)))
    assert_timeline(
        run,
        "1: B spin 1000, kernel 1003, L switch 1203, L compute 2203, B switch 2403, B spin 5025,"
        "B receive 5030, B compute 5130",
    )
    assert run.world.procs.spent[1, Segment.SPIN] == 3622 * US


def test_h3c_blocking() -> None:
    run = whole(two_nodes(5000, Settings(wait=Wait.BLOCK, spin_ns=50 * US, quantum_ns=1000 * US)))
    assert_timeline(
        run,
        "1: B spin 50, kernel 53, L switch 253, L compute 1253, 5025 > kernel 5078, B switch 5278,"
        "B receive 5283, B compute 5383",
    )


def test_h4_yielding() -> None:
    run = whole(two_nodes(400, Settings(wait=Wait.YIELD, spin_ns=50 * US, quantum_ns=1000 * US)))
    assert_timeline(
        run,
        "1: B spin 50, kernel 53, L switch 253, L compute 1253, B switch 1453, B receive 1458,B compute 1558",
    )


@pytest.mark.parametrize("ticked", [False, True])
def test_h5_periodic_boost(ticked: bool) -> None:
    # The reference counts the checks of node 1 alone. A pays for five on node 0, so it has 10 us less to do.
    settings = Settings(arrival=Arrival.BOOST, quantum_ns=100_000 * US, ticked=ticked)
    run = whole(two_nodes(4990, settings))
    assert_timeline(
        run,
        "1: B spin 1000, kernel 1007, L switch 1207, L compute 2000, kernel 2002, L compute 2209,"
        "B switch 2409, B spin 3000, kernel 3002, B spin 4000, kernel 4002, B spin 5000, kernel 5002,"
        "B spin 5025, B receive 5030, B compute 5130",
    )
    assert run.world.cpus.ticks[1] == 5
    assert run.world.cpus.checks[1] == 6


def test_h6_demand() -> None:
    run = whole(two_nodes(400, Settings(arrival=Arrival.DEMAND), b_first=False))
    assert_timeline(
        run,
        "1: L compute 425, kernel 481, B switch 681, B receive 686, B compute 786, L switch 986,"
        "L compute 1561",
    )
    without = whole(two_nodes(400, Settings(), b_first=False))
    assert_timeline(without, "1: L compute 1000, B switch 1200, B receive 1205, B compute 1305")


def test_h17_feedback_levels() -> None:
    jobs = [job(name, (compute(5000 * MS),), nodes=(0,), names=name) for name in ("1", "2")]
    run = whole(Scenario("H17", 1, jobs, until_ns=1600 * MS, prices=FREE))
    assert_timeline(
        run,
        "0: 1 compute 120, 2 compute 240, 1 compute 400, 2 compute 560, 1 compute 760, 2 compute 960,"
        "1 compute 1000, 2 compute 1440, 1 compute 1600",
        MS,
    )


def test_a_loop_is_its_steps_so_many_times() -> None:
    one, two = (compute(40 * US), send(1, 10), receive(1)), (receive(0), compute(70 * US), send(0, 10))
    found = [
        timeline(whole(Scenario("S", 2, [job("J", *programs, nodes=(0, 1), names="AB")], prices=PLAIN)))
        for programs in ((one * 5, two * 5), ((*one, loop(0, 5)), (*two, loop(0, 5))))
    ]
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_a_difference_is_shown_with_both_timelines() -> None:
    run = whole(replace(two_nodes(400, Settings()), name="wrong"))
    with pytest.raises(AssertionError, match="wanted") as raised:
        assert_timeline(run, "0: A compute 399, A send 404")
    assert "<<" in str(raised.value)
