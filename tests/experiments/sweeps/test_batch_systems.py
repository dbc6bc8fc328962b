"""A sweep whose workers are jobs of a batch system: our own commands, on a cluster in process mode."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.command_runs import EXAMPLE, command, environment
from tests.kit.batch_commands import system_variables

pytest.importorskip("dask_jobqueue")

LONGEST_S = 240.0
FILE = f"""
logs = ["{EXAMPLE}"]
jobs = 100
policies = ["fcfs", "easy"]
seeds = 4
"""


@pytest.mark.deep
@pytest.mark.waits
@pytest.mark.dear("two workers of Dask start as jobs, and each loads numba")
@pytest.mark.parametrize("system", ["slurm", "pbs", "lsf"])
async def test_workers_are_jobs(tmp_path: Path, system: str) -> None:
    file = tmp_path / "axes.toml"
    file.write_text(FILE)
    async with system_variables(tmp_path, system, up=("--mode", "process", "--processors", 4)) as cluster:
        name = f"DASK_JOBQUEUE__{system.upper()}__"
        variables: dict[str, Any] = {
            **environment(),
            f"{name}INTERFACE": "lo",
            f"{name}LOG_DIRECTORY": str(tmp_path / "logs"),
            f"{name}LOCAL_DIRECTORY": str(tmp_path / "scratch"),
            f"{name}WALLTIME": "0:10" if system == "lsf" else "00:10:00",
            f"{name}MEMORY": "500MB",
            "PATH": f"{cluster.bin}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        words = ["sweep", file, "--dask", system, "--workers", 2, "--output", tmp_path / "out"]
        shell = [*map(str, command(*words))]
        async with asyncio.timeout(LONGEST_S):
            done = await cluster.ran(shell[0], *shell[1:], **variables)
    assert done.code == 0, done.err
    assert "8 points" in done.out
    plain = await asyncio.create_subprocess_exec(
        *map(str, command("sweep", file, "--workers", 1, "--output", tmp_path / "here")),
        env=environment(),
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert await plain.wait() == 0
    for made in ("rows.parquet", "report.html"):
        assert (tmp_path / "out" / made).read_bytes() == (tmp_path / "here" / made).read_bytes()
