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
        int | None, option("--processors", "--procs", metavar="N", help="Processors in all.")
    ] = None
    nodes: Annotated[int | None, option(metavar="N", help="So many nodes.")] = None
    processors_per_node: Annotated[
        int | None,
        option("--processors-per-node", "--procs-per-node", metavar="M", help="Processors of each node."),
    ] = None
    components: Annotated[
        str | None,
        option(metavar="N,N,...", help="Processors of each component, in clusters as --request says."),
    ] = None
    request: Annotated[
        str | None,
        option(
            metavar="KIND",
            help="ordered: component i in cluster i. unordered (default): each in a cluster of its own. "
            "flexible: over the fewest clusters. total: all in one cluster.",
        ),
    ] = None
    memory: Annotated[
        str | None, option(metavar="SIZE", help="Memory a processor, with its unit: 512M, 4G.")
    ] = None
    gpus: Annotated[int | None, option(metavar="N", help="GPUs a node, or a processor without --nodes.")] = (
        None
    )
    feature: Annotated[
        Sequence[str], option(metavar="NAME", help="What every node must have; may be repeated.")
    ] = ()
    estimate: Annotated[
        str | None, option(metavar="TIME", help="Longest run time: seconds, H:MM:SS or D-HH:MM:SS.")
    ] = None
    queue: Annotated[str | None, option(metavar="NAME", help="The queue.")] = None
    account: Annotated[str | None, option(metavar="NAME", help="The account.")] = None
    group: Annotated[str | None, option(metavar="NAME", help="The group it runs for.")] = None
    qos: Annotated[str | None, option(metavar="NAME", help="The quality of service.")] = None
    priority: Annotated[
        int | None,
        option(metavar="N", help="From -1024 (later) to 1023 (sooner), for policies of your own."),
    ] = None
    begin: Annotated[
        str | None,
        option(
            metavar="WHEN",
            help='Not before: a date (2026-12-04T18:00), "Fri 18:00", now+1hour, +TIME from now, or seconds '
            "of the cluster's clock.",
        ),
    ] = None
    deadline: Annotated[
        str | None,
        option(
            metavar="TIME",
            help="To have ended by then; written as --begin, or @TIME. With submit --divisible a plain TIME "
            "counts from the submission, and @TIME alone is a second of the cluster's clock.",
        ),
    ] = None
    name: Annotated[str | None, option(metavar="TEXT", help="The name in listings.")] = None
    requeue: Annotated[
        bool | None, option("--requeue/--no-requeue", help="Whether it may run again if its node is lost.")
    ] = None
    comment: Annotated[str | None, option(metavar="TEXT", help="Kept and shown.")] = None


@dataclass(frozen=True, kw_only=True)
class SubmitArguments(WishArguments):
    """``molokini submit``."""

    script: Annotated[
        Sequence[str],
        argument(metavar="SCRIPT | -- WORD", help="A job script (- reads it), or words to run."),
    ] = ()
    argv: Annotated[Sequence[str], option(hidden=True)] = ()
    """What stands behind ``--``."""
    first_node_alone: Annotated[
        bool,
        option(help="Of several nodes start it on the first alone; it starts the rest by itself (mpirun)."),
    ] = False
    keep_going: Annotated[
        bool, option(help="What runs on other nodes goes on when one has failed, and is not ended with it.")
    ] = False
    after: Annotated[
        Sequence[str],
        option(
            metavar="KIND:ID",
            help="afterok, afternotok, afterany or after, a colon, a job; or singleton. May be repeated.",
        ),
    ] = ()
    array: Annotated[
        str | None, option(metavar="RANGE", help="FIRST-LAST[:STEP][%RUNNING], such as 1-100:2%10.")
    ] = None
    divisible: Annotated[
        float | None,
        option(
            metavar="SIZE",
            help="A load of so many units that can be cut anywhere; admitted or refused by its --deadline.",
        ),
    ] = None
    cms: Annotated[
        float | None,
        option(metavar="SECONDS", help="To send a unit of load (send_s); default: the cluster's."),
    ] = None
    cps: Annotated[
        float | None,
        option(metavar="SECONDS", help="To compute a unit of load (compute_s); default: the cluster's."),
    ] = None
    st: Annotated[
        float | None,
        option(metavar="SECONDS", help="Before each transmission (setup_send_s); default: the cluster's."),
    ] = None
    sc: Annotated[
        float | None,
        option(metavar="SECONDS", help="Before each computation (setup_compute_s); default: the cluster's."),
    ] = None
    communication: Annotated[
        str | None,
        option(
            metavar="PATTERN",
            help="Messages that make emulated nodes take longer by where the job lies: all-to-all, borders "
            "or all-to-all-each-second.",
        ),
    ] = None
    message: Annotated[
        str | None,
        option(
            metavar="INSIDE,BETWEEN",
            help="Seconds of a message inside a cluster and between two; default: the cluster's.",
        ),
    ] = None
    hold: Annotated[bool, option(help="Hold it from the start.")] = False
    key: Annotated[
        str | None, option(metavar="TEXT", help="Submission key: with the same one there is one job only.")
    ] = None
    emulate: Annotated[
        str | None,
        option(
            metavar="WHAT,...",
            help="What emulated nodes pretend: run=TIME, exit=N, signal=N, memory=SIZE, node-dies=TIME, "
            "never-starts.",
        ),
    ] = None
    directory: Annotated[str | None, option(metavar="DIR", help="Where it starts; default: here.")] = None
    input: Annotated[str | None, option(metavar="FILE", help="Its standard input.")] = None
    output: Annotated[
        str | None, option(metavar="FILE", help="Its standard output; %j job, %a index, %u, %x, %N.")
    ] = None
    error: Annotated[str | None, option(metavar="FILE", help="Its standard error.")] = None
    env: Annotated[
        Sequence[str],
        option(metavar="NAME[=VALUE]", help="A variable of its environment, or ours; may be repeated."),
    ] = ()
    mail_on: Annotated[
        Sequence[str],
        option(metavar="EVENT", help="begin, end or fail: kept for a sender of mail; may be repeated."),
    ] = ()
    mail_to: Annotated[
        Sequence[str], option(metavar="ADDRESS", help="Kept for a sender of mail; may be repeated.")
    ] = ()
    notify: Annotated[
        str | None, option(metavar="TEXT", help="Whom or what else to notify: kept and shown.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class AlterArguments(WishArguments):
    """``molokini alter``."""

    job: OneJob
