"""Tools that others wrote for Slurm, unmodified, with our commands.

They are installed in an environment of their own, whose interpreter MOLOKINI_CLIENTS_PYTHON names.
"""

import asyncio
import os
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables

PYTHON = os.environ.get("MOLOKINI_CLIENTS_PYTHON", "")
PROGRAMS = Path(__file__).parent / "programs"
LONGEST_S = 180.0

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(not PYTHON, reason="MOLOKINI_CLIENTS_PYTHON names no interpreter with the clients"),
]

SNAKEFILE = """\
rule all:
    input: "sum.txt"
rule part:
    output: "part.{n}.txt"
    resources: runtime=5, mem_mb=600, slurm_partition="default"
    shell: "echo {wildcards.n} > {output}"
rule total:
    input: expand("part.{n}.txt", n=[1, 2, 3])
    output: "sum.txt"
    resources: runtime=5, mem_mb=600, slurm_partition="default"
    shell: "awk '{{s += $1}} END {{print s}}' {input} > {output}; echo $SLURM_PROCID >> {output}"
"""


async def ran(cluster: Cluster, *words: object) -> Ran:
    """Run a program with our commands and theirs on the path."""
    home = cluster.folder / "home"
    home.mkdir(exist_ok=True)
    path = f"{cluster.bin}:{Path(PYTHON).parent}:{os.environ['PATH']}"
    async with asyncio.timeout(LONGEST_S):
        return await cluster.ran(*map(str, words), PATH=path, HOME=str(home))


async def said(folder: Path, program: str) -> list[str]:
    work = folder / "work"
    work.mkdir()
    async with system_variables(folder, "slurm", up=("--mode", "process", "--processors", 4)) as cluster:
        done = await ran(cluster, PYTHON, PROGRAMS / program, work)
        assert done.code == 0, done.err
    return done.lines


@pytest.mark.deep
async def test_psij(tmp_path: Path) -> None:
    assert await said(tmp_path, "slurm_psij.py") == [
        "listed True",
        "good COMPLETED ['2 a pear', '2']",
        "bad FAILED 5",
        "long CANCELED",
        "attached COMPLETED",
    ]


async def test_submitit(tmp_path: Path) -> None:
    assert await said(tmp_path, "slurm_submitit.py") == [
        "add [5]",
        "array [11, 22, 33]",
        "ranks [(0, 2), (1, 2)]",
        "failed True True",
        "cancelled True",
        "went on True",
    ]


@pytest.mark.deep
async def test_dask_jobqueue(tmp_path: Path) -> None:
    assert await said(tmp_path, "slurm_dask.py") == ["sum 285", "workers 2"]


@pytest.mark.deep
async def test_parsl(tmp_path: Path) -> None:
    assert await said(tmp_path, "slurm_parsl.py") == [
        "good COMPLETED fine",
        "bad FAILED",
        "long RUNNING [True]",
        "long CANCELLED",
        "squares [0, 1, 4, 9, 16]",
        "greeting greetings from parsl",
    ]


@pytest.mark.deep
@pytest.mark.parametrize(
    "more", [(), ("--slurm-pass-command-as-script",)], ids=["wrapped", "on standard input"]
)
async def test_snakemake(tmp_path: Path, more: tuple[str, ...]) -> None:
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    async with system_variables(tmp_path, "slurm", up=("--mode", "process", "--processors", 4)) as cluster:
        words = ("--executor", "slurm", "--jobs", 3, "--slurm-init-seconds-before-status-checks", 1, *more)
        done = await ran(cluster, Path(PYTHON).parent / "snakemake", *words)
        assert done.code == 0, done.err
        rows = await cluster.ran("sacct", "-nXPo", "State")
    assert (tmp_path / "sum.txt").read_text() == "6\n0\n"
    assert rows.lines == ["COMPLETED"] * 4
