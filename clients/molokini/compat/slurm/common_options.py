"""The options by which jobs say what they ask for: those that sbatch and srun have in common."""

from __future__ import annotations

from molokini.compat.options import option, refused, without_effect

_ALIKE = "processors are all alike"
_NO_BINDING = "a job has its processors, and the kernel places its processes on them"
_NODE = "the node's configuration sets this"

RESOURCES = (
    option("-n --ntasks", "N", "number of tasks; each gets its processors"),
    option("-N --nodes", "MIN-MAX", "number of nodes; of a range the minimum is used"),
    option("-c --cpus-per-task", "N", "processors per task"),
    option("--ntasks-per-node", "N", "tasks per node"),
    option("--mem", "SIZE", "memory per node, in megabytes, or with K, M, G, T; 0: unlimited"),
    option("--mem-per-cpu", "SIZE", "memory per processor"),
    option("--mem-per-gpu", "SIZE", "memory per GPU"),
    option("-G --gpus", "TYPE:N", "total number of GPUs; a type is a node feature"),
    option("--gpus-per-node", "TYPE:N", "GPUs per node"),
    option("--gpus-per-task", "TYPE:N", "GPUs per task"),
    option("--cpus-per-gpu", "N", "processors per GPU"),
    option("--ntasks-per-gpu", "N", "tasks per GPU"),
    option("--gres", "NAME:TYPE:N", "generic resources per node"),
    option(
        "-L --licenses", "NAME:N,...", "licences of the cluster, for policies whose configuration has them"
    ),
    option(
        "-C --constraint",
        "LIST",
        "features of every node: A&B, A|B, (A|B)&C; of all alike: [A|B]; of so many: A*2&B*4",
    ),
    option(
        "--exclusive",
        "[user]",
        "allocate whole nodes: as many processors as the largest node of the partition has",
    ),
    option("-t --time", "TIME", "time limit: minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S; 0: none"),
    option("--time-min", "TIME", "the shortest time limit with which backfill may start the job"),
    option(
        "-p --partition",
        "NAMES",
        "partition, or several: the policy slurm starts the job in one of them, others take the first",
    ),
)
CREDENTIALS = (
    option("-A --account", "NAME", "account"),
    option("-q --qos", "NAME", "quality of service"),
    option("--wckey", "NAME", "stored and shown with the job"),
    option(
        "--reservation",
        "NAME",
        "the reservation must exist; it admits jobs by user, group, account and queue",
    ),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("--nice", "[N]", "N (default: 100), stored and shown; below 0 requires the role operator"),
    option("--comment", "TEXT", "comment"),
)
WHEN = (
    option("-b --begin", "TIME", "not before: now+1hour, HH:MM, YYYY-MM-DD[THH:MM[:SS]]"),
    option("--deadline", "TIME", "deadline of the job, stored for policies that use deadlines"),
    option(
        "-d --dependency",
        "LIST",
        "after[+MINUTES], afterok, afternotok, afterany, aftercorr:JOB[:JOB], singleton; all (,) or any (?)",
    ),
    option("--kill-on-invalid-dep", "yes|no", "whether a job whose dependency can never be met is cancelled"),
    option("-H --hold", text="submit the job on hold"),
)
FILES = (
    option("-o --output", "FILE", "standard output; %j %J %A %a %b %t %n %s %x %N %u %% are replaced"),
    option("-e --error", "FILE", "standard error (default: with standard output)"),
    option("-i --input", "FILE", "standard input"),
    option("-D --chdir", "DIR", "working directory"),
    option("-J --job-name", "NAME", "name of the job"),
    option("--open-mode", "append|truncate", "whether output files keep what is in them"),
)
SIGNALS = (
    option(
        "--signal",
        "B:SIGNAL@SECONDS",
        "send SIGNAL SECONDS (60) before the time limit; B: only to the script",
    ),
)

NOTHING = (
    without_effect("-O --overcommit", why="tasks are processes, which always share the job's processors"),
    without_effect("-s --oversubscribe", why="a processor belongs to one job"),
    without_effect("-Q --quiet", why="only results and errors are printed anyway"),
    without_effect("-v --verbose", why="there are no further details"),
    without_effect("--mincpus", "N", _ALIKE),
    without_effect("--hint", "TYPE", _ALIKE),
    without_effect("-B --extra-node-info", "S:C:T", _ALIKE),
    without_effect("--sockets-per-node", "N", _ALIKE),
    without_effect("--cores-per-socket", "N", _ALIKE),
    without_effect("--threads-per-core", "N", _ALIKE),
    without_effect("--ntasks-per-core", "N", _ALIKE),
    without_effect("--ntasks-per-socket", "N", _ALIKE),
    without_effect("-m --distribution", "HOW", "tasks fill node after node"),
    without_effect("--cpu-bind", "HOW", _NO_BINDING),
    without_effect("--mem-bind", "HOW", _NO_BINDING),
    without_effect("--gpu-bind", "HOW", _NO_BINDING),
    without_effect("--gres-flags", "HOW", _NO_BINDING),
    without_effect("--cpu-freq", "HOW", _NODE),
    without_effect("--gpu-freq", "HOW", _NODE),
    without_effect("--power", "HOW", _NODE),
    without_effect("--propagate", "[LIMITS]", "resource limits of processes are those of the node"),
    without_effect("-k --no-kill", "[off]", "a job that loses a node ends or is requeued"),
    without_effect("--switches", "N@TIME", "the network is not known"),
    without_effect("--network", "TYPE", "the network is not known"),
    without_effect("--acctg-freq", "TIMES", "usage is recorded at the end of the job"),
    without_effect("--profile", "WHAT", "usage is recorded at the end of the job"),
    without_effect("--mail-type", "TYPES", "stored with the job, but no mail is sent"),
    without_effect("--mail-user", "USER", "stored with the job, but no mail is sent"),
    without_effect("--delay-boot", "MINUTES", "nodes are not switched off"),
    without_effect("--reboot", why="nodes are not switched off"),
    without_effect("--spread-job", why="the policy places jobs"),
    without_effect("--use-min-nodes", why="the minimum of a range of nodes is always used"),
    without_effect("--container-id", "ID", "no container is named without --container"),
)
REFUSED = (
    refused("-w --nodelist", "NODES", "nodes cannot be named; ask for a feature with --constraint"),
    refused("-F --nodefile", "FILE", "nodes cannot be named; ask for a feature with --constraint"),
    refused("-x --exclude", "NODES", "nodes cannot be excluded; ask for a feature with --constraint"),
    refused("--contiguous", why="the order of nodes is unknown"),
    refused("--cluster-constraint", "LIST", "there is one cluster"),
    refused("--prefer", "LIST", "features are needed, or not; use --constraint"),
    refused("--gpus-per-socket", "N", "sockets are not known"),
    refused("-S --core-spec", "N", "a job has all processors that it asks for"),
    refused("--thread-spec", "N", "a job has all processors that it asks for"),
    refused("--tmp", "SIZE", "local disks are not counted"),
    refused("--priority", "N", "the policy ranks jobs"),
    refused("--uid", "USER", "jobs run as the user who submits them"),
    refused("--gid", "GROUP", "jobs run as the user who submits them"),
    refused("--bb", "SPEC", "there are no burst buffers"),
    refused("--bbf", "FILE", "there are no burst buffers"),
    refused("--container", "PATH", "there are no containers"),
)
COMMON = (*RESOURCES, *CREDENTIALS, *WHEN, *FILES, *SIGNALS, *NOTHING, *REFUSED)
