"""Programs of other projects, unmodified, with our PBS commands on their path and real jobs behind these."""

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


async def ran(cluster: Cluster, program: str, *words: object, dialect: str = "") -> Ran:
    """Run the program in the interpreter of the clients, whose own commands are on the path, too."""
    path = f"{cluster.bin}:{Path(CLIENTS).parent}:{os.environ['PATH']}"
    home = str(cluster.folder)
    return await cluster.ran(CLIENTS, program, *words, HOME=home, PATH=path, MOLOKINI_PBS_DIALECT=dialect)


@pytest.mark.quick("pbs")
@pytest.mark.parametrize("executor", ["pbs", "pbs_classic"])
async def test_psij(tmp_path: Path, executor: str) -> None:
    async with system_variables(tmp_path, "pbs", up=UP) as cluster:
        done = await ran(cluster, str(PROGRAMS / "psij_pbs.py"), executor)
        assert (done.out, done.code) == (f"psij {executor} done\n", 0), done.err


@pytest.mark.deep
@pytest.mark.parametrize(
    ("provider", "dialect"), [("pbspro", "pro"), ("torque", "pro"), ("torque", "torque")]
)
async def test_parsl(tmp_path: Path, provider: str, dialect: str) -> None:
    async with system_variables(tmp_path, "pbs", up=UP) as cluster:
        program = str(PROGRAMS / "parsl_pbs.py")
        done = await ran(cluster, program, provider, dialect=dialect)
        assert (done.out, done.code) == (f"parsl {provider} done\n", 0), done.err


@pytest.mark.deep
async def test_dask_jobqueue(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "pbs", up=UP) as cluster:
        done = await ran(cluster, str(PROGRAMS / "dask_pbs.py"))
        assert (done.out, done.code) == ("dask done 1.molokini 2.molokini\n", 0), done.err


@pytest.mark.deep
async def test_snakemake_with_a_generic_cluster(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "pbs", up=UP) as cluster:
        words = ("-s", PROGRAMS / "Snakefile.pbs", "-d", tmp_path, "--executor", "cluster-generic")
        submit = ("--cluster-generic-submit-cmd", "qsub -l select=1:ncpus=1,walltime=0:5:0 -o out/ -e out/")
        more = ("--jobs", 3, "--latency-wait", 10, "--seconds-between-status-checks", 1)
        (tmp_path / "out").mkdir()
        done = await ran(cluster, "-m", "snakemake", *words, *submit, *more)
        assert done.code == 0, done.err
        assert (tmp_path / "sum.txt").read_text() == "14\n"
        names = {(tmp_path / f"job-{n}.txt").read_text().strip() for n in (1, 2, 3)}
        assert names == {"1.molokini", "2.molokini", "3.molokini"}
