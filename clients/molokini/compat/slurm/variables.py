"""Environment variables that stand for options: those of the command line come first, the script's last."""

from __future__ import annotations

from molokini.compat._types import Mapping
from molokini.compat.options import Values

_SHARED = {
    "ACCOUNT": "account",
    "CONSTRAINT": "constraint",
    "CLUSTERS": "clusters",
    "CPUS_PER_GPU": "cpus_per_gpu",
    "GPUS": "gpus",
    "GPUS_PER_NODE": "gpus_per_node",
    "GPUS_PER_TASK": "gpus_per_task",
    "GRES": "gres",
    "MEM_PER_CPU": "mem_per_cpu",
    "MEM_PER_GPU": "mem_per_gpu",
    "MEM_PER_NODE": "mem",
    "OPEN_MODE": "open_mode",
    "PARTITION": "partition",
    "QOS": "qos",
    "RESERVATION": "reservation",
    "SIGNAL": "signal",
    "TIMELIMIT": "time",
    "WCKEY": "wckey",
}
_SBATCH = {
    **{f"SBATCH_{name}": field for name, field in _SHARED.items()},
    "SBATCH_ARRAY_INX": "array",
    "SBATCH_EXPORT": "export",
    "SBATCH_JOB_NAME": "job_name",
    "SBATCH_EXCLUSIVE": "exclusive",
    "SBATCH_REQUEUE": "requeue",
    "SBATCH_NO_REQUEUE": "no_requeue",
    "SBATCH_WAIT": "wait",
}
_SRUN = {
    **{f"SLURM_{name}": field for name, field in _SHARED.items() if name != "PARTITION"},
    "SLURM_PARTITION": "partition",
    "SLURM_CPUS_PER_TASK": "cpus_per_task",
    "SLURM_EXPORT_ENV": "export",
    "SLURM_JOB_NAME": "job_name",
    "SLURM_LABELIO": "label",
    "SLURM_NTASKS": "ntasks",
    "SLURM_NTASKS_PER_NODE": "ntasks_per_node",
    "SLURM_STDERRMODE": "error",
    "SLURM_STDINMODE": "input",
    "SLURM_STDOUTMODE": "output",
    "SLURM_UNBUFFEREDIO": "unbuffered",
    "SLURM_KILL_BAD_EXIT": "kill_on_bad_exit",
    "SLURM_WAIT": "wait",
}


def sbatch_values(variables: Mapping[str, str]) -> Values:
    """What SBATCH_ variables say."""
    return _values(variables, _SBATCH)


def srun_values(variables: Mapping[str, str]) -> Values:
    """What SLURM_ variables say to srun, inside a job and outside."""
    return _values(variables, _SRUN)


def _values(variables: Mapping[str, str], names: dict[str, str]) -> Values:
    made = Values()
    for name, field in names.items():
        if name in variables:
            made.given[field] = [variables[name]]
    return made
