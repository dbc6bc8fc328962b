"""Worked by hand, of the survey's schemes: H12, H13, H19 of the reference, interpreted and compiled."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from molokini.compiled.compilation import interpreted
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, US, Job, S, Scenario, Settings
from molokini.process_sim.words import Wait
from tests.kit.processes import (
    FREE,
    PLAIN,
    assert_timeline,
    both_ways,
    compute,
    io,
    job,
    receive,
    send,
    whole,
)


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"], autouse=True)
def _compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(request.param)


def tickets(**given: object) -> Settings:
    values = needs_of("tickets").values("tickets", {name: str(value) for name, value in given.items()})
    return Settings("tickets", Wait.BLOCK, given=values)


LONG = compute(10 * S)


def test_h12_a_sleeper_gets_back_what_it_missed() -> None:
    """Over sleep and credit together each has had a third; then the credit is over."""
    sleeper = job("A", (io(60 * MS), LONG), nodes=(0,), names="A")
    others = [job(name, (LONG,), nodes=(0,), names=name) for name in "BC"]
    run = whole(Scenario("H12", 1, [sleeper, *others], until_ns=180 * MS, prices=FREE, settings=tickets()))
    assert_timeline(
        run,
        """
        0: B compute 10, C compute 20, B compute 30, C compute 40, B compute 50, C compute 60, A compute 70,\
           B compute 80, C compute 90, A compute 130, B compute 140, C compute 150, A compute 160,\
           B compute 170, C compute 180
        """,
        MS,
    )
    assert run.world.procs.spent[:, 0].tolist() == [60 * MS, 60 * MS, 60 * MS]


def test_without_the_credit_a_sleeper_gets_nothing_back() -> None:
    sleeper = job("A", (io(60 * MS), LONG), nodes=(0,), names="A")
    others = [job(name, (LONG,), nodes=(0,), names=name) for name in "BC"]
    plain = tickets(sleep_credit="false")
    run = whole(Scenario("H12", 1, [sleeper, *others], until_ns=120 * MS, prices=FREE, settings=plain))
    assert run.world.procs.spent[:, 0].tolist() == [20 * MS, 50 * MS, 50 * MS]


def test_h12_plain_stride() -> None:
    jobs = [job(name, (LONG,), nodes=(0,), names=name) for name in "ABC"]
    jobs[2] = replace(jobs[2], tickets=200)
    run = whole(Scenario("stride", 1, jobs, until_ns=80 * MS, prices=FREE, settings=tickets()))
    assert_timeline(
        run,
        "0: A compute 10, B compute 20, C compute 40, A compute 50, B compute 60, C compute 80",
        MS,
    )


@pytest.mark.parametrize("shares", [(100, 100), (100, 300), (1, 2, 4), (70, 20, 10)])
def test_t_of_all_tickets_give_that_share_within_a_quantum(shares: tuple[int, ...]) -> None:
    jobs = [replace(job(f"J{k}", (LONG,), nodes=(0,)), tickets=share) for k, share in enumerate(shares)]
    for until_ms in (70, 700, 4200):
        scenario = Scenario("S16", 1, jobs, until_ns=until_ms * MS, prices=FREE, settings=tickets())
        spent = ScenarioReplay(scenario).finish().world.procs.spent[:, 0]
        for share, has in zip(shares, spent.tolist(), strict=True):
            assert abs(has - until_ms * MS * share / sum(shares)) <= 10 * MS


def wide_and_narrow(settings: Settings, until_ns: int) -> list[int]:
    """CPU time so far of a job on two nodes, and of one on each of them (H13)."""
    jobs: list[Job] = [
        job("J1", (LONG,), (LONG,), nodes=(0, 1)),
        job("J2", (LONG,), nodes=(0,)),
        job("J3", (LONG,), nodes=(1,)),
    ]
    run = ScenarioReplay(Scenario("H13", 2, jobs, until_ns=until_ns, prices=FREE, settings=settings)).finish()
    first, second, third, fourth = (int(spent) for spent in run.world.procs.spent[:, 0])
    return [first + second, third, fourth]


def over(settings: Settings, begin_ns: int, end_ns: int) -> list[int]:
    found = zip(wide_and_narrow(settings, begin_ns), wide_and_narrow(settings, end_ns), strict=True)
    return [end - begin for begin, end in found]


def test_h13_nodes_that_track_tickets_give_a_wide_job_no_more() -> None:
    """Told after a second, and so granted from the next interval on."""
    assert over(tickets(tracking="false"), 3 * S, 6 * S) == [3 * S, 1500 * MS, 1500 * MS]
    assert over(tickets(), 3 * S, 6 * S) == [2 * S, 2 * S, 2 * S]


@pytest.mark.parametrize("each", [1, 7, 100])
def test_a_job_of_few_tickets_has_its_part_on_each_node(each: int) -> None:
    """On four nodes, beside a process with as many tickets on each: a fifth of each node, not a half."""
    wide = replace(job("W", *[(LONG,)] * 4, nodes=(0, 1, 2, 3)), tickets=each)
    narrow = [replace(job(f"N{node}", (LONG,), nodes=(node,)), tickets=each) for node in range(4)]
    used = []
    for until_ns in (3 * S, 8 * S):
        scenario = Scenario("parts", 4, [wide, *narrow], until_ns=until_ns, prices=FREE, settings=tickets())
        used.append(ScenarioReplay(scenario).finish().world.procs.spent[:, 0])
    has = (used[1] - used[0]).tolist()
    assert has == pytest.approx([1 * S] * 4 + [4 * S] * 4, abs=20 * MS)


def test_h19_a_process_spins_on_while_messages_come_in() -> None:
    """A waits for B, who never sends; C sends to it at 300 and at 600."""
    waits = (send(1), receive(1), compute(100 * US))
    slow = (receive(0), compute(5000 * US), send(0))
    tells = (compute(275 * US), send(0), compute(295 * US), send(0))
    settings = Settings("sb-computed", Wait.BLOCK)
    one = job("J", waits, slow, tells, nodes=(0, 1, 2), names="ABC")
    run = whole(Scenario("H19", 3, [one], prices=PLAIN, settings=settings))
    assert_timeline(
        run,
        "0: A send 5, A spin 1428, kernel 1431, 5055> kernel 5108, A receive 5113, A compute 5213",
    )
