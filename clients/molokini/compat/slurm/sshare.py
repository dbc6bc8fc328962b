"""``sshare``: accounts, and what was used through them."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm.filters import names, user
from molokini.compat.slurm.general import GENERAL, given_to
from molokini.compat.slurm.tables import columns_of, show

OPTIONS = (
    *GENERAL,
    option("-a --all", text="all users"),
    option("-A --accounts", "NAMES", "only these accounts"),
    option("-e --helpformat", text="the names of all columns"),
    option("-h -n --noheader", text="without header and rule"),
    option("-l --long", text="with all columns"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("-o --format", "COLUMNS", "columns, separated by commas: NAME[%[-]WIDTH]"),
    option("-p --parsable", text="separate columns with |, also at the end of the line"),
    option("-P --parsable2", text="columns with | between"),
    option("-u --users", "NAMES", "only these users"),
    option("-U --Users", text="only users, without lines for accounts"),
    without_effect("-v --verbose", why="there are no further details"),
    refused("-m --partition", why="shares do not differ by partition"),
)
_WIDTHS = {
    "Account": -20,
    "User": 10,
    "RawShares": 10,
    "NormShares": 11,
    "RawUsage": 11,
    "NormUsage": 11,
    "EffectvUsage": 13,
    "FairShare": 10,
    "LevelFS": 10,
    "GrpTRESMins": 30,
    "TRESRunMins": 30,
    "GrpTRESRaw": 30,
    "Cluster": 10,
    "ID": 6,
    "Partition": 12,
}
_DEFAULT = "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare"
_LONG = _DEFAULT.replace("Eff", "NormUsage,Eff") + ",LevelFS,GrpTRESMins,TRESRunMins"
_USED = ("RUNNING", "SUSPENDED", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED", "NODE_LOST")


def run(run: Invocation) -> int:
    """List accounts and users with their use: processor-seconds of all jobs that are remembered."""
    given = given_to(run, OPTIONS)
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        check_clusters(run, given.one("clusters"))
    columns = columns_of(
        "sshare", _WIDTHS, given.one("format") or (_LONG if given.flag("long") else _DEFAULT)
    )
    if given.flag("helpformat"):
        run.say(" ".join(_WIDTHS))
        return 0
    import os

    users = {user(run, one) for one in names(given.one("users"))}
    if not users and not given.flag("all"):
        users = {user(run, str(os.getuid()))}
    rows = _rows(_use(run), users, set(names(given.one("accounts"))), given.flag("Users"))
    show(run, given, columns, rows, end="|" if given.flag("parsable") else "")
    return 0


def _use(run: Invocation) -> dict[tuple[str, str], float]:
    """Processor-seconds by account and user."""
    from molokini.compat.listing import jobs

    found: dict[tuple[str, str], float] = {}
    for job in jobs(run, include_ended=True, expand_arrays=True, states=list(_USED)):
        key = (job.account, job.user)
        width = sum(count for _, count in job.nodes)
        found[key] = found.get(key, 0.0) + width * (job.elapsed_s - job.suspended_s)
    return found


def _rows(
    use: dict[tuple[str, str], float], users: set[str], accounts: set[str], users_alone: bool
) -> list[dict[str, Any]]:
    total = sum(use.values())
    named = sorted({account for account, _ in use if account and (not accounts or account in accounts)})
    rows = [] if users_alone else [_row("root", "", total, total, 1.0)]
    for account in named:
        mine = {who: used for (where, who), used in use.items() if where == account}
        if not users_alone:
            rows.append(_row(f" {account}", "", sum(mine.values()), total, 1 / len(named)))
        for who in sorted(mine):
            if not users or who in users:
                rows.append(_row(f"  {account}", who, mine[who], total, 1 / len(mine)))
    return rows


def _row(account: str, who: str, used: float, total: float, share: float) -> dict[str, Any]:
    part = used / total if total else 0.0
    return {
        "Account": account,
        "User": who,
        "RawShares": "parent" if account == "root" else "1",
        "NormShares": f"{share:.6f}",
        "RawUsage": f"{used:.0f}",
        "NormUsage": f"{part:.6f}",
        "EffectvUsage": f"{part:.6f}",
        "FairShare": f"{2 ** (-part / share):.6f}" if who else "",
    }
