"""Slurm's commands."""

COMMANDS: dict[str, str] = {
    "sbatch": "sbatch",
    "srun": "srun",
    "salloc": "salloc",
    "squeue": "squeue",
    "scancel": "scancel",
    "sinfo": "sinfo",
    "sacct": "sacct",
    "scontrol": "scontrol",
    "sprio": "sprio",
    "sshare": "sshare",
    "sdiag": "sdiag",
    "seff": "seff",
    "sacctmgr": "sacctmgr",
}
"""Name of each command, and the module that carries it out."""
