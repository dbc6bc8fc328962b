"""Programs of other projects, unmodified, with our LSF commands on their path and real jobs behind these."""

import os
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables

CLIENTS = os.environ.get("MOLOKINI_CLIENTS_PYTHON", "")
PROGRAMS = Path(__file__).parent / "programs"
UP = ("--mode", "process", "--processors", 4)

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(not CLIENTS, reason="MOLOKINI_CLIENTS_PYTHON names no interpreter"),
]


async def ran(cluster: Cluster, *words: object, **variables: str) -> Ran:
    """Run the interpreter of the clients with *words*; its own commands are on the path, too."""
    path = f"{cluster.bin}:{Path(CLIENTS).parent}:{os.environ['PATH']}"
    home = {"HOME": str(cluster.folder), "XDG_CACHE_HOME": str(cluster.folder / "cache")}
    return await cluster.ran(CLIENTS, *words, folder=cluster.folder, **{**home, **variables, "PATH": path})


async def test_psij(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        done = await ran(cluster, PROGRAMS / "psij_lsf.py")
        assert (done.out, done.code) == ("OK\n", 0), done.err


@pytest.mark.deep
async def test_parsl(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        done = await ran(cluster, PROGRAMS / "parsl_lsf.py")
        assert (done.out, done.code) == ("OK\n", 0), done.err


@pytest.mark.deep
async def test_dask_jobqueue(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        done = await ran(cluster, PROGRAMS / "dask_lsf.py")
        assert (done.out, done.code) == ("OK\n", 0), done.err


@pytest.mark.deep
async def test_snakemake(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        words = ("-s", PROGRAMS / "Snakefile.lsf", "-d", tmp_path, "--executor", "lsf")
        more = ("--jobs", 3, "--latency-wait", 10, "--seconds-between-status-checks", 1)
        done = await ran(cluster, "-m", "snakemake", *words, *more)
        assert done.code == 0, done.err
        assert (tmp_path / "sum.txt").read_text() == "6\n"
        parts = [(tmp_path / f"part-{n}.txt").read_text().split() for n in (1, 2, 3)]
        assert {job for _, job in parts} == {"1", "2", "3"}, "each part is a job of its own"


@pytest.mark.deep
async def test_snakemake_with_a_generic_cluster(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        words = ("-s", PROGRAMS / "Snakefile.lsf", "-d", tmp_path, "--executor", "cluster-generic")
        submit = ("--cluster-generic-submit-cmd", "bsub -W 5 -n {threads} -o logs.%J")
        more = ("--jobs", 3, "--latency-wait", 10, "--seconds-between-status-checks", 1)
        done = await ran(cluster, "-m", "snakemake", *words, *submit, *more)
        assert done.code == 0, done.err
        assert (tmp_path / "sum.txt").read_text() == "6\n"
