"""``sacctmgr``: the little of it that tools ask for; accounts here are those that jobs have named."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm.filters import names
from molokini.compat.slurm.general import GENERAL, SHORT_HELP, given_to
from molokini.compat.slurm.tables import columns_of, show
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    SHORT_HELP,
    option("-n --noheader", text="without header and rule"),
    option("-p --parsable", text="separate columns with |, also at the end of the line"),
    option("-P --parsable2", text="columns with | between"),
    option("-s --associations", text="with the accounts of users"),
    without_effect("-i --immediate", why="nothing is changed"),
    without_effect("-r --readonly", why="nothing is changed"),
    without_effect("-Q --quiet", why="there are no further details"),
    without_effect("-v --verbose", why="there are no further details"),
    refused("-o --oneliner", why="use --parsable"),
    refused("--json", why="use --parsable"),
)
_WIDTHS = {
    "Cluster": 10,
    "Account": 10,
    "User": 10,
    "Partition": 10,
    "Share": 9,
    "QOS": 20,
    "DefaultQOS": 10,
    "DefaultAccount": 10,
    "DefAcct": 10,
    "Admin": 9,
    "AdminLevel": 9,
    "Name": 10,
    "Descr": 20,
    "Description": 20,
    "Org": 20,
    "Organization": 20,
    "Priority": 10,
    "ControlHost": 15,
    "ControlPort": 12,
    "RPC": 6,
    "Type": 8,
    "ID": 6,
}
_UNSET = (
    *("GraceTime", "Preempt", "PreemptMode", "Flags", "UsageThres", "UsageFactor", "GrpTRES", "GrpTRESMins"),
    *("GrpTRESRunMins", "GrpJobs", "GrpSubmit", "GrpSubmitJobs", "GrpWall", "MaxTRES", "MaxTRESPerNode"),
    *("MaxTRESMins", "MaxTRESRunMins", "MaxWall", "MaxWallDurationPerJob", "MaxTRESPU", "MaxTRESPerUser"),
    *("MaxJobs", "MaxJobsPU", "MaxJobsPerUser", "MaxSubmit", "MaxSubmitPU", "MaxSubmitJobs", "MaxTRESPA"),
    *("MaxJobsPA", "MaxSubmitPA", "MinTRES", "MinPrioThresh", "ParentName", "ParentID", "LFT", "RGT"),
    *("DefaultWCKey", "WCKeys", "Coordinators", "Fairshare", "Classification", "NodeCount", "NodeNames"),
    *("PluginIDSelect", "TRES", "Federation", "Features", "FedState", "JobName", "State", "TimeStart"),
    *("TimeEnd", "NodeName", "Reason", "Weight", "Problem", "UnusedWall", "Server", "Count", "Allocated"),
    *("ServerType", "Time", "Action", "Actor", "Where", "Info", "WCKey"),
)
"""Columns for what nothing has here: a limit that there is not is an empty column."""
_WIDTHS |= dict.fromkeys(_UNSET, 13)
_COLUMNS = {
    "user": "User,DefAcct,Admin",
    "account": "Account,Descr,Org",
    "association": "Cluster,Account,User,Partition,Share,QOS,DefaultQOS",
    "cluster": "Cluster,ControlHost,ControlPort,RPC,Share,QOS",
    "qos": "Name,Priority",
    "tres": "Type,Name,ID",
    "configuration": "",
    "runawayjobs": "ID,JobName,Partition,Cluster,State,TimeStart,TimeEnd",
    "event": "Cluster,NodeName,TimeStart,TimeEnd,State,Reason,User",
    "federation": "Federation,Cluster,ID,Weight,Features,FedState",
    "problem": "Cluster,Account,User,Problem",
    "reservation": "Cluster,Name,TRES,TimeStart,TimeEnd,UnusedWall",
    "resource": "Name,Server,Type,Count,Allocated,ServerType",
    "transaction": "Time,Action,Actor,Where,Info",
    "wckey": "WCKey,Cluster,User",
}
_EMPTY = ("event", "federation", "problem", "reservation", "resource", "transaction", "wckey")
"""Tables of which a cluster without slurmdbd's database has the head alone."""


def run(run: Invocation) -> int:
    """List users, accounts, associations, clusters, QOS or resources."""
    given = given_to(run, OPTIONS, "show|list user|account|association|cluster|qos|tres [NAME ...]")
    words = given.words
    if not words or words[0].lower() not in ("show", "list"):
        what = words[0] if words else "no command"
        raise Failed(
            f"sacctmgr: error: {what} is not supported: accounts are those that jobs name (show, list)"
        )
    if len(words) < 2:
        raise Failed("sacctmgr: error: show what? user, account, association, cluster, qos, tres")
    kind = _kind(words[1])
    if kind == "configuration":
        return _configuration(run)
    if kind == "runawayjobs":
        from molokini.compat.slurm.cluster import name_of

        run.say(f"Runaway Jobs: No runaway jobs found on cluster {name_of(run)}")
        return 0
    wanted, columns = _conditions(words[2:], kind, given.flag("associations"))
    found = columns_of("sacctmgr", _WIDTHS, columns)
    rows = _rows(run, kind, wanted, given.flag("associations"))
    show(run, given, found, rows, end="|" if given.flag("parsable") else "")
    return 0


def _configuration(run: Invocation) -> int:
    """What of the configuration concerns accounts."""
    from molokini.compat.slurm.configuration import lines

    made = lines(run)
    for line in made:
        if line.startswith(
            ("Configuration data", "Accounting", "Auth", "MessageTimeout", "PluginDir", "Private")
        ):
            run.say(line)
    return 0


def _kind(word: str) -> str:
    low = word.lower()
    for kind in _COLUMNS:
        if kind.startswith(low.rstrip("s") if low not in ("qos", "tres") else low):
            return kind
    raise Failed(
        'No valid entity in list command\nInput line must include "Account", "Association", "Cluster", '
        '"Configuration",\n"Event", "Federation", "Problem", "QOS", "Resource", "Reservation",\n'
        '"RunAwayJobs", "Stats", "Transaction", "TRES", "User", or "WCKey"'
    )


def _conditions(words: list[str], kind: str, with_accounts: bool) -> tuple[dict[str, list[str]], str]:
    wanted: dict[str, list[str]] = {}
    columns = _COLUMNS[kind] + (",Cluster,Account" if kind == "user" and with_accounts else "")
    for word in words:
        key, equals, value = word.partition("=")
        if not equals and word.lower() in ("where", "withassoc", "set"):
            continue
        if equals and "format".startswith(key.lower()):
            columns = value
        else:
            name = key.lower().rstrip("s") if equals else kind
            if name not in ("user", "account", "cluster", "name", "qo", "qos", "partition"):
                raise Failed(f"sacctmgr: error: Unknown condition: {word}")
            wanted.setdefault(kind if name == "name" else name, []).extend(names(value if equals else word))
    return wanted, columns


def _rows(
    run: Invocation, kind: str, wanted: dict[str, list[str]], with_accounts: bool
) -> list[dict[str, Any]]:
    from molokini.compat.slurm.cluster import name_of

    cluster = name_of(run)
    if kind in _EMPTY:
        return []
    if kind == "cluster":
        return [{"Cluster": cluster, "ControlHost": "", "ControlPort": "0", "RPC": "9728", "Share": "1"}]
    if kind == "tres":
        return [
            {"Type": name, "ID": str(place)} for place, name in enumerate(("cpu", "mem", "energy", "node"), 1)
        ]
    known = _associations(run)
    if kind == "qos":
        found = sorted({"normal", *(qos for _, _, qos in known if qos)})
        return [{"Name": name, "Priority": "0"} for name in found if _fits(wanted, "qos", name)]
    pairs = sorted({(account, user) for account, user, _ in known})
    pairs = [one for one in pairs if _fits(wanted, "account", one[0]) and _fits(wanted, "user", one[1])]
    if kind == "account":
        accounts = dict.fromkeys(account for account, _ in pairs if account)
        return [{"Account": name, "Descr": name, "Org": name, **_same(name)} for name in accounts]
    rows: list[dict[str, Any]] = []
    for account, user in pairs:
        if kind == "association" or with_accounts or not any(one["User"] == user for one in rows):
            default = next(one for one, who in pairs if who == user)
            rows.append(
                {
                    "Cluster": cluster,
                    "Account": account,
                    "User": user,
                    "Share": "1",
                    "QOS": "normal",
                    "DefAcct": default,
                    "DefaultAccount": default,
                    "Admin": "None",
                    "AdminLevel": "None",
                }
            )
    return rows


def _same(name: str) -> dict[str, str]:
    return {"Description": name, "Organization": name}


def _fits(wanted: dict[str, list[str]], key: str, value: str) -> bool:
    return key not in wanted or value.lower() in [one.lower() for one in wanted[key]]


def _associations(run: Invocation) -> set[tuple[str, str, str]]:
    """Account, user and QOS of all jobs that are remembered; those without an account are left out."""
    from molokini.compat.listing import jobs

    found = set()
    for job in jobs(run, ("user", "spec"), include_ended=True):
        if job.account:
            found.add((job.account, job.user, job.qos))
    return found
