"""Programs that are Python generators: they do what the engine's own operations do."""

from collections.abc import Iterator
from functools import partial
from itertools import repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.compiled.compilation import interpreting
from molokini.process_sim.accounts import check_invariants
from molokini.process_sim.scenario import LOCAL_NAMES, US, Job, Scenario, Settings, Step
from molokini.process_sim.words import Segment
from tests.kit.processes import PLAIN, assert_timeline, ends, loop, timeline, whole
from tests.kit.processes import compute as computes
from tests.kit.processes import job as job_of
from tests.kit.processes import receive as receives
from tests.kit.processes import send as sends
from tests.kit.written import ToPeer, compute, io, receive, send, sleep, written

Steps = Iterator[Step | ToPeer]


def test_ping_pong_written_as_generators_is_that_of_the_worked_example() -> None:
    def first() -> Steps:
        yield compute(100 * US)
        yield send("B")
        yield receive("B")

    def second() -> Steps:
        yield receive("A")
        yield compute(100 * US)
        yield send("A")

    with interpreting():
        run = whole(Scenario("H1", 2, [written("J", {"A": first, "B": second}, (0, 1))], prices=PLAIN))
    assert_timeline(
        run,
        """
        0: A compute 100, A send 105, A spin 255, A receive 260
        1: B spin 125, B receive 130, B compute 230, B send 235
        """,
    )


def test_a_loop_of_python_is_a_loop_of_the_engine() -> None:
    def asks() -> Steps:
        for _ in range(5):
            yield compute(40 * US)
            yield send("B", 10)
            yield receive("B")

    def answers() -> Steps:
        for _ in range(5):
            yield receive("A")
            yield compute(70 * US)
            yield send("A", 10)

    one = (computes(40 * US), sends(1, 10), receives(1), loop(0, 5))
    two = (receives(0), computes(70 * US), sends(0, 10), loop(0, 5))
    engines = job_of("J", one, two, nodes=(0, 1), names="AB")
    with interpreting():
        found = [
            timeline(whole(Scenario("S", 2, [made], prices=PLAIN)))
            for made in (written("J", {"A": asks, "B": answers}, (0, 1)), engines)
        ]
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_what_python_computes_decides_the_steps() -> None:
    def collatz() -> Steps:
        n = 6
        while n != 1:
            yield compute(n * US)
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        yield io(7 * US)
        yield sleep(11 * US)

    with interpreting():
        run = whole(Scenario("S", 1, [written("J", {"A": collatz})], prices=PLAIN))
    computed = 6 + 3 + 10 + 5 + 16 + 8 + 4 + 2
    assert run.world.procs.spent[0, Segment.COMPUTE] == computed * US
    # Twice it leaves its CPU and comes back, for a queue move of 3 us each way.
    assert ends(run) == [computed + max(7, 3) + 3 + 11 + 3]


def test_a_generator_without_an_end_or_with_a_wrong_name_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 100,000 steps"):
        written("J", {"A": lambda: repeat(compute(1))})
    with pytest.raises(ValueError, match="no process is called 'C'; there are A, B"):
        written("J", {"A": lambda: iter([send("C")]), "B": lambda: iter([])})


def talking(grains: list[tuple[int, int]], size: int) -> Job:
    """Rank by rank: in each round everyone computes, sends to the next and receives from the one before."""

    def of(rank: int) -> Steps:
        for grain, more in grains:
            yield compute((grain + rank * more) * US)
            yield send(f"p{(rank + 1) % size}", 100)
            yield receive(f"p{(rank - 1) % size}")

    return written("J", {f"p{rank}": partial(of, rank) for rank in range(size)})


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 900), st.integers(0, 300)), min_size=1, max_size=6),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from(sorted(LOCAL_NAMES)),
)
def test_every_policy_runs_generators(
    grains: list[tuple[int, int]], size: int, nodes: int, name: str
) -> None:
    wait, arrival = LOCAL_NAMES[name]
    jobs = [talking(grains, size), talking(grains[::-1], size)]
    with interpreting():
        run = whole(Scenario("S", nodes, jobs, settings=Settings(wait=wait, arrival=arrival)))
    assert check_invariants(run) == []
    asked = sum(grain + rank * more for grain, more in grains for rank in range(size)) * US
    spent = run.world.procs.spent[:, Segment.COMPUTE]
    assert int(spent[:size].sum()) == int(spent[size:].sum()) == asked
