"""Stand-ins for the NAS benchmarks: messages as in NPB 2, no deadlock, and what is refused."""

import pytest

from molokini.model.errors import BadValue, Conflict
from molokini.process_sim.nas import messages_of, nas_processes, processes_of
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import Job, S, Scenario, Settings
from molokini.process_sim.scenario_files import scenario_of
from molokini.process_sim.scheduler_daemon import Count


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        # 6 faces and 6 sqrt(p) stages of an iteration.
        ("sp.A.4", 400 * 4 * (6 + 12)),
        ("bt.B.9", 200 * 9 * (6 + 18)),
        # Two sweeps over 62 or 100 planes, along the two borders of a grid of 2 x 2, or one of 1 x 2.
        ("lu.A.4", 250 * 2 * 62 * 4),
        ("lu.B.2", 250 * 2 * 100),
        ("cg.A.16", 15 * 25 * 16 * 3 * 4),
        ("mg.A.8", 4 * 8 * 100),
        ("ft.A.8", 6 * 8 * 7),
        # Two sums up a tree and down again.
        ("ep.A.4", 2 * 2 * 3),
        ("ep.A.1", 0),
    ],
)
def test_messages_are_those_of_the_programs(name: str, messages: int) -> None:
    assert messages_of(name) == messages


@pytest.mark.parametrize(
    "name", ["lu.A.8", "sp.A.9", "bt.A.4", "cg.A.8", "mg.A.4", "ft.A.4", "ep.B.8", "bt.A.1"]
)
def test_each_comes_to_its_end_and_computes_what_it_is_to(name: str) -> None:
    part = {"lu": 0.004, "ep": 0.001}.get(name[:2], 0.01)
    size = int(name.split(".")[2])
    job = Job(name, nas_processes(name, [None] * size, part))
    run = ScenarioReplay(Scenario("nas", 8, [job], 2, settings=Settings(scheme="uncoordinated"))).finish()
    assert run.world.jobs.end[0] > 0
    assert not run.world.channels.waiting.any()
    computed = run.world.procs.spent[:size, 0].sum() / S
    whole = {"lu": 800, "sp": 700, "bt": 1100, "cg": 30, "mg": 40, "ft": 80, "ep": 1600}[name[:2]]
    rounds = {"lu": 1 / 250, "sp": 4 / 400, "bt": 2 / 200, "cg": 1 / 15, "mg": 1 / 4, "ft": 1 / 6, "ep": part}
    assert computed == pytest.approx(whole * rounds[name[:2]], rel=0.1)


@pytest.mark.parametrize("name", ["lu.A.4", "sp.A.4", "ep.A.4"])
def test_a_smaller_grain_is_as_much_work_with_more_messages(name: str) -> None:
    part = {"lu": 0.008, "ep": 0.002}.get(name[:2], 0.01)
    received, computed = [], []
    for grain in (1.0, 0.25):
        job = Job(name, nas_processes(name, [None] * 4, part, grain))
        settings = Settings(scheme="message-driven")
        run = ScenarioReplay(Scenario("nas", 8, [job], 2, settings=settings)).finish()
        received.append(int(run.world.own.cluster[Count.MESSAGES]))
        computed.append(run.world.procs.spent[:4, 0].sum() / S)
    assert received[1] == received[0] * (1 if name.startswith("ep") else 4)
    assert computed[1] == pytest.approx(computed[0], rel=0.1)


@pytest.mark.parametrize(
    "name", ["lu.A.3", "sp.A.8", "lu.D.4", "is.A.4", "lu.A", "lu..4", "lu.A.8192", "sp.A.04x", ""]
)
def test_others_are_refused(name: str) -> None:
    assert processes_of(name) is None
    with pytest.raises(BadValue, match="program"):
        scenario_of({"nodes": 8, "job": [{"kind": "nas", "program": name or "?"}]}, "f")


def scenario_with(**more: object) -> Scenario:
    return scenario_of({"nodes": 2, "job": [{"kind": "serial"}], **more}, "f").scenario


def test_nodes_may_differ_in_cpus_and_speed() -> None:
    made = scenario_with(cpus_per_node=[1, 3], speeds=[1.0, 0.25])
    assert (made.cpus, made.node_of_cpu, made.speeds) == (4, (0, 1, 1, 1), (1000, 250))
    for name in ("cpus_per_node", "speeds"):
        with pytest.raises(Conflict, match="give one of each node"):
            scenario_with(**{name: [1, 1, 1]})
    for name, value in (("cpus_per_node", [0, 1]), ("speeds", [0, 1]), ("speeds", 2), ("speeds", [True, 1])):
        with pytest.raises(BadValue):
            scenario_with(**{name: value})


@pytest.mark.parametrize("name", ["gmet", "slice", "class_interval", "unscheduled"])
def test_a_parameter_of_nothing_is_refused(name: str) -> None:
    given = {name: "0" if name == "unscheduled" else "0s"}
    with pytest.raises(BadValue, match=name):
        scenario_with(scheduling={"local": "message-driven", "set": given})
