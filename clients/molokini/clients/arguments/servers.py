"""What the commands take that start a live cluster, or a part of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments, Setting, SlurmAccounts
from molokini.experiments.asked import MauiConfigFile, ProcsPerNode, SlurmConfFile
from molokini.model.declared import argument, option

EmulatedNodes = Annotated[int | None, option(metavar="N", help="Number of emulated nodes.")]
ClockKind = Annotated[
    str | None, option(metavar="KIND", help="Kind of clock: real, scaled:N, stepped or virtual.")
]
LivePolicy = Annotated[str | None, option(metavar="NAME", help="Scheduling policy to begin with.")]
StateFolder = Annotated[
    str | None, option(metavar="DIR", help="State directory (default: ./molokini-state).")
]
Listen = Annotated[
    str | None, option(metavar="HOST:PORT", help="Address to listen on; port 0: any free port.")
]
AgentMode = Annotated[
    str, option(metavar="MODE", help="How to run jobs: emulate, or process (on this machine).")
]
Processors = Annotated[
    int | None,
    option(
        "--processors",
        "--procs",
        metavar="N",
        help="Processors of this machine to use for jobs (default: all).",
    ),
]
SpoolFolder = Annotated[
    str | None, option(metavar="DIR", help="Spool directory of this machine's running jobs.")
]
Grace = Annotated[
    float | None,
    option(metavar="SECONDS", help="Time from the warning signal to the end of a job (default: 5)."),
]
Prolog = Annotated[
    str | None, option(metavar="FILE", help="A program that runs before each job, as the agent's user.")
]
Epilog = Annotated[
    str | None, option(metavar="FILE", help="A program that runs after each job, as the agent's user.")
]
HookLimit = Annotated[
    float | None, option(metavar="SECONDS", help="Time limit of a prolog or an epilog (default: 60).")
]
KillLimit = Annotated[
    float | None,
    option(
        metavar="SECONDS", help="Time that a job's processes may take to end after SIGKILL (default: 30)."
    ),
]
MostProcesses = Annotated[
    int | None, option(metavar="N", help="Most processes of one job (default: unlimited).")
]
SlotsFromCpus = Annotated[bool, option(help="Bind each job to processors of its own.")]
AllowRoot = Annotated[bool, option(help="Also run jobs of root.")]
LowestUser = Annotated[int, option(metavar="UID", help="Lowest user id that may run jobs.")]
ConfigFile = Annotated[str | None, option(metavar="FILE", help="Configuration file, in TOML.")]


@dataclass(frozen=True, kw_only=True)
class UpArguments:
    """``molokini up``."""

    nodes: EmulatedNodes = None
    procs_per_node: ProcsPerNode = None
    mode: AgentMode = "emulate"
    processors: Processors = None
    grace: Grace = None
    prolog: Prolog = None
    epilog: Epilog = None
    hook_limit: HookLimit = None
    kill_limit: KillLimit = None
    clusters: Annotated[
        str | None,
        option(
            metavar="CxN",
            help="C clusters of N emulated nodes each, or N,N,... nodes; each node has 1 processor "
            "without --procs-per-node.",
        ),
    ] = None
    clock: ClockKind = None
    policy: LivePolicy = None
    maui_config: MauiConfigFile = None
    slurm_conf: SlurmConfFile = None
    slurm_accounts: SlurmAccounts = ()
    set: Setting = ()
    state: StateFolder = None
    listen: Listen = None
    config: ConfigFile = None


@dataclass(frozen=True, kw_only=True)
class ServeArguments:
    """``molokini serve``."""

    config: ConfigFile = None
    new: Annotated[bool, option(help="Create a new state if there is none.")] = False
    clock: ClockKind = None
    policy: LivePolicy = None
    maui_config: MauiConfigFile = None
    slurm_conf: SlurmConfFile = None
    slurm_accounts: SlurmAccounts = ()
    set: Setting = ()
    state: StateFolder = None
    listen: Listen = None


@dataclass(frozen=True, kw_only=True)
class WikiSchedulerArguments:
    """``molokini wiki-scheduler``."""

    manager: Annotated[str | None, option(metavar="HOST:PORT", help="Address of the resource manager.")] = (
        None
    )
    key_file: Annotated[
        str | None,
        option(metavar="FILE", help="File with the shared key; only its owner may have read permission."),
    ] = None
    algorithm: Annotated[
        str | None, option(metavar="NAME", help="Checksum: DES (default), HMAC, HMAC64, MD5 or NONE.")
    ] = None
    poll: Annotated[
        float | None,
        option(metavar="SECONDS", help="Interval between polls of its nodes and jobs (default: 10)."),
    ] = None
    events: Annotated[
        str | None, option(metavar="HOST:PORT", help="Address to listen on for its notices of changes.")
    ] = None
    config: ConfigFile = None
    clock: ClockKind = None
    policy: LivePolicy = None
    maui_config: MauiConfigFile = None
    slurm_conf: SlurmConfFile = None
    slurm_accounts: SlurmAccounts = ()
    set: Setting = ()
    state: Annotated[
        str | None, option(metavar="DIR", help="State directory (default: ./molokini-wiki-state).")
    ] = None
    listen: Listen = None


@dataclass(frozen=True, kw_only=True)
class AgentArguments:
    """``molokini agent``."""

    server: Annotated[str, option(metavar="HOST:PORT", help="Address of the server.")]
    mode: AgentMode = "emulate"
    nodes: EmulatedNodes = None
    procs_per_node: ProcsPerNode = None
    name: Annotated[
        str | None, option(metavar="NAME", help="Name of the agent, and prefix of its nodes' names.")
    ] = None
    memory: Annotated[
        str | None, option(metavar="SIZE", help="Memory per node, such as 512M (default: unlimited).")
    ] = None
    gpus: Annotated[int | None, option(metavar="N", help="GPUs per node.")] = None
    feature: Annotated[
        Sequence[str], option(metavar="NAME", help="Feature of each node; may be repeated.")
    ] = ()
    cluster: Annotated[str | None, option(metavar="NAME", help="Cluster that the nodes belong to.")] = None
    token_file: Annotated[
        str | None,
        option(metavar="FILE", help="File with the agent's token (default: the one in the state directory)."),
    ] = None
    seed: Annotated[int | None, option(metavar="N", help="Seed of the random node failures.")] = None
    mtbf: Annotated[float | None, option(metavar="SECONDS", help="Mean time between failures of a node.")] = (
        None
    )
    repair: Annotated[
        float | None, option(metavar="SECONDS", help="Mean time until a failed node returns.")
    ] = None
    follow_clock: Annotated[bool, option(help="Follow the server's clock; for clocks other than real.")] = (
        False
    )
    processors: Processors = None
    spool: SpoolFolder = None
    grace: Grace = None
    most_processes: MostProcesses = None
    slots_from_cpus: SlotsFromCpus = False
    allow_root: AllowRoot = False
    lowest_uid: LowestUser = 1000
    prolog: Prolog = None
    epilog: Epilog = None
    hook_limit: HookLimit = None
    kill_limit: KillLimit = None
    enforce: Annotated[
        str | None,
        option(
            metavar="HOW",
            help="What keeps target rates: signals (default), deadline (SCHED_DEADLINE) or quota (a control "
            "group).",
        ),
    ] = None
    measure_slices: Annotated[
        bool,
        option(
            help="Measure at the start which periods, slices and shares this machine keeps: printed, and "
            "told to the server."
        ),
    ] = False
    cores_may_sleep: Annotated[
        bool,
        option(
            help="Let idle cores sleep beside jobs that report their rates: it saves power, and target rates "
            "come out up to 5 points too low."
        ),
    ] = False
    local: Annotated[
        str | None,
        option(
            metavar="NAME",
            help="Let a local policy coschedule the jobs of this machine: message-driven (real jobs only).",
        ),
    ] = None
    set: Annotated[
        Sequence[str],
        option(
            metavar="NAME=VALUE", help="Parameter of the local policy, as gmet=2s or slice=15s; repeatable."
        ),
    ] = ()
    requests: Annotated[
        str | None,
        option(metavar="FILE", help="Write each request to the local policy to FILE, a line of JSON each."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class CertsArguments:
    """``molokini certs``."""

    folder: Annotated[str, argument(metavar="DIR", help="Directory to write the files to.")]
    nodes: Annotated[
        Sequence[str],
        option("--node", metavar="NAME", help="Create a certificate for this node agent; may be repeated."),
    ] = ()
    users: Annotated[
        Sequence[str],
        option("--user", metavar="NAME", help="Create a certificate for this user; may be repeated."),
    ] = ()
    hosts: Annotated[
        Sequence[str],
        option("--host", metavar="HOST", help="A name or address of the server; may be repeated."),
    ] = ()
    lifetime_s: Annotated[
        float, option("--lifetime", metavar="SECONDS", help="Time that the certificates are valid for.")
    ] = 90 * 86_400.0


@dataclass(frozen=True, kw_only=True)
class ShimsArguments(JsonArguments):
    """``molokini shims``."""

    folder: Annotated[str, argument(metavar="DIR", help="Directory to write the commands to.")]
    system: Annotated[
        Sequence[str],
        option(
            "--system",
            "--flavour",
            metavar="NAME",
            help="System: pbs, lsf, slurm or maui; may be repeated (default: all).",
        ),
    ] = ()
    state: Annotated[
        Path | None,
        option(
            metavar="DIR",
            help="State directory of the server that the commands call if the environment names none "
            "(default: ./molokini-state, if it exists).",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class RecordArguments:
    """``molokini record``."""

    file: Annotated[str, argument(metavar="FILE", help="File to add to: a line of JSON for each command.")]
    keep_names: Annotated[
        bool, option(help="Keep the names of this machine and its users; else they are replaced.")
    ] = False
    argv: Annotated[Sequence[str], option(hidden=True)] = ()
    """What stands behind ``--``."""


@dataclass(frozen=True, kw_only=True)
class InitArguments:
    """``molokini init``."""

    file: Annotated[
        str, argument(metavar="FILE", help="File to write; an existing file is not overwritten.")
    ] = "molokini.toml"
