"""What runs have used, and what would have been enough: cases computed by hand."""

from dataclasses import replace
from typing import Any

import pytest

from molokini.client.usage import Request, RunUsage, Usage, suggested, usage_of

MB, GB = 1024, 1 << 20
WELL = RunUsage(
    processors=4,
    elapsed_s=600.0,
    estimate_s=3600.0,
    memory_asked_kb=4 * GB,
    cpu_s=1800.0,
    memory_used_kb=GB,
    read_kb=10,
    written_kb=20,
    well=True,
)


def test_one_run() -> None:
    assert usage_of([WELL]) == Usage(
        runs=1,
        elapsed_s=600.0,
        cpu_s=1800.0,
        memory_used_kb=GB,
        read_kb=10,
        written_kb=20,
        cpu_efficiency=0.75,  # 1,800 of 4 x 600
        memory_efficiency=0.25,
        time_efficiency=1 / 6,
    )


def test_elements_together_are_sums_and_maxima_over_those_that_are_known() -> None:
    other = replace(WELL, elapsed_s=1200.0, cpu_s=1200.0, memory_used_kb=2 * GB, read_kb=1, written_kb=2)
    unknown = replace(WELL, elapsed_s=1800.0, cpu_s=0.0, memory_used_kb=0, read_kb=0, written_kb=0)
    assert usage_of([WELL, other, unknown]) == Usage(
        runs=2,
        elapsed_s=1800.0,
        cpu_s=3000.0,
        memory_used_kb=2 * GB,
        read_kb=11,
        written_kb=22,
        cpu_efficiency=3000 / (4 * 600 + 4 * 1200),
        memory_efficiency=0.5,
        time_efficiency=0.5,
    )


def test_what_is_not_known_is_no_number() -> None:
    assert usage_of([]) == Usage(runs=0)
    emulated = replace(WELL, cpu_s=0.0, memory_asked_kb=0)
    found = usage_of([emulated])
    assert (found.runs, found.memory_used_kb, found.memory_efficiency) == (1, GB, None)
    assert (found.cpu_s, found.cpu_efficiency, found.read_kb, found.written_kb) == (None, None, None, None)


@pytest.mark.parametrize(
    ("change", "request_"),
    [
        # 3 busy processors; 1.2 GB over them, in whole megabytes; 12 minutes.
        ({}, Request(3, 410 * MB, 720.0)),
        # A little more than one busy processor is one, which then has all the memory.
        ({"cpu_s": 620.0}, Request(1, 1229 * MB, 720.0)),
        ({"cpu_s": 640.0}, Request(2, 615 * MB, 720.0)),
        # Not less than one processor and a minute, nor more than was asked for.
        ({"cpu_s": 0.1, "elapsed_s": 2.0}, Request(1, 1229 * MB, 60.0)),
        ({"cpu_s": 2600.0, "elapsed_s": 600.0}, Request(4, 308 * MB, 720.0)),
        ({"memory_used_kb": 4 * GB}, Request(3, 4 * GB // 3, 720.0)),
        ({"elapsed_s": 3500.0, "cpu_s": 14000.0}, Request(4, 308 * MB, 3600.0)),
        ({"elapsed_s": 2.0, "cpu_s": 8.0, "estimate_s": 30.0}, Request(4, 308 * MB, 30.0)),
        # 500 s and a fifth are ten minutes, not eleven.
        ({"elapsed_s": 500.0}, Request(4, 308 * MB, 600.0)),
        # What is not known, or has a form of its own, is left alone.
        ({"cpu_s": 0.0}, Request(None, 308 * MB, 720.0)),
        ({"plain": False}, Request(None, 308 * MB, 720.0)),
        ({"memory_used_kb": 0}, Request(3, None, 720.0)),
        # Memory that was not asked for has no bound.
        ({"memory_asked_kb": 0}, Request(3, 410 * MB, 720.0)),
    ],
)
def test_a_run_that_completed(change: dict[str, Any], request_: Request) -> None:
    assert suggested([replace(WELL, **change)]) == request_


def test_runs_that_did_not_complete() -> None:
    failed = replace(WELL, well=False)
    assert suggested([]) is suggested([failed]) is None
    late = replace(failed, ran_out_of="time", elapsed_s=3600.0)
    assert suggested([late]) == Request(None, None, 7200.0, ("time",))
    full = replace(failed, ran_out_of="memory")
    assert suggested([full]) == Request(None, 2 * GB, None, ("memory",))
    assert suggested([replace(full, memory_asked_kb=0)]) == Request(None, GB // 2, None, ("memory",))


def test_an_array_gets_what_is_enough_for_each_element() -> None:
    small = replace(WELL, cpu_s=600.0, elapsed_s=1000.0, memory_used_kb=MB)
    assert suggested([WELL, small]) == Request(3, 410 * MB, 1200.0)
    failed = replace(WELL, well=False, memory_used_kb=3 * GB)
    assert suggested([WELL, failed]) == Request(3, 410 * MB, 720.0)
    # Not on fewer processors, where one ran out of time already.
    late = replace(failed, ran_out_of="time")
    assert suggested([WELL, late]) == Request(None, 308 * MB, 7200.0, ("time",))
    full = replace(failed, ran_out_of="memory")
    assert suggested([WELL, full]) == Request(3, 2731 * MB, 720.0, ("memory",))
