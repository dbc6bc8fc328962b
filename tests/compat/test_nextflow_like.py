"""What Nextflow writes and asks, in the words of its executors: a task, an array of tasks, and killing both.

Headers of scripts, submission, polling and killing are those of its executors for Slurm, PBS Pro, PBS and LSF
(nextflow 24.10).
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, system_variables

UP = ("--nodes", 2, "--procs-per-node", 4, "--clock", "stepped")


@dataclass(frozen=True)
class Dialect:
    """One executor."""

    system: str
    header: str
    array: str
    submit: str
    number: str
    poll: str
    line: str
    """Of an id and a state in what the poll prints."""
    kill: str
    waits: str
    runs: str
    pbs: str = "pro"
    """The dialect of PBS."""


_QSTAT = "qstat -f {jobs} | {{ grep -E '(Job Id:|job_state =)' || true; }}"
_STATE = r"Job Id: *(\d+)\S*\s+job_state = (\S+)"
DIALECTS = {
    "slurm": Dialect(
        "slurm",
        "#SBATCH -J nf-sayHello_(1)\n#SBATCH -o {log}\n#SBATCH --no-requeue\n#SBATCH --signal B:USR2@30\n"
        "#SBATCH -c 2\n#SBATCH -t 01:00:00\n#SBATCH --mem 100M\n",
        "#SBATCH --array 0-2\n",
        "sbatch .command.run",
        r"Submitted batch job (\d+)\n",
        "squeue --noheader -o '%i %t' -t all -u root",
        r"(\d+)\S* (\S+)",
        "scancel {job}",
        "PD",
        "R",
    ),
    "pbspro": Dialect(
        "pbs",
        "#PBS -N nf-sayHello_1\n#PBS -o {log}\n#PBS -j oe\n#PBS -l select=1:ncpus=2:mem=100mb\n"
        "#PBS -l walltime=01:00:00\n",
        "#PBS -J 0-2\n",
        "qsub -N nf-sayHello_1 .command.run",
        r"(\d+)\S*\n",
        _QSTAT.format(jobs="$( qselect -u root )"),
        _STATE,
        "qdel {job}",
        "Q",
        "R",
    ),
    "pbs": Dialect(
        "pbs",
        "#PBS -N nf-sayHello_1\n#PBS -o {log}\n#PBS -j oe\n#PBS -l nodes=1:ppn=2\n"
        "#PBS -l walltime=01:00:00\n#PBS -l mem=100mb\n",
        "#PBS -t 0-2\n",
        "qsub -N nf-sayHello_1 .command.run",
        r"(\d+)\S*\n",
        _QSTAT.format(jobs=""),
        _STATE,
        "qdel {job}",
        "Q",
        "R",
        "torque",
    ),
    "lsf": Dialect(
        "lsf",
        '#BSUB -o {log}\n#BSUB -n 2\n#BSUB -R "span[hosts=1]"\n#BSUB -W 01:00\n#BSUB -M 50MB\n'
        '#BSUB -R "select[mem>=100MB] rusage[mem=100MB]"\n#BSUB -J nf-sayHello_(1)\n',
        '#BSUB -J "nf-sayHello_(1)[1-3]"\n',
        "bsub < .command.run",
        r"Job <(\d+)> is submitted to default queue",
        "bjobs -w",
        r"(?m)^(\d+)\S* +root +(\S+)",
        "bkill {job}",
        "PEND",
        "RUN",
    ),
}


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_task_an_array_and_what_is_killed(tmp_path: Path, name: str) -> None:
    async with system_variables(tmp_path, DIALECTS[name].system, up=UP) as cluster:
        client = _Client(cluster, DIALECTS[name])
        task = await client.submit("")
        assert (await client.states())[task] == {client.dialect.runs}
        array = await client.submit(client.dialect.array)
        waits = await client.submit("")
        found = await client.states()
        assert found.get(array, set()) & {client.dialect.runs, "B"}, found
        assert found[waits] == {client.dialect.waits}
        for job in (waits, array, task):
            await client.kill(job)
        assert (await cluster.molokini("clock", "advance", 60)).code == 0
        found = await client.states()
        open_ones = {client.dialect.runs, client.dialect.waits}
        assert not any(states & open_ones for states in found.values())


class _Client:
    def __init__(self, cluster: Cluster, dialect: Dialect) -> None:
        self.cluster, self.dialect = cluster, dialect

    async def submit(self, more: str) -> str:
        header = self.dialect.header.format(log=self.cluster.folder / ".command.log")
        script = f"#!/bin/bash\n{header}{more}# NEXTFLOW TASK: sayHello\nset -e\ntrue\n"
        (self.cluster.folder / ".command.run").write_text(script)
        done = await self.cluster.ran(
            "bash", "-c", self.dialect.submit, MOLOKINI_PBS_DIALECT=self.dialect.pbs
        )
        found = re.search(self.dialect.number, done.out)
        assert found, done
        assert done.code == 0
        return found[1]

    async def states(self) -> dict[str, set[str]]:
        """By job, the states of it or of its elements."""
        done = await self.cluster.ran(
            "bash", "-c", f"set -o pipefail; {self.dialect.poll}", MOLOKINI_PBS_DIALECT=self.dialect.pbs
        )
        assert done.code == 0, done
        found: dict[str, set[str]] = {}
        for job, state in re.findall(self.dialect.line, done.out):
            found.setdefault(job, set()).add(state)
        return found

    async def kill(self, job: str) -> None:
        arrays = "[]" if self.dialect.system == "pbs" and job == "2" else ""
        done = await self.cluster.ran(
            "bash",
            "-c",
            self.dialect.kill.format(job=f"'{job}{arrays}'"),
            MOLOKINI_PBS_DIALECT=self.dialect.pbs,
        )
        assert done.code == 0, done
