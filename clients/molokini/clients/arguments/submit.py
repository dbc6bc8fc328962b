"""What a job asks for: ``submit`` and ``alter``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments, OneJob
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class WishArguments(JsonArguments):
    """What ``submit`` and ``alter`` have in common."""

    processors: Annotated[
        int | None, option("--processors", "--procs", metavar="N", help="Total number of processors.")
    ] = None
    nodes: Annotated[int | None, option(metavar="N", help="Number of nodes.")] = None
    processors_per_node: Annotated[
        int | None,
        option("--processors-per-node", "--procs-per-node", metavar="M", help="Processors per node."),
    ] = None
    components: Annotated[
        str | None,
        option(
            metavar="N,N,...",
            help="Processors of each component; --request places the components in clusters.",
        ),
    ] = None
    request: Annotated[
        str | None,
        option(
            metavar="KIND",
            help="ordered: component i in cluster i; unordered (default): each in a different cluster; "
            "flexible: over the fewest clusters; total: all in one cluster.",
        ),
    ] = None
    memory: Annotated[
        str | None, option(metavar="SIZE", help="Memory per processor, with a unit, such as 512M or 4G.")
    ] = None
    gpus: Annotated[
        int | None, option(metavar="N", help="GPUs per node (without --nodes: per processor).")
    ] = None
    feature: Annotated[
        Sequence[str], option(metavar="NAME", help="Feature that every node must have; may be repeated.")
    ] = ()
    constraint: Annotated[
        str | None,
        option(
            metavar="EXPRESSION",
            help="Features as one expression: a|b, [a|b] (all nodes share one), "
            "a*2&b*4 (on so many of --nodes).",
        ),
    ] = None
    estimate: Annotated[
        str | None, option(metavar="TIME", help="Run time limit: seconds, H:MM:SS or D-HH:MM:SS.")
    ] = None
    least_estimate: Annotated[
        str | None,
        option(
            metavar="TIME",
            help="The shortest limit with which it may be started, by policies that shorten limits (slurm).",
        ),
    ] = None
    queue: Annotated[
        str | None,
        option(
            metavar="NAME[,NAME]...",
            help="Queue of the job; of several, the policy slurm chooses one, other policies take the first.",
        ),
    ] = None
    account: Annotated[str | None, option(metavar="NAME", help="Account that the job is charged to.")] = None
    group: Annotated[str | None, option(metavar="NAME", help="Group that the job counts for.")] = None
    qos: Annotated[str | None, option(metavar="NAME", help="Quality of service (QOS).")] = None
    priority: Annotated[
        int | None,
        option(metavar="N", help="Priority from -1024 (later) to 1023 (sooner), used by custom policies."),
    ] = None
    begin: Annotated[
        str | None,
        option(
            metavar="WHEN",
            help='Earliest start: a date (2026-12-04T18:00), "Fri 18:00", now+1hour, +TIME from now, or '
            "seconds "
            "of the cluster's clock.",
        ),
    ] = None
    deadline: Annotated[
        str | None,
        option(
            metavar="TIME",
            help="Time by which the job must have ended, as for --begin, or @TIME. With submit --divisible a "
            "plain TIME "
            "counts from the submission, and @TIME alone is a second of the cluster's clock; so does it with "
            "--work.",
        ),
    ] = None
    name: Annotated[str | None, option(metavar="TEXT", help="Job name, shown in listings.")] = None
    requeue: Annotated[
        bool | None, option("--requeue/--no-requeue", help="Whether to requeue the job if its node fails.")
    ] = None
    comment: Annotated[str | None, option(metavar="TEXT", help="Comment, shown with the job.")] = None


@dataclass(frozen=True, kw_only=True)
class SubmitArguments(WishArguments):
    """``molokini submit``."""

    script: Annotated[
        Sequence[str],
        argument(
            metavar="SCRIPT | -- WORD",
            help="A job script (- reads standard input), or a command line to run.",
        ),
    ] = ()
    argv: Annotated[Sequence[str], option(hidden=True)] = ()
    """What stands behind ``--``."""
    whatif: Annotated[
        bool,
        option(help="Submit nothing: show when this would start, and what would start sooner."),
    ] = False
    first_node_alone: Annotated[
        bool,
        option(help="Start the job only on the first of its nodes; it starts the rest itself (mpirun)."),
    ] = False
    keep_going: Annotated[bool, option(help="Do not end the job on its other nodes if it fails on one.")] = (
        False
    )
    rate: Annotated[
        str | None,
        option(
            metavar="RATE",
            help="Target rate of a program that reports its iterations: 50% of its full rate, or 0.5/s.",
        ),
    ] = None
    full_rate: Annotated[
        float | None,
        option(metavar="R", help="Its full rate, iterations a second; else it is measured at its start."),
    ] = None
    full_use: Annotated[
        str | None,
        option(
            metavar="SHARE",
            help="What it uses of its busiest processor at its full rate: 0.14, or measured (1).",
        ),
    ] = None
    work: Annotated[
        int | None,
        option(
            metavar="N",
            help="Iterations to be done by the --deadline: with bounds such as --rate 20%-80% its rate is "
            "chosen, and changed on the way.",
        ),
    ] = None
    after: Annotated[
        Sequence[str],
        option(
            metavar="KIND:ID",
            help="Dependency: afterok:ID, afternotok:ID, afterany:ID, after:ID or singleton; may be "
            "repeated.",
        ),
    ] = ()
    array: Annotated[
        str | None,
        option(metavar="RANGE", help="Submit a job array: FIRST-LAST[:STEP][%RUNNING], such as 1-100:2%10."),
    ] = None
    divisible: Annotated[
        float | None,
        option(
            metavar="SIZE",
            help="Submit a divisible load of this many units; its --deadline decides on admission.",
        ),
    ] = None
    cms: Annotated[
        float | None,
        option(metavar="SECONDS", help="Time to send a unit of load (send_s; default: the cluster's)."),
    ] = None
    cps: Annotated[
        float | None,
        option(metavar="SECONDS", help="Time to compute a unit of load (compute_s; default: the cluster's)."),
    ] = None
    st: Annotated[
        float | None,
        option(
            metavar="SECONDS", help="Set-up time of each transmission (setup_send_s; default: the cluster's)."
        ),
    ] = None
    sc: Annotated[
        float | None,
        option(
            metavar="SECONDS",
            help="Set-up time of each computation (setup_compute_s; default: the cluster's).",
        ),
    ] = None
    communication: Annotated[
        str | None,
        option(
            metavar="PATTERN",
            help="Message pattern that lengthens runs on emulated nodes, depending on the placement: "
            "all-to-all, borders or all-to-all-each-second.",
        ),
    ] = None
    message: Annotated[
        str | None,
        option(
            metavar="INSIDE,BETWEEN",
            help="Seconds per message inside a cluster and between two (default: the cluster's).",
        ),
    ] = None
    hold: Annotated[bool, option(help="Submit the job on hold.")] = False
    key: Annotated[
        str | None,
        option(
            metavar="TEXT",
            help="Submission key: a second submission with the same key creates no second job.",
        ),
    ] = None
    emulate: Annotated[
        str | None,
        option(
            metavar="WHAT,...",
            help="Behavior on emulated nodes: run=TIME, exit=N, signal=N, memory=SIZE, node-dies=TIME, "
            "never-starts.",
        ),
    ] = None
    directory: Annotated[
        str | None, option(metavar="DIR", help="Working directory (default: the current one).")
    ] = None
    input: Annotated[str | None, option(metavar="FILE", help="File for standard input.")] = None
    output: Annotated[
        str | None,
        option(
            metavar="FILE",
            help="File for standard output; %j: job id, %a: array index, %u: user, %x: job name, %N: node.",
        ),
    ] = None
    error: Annotated[str | None, option(metavar="FILE", help="File for standard error.")] = None
    env: Annotated[
        Sequence[str],
        option(
            metavar="NAME[=VALUE]",
            help="Environment variable; without a value, yours is passed on; may be repeated.",
        ),
    ] = ()
    mail_on: Annotated[
        Sequence[str],
        option(
            metavar="EVENT",
            help="Mail event: begin, end or fail; stored for an external mailer; may be repeated.",
        ),
    ] = ()
    mail_to: Annotated[
        Sequence[str],
        option(metavar="ADDRESS", help="Mail address, stored for an external mailer; may be repeated."),
    ] = ()
    notify: Annotated[
        str | None, option(metavar="TEXT", help="Other receiver of notices, shown with the job.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class AlterArguments(WishArguments):
    """``molokini alter``."""

    job: OneJob
