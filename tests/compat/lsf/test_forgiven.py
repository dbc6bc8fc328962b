"""What LSF takes from tools, however odd it looks: limits below what is reserved, names for many jobs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    up = ("--nodes", 2, "--procs-per-node", 4, "--clock", "stepped")
    async with system_variables(tmp_path, "lsf", up=up) as one:
        yield one


NEXTFLOW = [
    ("-n", "2", "-R", "span[hosts=1]", "-M", "50MB", "-R", "select[mem>=100MB] rusage[mem=100MB]"),
    ("-n", "2", "-R", "span[hosts=1] rusage[mem=100MB]", "-M", "50MB"),
    (
        "-J",
        "x[1-3]",
        "-n",
        "2",
        "-R",
        "span[hosts=1]",
        "-M",
        "50MB",
        "-R",
        "select[mem>=100MB] rusage[mem=100MB]",
    ),
    ("-M", "100MB", "-R", "select[mem>=100MB] rusage[mem=100MB]"),
]
"""Memory limits are a slot's and reservations a host's, as Nextflow has them unless told otherwise."""


async def test_a_limit_below_what_is_reserved(cluster: Cluster) -> None:
    for number, words in enumerate(NEXTFLOW, 1):
        done = await cluster.ran("bsub", *words, "true")
        assert done == Ran(f"Job <{number}> is submitted to default queue <default>.\n", "", 0)


async def test_conditions_that_name_many_jobs(cluster: Cluster) -> None:
    for name in ("x1", "x2", "other", "x[1-3]"):
        assert (await cluster.ran("bsub", "-H", "-J", name, "true")).code == 0
    for text, expected in (
        ('done("x*")', {1, 2, 4}),
        ('done("x[*]")', {4}),
        ("numdone(4, *) && ended(1)", {4, 1}),
        ("numended(x, *)", {4}),
    ):
        done = await cluster.ran("bsub", "-ti", "-w", text, "true")
        assert (done.err, done.code) == ("", 0)
        number = int(done.out.split("<")[1].split(">")[0])
        told = await cluster.molokini("job", number, "--json")
        assert {one["id"] for one in _dependencies(told.out)} == expected
    stranger = await cluster.ran("bsub", "-w", "done(99999)", "true")
    assert stranger == Ran("", "99999: No matching job found. Job not submitted.\n", 255)


async def test_what_toil_asks_before_it_submits(cluster: Cluster) -> None:
    told = await cluster.ran("bparams", "-a")
    assert (told.err, told.code) == ("", 0)
    assert {"DEFAULT_QUEUE = default", "RESOURCE_RESERVE_PER_TASK = Y"} <= set(told.lines)
    assert (await cluster.ran("bparams")).lines[0] == "Default Queues:  default"
    (cluster.folder / "lsf.conf").write_text("LSF_UNIT_FOR_LIMITS=MB\n")
    shown = await cluster.ran("lsadmin", "showconf", "lim", LSF_ENVDIR=str(cluster.folder))
    assert "        LSF_UNIT_FOR_LIMITS = MB" in shown.lines
    assert (await cluster.ran("lsadmin", "limstartup")).code == 255


def _dependencies(text: str) -> list[dict[str, int]]:
    import json

    found: list[dict[str, int]] = json.loads(text)["dependencies"]
    return found


async def test_the_number_stands_first_where_both_streams_go_into_one_file(cluster: Cluster) -> None:
    """A job that can never start is ended at once: -K need not wait for the clock."""
    assert (await cluster.ran("bsub", "-H", "-J", "first", "true")).code == 0
    assert (await cluster.ran("bkill", 1)).code == 0
    done = await cluster.ran("bash", "-c", "bsub -K -ti -w 'done(1)' true 2>&1")
    assert done.lines[:2] == [
        "Job <2> is submitted to default queue <default>.",
        "<<Waiting for dispatch ...>>",
    ]
