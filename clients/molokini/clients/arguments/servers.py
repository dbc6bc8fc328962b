"""What the commands take that start a live cluster, or a part of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments, Setting
from molokini.experiments.asked import MauiConfigFile, ProcsPerNode
from molokini.model.declared import argument, option

EmulatedNodes = Annotated[int | None, option(metavar="N", help="Emulated nodes.")]
ClockKind = Annotated[str | None, option(metavar="KIND", help="real, scaled:N, stepped or virtual.")]
LivePolicy = Annotated[str | None, option(metavar="NAME", help="The policy that decides at first.")]
StateFolder = Annotated[
    str | None, option(metavar="DIR", help="Where the state is kept; ./molokini-state unless said.")
]
Listen = Annotated[str | None, option(metavar="HOST:PORT", help="Address of the service; port 0 is any.")]
AgentMode = Annotated[
    str, option(metavar="MODE", help="How jobs are run: emulate, or process (on this machine).")
]
Processors = Annotated[
    int | None,
    option(
        "--processors",
        "--procs",
        metavar="N",
        help="Processors for jobs of this machine; all that there are.",
    ),
]
SpoolFolder = Annotated[
    str | None, option(metavar="DIR", help="Where this machine's jobs are kept while they run.")
]
Grace = Annotated[
    float | None,
    option(metavar="SECONDS", help="Between the signal that warns a job of its end and the end; 5."),
]
Prolog = Annotated[
    str | None, option(metavar="FILE", help="A program that runs before each job, as the agent's user.")
]
Epilog = Annotated[
    str | None, option(metavar="FILE", help="A program that runs after each job, as the agent's user.")
]
HookLimit = Annotated[
    float | None, option(metavar="SECONDS", help="How long a prolog or an epilog may take; 60.")
]
KillLimit = Annotated[
    float | None,
    option(metavar="SECONDS", help="Within this time of SIGKILL a job's processes have to be gone; 30."),
]
MostProcesses = Annotated[int | None, option(metavar="N", help="Processes of one job; unbounded.")]
SlotsFromCpus = Annotated[bool, option(help="Bind each job to processors of its own.")]
AllowRoot = Annotated[bool, option(help="Run the jobs of root, too.")]
LowestUser = Annotated[int, option(metavar="UID", help="Users below this number run no jobs.")]
ConfigFile = Annotated[str | None, option(metavar="FILE", help="Settings, in TOML.")]


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
            help="C clusters of N emulated nodes each, or N,N,...; of 1 processor unless --procs-per-node "
            "says.",
        ),
    ] = None
    clock: ClockKind = None
    policy: LivePolicy = None
    maui_config: MauiConfigFile = None
    set: Setting = ()
    state: StateFolder = None
    listen: Listen = None
    config: ConfigFile = None


@dataclass(frozen=True, kw_only=True)
class ServeArguments:
    """``molokini serve``."""

    config: ConfigFile = None
    new: Annotated[bool, option(help="Begin a new state where there is none.")] = False
    clock: ClockKind = None
    policy: LivePolicy = None
    maui_config: MauiConfigFile = None
    set: Setting = ()
    state: StateFolder = None
    listen: Listen = None


@dataclass(frozen=True, kw_only=True)
class WikiSchedulerArguments:
    """``molokini wiki-scheduler``."""

    manager: Annotated[
        str | None, option(metavar="HOST:PORT", help="Where the resource manager listens.")
    ] = None
    key_file: Annotated[
        str | None, option(metavar="FILE", help="The key that both ends share; readable by its user alone.")
    ] = None
    algorithm: Annotated[
        str | None, option(metavar="NAME", help="Checksums: DES (the default), HMAC, HMAC64, MD5 or NONE.")
    ] = None
    poll: Annotated[
        float | None, option(metavar="SECONDS", help="Between two looks at its nodes and jobs; 10.")
    ] = None
    events: Annotated[
        str | None, option(metavar="HOST:PORT", help="Where to listen for its word that something changed.")
    ] = None
    config: ConfigFile = None
    clock: ClockKind = None
    policy: LivePolicy = None
    maui_config: MauiConfigFile = None
    set: Setting = ()
    state: Annotated[
        str | None, option(metavar="DIR", help="Where the state is kept; ./molokini-wiki-state unless said.")
    ] = None
    listen: Listen = None


@dataclass(frozen=True, kw_only=True)
class AgentArguments:
    """``molokini agent``."""

    server: Annotated[str, option(metavar="HOST:PORT", help="Where the server is.")]
    mode: AgentMode = "emulate"
    nodes: EmulatedNodes = None
    procs_per_node: ProcsPerNode = None
    name: Annotated[str | None, option(metavar="NAME", help="The agent's name, and its nodes' prefix.")] = (
        None
    )
    memory: Annotated[
        str | None, option(metavar="SIZE", help="Memory of each node: 512M, 4G; uncounted without.")
    ] = None
    gpus: Annotated[int | None, option(metavar="N", help="GPUs of each node.")] = None
    feature: Annotated[
        Sequence[str], option(metavar="NAME", help="What each node has; may be repeated.")
    ] = ()
    cluster: Annotated[str | None, option(metavar="NAME", help="The cluster to which the nodes belong.")] = (
        None
    )
    token_file: Annotated[
        str | None, option(metavar="FILE", help="The agent's token; the state's unless said.")
    ] = None
    seed: Annotated[int | None, option(metavar="N", help="Where the nodes' random failures begin.")] = None
    mtbf: Annotated[float | None, option(metavar="SECONDS", help="Mean time between failures of a node.")] = (
        None
    )
    repair: Annotated[
        float | None, option(metavar="SECONDS", help="Mean time until a lost node returns.")
    ] = None
    follow_clock: Annotated[
        bool, option(help="Act at the server's instants; for clocks that are not real.")
    ] = False
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


@dataclass(frozen=True, kw_only=True)
class CertsArguments:
    """``molokini certs``."""

    folder: Annotated[str, argument(metavar="DIR", help="Where the files are written.")]
    nodes: Annotated[
        Sequence[str], option("--node", metavar="NAME", help="A node agent's certificate; may be repeated.")
    ] = ()
    users: Annotated[
        Sequence[str], option("--user", metavar="NAME", help="A user's certificate; may be repeated.")
    ] = ()
    hosts: Annotated[
        Sequence[str],
        option("--host", metavar="HOST", help="A name or address of the server; may be repeated."),
    ] = ()
    lifetime_s: Annotated[
        float, option("--lifetime", metavar="SECONDS", help="How long the certificates are good.")
    ] = 90 * 86_400.0


@dataclass(frozen=True, kw_only=True)
class ShimsArguments(JsonArguments):
    """``molokini shims``."""

    folder: Annotated[str, argument(metavar="DIR", help="Where the commands are written.")]
    system: Annotated[
        Sequence[str],
        option(
            "--system",
            "--flavour",
            metavar="NAME",
            help="pbs, lsf, slurm or maui; may be repeated, without: all of them.",
        ),
    ] = ()
    state: Annotated[
        Path | None,
        option(
            metavar="DIR",
            help="The state folder of the server to ask where the environment names none; "
            "without: molokini-state here, if there is one.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class InitArguments:
    """``molokini init``."""

    file: Annotated[str, argument(metavar="FILE", help="Where to; a file that is there stays as it is.")] = (
        "molokini.toml"
    )
