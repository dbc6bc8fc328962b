"""What ``-l`` asks for."""

from typing import Any

import pytest

from molokini.compat.pbs.failing import BAD_VALUE, NOT_WITH_SELECT, UNKNOWN_RESOURCE
from molokini.compat.pbs.resources import BadResource, pairs_of, wanted


def asked(*texts: str) -> dict[str, Any]:
    return wanted(pairs_of(texts)).resources


def on_nodes(count: int, each: int, **more: Any) -> dict[str, Any]:
    return {"processors": count * each, "nodes": count, "processors_per_node": each, **more}


@pytest.mark.parametrize(
    ("text", "resources"),
    [
        ("nodes=1", {"processors": 1}),
        ("nodes=2", on_nodes(2, 1)),
        ("nodes=2:ppn=4", on_nodes(2, 4)),
        ("nodes=1:ppn=4+2:ppn=4", on_nodes(3, 4)),
        ("nodes=bigmem:ppn=2", on_nodes(1, 2, features=["bigmem"])),
        ("nodes=2:ppn=2:fast", on_nodes(2, 2, features=["fast"])),
        ("nodes=2:ppn=2:gpus=1:mem=2097152", on_nodes(2, 2, memory_kb=1024, generic={"gpu": 1})),
        ("nodes=1:ppn=2#shared", on_nodes(1, 2)),
        ("procs=6", {"processors": 6}),
        ("size=6", {"processors": 6}),
        ("ncpus=4", on_nodes(1, 4)),
        ("ncpus=4,mem=4gb", on_nodes(1, 4, memory_kb=1 << 20)),
        ("mem=64000000", {"processors": 1, "memory_kb": 62500}),
        ("pmem=100kb", {"processors": 1, "memory_kb": 100}),
        ("select=4", {"processors": 4}),
        ("select=1:ncpus=4:mpiprocs=4:mem=477MB", on_nodes(1, 4, memory_kb=122112)),
        ("select=2:ncpus=3", on_nodes(2, 3)),
        ("select=2:ncpus=3,place=pack", on_nodes(1, 6)),
        ("select=2:ncpus=1,place=scatter:shared", on_nodes(2, 1)),
        ("select=2:ngpus=1,place=pack", on_nodes(1, 2, generic={"gpu": 2})),
        ("select=1:ncpus=2:bigmem=True:model=has", on_nodes(1, 2, features=["bigmem", "has"])),
        ("gres=fpga:2", {"processors": 1, "generic": {"fpga": 2}}),
        ("nodes=2:ppn=2:fast+1:ppn=2:slow", on_nodes(3, 2, constraint="fast*2&slow*1")),
        ("nodes=2:ppn=2:fast:near+1:ppn=2", on_nodes(3, 2, constraint="(fast&near)*2")),
        ("select=1:ncpus=2:a=True+2:ncpus=2:b=True", on_nodes(3, 2, constraint="a*1&b*2")),
        ("select=1:a=True+1:b=True", on_nodes(2, 1, constraint="a*1&b*1")),
        ("feature=a:b", {"processors": 1, "features": ["a", "b"]}),
        ("cput=10:00", {"processors": 1}),
    ],
)
def test_a_list_says_what_is_needed(text: str, resources: dict[str, Any]) -> None:
    assert asked(text) == resources


@pytest.mark.parametrize(
    ("text", "lines", "threads"),
    [
        ("nodes=2:ppn=4", "node=4", 4),
        ("select=2:ncpus=4", "node=1", 4),
        ("select=2:ncpus=4:mpiprocs=2", "node=2", 4),
        ("select=3:ncpus=2:mpiprocs=2,place=pack", "node=6", 2),
        ("select=4", "each=1:1", 1),
        ("select=4:mpiprocs=2", "each=1:2", 1),
    ],
)
def test_processes_of_a_chunk_are_lines_of_the_file_of_nodes(text: str, lines: str, threads: int) -> None:
    made = wanted(pairs_of([text]))
    assert (made.processes, made.threads) == (lines, threads)


@pytest.mark.parametrize(
    ("text", "seconds"), [("0:5:0", 300), ("1:3:7", 3787), ("90", 90), ("01:30", 90), ("00:00:01.5", 1.5)]
)
def test_a_wall_time_needs_no_padding(text: str, seconds: float) -> None:
    assert wanted(pairs_of([f"walltime={text}"])).estimate_s == seconds


def test_of_a_resource_that_is_named_twice_the_first_counts() -> None:
    assert asked("nodes=2:ppn=2,walltime=60", "nodes=1") == on_nodes(2, 2)


@pytest.mark.parametrize(
    ("text", "whole"), [("place=excl", True), ("place=scatter:exclhost", True), ("place=pack", False)]
)
def test_whole_nodes_are_asked_for_by_place(text: str, whole: bool) -> None:
    assert wanted(pairs_of([f"select=2:ncpus=2,{text}"])).exclusive is whole
    assert wanted(pairs_of(["nodes=1:ppn=2#excl"])).exclusive


@pytest.mark.parametrize(
    ("text", "number", "why"),
    [
        ("nodes=0", BAD_VALUE, "nodes '0': must be a whole number from 1 to 2,147,483,647"),
        ("nodes=-1", BAD_VALUE, "'-1'"),
        ("nodes=1:ppn=-1", BAD_VALUE, "ppn '-1'"),
        (
            "nodes=1:ppn=2+1:ppn=4",
            BAD_VALUE,
            "parts that differ in more than their features are not supported",
        ),
        ("nodes=1000000:ppn=1000000", BAD_VALUE, "processors in all"),
        ("nodes=2147483648", BAD_VALUE, "2147483648"),
        ("nodes=1:vmem=3", BAD_VALUE, "vmem= is not supported"),
        ("nodes=1::x", BAD_VALUE, "an empty part"),
        ("nodes=1#odd", BAD_VALUE, "#odd"),
        ("select=1:ncpus=0", BAD_VALUE, "ncpus '0'"),
        ("select=1:host=n1", BAD_VALUE, "jobs cannot name their nodes"),
        ("select=1:ncpus", BAD_VALUE, "no name=value"),
        ("select=1:mem=1.5gb", BAD_VALUE, "a size above 0"),
        ("select=1:ncpus=2,place=group=switch", BAD_VALUE, "is none of"),
        ("select=1,ncpus=2", NOT_WITH_SELECT, "chunk of select"),
        ("walltime=0", BAD_VALUE, "above 0"),
        ("walltime=-5", BAD_VALUE, "above 0"),
        ("walltime=1e400", BAD_VALUE, "above 0"),
        ("walltime=nan", BAD_VALUE, "above 0"),
        ("walltime=999999999999:00:00", BAD_VALUE, "above 0"),
        ("walltime=1:2:3:4", BAD_VALUE, "above 0"),
        ("walltime=", BAD_VALUE, "no name=value"),
        ("mem=0", BAD_VALUE, "a size above 0"),
        ("mem=10 G B", BAD_VALUE, "a size above 0"),
        ("color=red", UNKNOWN_RESOURCE, "there is no such resource"),
        ("nodes=2,gpus=1", BAD_VALUE, "in each part"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_why(text: str, number: int, why: str) -> None:
    with pytest.raises(BadResource) as refused:
        asked(text)
    assert refused.value.number == number
    assert why in str(refused.value)
