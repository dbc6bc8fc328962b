"""Jobs that are suspended: Suspended counts, Elapsed and what follows from it do not count that time."""

import json
from pathlib import Path

from tests.kit.batch_commands import system_variables

UP = ("--nodes", 1, "--procs-per-node", 2, "--clock", "stepped")


async def test_time_of_suspensions_stands_by_itself(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "slurm", up=UP) as cluster:
        run = cluster.ran

        async def told(columns: str) -> str:
            return (await run("sacct", "-nXPj1", "-o", columns)).out.strip()

        assert (await run("sbatch", "-n2", "-t", "2", "--wrap=true")).code == 0
        await cluster.molokini("clock", "advance", 10)
        assert await told("State,Elapsed,Suspended") == "RUNNING|00:00:10|00:00:00"
        assert (await run("scontrol", "suspend", "1")).code == 0
        await cluster.molokini("clock", "advance", 3600)
        assert await told("State,ElapsedRaw,Suspended") == "SUSPENDED|10|01:00:00"
        assert (await run("squeue", "-ho", "%t %M %L")).out == "S 0:10 1:50\n"
        assert "RunTime=00:00:10" in (await run("scontrol", "show", "job", "1")).out
        assert (await run("scontrol", "resume", "1")).code == 0
        await cluster.molokini("clock", "advance", 200)
        assert await told("Elapsed,Suspended,CPUTimeRAW") == "00:02:00|01:00:00|240"
        steps = await run("sacct", "-nPj1", "-o", "JobID,Elapsed,Suspended")
        assert steps.lines[1] == "1.batch|00:02:00|01:00:00"
        [job] = json.loads((await run("sacct", "--json", "-j1")).out)["jobs"]
        assert (job["time"]["elapsed"], job["time"]["suspended"]) == (120, 3600)
