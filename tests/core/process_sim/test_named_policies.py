"""Policies by name: parameters; and scenarios that they, or memory, cannot use, are refused in a line."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from molokini.compiled.compilation import interpreted, interpreting
from molokini.experiments.coscheduling import ways
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.process_sim.accounts import as_dict, check_invariants
from molokini.process_sim.building import build
from molokini.process_sim.calibrating import TOLERANCE, calibrated, memory_load
from molokini.process_sim.memory_jobs import MemoryTasks, memory_jobs
from molokini.process_sim.needs import Needs, choice, flag, share, time, whole
from molokini.process_sim.policies import local_policy, named_policies, needs_of
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, MainMemory, Pages, Prices, S, Scenario, Settings
from molokini.process_sim.scenario_files import scenario_of
from molokini.process_sim.words import Hook, Segment, State, Wait
from tests.kit.process_mixes import SCENARIOS, loops
from tests.kit.processes import compute, job

TWO: Mapping[str, Any] = {"nodes": 2, "job": [{"kind": "bsp", "processes": 2, "rounds": 3}]}

REFUSED: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "mnod 0": (
        {"scheduling": {"local": "csm", "set": {"mnod": 0}}},
        "scheduling.set.mnod: 0 is not allowed; it must be a whole number from 1 to 1,000,000",
    ),
    "a parameter that is not there": (
        {"scheduling": {"local": "csm", "set": {"mnd": 3}}},
        "did you mean 'mnod'?",
    ),
    "tickets 0": (
        {"job": [{"kind": "serial", "tickets": 0}]},
        "job[1].tickets: 0 is not allowed; it must be a whole number from 1 to 1,000,000",
    ),
    "no tree": ({"nodes": 3, "scheduling": {"scheme": "dhc"}}, "dhc needs a power of 2"),
    "more processes than processors": (
        {"scheduling": {"scheme": "dhc"}, "job": [{"kind": "bsp", "processes": 3, "rounds": 1}]},
        "3 processes on 2 processors",
    ),
    "places under dhc": (
        {"scheduling": {"scheme": "dhc"}, "job": [{"kind": "serial", "nodes": [1]}]},
        "leave out their nodes",
    ),
    "several nodes": ({"scheduling": {"scheme": "rawsi"}}, "say nodes = 1, and cpus_per_node"),
    "pages without memory": ({"job": [{"kind": "serial", "pages": 100}]}, "add that table"),
    "a working set above memory": (
        {"memory": {"pages": 50}, "job": [{"kind": "serial", "pages": 100}]},
        "its working set of 80 pages is larger than the memory of a node, 50 pages",
    ),
    "load and interval": ({"tasks": {"load": 1.0, "interval": "1s"}}, "leave one out"),
    "an object without a name": (
        {"job": [{"kind": "program", "process": [{"program": ["compute 1ms", "access"]}]}]},
        "'access' with the name of an object",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_told(case: str) -> None:
    values, text = REFUSED[case]
    with pytest.raises(BadInput) as told:
        scenario_of({**TWO, **values}, "x.toml").made()
    assert text in str(told.value)
    assert "\n" not in str(told.value)


def test_parameters_on_the_command_line_go_to_the_policies_that_have_them() -> None:
    found = ways(Settings(), ["csm", "pred", "rr", "sb"], [], None, ["mnod=3"])
    told = [needs_of(way.settings.scheme).told(way.settings.given).get("mnod") for way in found]
    assert told == ["3", "3", None, None]
    with pytest.raises(UnknownName, match="mnod"):
        ways(Settings(), ["rr", "sb"], [], None, ["mnod=3"])
    with pytest.raises(BadValue, match="from 1 to"):
        ways(Settings(), ["csm"], [], None, ["mnod=0"])
    with pytest.raises(BadValue, match="NAME=VALUE"):
        ways(Settings(), ["csm"], [], None, ["mnod"])


def test_parameters_are_told_as_they_are_given() -> None:
    needs = Needs(
        parameters=(
            time("for", 5 * MS, ""),
            whole("often", 2, "", 1, 9),
            flag("really", True, ""),
            choice("kind", ("one", "other"), ""),
            share("part", 0.5, ""),
        )
    )
    values = {"for": "20ms", "often": "3", "really": "false", "kind": "other", "part": "0.25"}
    assert needs.told(needs.values("x", values)) == values
    assert needs.told(()) == {"for": "5ms", "often": "2", "really": "true", "kind": "one", "part": "0.5"}
    for name, value in {"for": "1", "often": "0", "really": "perhaps", "kind": "none", "part": "2"}.items():
        with pytest.raises(BadValue):
            needs.values("x", {name: value})


@pytest.mark.parametrize("name", named_policies())
def test_each_named_policy_declares_what_it_needs(name: str) -> None:
    assert callable(local_policy(name))
    assert all(one.help.endswith(".") for one in needs_of(name).parameters)


FREE = replace(Prices(), send=0, receive=0, latency=MS, switch=0, interrupt=0, move=0)
FEW = MemoryTasks(
    load=0.5, jobs=6, locals_a_job=2.0, small_ns=S // 2, large_ns=S, frequency_ns=50 * MS, phases=3.0
)


def plain() -> Scenario:
    return Scenario("few", 4, [], prices=FREE, settings=Settings("rr", Wait.BLOCK), memory=MainMemory())


def test_the_interval_of_a_memory_load_is_found() -> None:
    found = calibrated(plain(), FEW, "tasks.load")
    assert abs(found.load - 0.5) <= TOLERANCE * 0.5
    jobs = memory_jobs(FEW, 4, 1, found.interval_ns)
    until = max(one.arrival_ns for one in jobs if not one.name.startswith("L"))
    run = ScenarioReplay(replace(plain(), jobs=jobs, until_ns=until)).finish()
    assert memory_load(run) == pytest.approx(found.load)


def test_a_load_that_no_rate_reaches_is_told_with_the_nearest() -> None:
    with pytest.raises(BadInput) as told:
        calibrated(plain(), replace(FEW, load=500.0), "x.toml: tasks.load")
    text = str(told.value)
    assert "x.toml: tasks.load: no arrival rate reaches a memory load of 500; the nearest is " in text
    assert 0.1 < float(text.partition("nearest is ")[2].partition(",")[0]) < 500


def fitted(scenario: Scenario, name: str) -> Scenario:
    """*scenario* on a machine that the policy can use; with memory where that is what it is about."""
    made = replace(scenario, settings=Settings(name, Wait.BLOCK))
    if name == "dhc":
        return replace(made, nodes=8)
    if name == "batch":
        # A CPU for each process of the widest job.
        return replace(made, cpus_a_node=8)
    if name in ("rawsi", "process-control"):
        return replace(made, nodes=1, cpus_a_node=scenario.nodes)
    if name not in ("rr", "dyn", "pred", "csm"):
        return made
    jobs = [
        replace(
            one_job,
            processes=[replace(one, pages=Pages(60, 48, 6, 5 * MS)) for one in one_job.processes],
        )
        for one_job in scenario.jobs
    ]
    memory = MainMemory(pages=100, page_in=2000, block=4, fault_ns=2 * MS)
    return replace(made, jobs=jobs, memory=memory)


@pytest.mark.quick("csm", "tickets")
@pytest.mark.parametrize("name", named_policies())
@settings(max_examples=12, deadline=None)
@given(scenario=SCENARIOS)
def test_accounts_add_up_under_every_named_policy(name: str, scenario: Scenario) -> None:
    made = fitted(scenario, name)
    run = ScenarioReplay(made, (0, 1 << 57)).finish()
    world = run.world
    assert check_invariants(run) == []
    assert (world.jobs.end >= 0).all()
    assert (world.channels.waiting == 0).all()
    spin = ScenarioReplay(replace(made, settings=Settings(), memory=None)).finish().world
    assert (world.procs.spent[:, Segment.COMPUTE] == spin.procs.spent[:, Segment.COMPUTE]).all()
    for cpu in range(made.cpus):
        mine = run.pieces[run.pieces[:, 0] == cpu]
        assert (mine[1:, 3] == mine[:-1, 4]).all()
        ran = mine[(mine[:, 1] >= 0) & (mine[:, 2] < Segment.SWITCH)]
        done = sum(int(end - start) for start, end in ran[:, 3:5])
        assert done == int(world.cpus.spent[cpu, : Segment.SWITCH].sum())


@pytest.mark.quick("csm", "tickets")
@pytest.mark.parametrize("name", named_policies())
def test_machine_code_does_the_same(name: str) -> None:
    if interpreted():
        pytest.skip("nothing is compiled")
    jobs = loops([3, 4, 1], "neighbour", 700, 6, 0.3, 0.5, 137)
    made = fitted(Scenario("same", 4, jobs, seed=7, until_ns=20 * S), name)
    with interpreting():
        plain = as_dict(ScenarioReplay(made).finish())
    assert as_dict(ScenarioReplay(made).finish()) == plain


@pytest.mark.parametrize(
    ("used_s", "elapsed_s", "given", "raised"),
    [
        (0, 3, {}, True),
        (1, 3, {}, True),
        (3, 3, {}, False),
        (3, 3, {"slack": "400ms"}, True),
        (3, 3, {"fair": "false"}, True),
        # Of 3 s at full use 7/8 of a window are left, and half of them a second later.
        (3, 4, {}, True),
        (3, 4, {"slack": "0ns"}, True),
        (4, 4, {"slack": "0ns", "half_life": "2s"}, False),
    ],
)
def test_a_message_raises_its_receiver_within_its_fair_share(
    used_s: int, elapsed_s: int, given: Mapping[str, str], raised: bool
) -> None:
    name = "dcs-sb-fair"
    made = Settings(name, Wait.BLOCK, given=needs_of(name).values(name, given))
    world = build(Scenario("fair", 1, [job("J", (compute(S),)), job("L", (compute(S),))], settings=made))
    policy = local_policy(name)
    policy(world, Hook.START, 0, 0)
    for number in (0, 1):
        policy(world, Hook.PLACE, number, 0)
    world.cpus.present[0] = 2
    world.procs.state[0] = State.READY
    # A look at each second: what it used since, it used evenly.
    for second in range(1, elapsed_s + 1):
        world.now = second * S
        world.procs.spent[0, 0] = min(used_s, second) * S
        found = policy(world, Hook.ARRIVAL, 0, 0)
    assert bool(found) == raised
