"""A scenario becomes tables: whatever it says changes them, and nothing else does."""

from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from molokini.compiled.structs import Struct
from molokini.process_sim.building import build
from molokini.process_sim.scenario import (
    MS,
    US,
    Dist,
    Job,
    MainMemory,
    Pages,
    Pipeline,
    Prices,
    Process,
    Scenario,
    Settings,
    Step,
)
from molokini.process_sim.words import Arrival, Draw, Op, Pattern, Wait

PIPELINE = Pipeline()
STEP = Step(Op.COMPUTE, Dist(Draw.CONSTANT, MS))
PROCESS = Process((STEP,), node=0, zeta_ns=3 * MS, work_ns=7 * MS)
BASE = Scenario(
    "base", 2, [Job("J", [PROCESS, replace(PROCESS, node=1)], arrival_ns=5, pipeline=PIPELINE, tasks=2)]
)

OTHERWISE: dict[type, dict[str, Any]] = {
    Prices: {
        **dict.fromkeys(("send", "receive", "latency", "local_latency", "switch", "interrupt"), 17),
        "move": 19,
        "check": 23,
        "bytes_a_second": 1_000_003,
        "byte": Fraction(2, 3),
    },
    Settings: {
        "scheme": "2dcs-ps",
        "wait": Wait.BLOCK,
        "arrival": Arrival.BOOST,
        "spin_ns": 31,
        "quantum_ns": 37,
        "x": 5,
        "y": 4,
        "rows": 3,
        "row_quantum_ns": 41 * MS,
        "cycle_ns": 43 * MS,
        "sync_ns": 47 * US,
        "admission": True,
        "admission_work": "frame",
        "top_quantum_ns": 53,
        "carry_over": True,
        "sated_last": False,
        "ticked": True,
    },
    Pipeline: {
        "frames": 11,
        "frame_ns": Fraction(100_000_000, 7),
        "duration_ns": 59 * MS,
        "patience_ns": 61 * MS,
        "source": "ready",
        "skipped": 13,
    },
    Process: {"node": 1, "zeta_ns": 67 * MS, "work_ns": 71 * MS, "pages": Pages(83, 79, 3, MS)},
    MainMemory: {
        "pages": 89,
        "page_in": 97,
        "block": 101,
        "fault_ns": 103 * MS,
        "printed": True,
    },
    Pages: {"vir": 107, "wrk_mean": 109, "wrk_sd": 113, "phase_ns": 127},
}
"""Another value of each, which stands for all of its values."""
ELSEWHERE = {
    ("Settings", "boost_ns"): (replace(Settings(), arrival=Arrival.BOOST), 73 * US),
    ("Settings", "gang_switch"): (replace(Settings(), scheme="1gs"), False),
    ("Settings", "given"): (replace(Settings(), scheme="uncoordinated"), (3, 79 * MS, 0, 1)),
}
"""What counts beside another value alone."""
NAMES = {"Process": {"program", "name"}, "MainMemory": {"page_bytes"}}
"""Programs have tests of their own; names are for people, and so are bytes where all is counted in pages."""


def numbers(struct: Struct) -> list[Any]:
    """Everything that these tables hold, struct by struct."""
    found: list[Any] = []
    for name, value in ((name, getattr(struct, name)) for name in sorted(type(struct).layout)):
        if isinstance(value, Struct):
            found += numbers(value)
        else:
            found.append((name, np.asarray(value).tolist()))
    for name in type(struct).columns():
        found.append((name, np.asarray(getattr(struct, name)).tolist()))
    return found


def with_process(scenario: Scenario, process: Process) -> Scenario:
    [job] = scenario.jobs
    return replace(scenario, jobs=[replace(job, processes=[process, *job.processes[1:]])])


PAGES = Pages(1000, 800, 100, MS)
WITH_MEMORY = replace(with_process(BASE, replace(PROCESS, pages=PAGES)), memory=MainMemory())
ROWS = replace(BASE, settings=Settings(scheme="1gs", admission=True))
"""Where the work a frame counts by itself."""


def changed(scenario: Scenario, part: object) -> Scenario:
    [job] = scenario.jobs
    match part:
        case Prices():
            return replace(scenario, prices=part)
        case Settings():
            return replace(scenario, settings=part)
        case Pipeline():
            return replace(scenario, jobs=[replace(job, pipeline=part)])
        case MainMemory():
            return replace(scenario, memory=part)
        case Pages():
            return with_process(scenario, replace(PROCESS, pages=part))
        case _:
            assert isinstance(part, Process)
            return with_process(scenario, part)


def cases() -> list[Any]:
    plain: list[Any] = [Prices(), Settings(), PIPELINE, PROCESS, MainMemory(), PAGES]
    found = []
    for part in plain:
        kind = type(part).__name__
        for one in fields(part):
            if one.name in NAMES.get(kind, ()):
                continue
            base, value = ELSEWHERE.get((kind, one.name), (part, OTHERWISE[type(part)].get(one.name)))
            found.append(pytest.param(base, one.name, value, id=f"{kind}.{one.name}"))
    return found


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(("part", "name", "value"), cases())
def test_each_value_of_a_scenario_reaches_the_tables(part: Any, name: str, value: Any) -> None:
    assert value != getattr(part, name), "the test needs another value"
    of_memory = isinstance(part, MainMemory | Pages) or name == "pages"
    scenario = ROWS if name == "zeta_ns" else WITH_MEMORY if of_memory else BASE
    before, after = changed(scenario, part), changed(scenario, replace(part, **{name: value}))
    assert numbers(build(before)) == numbers(build(before))
    assert numbers(build(before)) != numbers(build(after))


@pytest.mark.parametrize(
    ("name", "value"), [("seed", 2), ("until_ns", 5 * MS), ("cpus_a_node", 2), ("nodes", 3)]
)
def test_so_does_what_it_says_of_the_machine(name: str, value: int) -> None:
    assert numbers(build(BASE)) != numbers(build(replace(BASE, **{name: value})))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"), [("arrival_ns", 6), ("tasks", 3), ("tickets", 7), ("pipeline", None)]
)
def test_so_does_what_it_says_of_a_job(name: str, value: Any) -> None:
    [job] = BASE.jobs
    assert numbers(build(BASE)) != numbers(build(replace(BASE, jobs=[replace(job, **{name: value})])))


@pytest.mark.parametrize(
    "step",
    [
        Step(Op.COMPUTE, Dist(Draw.CONSTANT, 2 * MS)),
        Step(Op.COMPUTE, Dist(Draw.UNIFORM, MS, 2 * MS)),
        Step(Op.SLEEP, Dist(Draw.CONSTANT, MS)),
        Step(Op.IO, Dist(Draw.CONSTANT, MS), count=7),
        Step(Op.SEND, peer=1, size=9),
        Step(Op.SEND, peer=1, size=10),
        Step(Op.SEND, peer=0, size=9),
        Step(Op.EXCHANGE, size=9, pattern=Pattern.RING),
        Step(Op.EXCHANGE, size=9, pattern=Pattern.TREE),
        Step(Op.ACCESS, peer=0),
        Step(Op.ACCESS, peer=1),
    ],
    ids=str,
)
def test_so_does_every_step_of_a_program(step: Step) -> None:
    other = with_process(BASE, replace(PROCESS, program=(step,)))
    assert numbers(build(BASE)) != numbers(build(other))


def test_jobs_come_in_the_order_of_their_arrivals_and_times_are_of_each() -> None:
    [job] = BASE.jobs
    jobs = [replace(job, name="b", arrival_ns=9, tasks=9), replace(job, name="a", arrival_ns=3, tasks=3)]
    made = build(replace(BASE, jobs=jobs)).jobs
    assert made.arrival[:2].tolist() == made.bag[:2].tolist() == [3, 9]
    assert made.first[:2].tolist() == [0, 2]
    assert made.channel[:2].tolist() == [0, 4]
