"""What differs from the real Slurm by design, and why: each rule takes its difference out of both answers."""

import re
from typing import NamedTuple

from benchmarks.beside.sides import Answer, Compared


class Difference(NamedTuple):
    """A difference that an administrator accepts.

    *pattern* is replaced by *by* in what both sides said. *whole*: lines of the list in which the answers as
    a whole are different things; *orders*: only the order of their lines is.
    """

    name: str
    why: str
    pattern: str = ""
    by: str = ""
    whole: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()


DIFFERENCES = (
    Difference(
        "the reason first",
        "Before Slurm's line ours says in one of its own which value is wrong and what may stand there.",
        r"(?m)^(sbatch|srun): error: .*\n(?=\1: error: )",
    ),
    Difference(
        "the line of the script",
        "Ours names the line of the script whose option is wrong.",
        r"line \d+ of the script: ",
    ),
    Difference(
        "numbers of nodes beside |",
        "22.05 takes a | beside a bracket or a number of nodes, and does not say what it means; ours refuses "
        "it. Numbers without brackets are of nodes with all features to Slurm, here of nodes of their own.",
        whole=(r"sbatch -N2 -H -C '(\[amd\|gpu\]\|intel|amd\*2\|intel)'", r"sbatch .*-C 'gpu\*1&amd\*1'"),
    ),
    Difference(
        "memory of jobs without --mem",
        "To Slurm a job without --mem has all memory of its nodes (62.50G here). Ours counts the memory "
        "that was asked for; a job that asks for none is not limited by it.",
        r",?mem=62\.50G",
    ),
    Difference(
        "accounts",
        "Accounts are those that jobs name; no account and no user has to be made first.",
        whole=(r"sacctmgr -nP show (assoc|user)", r"sshare -h -l"),
    ),
    Difference(
        "reasons in a format of one's own",
        "sinfo -R with -o shows the nodes that have a reason; Slurm's shows none.",
        whole=(r"sinfo -R -o",),
    ),
    Difference(
        "priorities",
        "Numbers of priority/basic count the array's elements as well; the order of jobs is the policy's.",
        r"\b42949\d{5}\b|\b0\.9999\d+",
        "PRIORITY",
    ),
    Difference(
        "which pass",
        "Whether a pass or its backfill has started a job, and which nodes it has planned, is not kept.",
        r"Scheduler=\S+| SchedNodeList=\S+|Sched(Main|Backfill|Submit),StartRecieved|LastSchedEval=\S+",
    ),
    Difference(
        "planned nodes",
        "The nodes on which a waiting job is planned are not kept (SCHEDNODES).",
        r"(?m)^(n\[1-4\]|\(null\)) *(?=\*|$)",
    ),
    Difference(
        "where a job would start",
        "--test-only names the nodes that may run the job, not those that it would get.",
        r"on nodes \S+",
    ),
    Difference(
        "the host of a node",
        "Address, port, kernel and boot time of a node are its agent's business; here the node's name stands "
        "for them.",
        r"NodeAddr=\S+|NodeHostName=\S+|Port=\d+|OS=.*|BootTime=\S+|SlurmdStartTime=\S+|LastBusyTime=\S+",
    ),
    Difference(
        "patterns in names of files",
        "squeue shows paths with their patterns filled in, as later versions do; scontrol does so in both.",
        r"(out|err)-\S+ *|(out|err)-\d+",
    ),
    Difference(
        "units of sizes",
        "--noconvert is taken, and sizes keep the units that fit them.",
        whole=(r"--noconvert -h -j",),
    ),
    Difference(
        "the counter of jobs",
        "Refused submissions have taken no numbers here, and elements take theirs when they start, are held "
        "or end, not when a listing or aftercorr parts them.",
        whole=(r"show job \| grep -c JobId=$", r"show job \$\{A\}_1", r"-r -o '%i %A"),
    ),
    Difference(
        "who drained a node",
        "The journal says who, and when (molokini logs); the node keeps the reason alone.",
        r" \[root@[-:\dA-Z]+\]",
    ),
    Difference(
        "the submitting host",
        "slurmctld looks the name up by the address of the call, here sbatch sends it with the job.",
        r"\b(localhost|vm)\b *",
    ),
    Difference(
        "the order of equal lines",
        "Slurm's sort leaves lines that do not differ in any order; ours keeps that of the partitions.",
        orders=(r"sinfo -h -N", r"sinfo -S bogus", r"sinfo -R", r"sinfo -N", r"-S t$"),
    ),
    Difference(
        "the states of nodes that there are",
        "Only these states exist here.",
        r"(?m)valid states: .*$",
    ),
    Difference(
        "options without meaning here",
        "Jobs run as who submits them, and there are no interactive allocations.",
        whole=(r"--uid nobody", r"^salloc", r"scontrol top"),
    ),
    Difference(
        "what can never run",
        "Ours refuses at once a job that no node could hold; Slurm queues it as PartitionConfig. So for a "
        "limit beyond 100 years, and a dependency on a job that there is not.",
        whole=(r"sbatch -N 5 ", r"-t 2000000000000", r"afterok:999999", r"--nice=x"),
    ),
    Difference(
        "numbers beyond 32 bits and half brackets",
        "Slurm reads another job or host than was meant; ours says what is wrong.",
        whole=(r"scontrol show job 4294967296", r"hostnames 'n\[1'"),
    ),
    Difference(
        "steps",
        "The batch step alone is known; its node counts what srun starts inside.",
        whole=(r"show step \$R.batch",),
    ),
    Difference(
        "slurmstepd",
        "Outside a job srun's tasks begin under srun, which has no node's name.",
        r"slurmstepd(-NODE)?: ",
    ),
    Difference(
        "configuration",
        "scontrol show config and sacct's other clusters: this server has its own parameters and no others.",
        whole=(r"show config \| grep -c", r"sacct -M nowhere", r"sdiag \| grep -c"),
    ),
    Difference(
        "priority/multifactor",
        "sprio works under every policy; with priority/basic Slurm has nothing to show.",
        whole=(r"^sprio",),
    ),
    Difference(
        "other tools",
        "sstat and sreport are not among the commands: the figures are in sacct, molokini usage and report.",
        whole=(r"^sstat", r"^sreport"),
    ),
    Difference(
        "the exit code of write batch_script",
        "Where there is no such job ours fails; Slurm's ends with 0.",
        whole=(r"write batch_script 999999",),
    ),
    Difference(
        "requests that only a pass could answer",
        "suspend and resume of a job that there is not: Slurm's text is that of a broken message.",
        whole=(r"scontrol (suspend|resume) 999999", r"scontrol wait_job 999999"),
    ),
)


def explained(one: Compared) -> list[str]:
    """The names of the differences by which both answers of *one* are alike; empty: they are not."""
    found: list[str] = []
    real, ours = one.real, one.ours
    for rule in DIFFERENCES:
        if any(re.search(pattern, one.line.command) for pattern in rule.whole):
            return [rule.name]
        before = real, ours
        if any(re.search(pattern, one.line.command) for pattern in rule.orders):
            real, ours = (_ordered(answer) for answer in before)
        if rule.pattern:
            real, ours = (_replaced(answer, rule) for answer in before)
        if (before[0] == before[1]) != (real == ours) or (before != (real, ours) and before[0] != before[1]):
            found.append(rule.name)
        if _same(real, ours):
            return found
    return []


def _same(real: Answer, ours: Answer) -> bool:
    return (real.out.split(), real.err.split(), real.code) == (ours.out.split(), ours.err.split(), ours.code)


def _replaced(answer: Answer, rule: Difference) -> Answer:
    change = re.compile(rule.pattern)
    return Answer(change.sub(rule.by, answer.out), change.sub(rule.by, answer.err), answer.code)


def _ordered(answer: Answer) -> Answer:
    return Answer("\n".join(sorted(answer.out.splitlines())), answer.err, answer.code)
