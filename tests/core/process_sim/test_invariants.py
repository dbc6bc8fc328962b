"""What holds for every scenario: accounts add up, ticks may be elided, machine code is the same program."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.compiled.compilation import interpreted, interpreting
from molokini.process_sim.accounts import as_dict, check_invariants
from molokini.process_sim.kinds import PATTERNS
from molokini.process_sim.patterns import OVER, exchange_step
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import LOCAL_NAMES, MS, US, Scenario
from molokini.process_sim.words import Arrival, Segment, State, Wait
from tests.kit.process_mixes import SCENARIOS, S, mixed


def ran(scenario: Scenario, **given: object) -> ScenarioReplay:
    made = replace(scenario.settings, **given)  # type: ignore[arg-type]
    return ScenarioReplay(replace(scenario, settings=made), (0, 1 << 57)).finish()


@settings(max_examples=12, deadline=None)
@given(SCENARIOS, st.sampled_from(sorted(LOCAL_NAMES)))
def test_accounts_add_up_under_every_local_policy(scenario: Scenario, name: str) -> None:
    wait, arrival = LOCAL_NAMES[name]
    run = ran(scenario, wait=wait, arrival=arrival)
    assert check_invariants(run) == []
    world = run.world
    assert (world.jobs.end >= 0).all()
    # What was computed is what the programs ask for, whoever was waiting for whom.
    spin = ran(scenario, wait=Wait.SPIN, arrival=Arrival.NONE)
    assert (world.procs.spent[:, Segment.COMPUTE] == spin.world.procs.spent[:, Segment.COMPUTE]).all()
    assert (world.channels.waiting == 0).all()
    assert (world.procs.state == State.DONE).all()
    pieces = run.pieces
    for cpu in range(scenario.nodes):
        mine = pieces[pieces[:, 0] == cpu]
        assert (mine[1:, 3] == mine[:-1, 4]).all()
        assert mine[0, 3] == 0
        assert mine[-1, 4] == world.now


@settings(max_examples=15, deadline=None)
@given(SCENARIOS, st.sampled_from(list(Wait)), st.sampled_from([200 * US, MS]))
def test_elided_ticks_give_the_same_timeline(scenario: Scenario, wait: Wait, boost_ns: int) -> None:
    elided = ran(scenario, wait=wait, arrival=Arrival.BOOST, boost_ns=boost_ns)
    ticked = ran(scenario, wait=wait, arrival=Arrival.BOOST, boost_ns=boost_ns, ticked=True)
    assert elided.pieces.tolist() == ticked.pieces.tolist()
    assert elided.world.cpus.checks.tolist() == ticked.world.cpus.checks.tolist()
    assert elided.world.events <= ticked.world.events


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("scheme", ["1gs", "2dcs-tdm", "2dcs-ps"])
@pytest.mark.parametrize("admission", [False, True])
def test_two_classes_are_one_however_they_run_and_are_drawn(scheme: str, admission: bool) -> None:
    scenario = mixed(scheme, admission=admission)
    with interpreting():
        plain = ScenarioReplay(scenario).finish()
    assert check_invariants(plain) == []
    assert {"be", "rt"} == {line["class"] for line in as_dict(plain)["jobs"]}
    if interpreted():
        pytest.skip("nothing is compiled")
    assert as_dict(ScenarioReplay(scenario, (S // 2, S)).finish()) == as_dict(plain)
    if scheme != "1gs":
        assert (
            as_dict(ScenarioReplay(mixed(scheme, admission=admission, ticked=True)).finish())["jobs"]
            == as_dict(plain)["jobs"]
        )


@pytest.mark.parametrize("pattern", list(PATTERNS.values()))
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8])
def test_whoever_receives_is_sent_to(pattern: int, size: int) -> None:
    sent: list[tuple[int, int]] = []
    received: list[tuple[int, int]] = []
    for rank in range(size):
        for step in range(4 * size + 4):
            code = exchange_step(pattern, rank, size, step, max(1, size - 1))
            if code == OVER:
                break
            (received if code & 1 else sent).append((code >> 1, rank) if code & 1 else (rank, code >> 1))
        assert code == OVER
    assert sorted(sent) == sorted(received)
    assert all(one != other for one, other in sent)
