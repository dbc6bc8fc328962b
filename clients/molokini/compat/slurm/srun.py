"""``srun``: the tasks of a step inside a job; outside, a job that is waited for."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm.common_options import COMMON
from molokini.compat.slurm.general import GENERAL, SHORT_HELP, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    SHORT_HELP,
    *COMMON,
    option("--export", "NAMES", "ALL, NONE, names, NAME=VALUE: which variables the tasks get"),
    option("--jobid", "JOB", "the job in which srun runs itself"),
    option("-K --kill-on-bad-exit", "[0|1]", "end all tasks when one has failed"),
    option("-l --label", text="begin each line with the number of its task"),
    option("--mpi", "KIND", "none, or list to show the types"),
    option("--pty", text="inside a job: the only task gets srun's terminal"),
    option("--test-only", text="only print the expected start; do not submit the job"),
    option("-W --wait", "SECONDS", "end the other tasks this many seconds after the first has ended"),
    without_effect("-u --unbuffered", why="output is not held back"),
    without_effect("-X --disable-status", why="an interrupt always ends the tasks"),
    without_effect("--quit-on-interrupt", why="an interrupt always ends the tasks"),
    without_effect("--exact", why="the tasks of a step share the job's processors"),
    without_effect("--overlap", why="the tasks of a step share the job's processors"),
    without_effect("--resv-ports", "[N]", "ports are not kept"),
    without_effect("-T --threads", "N", "tasks start one after the other"),
    without_effect("-E --preserve-env", why="variables of the job are not changed"),
    without_effect("--slurmd-debug", "LEVEL", "there is no such daemon"),
    without_effect("--msg-timeout", "SECONDS", "tasks of a step are on this node"),
    without_effect("--compress", "[TYPE]", "programs are not copied"),
    without_effect("--max-threads", "N", "tasks start one after the other"),
    without_effect("--mcs-label", "NAME", "there are no such labels"),
    refused("--bcast", "[FILE]", "programs are not copied; nodes share a file system"),
    without_effect("--bcast-exclude", "LIST", "programs are not copied"),
    without_effect("--send-libs", "[WHICH]", "programs are not copied"),
    without_effect("--treewidth", "N", "tasks of a step are on this node"),
    without_effect("--accel-bind", "HOW", "only the node binds processors"),
    refused("--interactive", why="there are no interactive allocations"),
    refused("--multi-prog", why="all tasks run one program"),
    refused("-r --relative", "N", "tasks of a step are on the first node"),
    refused("-I --immediate", "[SECONDS]", "a job waits for its start"),
    refused("-Z --no-allocate", why="tasks run inside a job"),
    refused("-a --attach", "STEP", "no step can be joined"),
    refused("--prolog", "PROGRAM", "put it into the script"),
    refused("--epilog", "PROGRAM", "put it into the script"),
    refused("--task-prolog", "PROGRAM", "put it into the script"),
    refused("--task-epilog", "PROGRAM", "put it into the script"),
    refused("--het-group", "LIST", "there are no heterogeneous jobs"),
    refused("--x11", "[WHAT]", "no display is forwarded"),
)


def run(run: Invocation) -> int:
    """Run the command that stands behind the options; the largest exit code of its tasks."""
    given = given_to(run, OPTIONS, "COMMAND [ARGUMENT ...]", stops=True)
    if given.one("mpi") == "list":
        run.say("MPI plugin types are...\n\tnone")
        return 0
    if given.one("mpi", "none") != "none":
        raise Failed(f"srun: error: --mpi {given.one('mpi')}: no such plugin; only none is supported")
    command = given.words
    if not command:
        raise Failed("srun: fatal: No command given to execute.")
    inside = "SLURM_JOB_ID" in run.variables and "MOLOKINI_JOB_ID" in run.variables
    if given.flag("jobid") and not (inside and given.one("jobid") == run.variables["SLURM_JOB_ID"]):
        raise Failed(f"srun: error: --jobid {given.one('jobid')}: srun can join only the job that it runs in")
    from molokini.compat.slurm.variables import srun_values

    if inside:
        from molokini.compat.slurm.step import run_step

        return run_step(run, given.behind(srun_values(run.variables)), command)
    from molokini.compat.slurm.plain import run_job

    return run_job(run, given, command)
