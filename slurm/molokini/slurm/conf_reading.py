"""From a ``slurm.conf`` to a configuration, or to all that is wrong in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from molokini.model.errors import BadFile
from molokini.model.findings import Finding, Status
from molokini.slurm.conf_lines import Node, Partition
from molokini.slurm.conf_objects import OBJECTS, Objects
from molokini.slurm.database import Accounting
from molokini.slurm.draft import Draft
from molokini.slurm.dump import TITLE, accounting_of
from molokini.slurm.grammar import BadLine, Line, Pair, pairs
from molokini.slurm.model import NEWEST, SlurmConfig
from molokini.slurm.remarks import remark
from molokini.slurm.sections import Enforcement, Passes, Preemption, Priority, Scheduling, Selection
from molokini.slurm.sources import Opened, lines_of, text_of

_RELEASE = frozenset({"slurmversion", "slurm_version"})
"""The release whose rules hold: our own key, and what ``scontrol show config`` says."""
_VERSION = re.compile(r"(\d\d)\.(\d\d)(?:\.|-|$)")
_MULTIFACTOR = (23, 11)
"""Before, priority/basic and select/linear were the defaults."""
_CONSUMES_MEMORY = (24, 5)
"""Before, SelectTypeParameters had no default."""


@dataclass(frozen=True)
class Report:
    """All findings in the order of the lines, and the configuration where nothing was refused."""

    file: str
    findings: tuple[Finding, ...]
    config: SlurmConfig | None

    @property
    def refused(self) -> tuple[Finding, ...]:
        """The findings because of which there is no configuration."""
        return tuple(one for one in self.findings if one.status is Status.REFUSED)

    def checked(self) -> SlurmConfig:
        """The configuration. Raises BadFile with the first of what is wrong, and how much more is."""
        if self.config is None:
            first, *more = self.refused
            others = f" (and {len(more):,} more; 'molokini config check' lists them)" if more else ""
            raise BadFile(first.file, first.text + others, first.line)
        return self.config


def check(path: str, accounts: Iterable[str] = ()) -> Report:
    """Read the file *path*, and *accounts* (files of ``sacctmgr``), and say what becomes of each line."""
    return _report(path, None, [(name, text_of(name)) for name in accounts], text_of)


def check_text(
    text: str, name: str = "slurm.conf", opened: Opened = text_of, accounts: Iterable[tuple[str, str]] = ()
) -> Report:
    """As ``check``, of a text; *opened* gives the texts of files that it includes."""
    return _report(name, text, list(accounts), opened)


def read_config(path: str, accounts: Iterable[str] = ()) -> SlurmConfig:
    """The configuration in the file *path*. Raises BadFile for the first thing that is wrong in it."""
    return check(path, accounts).checked()


def _report(path: str, text: str | None, accounts: list[tuple[str, str]], opened: Opened) -> Report:
    taking = _Taking()
    try:
        for line in lines_of(path, opened, text):
            taking.take(line)
    except BadFile as error:
        unread = Finding(error.path, error.line, "", "", Status.REFUSED, cause=error.cause)
        return Report(path, (*taking.draft.findings, unread), None)
    draft = taking.draft
    nodes, partitions = taking.objects.finished(draft)
    if taking.beside:
        accounts = [*accounts, (path, "\n".join(taking.beside))]
    accounting = accounting_of(accounts, taking.cluster, draft)
    config = _config(taking, nodes, partitions, accounting)
    remark(config, draft)
    refused = any(one.status is Status.REFUSED for one in draft.findings)
    return Report(path, tuple(draft.findings), None if refused else config)


def _config(
    taking: "_Taking", nodes: tuple[Node, ...], partitions: tuple[Partition, ...], accounting: Accounting
) -> SlurmConfig:
    values = taking.draft.values
    selection = values.get("selection", {})
    if taking.release < _CONSUMES_MEMORY:
        selection = {"parameters": frozenset(), **selection}
    return SlurmConfig(
        cluster=taking.cluster,
        release=taking.release,
        priority=Priority(**{**_old_priority(taking.release), **values.get("priority", {})}),
        scheduling=Scheduling(**values.get("scheduling", {})),
        passes=Passes(**values.get("passes", {})),
        selection=Selection(**{**_old_selection(taking.release), **selection}),
        preemption=Preemption(**values.get("preemption", {})),
        enforcement=Enforcement(**values.get("enforcement", {})),
        nodes=nodes,
        partitions=partitions,
        accounting=accounting,
    )


def _old_priority(release: tuple[int, int]) -> dict[str, Any]:
    return {"type": "priority/basic"} if release < _MULTIFACTOR else {}


def _old_selection(release: tuple[int, int]) -> dict[str, Any]:
    return {"type": "select/linear"} if release < _MULTIFACTOR else {}


class _Taking:
    """Lines as they come."""

    def __init__(self) -> None:
        self.draft, self.objects = Draft(), Objects()
        self.cluster, self.release = "", NEWEST
        self.beside: list[str] = []

    def take(self, line: Line | BadFile) -> None:
        """One line, or why a file is not included."""
        draft = self.draft
        if isinstance(line, BadFile):
            draft.findings.append(
                Finding(line.path, line.line, "Include", "", Status.REFUSED, cause=line.cause)
            )
            return
        if TITLE.match(line.text):
            # A configuration as it is journalled: the lines of sacctmgr's dump stand in it.
            self.beside.append(line.text)
            return
        try:
            found = pairs(line)
        except BadLine as error:
            draft.findings.append(Finding(line.file, line.line, "", "", Status.REFUSED, cause=str(error)))
            return
        if found and found[0].key.lower() in OBJECTS:
            self.objects.take(found, draft)
            return
        for pair in found:
            self._scalar(pair)

    def _scalar(self, pair: Pair) -> None:
        key = pair.key.lower()
        if key == "clustername":
            self.cluster = pair.value
            self.draft.add(pair, Status.UNDERSTOOD, "The name of the cluster.")
        elif key in _RELEASE:
            match = _VERSION.match(pair.value)
            if match is None:
                self.draft.add(pair, Status.REFUSED, cause=f"{pair.value!r} is no release such as 24.11")
                return
            self.release = int(match[1]), int(match[2])
            self.draft.add(pair, Status.UNDERSTOOD, "The release of Slurm whose rules hold.")
        elif key == "schedulerparameters":
            self.draft.passes(pair)
        else:
            self.draft.scalar(pair)
