"""The options by which jobs say what they ask for: those that sbatch and srun have in common."""

from __future__ import annotations

from molokini.compat.options import option, refused, without_effect

_ALIKE = "processors are all alike"
_NO_BINDING = "a job has its processors, and the kernel places its processes on them"
_NODE = "this belongs to the node"

RESOURCES = (
    option("-n --ntasks", "N", "tasks: processors for each are kept"),
    option("-N --nodes", "MIN-MAX", "nodes: of a range the least"),
    option("-c --cpus-per-task", "N", "processors of each task"),
    option("--ntasks-per-node", "N", "tasks on each node"),
    option("--mem", "SIZE", "memory of each node; megabytes, or with K, M, G, T; 0: not counted"),
    option("--mem-per-cpu", "SIZE", "memory of each processor"),
    option("--mem-per-gpu", "SIZE", "memory of each GPU"),
    option("-G --gpus", "TYPE:N", "GPUs in all; a type is a feature of the node"),
    option("--gpus-per-node", "TYPE:N", "GPUs on each node"),
    option("--gpus-per-task", "TYPE:N", "GPUs of each task"),
    option("--cpus-per-gpu", "N", "processors for each GPU"),
    option("--ntasks-per-gpu", "N", "tasks for each GPU"),
    option("--gres", "NAME:TYPE:N", "generic resources of each node"),
    option("-C --constraint", "LIST", "features of every node: A&B, or A,B"),
    option(
        "--exclusive", "[user]", "whole nodes: as many processors as the largest node of the partition has"
    ),
    option("-t --time", "TIME", "time limit: minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S; 0: none"),
    option("-p --partition", "NAME", "partition; of several the first that there is"),
)
CREDENTIALS = (
    option("-A --account", "NAME", "account"),
    option("-q --qos", "NAME", "quality of service"),
    option("--wckey", "NAME", "kept with the job and shown"),
    option(
        "--reservation", "NAME", "must be there; a reservation admits jobs by user, group, account and queue"
    ),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("--nice", "[N]", "N, 100 without, kept and shown; below 0 needs an operator"),
    option("--comment", "TEXT", "any remark"),
)
WHEN = (
    option("-b --begin", "TIME", "not before: now+1hour, HH:MM, YYYY-MM-DD[THH:MM[:SS]]"),
    option("--deadline", "TIME", "by when it should have ended; kept for policies that know of deadlines"),
    option(
        "-d --dependency",
        "LIST",
        "after, afterok, afternotok, afterany:JOB[:JOB], singleton; commas mean and",
    ),
    option("-H --hold", text="hold it from the start"),
)
FILES = (
    option("-o --output", "FILE", "standard output; %j %J %A %a %b %t %n %s %x %N %u %% are filled in"),
    option("-e --error", "FILE", "standard error; with standard output where it is not given"),
    option("-i --input", "FILE", "standard input"),
    option("-D --chdir", "DIR", "where it starts"),
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
    without_effect("-O --overcommit", why="tasks are processes, and share the job's processors anyway"),
    without_effect("-s --oversubscribe", why="a processor belongs to one job"),
    without_effect("-Q --quiet", why="only results and errors are printed anyway"),
    without_effect("-v --verbose", why="there are no further details"),
    without_effect("--time-min", "TIME", "a job keeps the limit that it has asked for"),
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
    without_effect("-k --no-kill", "[off]", "a job that loses a node ends, or runs again"),
    without_effect("--switches", "N@TIME", "the network is not known"),
    without_effect("--network", "TYPE", "the network is not known"),
    without_effect("--acctg-freq", "TIMES", "use is taken at the end"),
    without_effect("--profile", "WHAT", "use is taken at the end"),
    without_effect("--mail-type", "TYPES", "kept with the job, and no mail is sent"),
    without_effect("--mail-user", "USER", "kept with the job, and no mail is sent"),
    without_effect("--delay-boot", "MINUTES", "nodes are not switched off"),
    without_effect("--reboot", why="nodes are not switched off"),
    without_effect("--spread-job", why="the policy places jobs"),
    without_effect("--use-min-nodes", why="of a range of nodes the least is taken anyway"),
    without_effect("--container-id", "ID", "no container is named without --container"),
)
REFUSED = (
    refused("-w --nodelist", "NODES", "nodes cannot be named; ask for a feature with --constraint"),
    refused("-F --nodefile", "FILE", "nodes cannot be named; ask for a feature with --constraint"),
    refused("-x --exclude", "NODES", "nodes cannot be excluded; ask for a feature with --constraint"),
    refused("-L --licenses", "NAMES", "licences are not counted"),
    refused("--contiguous", why="the order of nodes is not known"),
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
