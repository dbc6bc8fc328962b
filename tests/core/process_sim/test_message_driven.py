"""Message-driven coscheduling: H14 of the reference worked by hand, caps, traps, requests, refusals."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from molokini.compiled.compilation import interpreted, kernel
from molokini.model.errors import BadInput
from molokini.process_sim.accounts import check_invariants, measures
from molokini.process_sim.policies import message_driven
from molokini.process_sim.replaying import ScenarioReplay, enlarge
from molokini.process_sim.scenario import MS, US, Job, Prices, S, Scenario, Settings
from molokini.process_sim.scheduler_daemon import Answer, Count, Daemon, OfJob, Request
from molokini.process_sim.stamps import stamp, unstamp
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import timer
from molokini.process_sim.words import Hook
from tests.kit.processes import FREE, PLAIN, both_ways, compute, job, loop, receive, send

ALIKE = {"phases": "alike"}


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"])
def _compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(request.param)


def driven(**values: object) -> Settings:
    """Message-driven, all timers beginning together."""
    given = message_driven.NEEDS.values("test", {**ALIKE, **values})
    return Settings(scheme="message-driven", given=given)


def scenario(jobs: list[Job], nodes: int = 1, *, prices: Prices = FREE, **values: object) -> Scenario:
    return Scenario("S", nodes, jobs, prices=prices, settings=driven(**values), until_ns=30 * S)


_plain = kernel(message_driven.policy)
_FIRST = 8
"""Columns of ``own.cluster`` from here on: the answers to the requests of the script."""


def scripted(w: World, hook: int, subject: int, value: int) -> int:
    """The policy; the second process asks to be scheduled at 3, 6, 19, 20 s, the first at 8 s."""
    if hook == Hook.TIMER and value >= 1000:
        w.own.cluster[_FIRST + value // 1000 - 1] = _plain(w, Hook.REQUEST, value % 1000, Request.SCHEDULE)
        return 0
    if hook == Hook.START:
        timer(w, 3 * S, 1001)
        timer(w, 6 * S, 2001)
        timer(w, 8 * S, 3000)
        timer(w, 19 * S, 4001)
        timer(w, 20 * S, 5001)
    return _plain(w, hook, subject, value)


@pytest.mark.dear("the engine is compiled for this policy")
@pytest.mark.usefixtures("_compiled")
def test_h14_the_guaranteed_minimum() -> None:
    jobs = [job(name, (compute(1000 * S),), names=name) for name in ("1", "2")]
    needs = replace(message_driven.NEEDS, cluster=_FIRST + 5)
    run = ScenarioReplay(scenario(jobs), policy=scripted, needs=needs).finish()
    assert run.world.own.cluster[_FIRST:].tolist() == [
        Answer.DISCARDED,
        Answer.SCHEDULED,
        Answer.DISCARDED,
        Answer.DISCARDED,
        Answer.SCHEDULED,
    ]
    # At the timers of 15 and 30 s the job with the least CPU time is scheduled: the first, both times.
    assert run.world.procs.spent[:2, 0].tolist() == [11_080 * MS, 18_920 * MS]
    assert run.world.own.cluster[[Count.TIMER, Count.TIMER_SWITCHES]].tolist() == [2, 2]
    assert run.world.own.cpus[0, Daemon.JOB] == 0
    assert run.world.own.cpus[0, Daemon.SINCE] == 30 * S


def pair(name: str, rounds: int, grain_ns: int, nodes: tuple[int, int] = (0, 1)) -> Job:
    """Two processes that compute and exchange a message, again and again."""
    one = (compute(grain_ns), send(1), receive(1), loop(0, rounds))
    two = (compute(grain_ns), receive(0), send(0), loop(0, rounds))
    return job(name, one, two, nodes=nodes)


@pytest.mark.dear("the engine is compiled for this policy")
@pytest.mark.usefixtures("_compiled")
def test_y23_no_message_goes_between_daemons() -> None:
    """Two jobs contend for four nodes: what arrives anywhere is what their programs sent."""
    pairs = [pair(name, 40, 50 * MS, nodes) for name, nodes in (("a", (0, 1)), ("b", (1, 2)), ("c", (2, 3)))]
    run = ScenarioReplay(replace(scenario(pairs, 4, gmet="200ms", slice="1s"), until_ns=None)).finish()
    cluster = run.world.own.cluster
    assert cluster[Count.ACCEPTED] + cluster[Count.TIMER_SWITCHES] > 0
    assert cluster[Count.MESSAGES] == 3 * 2 * 40
    assert not (run.world.channels.last > run.world.now).any()


@pytest.mark.usefixtures("_compiled")
def test_a_message_schedules_its_receiver_where_the_minimum_is_over() -> None:
    # J is scheduled on node 0 alone from the beginning, and on node 1 behind the job that registered first.
    other = job("other", (compute(1000 * S),), nodes=(1,))
    made = scenario([other, pair("J", 10**9, 5 * MS)], 2, gmet="2s", slice="20s")
    run = ScenarioReplay(replace(made, until_ns=5 * S)).finish()
    cpus, jobs = run.world.own.cpus, run.world.own.jobs
    assert run.world.own.cluster[Count.ACCEPTED] == 1
    assert run.world.own.cluster[Count.DISCARDED] > 0
    assert cpus[:2, Daemon.JOB].tolist() == [1, 1]
    # From the first message that it noticed behind 2 s on J is everywhere.
    assert 2 * S <= jobs[1, OfJob.SINCE] <= 2100 * MS
    assert jobs[1, OfJob.ON] == jobs[1, OfJob.PLACES] == 2
    assert measures(run)["coscheduled_share"] == pytest.approx(5 / 7, abs=0.01)
    assert check_invariants(run) == []


def test_messages_of_senders_that_are_not_scheduled_ask_for_nothing() -> None:
    def requests(byte: bool) -> tuple[int, int]:
        # Both nodes have a job of their own that registered first, so that J is scheduled nowhere until 25 s.
        others = [job(f"other {node}", (compute(1000 * S),), nodes=(node,)) for node in (0, 1)]
        run = ScenarioReplay(
            scenario([*others, pair("J", 10**9, 50 * MS)], 2, slice="25s", status_byte=byte)
        ).finish()
        cluster = run.world.own.cluster
        return int(cluster[Count.ACCEPTED]), int(cluster[Count.FALSE])

    with_byte, without = requests(True), requests(False)
    assert with_byte[1] == 0
    assert without[1] > 0
    assert without[0] > with_byte[0]


@pytest.mark.dear("the engine is compiled for this policy")
def test_shares_that_are_not_used_are_lost() -> None:
    # The scheduled job ends within a second: the other has its 1 % of that interval, and all from then on.
    jobs = [job("1", (compute(500 * MS),)), job("2", (compute(5 * S),))]
    run = ScenarioReplay(replace(scenario(jobs), until_ns=None)).finish()
    assert run.world.jobs.end[0] == 510 * MS
    assert run.world.jobs.end[1] == 5500 * MS
    sleeping = [job("1", (compute(S), receive(1)), (compute(90 * S), send(0)), nodes=(0, 1)), jobs[1]]
    idle = ScenarioReplay(replace(scenario(sleeping, 2, slice="100s"), until_ns=60 * S)).finish()
    # The first job is scheduled on node 0 and waits there: the second has 10 ms of each second, no more.
    assert idle.world.procs.spent[2, 0] == 600 * MS
    lowest = scenario(sleeping, 2, slice="100s", beyond="lowest")
    lent = ScenarioReplay(replace(lowest, until_ns=60 * S)).finish()
    # The other spins for a millisecond first.
    assert lent.world.jobs.end[1] == 6 * S + MS


def test_all_processes_of_a_node_are_scheduled_together() -> None:
    def gathering(unit: str) -> float:
        jobs = [job(name, *[(compute(20 * S),)] * 4) for name in ("a", "b", "c")]
        made = replace(scenario(jobs, 2, unit=unit, phases="drawn"), cpus_a_node=2, until_ns=None)
        run = ScenarioReplay(made).finish()
        own = run.world.own
        assert check_invariants(run) == []
        for node in (0, 1):
            first, second = (own.cpus[2 * node + k, Daemon.SWITCHES] for k in (0, 1))
            assert (second == 0) == (unit == "node"), (first, second)
        found = measures(run)["coscheduled_share"]
        assert found is not None
        return float(found)

    assert gathering("node") > gathering("cpu")


def test_unlike_nodes_compute_at_their_own_speed_on_their_own_cpus() -> None:
    jobs = [job("J", *[(compute(3 * S),)] * 3)]
    made = replace(scenario(jobs, 2), cpus_of=(1, 2), speeds=(2000, 500), until_ns=None)
    run = ScenarioReplay(made).finish()
    assert sorted(run.world.procs.spent[:3, 0].tolist()) == [1500 * MS, 6 * S, 6 * S]
    assert run.world.cpus.node.tolist() == [0, 1, 1]
    assert run.world.jobs.end[0] == 6 * S


def test_more_classes_than_shares_can_hold_are_refused() -> None:
    jobs = [job(f"J{k}", (compute(S),)) for k in range(101)]
    with pytest.raises(BadInput, match=r"J100 would be class 101 of its node.*most"):
        ScenarioReplay(scenario(jobs)).finish()
    ScenarioReplay(scenario(jobs[:100])).finish()
    ScenarioReplay(scenario(jobs, most=3)).finish()


def test_bytes_of_messages_are_kept_whatever_is_on_its_way() -> None:
    sending, taking = (send(1), loop(0, 300)), (compute(S), receive(0), loop(1, 300))
    made = scenario([job("J", sending, taking, nodes=(0, 1))], 2, prices=PLAIN)
    run = ScenarioReplay(replace(made, until_ns=None)).finish()
    assert run.world.own.cluster[Count.MESSAGES] == 300
    assert run.world.jobs.end[0] == S + 300 * 5 * US
    stamps, rows = run.world.stamps, run.world.stamps.runs.shape[0]
    assert stamps.left == rows
    words = [k // 3 % 2 for k in range(3 * rows)]
    for word in words:
        stamps.word[0] = word
        stamp(run.world, 0, 1)
        if run.world.agenda.full < 0:
            enlarge(run.world)
    found = []
    for _ in words:
        unstamp(run.world, 1, 1)
        found.append(int(stamps.byte[1]))
    assert found == words
    assert stamps.runs.shape[0] > rows
    assert stamps.left == stamps.runs.shape[0]
