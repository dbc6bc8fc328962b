"""Scenario files: what is refused, and in which words; the examples are read and explained."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from molokini.compiled.compilation import interpreting
from molokini.model.errors import BadInput
from molokini.process_sim.accounts import check_invariants
from molokini.process_sim.explaining import explained
from molokini.process_sim.kinds import Dice, cycle_in, layered_edges
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario_files import read_scenario, scenario_of

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "coscheduling").glob("*.toml"))


def program(*lines: str, **more: Any) -> dict[str, Any]:
    return {"program": list(lines), **more}


def job(**keys: Any) -> dict[str, Any]:
    return {"job": [keys]}


STAGE = {"kind": "real-time", "duration": "1s"}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            job(**STAGE, stage=[{"name": "a", "after": ["b"]}, {"name": "b", "after": ["a"]}]),
            "f.toml: job[1].stage: the graph has a cycle, a -> b -> a",
        ),
        (
            job(**STAGE, processes=1, stage=[{"name": "a"}, {"name": "b"}]),
            "job[1].processes: 2 stages on 1 processes: stage b has none",
        ),
        (job(kind="bsp", processes=3, nodes=[0, 0]), "2 nodes for 3 processes: process 2 has no node"),
        (job(process=[program("compute 1ms", node=0), program("compute 1ms")]), "process 1 has no node"),
        (job(kind="bsp", processes=1, nodes=[7]), "nodes: [7] is not allowed; it must be a list of nodes"),
        ({"scheduling": {"ratio": "0:0"}}, "scheduling.ratio: '0:0' is not allowed; it must be x:y"),
        (
            {"scheduling": {"ratio": "3:0", "scheme": "1gs"}},
            "scheduling.ratio: 3:0 leaves a class without a row of 1gs",
        ),
        ({"scheduling": {"rows": 1, "scheme": "1gs"}}, "rows: 1 is not allowed; it must be a whole"),
        ({"costs": {"switch": "-5us"}}, "f.toml: costs.switch: '-5us' is not allowed; it must be"),
        ({"costs": {"switch": 5}}, "costs.switch: 5 is not allowed"),
        ({"costs": {"swich": "5us"}}, "no key in [costs] of f.toml named 'swich'; did you mean 'switch'?"),
        ({"nodse": 4}, "no key in f.toml named 'nodse'; did you mean 'nodes'?"),
        (job(kind="bps"), "no value of f.toml: job[1].kind named 'bps'; did you mean 'bsp'?"),
        ({"scheduling": {"local": "pbsb"}}, "scheduling.local: 'pbsb' is not allowed; it must be one"),
        (job(kind="bsp", processes=10**7), "processes with 100,000,000,000,000 channels need"),
        (job(process=[program("compuet 1ms")]), "named 'compuet'; did you mean 'compute'?"),
        (job(process=[program("send X")]), "no process of f.toml: job[1].process[1].program named 'X'"),
        (job(process=[program("repeat 3", "compute 1ms")]), "closed by an 'end'"),
        (job(process=[program("compute soon")]), "'compute' with a duration, or 'exponential MEAN'"),
        ({"arrivals": {"for": "1min"}}, "f.toml: until: with [arrivals] it must say"),
        (job(kind="real-time", duration="0s"), "f.toml: until: job1 never ends"),
        ({}, "no jobs: a scenario needs [[job]]"),
        ({"schedule": {"file": "nowhere.csv"}}, "nowhere.csv: No such file"),
    ],
)
def test_a_bad_scenario_is_refused_in_one_line(values: Mapping[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as raised:
        scenario_of({"nodes": 4, **values}, "f.toml").made()
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("scheme", ["local", "1gs", "2dcs-tdm", "2dcs-ps"])
def test_a_short_time_in_which_nothing_arrives_is_over_at_once(scheme: str) -> None:
    loads = {"for": "10s", "rt_load": 0.01, "be_load": 0.01}
    values = {"nodes": 2, "until": "10s", "scheduling": {"scheme": scheme}, "arrivals": loads}
    source = scenario_of(values, "f.toml")
    assert source.made(seed=1).jobs == []
    with interpreting():
        run = ScenarioReplay(source.made(seed=1)).finish()
    assert (check_invariants(run), int(run.world.now)) == ([], 0)


def test_a_receive_without_a_send_is_told_as_a_deadlock() -> None:
    a, b = program("compute 1ms", "receive B", name="A", node=0), program("receive A", name="B", node=1)
    for local in ("spin", "sb", "sy", "pb-sb"):
        values = {"nodes": 2, "scheduling": {"local": local}, **job(process=[a, b])}
        with interpreting(), pytest.raises(BadInput) as raised:
            ScenarioReplay(scenario_of(values, "f.toml").made()).finish()
        assert "A waits for a message of B, B waits for a message of A" in str(raised.value)
        assert local != "spin" or "deadlock at 1ms" in str(raised.value)


@pytest.mark.deep
def test_a_deadlock_is_told_though_others_go_on_until_the_end() -> None:
    a, b = program("compute 1ms", "receive B", name="A", node=0), program("receive A", name="B", node=1)
    busy = {"kind": "serial", "work": "10s", "nodes": [2]}
    for until in ("500ms", "3s"):
        for local in ("spin", "sb", "sy", "pb-sb"):
            values = {"nodes": 3, "until": until, "scheduling": {"local": local}}
            made = scenario_of({**values, "job": [busy, {"process": [a, b]}]}, "f.toml")
            with interpreting(), pytest.raises(BadInput) as raised:
                ScenarioReplay(made.made()).finish().refuse_deadlocks()
            assert "deadlock at 1ms: A waits for a message of B, B waits for a message of A" in str(
                raised.value
            )


def test_who_waits_for_what_is_on_its_way_or_will_be_sent_is_in_no_deadlock() -> None:
    slow = {"latency": "1s", "local_latency": "1s"}
    pairs = (
        ("receive B", "compute 1ms, send A"),
        ("receive any", "compute 1ms, send A"),
        ("receive B", "compute 5ms, send A"),
        ("receive B", "io 5ms, send A"),
        ("receive B", "sleep 5ms, send A"),
    )
    for first, second in pairs:
        jobs = job(process=[program(first, name="A", node=0), {"program": second, "name": "B", "node": 1}])
        made = scenario_of({"nodes": 2, "until": "3ms", "costs": slow, **jobs}, "f.toml")
        with interpreting():
            run = ScenarioReplay(made.made()).finish().refuse_deadlocks()
        assert run.world.jobs.end[0] == -1


def test_a_server_that_all_have_left_waits_in_vain() -> None:
    server, client = program("receive any", "receive any", name="S"), program("send S", name="C")
    made = scenario_of({"until": "500ms", **job(process=[server, client])}, "f.toml")
    with interpreting(), pytest.raises(BadInput, match="S waits for a message from any process"):
        ScenarioReplay(made.made()).finish().refuse_deadlocks()


@pytest.mark.parametrize(
    ("programs", "words"),
    [
        ([program("repeat", "compute 0ns", "end", name="A")], "the program of A loops without end at 0ns"),
        (
            [
                program("repeat", "send B", "receive B", "end", name="A"),
                program("repeat", "receive A", "send A", "end", name="B"),
            ],
            "programs go on without end at 0ns",
        ),
    ],
)
def test_programs_that_take_no_time_are_told(programs: list[dict[str, Any]], words: str) -> None:
    free = dict.fromkeys(("send", "receive", "latency", "local_latency"), "0ns")
    values = {
        "nodes": 2,
        "costs": free,
        **job(process=[{**one, "node": k} for k, one in enumerate(programs)]),
    }
    with pytest.raises(BadInput, match=words):
        ScenarioReplay(scenario_of(values, "f.toml").made()).finish()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_understood(path: Path) -> None:
    source = read_scenario(str(path))
    found = explained(source)
    assert found["scheduling"]["spin"] == {"memory": "2ms", "feedback": "130us"}.get(path.stem, "260us")
    assert source.made().jobs


def test_a_schedule_of_the_job_level_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(
        "# a comment\njob,submit_s,start_s,end_s,processors\n1,0,0.0,0.5,2\n2,0,0.25,0.5,1\n3,0,nan,nan,1\n"
    )
    file = tmp_path / "f.toml"
    file.write_text('nodes = 2\n[schedule]\nfile = "s.csv"\n')
    scenario = read_scenario(str(file)).made()
    assert [(one.name, one.arrival_ns, len(one.processes)) for one in scenario.jobs] == [
        ("1", 0, 2),
        ("2", 250_000_000, 1),
    ]
    with interpreting():
        run = ScenarioReplay(scenario).finish()
    # Half a second of computing in grains of 5 ms, and what messages cost.
    assert 500_000_000 < run.world.jobs.end[0] < 1_000_000_000


def test_random_pipelines_are_layered_graphs() -> None:
    for seed in range(20):
        edges = layered_edges(16, Dice(seed, 7))
        assert cycle_in(16, edges) == []
        assert {k for _, k in edges} == set(range(1, 16))
        assert {j for j, _ in edges} == set(range(15))
        fans = [sum(i == j for i, _ in edges) for j in range(15)]
        assert max(fans) <= 3
        assert sum(fan <= 2 for fan in fans) >= 13
