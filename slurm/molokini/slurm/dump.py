"""Associations and QOSes, as ``sacctmgr dump`` writes or ``sacctmgr -P show assoc``, ``show qos`` print them.

A dump is lines ``Title - 'name':Key='value':Key=number``; ``Parent`` names the account of the lines that
follow. A table has a header, whose names may be shorter in some releases (``GrpSub``): they are matched by
their beginning. Limits of a dump are those that differ from the parent's.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from molokini.model.findings import Finding, Status
from molokini.slurm.database import Accounting, Association, Limits, Qos
from molokini.slurm.declared import Parameter, parameters_of
from molokini.slurm.draft import Draft

TITLE = re.compile(
    r"(Cluster|QOS|Parent|Account|User|WCKey)\s*-\s*(?:'([^']*)'|\"([^\"]*)\"|([^:\s]+))(.*)", re.IGNORECASE
)
_KEY = re.compile(r":\s*([A-Za-z ]+?)\s*([+-]?)=\s*(?:'([^']*)'|\"([^\"]*)\"|([^:]*))")
_ROOT = "root"
_TEXTS = frozenset(
    {
        *(
            "description",
            "organization",
            "adminlevel",
            "coordinator",
            "comment",
            "defaultwckey",
            "id",
            "flags",
        ),
        *(
            "classification",
            "federation",
            "rpc",
            "controlhost",
            "controlport",
            "lft",
            "rgt",
            "parentid",
            "lineage",
        ),
        *(
            "fedstate",
            "features",
            "user",
            "account",
            "cluster",
            "parentname",
            "name",
            "rawusage",
            "normshares",
            "normusage",
        ),
        *("effectvusage", "fairsharefactor", "levelfs", "grptresraw", "tresrunmins", "rawshares"),
    }
)
_SHORTEST = 5
_LARGEST_USAGE = 1e18


def _known(section: type) -> dict[str, Parameter]:
    found = {}
    for one in parameters_of(section, ""):
        for name in (one.name, *one.aliases):
            found[name.lower().replace(" ", "")] = one
    return found


_ASSOCIATION, _QOS = _known(Association), _known(Qos)


def _named(known: dict[str, Parameter], key: str) -> Parameter | None:
    """The attribute that *key* names, or that it is the beginning of."""
    folded = key.lower().replace(" ", "")
    if folded in known:
        return known[folded]
    near = {one.name: one for name, one in known.items() if name.startswith(folded)}
    return next(iter(near.values())) if len(folded) >= _SHORTEST and len(near) == 1 else None


@dataclass
class _Read:
    """What has been read of all texts."""

    draft: Draft
    cluster: str
    associations: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    qos: dict[str, dict[str, Any]] = field(default_factory=dict)
    other_clusters: dict[str, int] = field(default_factory=dict)
    dumped: str = ""
    """The cluster that a dump names."""
    counts: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    """Rows that were understood."""

    def refuse(self, file: str, line: int, parameter: str, value: str, cause: str) -> None:
        """Something that cannot be read."""
        self.draft.findings.append(Finding(file, line, parameter, value[:200], Status.REFUSED, cause=cause))

    def values(
        self,
        known: dict[str, Parameter],
        cells: Iterable[tuple[str, str]],
        file: str,
        line: int,
        subject: str,
    ) -> dict[str, Any]:
        """The attributes of a row."""
        found: dict[str, Any] = {}
        self.rows += 1
        for key, text in cells:
            one = _named(known, key)
            if one is None or not text.strip() or one.field in found:
                if one is None and key.lower().replace(" ", "") not in _TEXTS:
                    self.counts[f"attribute {key} without effect"] = (
                        self.counts.get(f"attribute {key} without effect", 0) + 1
                    )
                continue
            try:
                found[one.field] = one.kind.read(text)
            except (ValueError, IndexError):
                self.refuse(
                    file,
                    line,
                    f"{subject} {one.name}",
                    text,
                    f"{text[:60]!r} is not allowed; it must be {one.kind.allowed}",
                )
        return found


def accounting_of(texts: Iterable[tuple[str, str]], cluster: str, draft: Draft) -> Accounting:
    """What the *texts* (name and content each) say of *cluster*; findings go to *draft*."""
    read, files = _Read(draft, cluster), []
    for file, text in texts:
        files.append(file)
        before = read.rows
        _take(read, file, text)
        found = read.rows - before
        if not found and not any(one.file == file and one.status is Status.REFUSED for one in draft.findings):
            read.refuse(
                file,
                1,
                "",
                "",
                "holds no association and no QOS: give what sacctmgr dump, or sacctmgr -P show assoc, prints",
            )
    if not files:
        return Accounting()
    _say_counts(read, files)
    _tree_whole(read, files[0])
    rows = [Association(**_clean(one)) for one in _in_order(read)]
    qos = [Qos(name=name, **one) for name, one in read.qos.items()]
    return Accounting(read.dumped or cluster, tuple(rows), tuple(qos), tuple(files))


def _of_another(draft: Draft, file: str, cluster: str, note: str) -> None:
    cause = "it is another cluster"
    draft.findings.append(
        Finding(file, None, "Cluster", cluster, Status.WITHOUT_EFFECT, cause=cause, note=note)
    )


def _say_counts(read: _Read, files: list[str]) -> None:
    for name, count in read.other_clusters.items():
        note = f"{count:,} rows are of the cluster {name!r}, and not of {read.cluster!r}: left out"
        _of_another(read.draft, files[0], name, note)
    if read.dumped and read.cluster and read.dumped.lower() != read.cluster.lower():
        note = (
            f"the dump is of the cluster {read.dumped!r}, and this is {read.cluster!r}: taken as of this one"
        )
        _of_another(read.draft, files[0], read.dumped, note)
    for what, count in read.counts.items():
        read.draft.findings.append(
            Finding(
                files[0],
                None,
                what.split()[1],
                "",
                Status.WITHOUT_EFFECT,
                cause=f"{count:,} rows have it; it is not known here",
            )
        )
    accounts = sum(1 for _, user, _ in read.associations if not user)
    text = (
        f"{accounts:,} accounts, {len(read.associations) - accounts:,} rows of users, {len(read.qos):,} QOSes"
    )
    read.draft.findings.append(
        Finding(files[0], None, "associations", text, Status.UNDERSTOOD, "What the accounting database says.")
    )


def _clean(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("_")}


def _take(read: _Read, file: str, text: str) -> None:
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        return
    if "|" in lines[0][1] and not TITLE.match(lines[0][1]):
        _take_table(read, file, lines)
        return
    _take_dump(read, file, lines)


# A dump.


def _take_dump(read: _Read, file: str, lines: list[tuple[int, str]]) -> None:
    parent = _ROOT
    for number, line in lines:
        match = TITLE.fullmatch(line.strip())
        if match is None:
            read.refuse(
                file,
                number,
                "",
                line,
                f"{line.strip()[:60]!r} is no line of a dump: Title - 'name':Key=value",
            )
            continue
        title, name, rest = match[1].lower(), match[2] or match[3] or match[4] or "", match[5]
        cells = list(_keys(rest))
        if title == "cluster":
            read.dumped = name
            _add(read, file, number, (_ROOT, "", ""), cells, "")
        elif title == "parent":
            parent = name.lower()
        elif title == "account":
            _add(read, file, number, (name.lower(), "", ""), cells, parent)
        elif title == "user":
            partition = next((text for key, text in cells if key.lower() == "partition"), "")
            _add(read, file, number, (parent, name, partition), cells, parent)
        elif title == "qos":
            read.qos[name.lower()] = read.values(_QOS, cells, file, number, f"QOS {name}")


def _keys(rest: str) -> Iterator[tuple[str, str]]:
    for match in _KEY.finditer(rest):
        key, _, single, double, plain = match.groups()
        yield key, next(one for one in (single, double, plain, "") if one is not None)


def _add(
    read: _Read, file: str, line: int, key: tuple[str, str, str], cells: list[tuple[str, str]], parent: str
) -> None:
    account, user, partition = key
    subject = f"User {user}" if user else f"Account {account}"
    row = read.values(_ASSOCIATION, cells, file, line, subject)
    usage = next((text for name, text in cells if name.lower() == "rawusage"), "")
    if usage.isdigit():
        row["usage_s"] = min(float(usage), _LARGEST_USAGE)
    row.update(
        account=account,
        user=user,
        partition=partition,
        parent="" if account == _ROOT and not user else parent,
    )
    read.associations[key] = row


# Tables.


def _take_table(read: _Read, file: str, lines: list[tuple[int, str]]) -> None:
    (first, head), *rows = lines
    names = [name.strip() for name in head.split("|")]
    folded = [name.lower().replace(" ", "") for name in names]
    place = {name: at for at, name in enumerate(folded)}
    if "jobid" in place:
        read.refuse(
            file, first, "", head, "it is a table of jobs (sacct): give what sacctmgr -P show assoc prints"
        )
        return
    if "account" in place:
        take = _association_row
    elif "name" in place:
        take = _qos_row
    else:
        read.refuse(
            file, first, "", head, "the header has neither Account (show assoc, sshare) nor Name (show qos)"
        )
        return
    stack: list[tuple[int, str]] = []
    for number, line in rows:
        cells = line.split("|")
        if len(cells) != len(names):
            counted = f"{len(cells)} cells where the header has {len(names)}"
            cause = f"{counted}: the file is cut short, or a cell holds '|'"
            read.refuse(file, number, "", line, cause)
            return
        take(read, file, number, folded, names, cells, stack)


def _association_row(
    read: _Read,
    file: str,
    line: int,
    folded: list[str],
    names: list[str],
    cells: list[str],
    stack: list[tuple[int, str]],
) -> None:
    raw = dict(zip(folded, cells, strict=True))
    cluster = raw.get("cluster", "").strip()
    if cluster and read.cluster and cluster.lower() != read.cluster.lower():
        read.other_clusters[cluster] = read.other_clusters.get(cluster, 0) + 1
        return
    depth = len(raw["account"]) - len(raw["account"].lstrip())
    account, user = raw["account"].strip().lower(), raw.get("user", "").strip()
    while stack and stack[-1][0] >= depth:
        stack.pop()
    told = raw.get("parentname", "").strip().lower()
    above = told or (stack[-1][1] if stack and depth else "" if account == _ROOT else _ROOT)
    if not user:
        stack.append((depth, account))
    key = (account, user, raw.get("partition", "").strip())
    cells_by_name = [
        (name, cell)
        for name, cell in zip(names, cells, strict=True)
        if name.lower() not in ("account", "user", "partition")
    ]
    row = read.values(
        _ASSOCIATION, cells_by_name, file, line, f"User {user}" if user else f"Account {account}"
    )
    usage = raw.get("rawusage", "").strip()
    if usage.isdigit() and user:
        row["usage_s"] = min(float(usage), _LARGEST_USAGE)
    if "normshares" in raw or "rawusage" in raw:
        # sshare knows shares and usage; limits come from elsewhere.
        before = read.associations.get(key)
        if before is not None:
            before.update({name: value for name, value in row.items() if name == "usage_s"})
            return
    parent = account if user else ("" if account == _ROOT else above)
    row.update(account=account, user=user, partition=key[2], parent=parent)
    if not user and not told and not depth and account != _ROOT:
        row["_guessed"] = True
    read.associations[key] = row


def _qos_row(
    read: _Read,
    file: str,
    line: int,
    folded: list[str],
    names: list[str],
    cells: list[str],
    stack: list[tuple[int, str]],
) -> None:
    name = cells[folded.index("name")].strip().lower()
    if not name:
        return
    others = [(key, cell) for key, cell in zip(names, cells, strict=True) if key.lower() != "name"]
    read.qos[name] = read.values(_QOS, others, file, line, f"QOS {name}")


# The tree.


def _tree_whole(read: _Read, file: str) -> None:
    """Accounts that are named and have no row get one below root; root itself does."""
    if not read.associations:
        return
    rows = read.associations
    guessed = sum(1 for one in rows.values() if one.get("_guessed"))
    if guessed > 1:
        lacks = "the table has no column ParentName and no indentation"
        cause = f"{guessed:,} accounts have no parent: {lacks}; they are taken as below root"
        read.draft.findings.append(Finding(file, None, "ParentName", "", Status.WITHOUT_EFFECT, cause=cause))
    rows.setdefault((_ROOT, "", ""), {"account": _ROOT, "user": "", "partition": "", "parent": ""})
    named = {one["parent"] for one in rows.values() if one["parent"]}
    gone = sorted(name for name in named if (name, "", "") not in rows)
    for name in gone:
        rows[(name, "", "")] = {"account": name, "user": "", "partition": "", "parent": _ROOT}
    if gone:
        cause = f"{len(gone):,} accounts have rows below them and none of their own: taken as below root"
        read.draft.findings.append(
            Finding(file, None, "Account", ",".join(gone)[:200], Status.WITHOUT_EFFECT, cause=cause)
        )


def _in_order(read: _Read) -> Iterator[dict[str, Any]]:
    """Every account before what is below it; an account that is above itself goes below root."""
    below: dict[str, list[dict[str, Any]]] = {}
    for key, row in read.associations.items():
        if key != (_ROOT, "", ""):
            below.setdefault(row["parent"], []).append(row)
    if not read.associations:
        return
    waiting, seen = [read.associations[(_ROOT, "", "")]], set()
    while waiting:
        row = waiting.pop(0)
        yield row
        if row["user"] or row["account"] in seen:
            continue
        seen.add(row["account"])
        waiting.extend(below.get(row["account"], ()))


__all__ = ["TITLE", "Limits", "accounting_of"]
