"""Slurm's commands."""

COMMANDS: dict[str, str] = {
    name: name
    for name in (
        *("sbatch", "srun", "salloc", "squeue", "scancel", "sinfo", "sacct", "scontrol", "sprio", "sshare"),
        *("sdiag", "seff", "sacctmgr"),
    )
}
"""Name of each command, and the module that carries it out."""

REMARK = """\
squeue lists jobs that have ended for MinJobAge (300 s), and only where it is asked for them; sacct lists
all that the server knows. The reason of a job that waits is what `molokini explain` says, in Slurm's words:
`ReqNodeNotAvail, Reserved for maintenance` beside a reservation that admits no job (`May be reserved for
other job` beside one that does), `ReqNodeNotAvail, UnavailableNodes:...` where nodes are down or drained.

Columns have the names of 22.05 and those that 24.11 has beside them. squeue, sinfo and sprio complain of a
name that there is not in one line and leave it out; sacct ends with 1. A column for what no job has here
shows what the real one shows for none. Limits are whole minutes, rounded up. The starts of jobs that wait
are asked for one by one, so listings of more than 100 lines show only what the policy has promised.

Under the policy `slurm` reasons are that policy's own words (`PartitionTimeLimit`, `AssocGrpCpuLimit`),
priorities its numbers, starts those of its last plan, and partitions what the slurm.conf says of them
([slurm.md](slurm.md)).

[beside-slurm.md](beside-slurm.md) says line by line what differs from a real Slurm, and why.
"""
"""For the page of all options."""
