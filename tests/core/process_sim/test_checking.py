"""Values that do not go together, or that no table can hold, are refused before anything runs."""

from typing import Any

import pytest

from molokini.model.errors import BadInput
from molokini.process_sim import building
from molokini.process_sim.scenario_files import read_scenario, scenario_of

SERIAL = {"kind": "serial", "work": "1ms"}
PIPELINE = {"kind": "real-time", "zeta": ["1ms"], "duration": "1s"}


def of(job: dict[str, Any] | None = None, **tables: Any) -> dict[str, Any]:
    return {"nodes": 4, "job": [job or SERIAL], **tables}


def program(*lines: str, **keys: Any) -> dict[str, Any]:
    return {"process": [{"program": list(lines), **keys}]}


GANG = {"scheme": "1gs"}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "checks take all the time": (
        of(scheduling={"local": "pb", "boost": "2us"}),
        "scheduling.boost: a check every 2us that takes 2us (costs.check) leaves no time to compute",
    ),
    "in a scheme that has them": (
        of(scheduling={"scheme": "2dcs-ps", "boost": "1us"}),
        "scheduling.boost: a check every 1us that takes 2us",
    ),
    "rows shorter than a switch": (
        of(PIPELINE, scheduling={**GANG, "admission": True, "row_quantum": "200us"}),
        "scheduling.row_quantum: 200us is not longer than a switch of 200us",
    ),
    "two processes in one column": (
        of({"kind": "bsp", "nodes": [0, 0]}, scheduling=GANG),
        "job1: 2 processes on 1 nodes; under 1gs each process of a job needs a node of its own",
    ),
    "wider than the matrix": (
        of({"kind": "bsp", "processes": 5}, scheduling=GANG),
        "job1: 5 processes on 4 nodes; under 1gs",
    ),
    "columns of two CPUs": (
        of(cpus_per_node=2, scheduling=GANG),
        "cpus_per_node: 2 is more than 1gs can use",
    ),
    "a message for ever": (
        of({"kind": "bsp", "message": "100000MB"}, costs={"bytes_per_second": 1}),
        "costs.bytes_per_second: a message of 100,000,000,000 bytes takes longer than can be counted",
    ),
    "a dear message": (
        of({"kind": "bsp", "message": "1MB"}, costs={"send_ns_per_byte": 999_999_999.999999}),
        "costs.send_ns_per_byte: a message of 1,000,000 bytes takes longer than can be counted",
    ),
    "a huge message": (of({"kind": "bsp", "message": "9" * 30 + "MB"}), "it must be bytes from 0 to 10**12"),
    "a period of years": (
        of({**PIPELINE, "frames": 10**6, "frames_per_second": 0.001}),
        "job[1].frames: a period of 1,000,000,000 s is more than a day",
    ),
    "frames that take more than a day": (
        of({**PIPELINE, "zeta": ["1ms", "90s"], "frames": 961}),
        "f.toml: job[1].zeta: 90s for each of 961 frames a period is more than a day",
    ),
    "frames that arrive and take more than a day": (
        {"until": "1s", "arrivals": {"zeta": "25h"}},
        "f.toml: arrivals.zeta: 90000s for each of 100 frames a period is more than a day",
    ),
    "CPUs that need too much": (of(cpus_per_node=1024, nodes=65_536), "nodes: 67,108,864 CPUs need"),
    "jobs that arrive for ever": (
        {"nodes": 16, "until": "1s", "arrivals": {"for": "7000h", "rt_load": 100}},
        "f.toml: [arrivals]: ",
    ),
    "work of no time": ({"until": "1s", "arrivals": {"work": "0s"}}, "arrivals.work: '0s' is not allowed"),
    "frames of no time": ({"until": "1s", "arrivals": {"zeta": "0s"}}, "arrivals.zeta: '0s' is not allowed"),
    "patterns that are lists": (
        {"until": "1s", "arrivals": {"patterns": [["ring"]]}},
        "patterns: [['ring']] is not allowed; it must be a list of some of ring",
    ),
    "two stages of one name": (
        of({"kind": "real-time", "duration": "1s", "stage": [{"name": "a"}, {"name": "a", "after": ["a"]}]}),
        "job[1].stage.name: ['a', 'a'] is not allowed; it must be another name for each stage",
    ),
    "a name of two lines": (of({**SERIAL, "name": "a\nb"}), "it must be text of one line"),
    "a program without an end": (
        of(program("repeat", "compute 1ms", "end")),
        "f.toml: until: job1 never ends; say how long is simulated",
    ),
    "an inner loop without an end": (
        of(program("repeat 3", "repeat", "sleep 1ms", "end", "end")),
        "f.toml: until: job1 never ends",
    ),
    "an empty line": (of(program("compute 1ms", "")), "it must be a program: lines as"),
    "a reply to nobody": (of(program("reply 1KB")), "behind a 'receive any', whose sender it answers"),
    "NaN": (of({"kind": "bsp", "io_chance": float("nan")}), "io_chance: nan is not allowed"),
    "a table for a number": ({"nodes": {}, "job": [SERIAL]}, "nodes: {} is not allowed; it must be a whole"),
    "a number for a table": ({"costs": 3, "job": [SERIAL]}, "costs: 3 is not allowed; it must be a table"),
    "a number for jobs": ({"job": 3}, "job: 3 is not allowed; it must be tables, each headed [[job]]"),
    "a list of numbers for jobs": ({"job": [3]}, "job[1]: 3 is not allowed; it must be a table of keys"),
}


@pytest.mark.parametrize(("values", "words"), BAD.values(), ids=list(BAD))
def test_values_that_cannot_be_are_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as raised:
        scenario_of(values, "f.toml").made()
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "f.toml" in str(raised.value)


def test_copies_of_a_serial_job_count_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MOST_BYTES", 2**20)
    with pytest.raises(BadInput, match="processes with"):
        scenario_of({"job": [{**SERIAL, "copies": 1000}] * 20}, "f.toml").made()


GOOD: dict[str, dict[str, Any]] = {
    "checks that are not made": of(scheduling={"local": "spin", "boost": "2us"}),
    "checks of 2us every 3us": of(scheduling={"local": "pb", "boost": "3us"}),
    "rows without admission": of(PIPELINE, scheduling={**GANG, "row_quantum": "200us"}),
    "rows without a switch": of(
        PIPELINE, scheduling={**GANG, "admission": True, "row_quantum": "200us", "gang_switch": False}
    ),
    "as wide as the matrix": of({"kind": "bsp", "processes": 4}, scheduling=GANG),
    "a bag": of({"kind": "bag"}),
    "an endless program until": of(program("repeat", "compute 1ms", "end"), until="1s"),
    "odd rates": of({**PIPELINE, "frames": 10**6, "frames_per_second": 33.333333}),
    "a zeta above the time of a frame": of(
        {**PIPELINE, "zeta": ["90s"], "frames": 960, "frames_per_second": 1}
    ),
    "the same of what arrives": {"until": "1s", "arrivals": {"zeta": "uniform 1ms 40ms", "for": "1h"}},
    "a period of a day": of({**PIPELINE, "frames": 86_400, "frames_per_second": 1}),
}


@pytest.mark.parametrize("values", GOOD.values(), ids=list(GOOD))
def test_their_neighbours_are_not(values: dict[str, Any]) -> None:
    assert scenario_of(values, "f.toml").made().jobs


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"nodes = " + b"9" * 5000, "not TOML"),
        (b"nodes = " + b"[" * 20_000, "not TOML"),
        (b"nodes = \xff", "not text in UTF-8"),
        (b"", "no jobs: a scenario needs"),
        (b"\x00", "not TOML"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused(tmp_path: Any, text: bytes, words: str) -> None:
    path = tmp_path / "f.toml"
    path.write_bytes(text)
    with pytest.raises(BadInput, match=words) as raised:
        read_scenario(str(path)).made()
    assert "\n" not in str(raised.value)
