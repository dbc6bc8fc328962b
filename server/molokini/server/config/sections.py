"""The tables that say what the server is: its place, clock, policy, agents, stop and log."""

from pathlib import Path
from typing import Any, Literal

from molokini.server.config.fields import (
    LONGEST_S,
    Flag,
    Name,
    Number,
    Section,
    Text,
    Whole,
    entry,
    file,
    flag,
    number,
    whole,
)
from molokini.server.config.names import NAME

LISTEN = "HOST:PORT, the port from 0 (any that is free) to 65535, an IPv6 address in brackets"


def _group(what: str) -> Any:
    return entry(
        "",
        f"Unix group that may read {what} (mode 0640), of which the server's user is a member; empty: the "
        "server's user alone (mode 0600).",
        "a group of this machine, or empty",
    )


class Server(Section):
    """Where the server listens and where its state is."""

    name: Name = entry(
        "molokini", "Name of the cluster; tokens are made for it and are good for no other.", NAME
    )
    listen: Text = entry(
        "127.0.0.1:7077",
        "Address of the gRPC service. Anything but a loopback address needs the security mode tls or mtls.",
        LISTEN,
        pattern=r"^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}$",
    )
    journal: Text = entry(
        "./molokini-state",
        "Where the state is kept: a folder (SQLite), or postgresql://USER@HOST/DATABASE. Give the password "
        "of a database in PGPASSFILE rather than here.",
        "a folder or a postgresql:// address",
        path=True,
        min_length=1,
    )
    snapshot_every: Whole = whole(
        50_000,
        "Facts and jobs after which a snapshot of the state is put beside the journal, so that a start reads "
        "it and what follows; 0: never. One is taken at a graceful stop, too.",
        0,
    )
    new: Flag = flag(
        False,
        "Begin a new state where there is none. Without, a missing state is an error, since it may be "
        "elsewhere or not be mounted.",
    )


class Web(Section):
    """The JSON gateway: the services of gRPC for programs without it, on a Unix socket and over HTTP."""

    gateway: Flag = flag(
        True,
        "Whether there is a Unix socket on which callers are who the kernel says they are: the server's "
        "owner and root are administrators, others have their role of security.users.",
    )
    socket: Path | None = file(
        None,
        "Where it is; without, `socket` in the folder of the state, which the server's owner alone reaches. "
        "Name a folder that all users reach to let them all use it.",
    )
    listen: Text = entry(
        "",
        "Address of the gateway over HTTP, with the same proofs as gRPC; empty: none. The state has it as "
        "`web-endpoint`. "
        "Anything but a loopback address needs the security mode tls or mtls.",
        f"{LISTEN}; or empty",
        pattern=r"^((\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5})?$",
    )
    anonymous: Flag = flag(
        False,
        "Whether the page shows the cluster to callers over HTTP who show no token: jobs (unless "
        "security.privacy), nodes, queues and reservations; no script, no environment, no output, and no "
        "change. Not with the security mode mtls, which needs a certificate first.",
    )


class Clock(Section):
    """The scheduling clock: what queues, limits and accounting go by."""

    kind: Literal["real", "scaled", "stepped", "virtual"] = entry(
        "real",
        "real: the wall clock. scaled: rate times as fast. stepped: stands until it is advanced by a "
        "command. virtual: jumps to the next instant at which something is due.",
        "real, scaled, stepped or virtual",
    )
    rate: Number = number(
        1.0, "Seconds of the scheduling clock in a second of real time; for the kind scaled.", 0.001, 1e6
    )
    jump_after_ms: Whole = whole(
        50, "Milliseconds without any request after which a virtual clock may jump.", 0, 60_000, reload=True
    )


class Policy(Section):
    """Which policy decides."""

    name: Text = entry("easy", "Name of the policy, as `molokini policies` lists it.", "a name", reload=True)
    parameters: dict[Text, Text | Flag | Whole | Number] = entry(
        dict, "Its parameters by name; those left out take their defaults.", "a table of values", reload=True
    )
    maui_config: Path | None = file(
        None,
        "For the policy maui: its configuration, a maui.cfg (or the same in TOML). It is read again at each "
        "reload, by which what was changed by `molokini maui changeparam` is gone.",
        reload=True,
    )
    slurm_conf: Path | None = file(
        None,
        "For the policy slurm: its configuration, a slurm.conf. It is read again at each reload.",
        reload=True,
    )
    slurm_accounts: tuple[Text, ...] = entry(
        (),
        "Files of its database beside it: output of sacctmgr dump, show assoc, show qos, or sshare. Relative "
        "ones are looked for beside the slurm.conf.",
        "a list of paths, as text",
        reload=True,
    )
    folder: Path | None = file(
        None,
        "A folder with further policies, one file each: `name` may be one of them, and `molokini policy` may "
        "choose them. What is in the files runs as the server.",
    )
    longest_pass_s: Number = number(
        60.0,
        "Real seconds after which a pass of a policy from a file is stopped; after three in a row fcfs "
        "decides. Where it cannot be stopped the server ends after as long again, and fcfs decides after the "
        "next start.",
        0.01,
        LONGEST_S,
    )


class History(Section):
    """Which finished jobs stay in the memory; the others are kept beside the journal, and found there."""

    finished_jobs: Whole = whole(
        10_000, "Jobs that are over and stay in the memory at most, the last that ended.", 0
    )
    finished_s: Number = number(
        86_400.0, "Seconds of the scheduling clock after which a job that is over leaves it.", 0.0, LONGEST_S
    )


class Accounting(Section):
    """What happens to jobs as the accounting of another system, written as it happens, a file a day."""

    folder: Path | None = file(
        None,
        "Where to: the files are named by their days, YYYYMMDD for pbs as PBS names them. Without, none is "
        "written; `molokini accounting export` writes the records of all finished jobs at any time.",
    )
    format: Literal["pbs", "lsf", "sacct"] = entry(
        "pbs",
        "pbs: an accounting log of PBS. lsf: records JOB_FINISH of lsb.acct. sacct: a table as sacct "
        "--parsable2 prints it.",
        "pbs, lsf or sacct",
    )
    group: Text = _group("the files")


class Agents(Section):
    """Heartbeats and leases of node agents. All times are real time, whatever the scheduling clock does."""

    heartbeat_s: Number = number(5.0, "Seconds between two heartbeats of an agent.", 0.05, 3600.0)
    lease_s: Number = number(
        30.0,
        "Seconds after its last heartbeat at which an agent ends its jobs by itself; at least twice "
        "heartbeat_s.",
        0.1,
        86_400.0,
    )
    margin_s: Number = number(
        5.0,
        "Seconds that the server waits beyond the end of a lease before a job may start again.",
        0.0,
        3600.0,
    )


class Stop(Section):
    """How the server ends."""

    bound_s: Number = number(
        20.0, "Seconds that a graceful stop may take; open calls are cut then.", 0.0, LONGEST_S, reload=True
    )


class Log(Section):
    """What the server writes about itself. Secrets are blacked out."""

    level: Literal["debug", "info", "warning", "error"] = entry(
        "info", "The least level that is written.", "debug, info, warning or error", reload=True
    )
    format: Literal["json", "text"] = entry(
        "text", "json: one object a line, for machines. text: one line a record, for people.", "json or text"
    )
    file: Path | None = file(
        None,
        "Where to; without, to standard error. It may be moved away while the server runs, which then makes "
        "a new one with the same mode.",
    )
    group: Text = _group("the file")
