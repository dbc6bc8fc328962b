"""``SlurmSettings`` as the one vector of floats that kernels read, by ``parameters`` and ``line_layout``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from molokini.compiled.structs import Floats
from molokini.model.credentials import CredentialType
from molokini.model.errors import UnknownName
from molokini.model.policy import Value
from molokini.model.site import NO_NODE, LicenseNumberOf, NodeNumberOf, NumberOf, no_licenses
from molokini.policies.slurm.configuration.line_layout import LINE, PART, TRES, Line, Part
from molokini.policies.slurm.configuration.parameters import DIRECTORY, HEADER, PARAMETERS, parameters
from molokini.policies.slurm.configuration.settings import (
    Association,
    Limits,
    Partition,
    Qos,
    SlurmSettings,
    TresMap,
)
from molokini.policies.slurm.configuration.words import Tres

NOBODY = -1
_TRES_LIMITS = {
    Line.GRP_TRES: "grp_tres",
    Line.GRP_TRES_MINS: "grp_tres_mins",
    Line.GRP_TRES_RUN_MINS: "grp_tres_run_mins",
    Line.MAX_TRES: "max_tres",
    Line.MAX_TRES_PER_NODE: "max_tres_per_node",
    Line.MAX_TRES_MINS: "max_tres_mins",
    Line.MAX_TRES_USER: "max_tres_per_user",
    Line.MAX_TRES_ACCOUNT: "max_tres_per_account",
    Line.MAX_RUN_MINS_USER: "max_tres_run_mins_per_user",
    Line.MAX_RUN_MINS_ACCOUNT: "max_tres_run_mins_per_account",
    Line.MIN_TRES: "min_tres",
}
_LIMITS = {
    Line.GRP_JOBS: "grp_jobs",
    Line.GRP_SUBMIT: "grp_submit",
    Line.GRP_WALL_S: "grp_wall_s",
    Line.MAX_WALL_S: "max_wall_s",
    Line.MAX_JOBS: "max_jobs",
    Line.MAX_SUBMIT: "max_submit",
    Line.MAX_JOBS_ACCOUNT: "max_jobs_per_account",
    Line.MAX_SUBMIT_ACCOUNT: "max_submit_per_account",
    Line.GRP_ACCRUE: "grp_accrue",
    Line.MAX_ACCRUE: "max_accrue",
    Line.MAX_ACCRUE_ACCOUNT: "max_accrue_per_account",
}
_INHERITED = ("max_jobs", "max_submit", "max_accrue", "max_wall_s")
_INHERITED_TRES = ("max_tres", "max_tres_per_node", "max_tres_mins")
"""Limits of one job or one user, which a row below has where it sets none of its own."""


@dataclass
class _Head:
    """The beginning of a vector, over which the names of ``parameters`` lie."""

    parameters: Floats


def unknown_nodes(_name: str) -> int:
    """``NodeNumberOf`` where nodes have no names."""
    return NO_NODE


def vector_of(
    settings: SlurmSettings,
    values: Mapping[str, Value],
    number_of: NumberOf,
    node_of: NodeNumberOf = unknown_nodes,
    license_of: LicenseNumberOf = no_licenses,
) -> list[float]:
    """The vector of the policy for *settings* and *values* of its parameters, in a run of these names.

    Raises UnknownName where a QOS or a TRES is named that there is not.
    """
    given = [number for one in PARAMETERS for number in one.encode(values.get(one.name, one.default))]
    head = _Head(np.array([*given, *[0.0] * DIRECTORY], dtype=float))
    at, tables = parameters(head), list[float]()

    def append(rows: Sequence[Sequence[float]]) -> int:
        first = HEADER + DIRECTORY + len(tables)
        tables.extend(float(number) for row in rows for number in row)
        return first

    names = _Names(settings, number_of, node_of)
    parts = [_part(one, names, append) for one in settings.partitions or (Partition(""),)]
    at.partitions, at.partition_count = append(parts), len(parts)
    at.default_partition = max(0, names.partition(settings.default_partition))
    at.qos, at.qos_count = append([_qos(one, names) for one in settings.qos]), len(settings.qos)
    at.default_qos = names.qos(settings.default_qos or "normal", missing=NOBODY)
    tree = _inherited(settings.associations)
    at.associations = append([_association(one, tree, names) for one in tree])
    at.association_count, at.user_count = len(tree), sum(bool(one.user) for one in tree)
    nodes = [[node_of(one.name), one.weight, one.index, one.together] for one in settings.nodes]
    at.nodes, at.node_count = append([row for row in nodes if row[0] >= 0]), sum(r[0] >= 0 for r in nodes)
    queues = [
        [number_of(CredentialType.QUEUE, name), names.partition_bits(parts)]
        for name, parts in settings.queues.items()
    ]
    at.names, at.name_count = append(queues), len(queues)
    licenses = [[license_of(name), amount] for name, amount in settings.licenses.items()]
    at.licenses, at.license_count = append(licenses), len(licenses)
    at.most_association_priority = max((one.priority for one in tree), default=0.0)
    at.most_qos_priority = max((one.priority for one in settings.qos), default=0.0)
    at.most_partition_factor = max([1.0, *(float(one.priority_job_factor) for one in settings.partitions)])
    at.generic_count = len(settings.generic)
    return [*head.parameters.tolist(), *tables]


@dataclass(frozen=True)
class _Names:
    """What names of a configuration are in the vector."""

    settings: SlurmSettings
    number_of: NumberOf
    node_of: NodeNumberOf

    def partition(self, name: str) -> int:
        """The place of a partition; -1 for no name."""
        return self._place("partition", name, [one.name for one in self.settings.partitions])

    def qos(self, name: str, missing: int | None = None) -> int:
        """The place of a QOS; -1 for no name."""
        known = [one.name for one in self.settings.qos]
        if missing is not None and name not in known:
            return missing
        return self._place("QOS", name, known)

    def partition_bits(self, names: Sequence[str]) -> int:
        """A bit for each partition, whatever the order."""
        return sum(1 << self.partition(name) for name in dict.fromkeys(names))

    def qos_bits(self, names: Sequence[str]) -> int:
        return sum(1 << self.qos(name) for name in dict.fromkeys(names))

    def _place(self, kind: str, name: str, known: Sequence[str]) -> int:
        if not name:
            return NOBODY
        if name not in known:
            raise UnknownName(kind, name, known)
        return known.index(name)

    def tres(self, given: TresMap, missing: float) -> list[float]:
        """A number for each TRES; *missing* where *given* has none. Energy and licences have no column."""
        known = {word.name.lower(): word for word in list(Tres)[: Tres.GENERIC_0]}
        known |= {name: Tres(Tres.GENERIC_0 + k) for k, name in enumerate(self.settings.generic)}
        row = [missing] * TRES
        for name, amount in given.items():
            if name not in known:
                raise UnknownName("TRES", name, known)
            row[known[name]] = float(amount)
        return row


def _limits(row: list[float], limits: Limits, names: _Names) -> list[float]:
    for column, name in _LIMITS.items():
        row[column] = float(getattr(limits, name))
    for column, name in _TRES_LIMITS.items():
        missing = 0.0 if column is Line.MIN_TRES else inf
        row[column : column + TRES] = names.tres(getattr(limits, name), missing)
    row[Line.MIN_PRIORITY] = limits.min_priority
    return [float(number) for number in row]


def _qos(one: Qos, names: _Names) -> list[float]:
    row = [0.0] * LINE
    row[Line.ACCOUNT] = names.qos(one.name)
    row[Line.PARTITION] = names.number_of(CredentialType.QOS, one.name)
    row[Line.USER] = row[Line.PARENT] = row[Line.DEFAULT_QOS] = NOBODY
    row[Line.PRIORITY] = one.priority
    row[Line.QOS_BITS] = names.qos_bits(one.preempt)
    row[Line.FLAGS] = int(one.flags)
    row[Line.PREEMPT_MODE], row[Line.GRACE_S] = int(one.preempt_mode), one.grace_s
    row[Line.EXEMPT_S] = one.preempt_exempt_s
    row[Line.USAGE_FACTOR], row[Line.LIMIT_FACTOR] = one.usage_factor, one.limit_factor
    row[Line.USAGE_THRESHOLD] = one.usage_threshold
    return _limits(row, one.limits, names)


def _association(one: Association, tree: Sequence[Association], names: _Names) -> list[float]:
    row = [0.0] * LINE
    row[Line.ACCOUNT] = names.number_of(CredentialType.ACCOUNT, one.account)
    row[Line.USER] = names.number_of(CredentialType.USER, one.user) if one.user else NOBODY
    row[Line.PARTITION] = names.partition(one.partition)
    row[Line.PARENT] = _above(one, tree)
    row[Line.SHARES], row[Line.PRIORITY], row[Line.USAGE_S] = one.shares, one.priority, one.usage_s
    row[Line.DEFAULT_QOS] = names.qos(one.default_qos)
    row[Line.QOS_BITS] = names.qos_bits(one.qos) if one.qos else NOBODY
    row[Line.USAGE_FACTOR] = row[Line.LIMIT_FACTOR] = 1.0
    return _limits(row, one.limits, names)


def _above(one: Association, tree: Sequence[Association]) -> int:
    account = one.account if one.user else one.parent
    if not account:
        return NOBODY
    return next(k for k, row in enumerate(tree) if row.account == account and not row.user)


def _inherited(given: Sequence[Association]) -> list[Association]:
    """*given*, sorted as the controller holds children (by name), with what rows have from above."""
    accounts = {one.account: one for one in given if not one.user}
    done: dict[str, Association] = {}
    rows = []
    for one in given:
        above = done.get(one.account if one.user else one.parent)
        if above is not None:
            limits = _from_above(one.limits, above.limits)
            qos, default = one.qos or above.qos, one.default_qos or above.default_qos
            one = replace(one, limits=limits, qos=qos, default_qos=default)
        if not one.user:
            done[one.account] = one
        rows.append(one)
    assert len(done) == len(accounts)
    first = [one for one in rows if not one.user and not one.parent]
    others = [one for one in rows if one not in first]
    return [*first, *sorted(others, key=lambda one: (one.user, one.account, one.partition))]


def _from_above(own: Limits, above: Limits) -> Limits:
    plain: dict[str, Any] = {
        name: getattr(above if getattr(own, name) == inf else own, name) for name in _INHERITED
    }
    tres: dict[str, Any] = {name: {**getattr(above, name), **getattr(own, name)} for name in _INHERITED_TRES}
    return replace(own, **plain, **tres)


def _part(one: Partition, names: _Names, append: object) -> list[float]:
    assert callable(append)
    row = [0.0] * PART
    row[Part.NUMBER] = names.number_of(CredentialType.QUEUE, one.name) if one.name else NOBODY
    nodes = [number for name in one.nodes or () if (number := names.node_of(name)) >= 0]
    row[Part.ALL_NODES] = one.nodes is None
    row[Part.FIRST_NODE], row[Part.NODE_COUNT] = append([nodes]), len(nodes)
    row[Part.MAX_TIME_S], row[Part.DEFAULT_TIME_S] = one.max_time_s, one.default_time_s
    row[Part.MIN_NODES], row[Part.MAX_NODES] = one.min_nodes, one.max_nodes
    row[Part.STATE], row[Part.TIER] = int(one.state), one.priority_tier
    row[Part.JOB_FACTOR], row[Part.PREEMPT_MODE] = one.priority_job_factor, int(one.preempt_mode)
    row[Part.GRACE_S], row[Part.QOS] = one.grace_s, names.qos(one.qos)
    row[Part.SHARING], row[Part.LEAST_LOADED] = int(one.sharing), one.least_loaded
    row[Part.REQUIRES_RESERVATION] = one.requires_reservation
    row[Part.MAX_CPUS_PER_NODE] = one.max_cpus_per_node

    def numbers(found: Sequence[int] | None) -> float:
        return float(NOBODY) if found is None else float(append([[len(found), *found]]))

    def credentials(kind: CredentialType, given: Sequence[str] | None) -> list[int] | None:
        return None if given is None else [names.number_of(kind, name) for name in given]

    accounts = CredentialType.ACCOUNT
    row[Part.ALLOW_ACCOUNTS] = numbers(credentials(accounts, one.allow_accounts))
    row[Part.DENY_ACCOUNTS] = numbers(credentials(accounts, one.deny_accounts or None))
    row[Part.ALLOW_QOS] = numbers(None if one.allow_qos is None else [names.qos(q) for q in one.allow_qos])
    row[Part.DENY_QOS] = numbers([names.qos(q) for q in one.deny_qos] or None)
    row[Part.ALLOW_GROUPS] = numbers(credentials(CredentialType.GROUP, one.allow_groups))
    row[Part.BILLED] = bool(one.billing)
    row[Part.BILLING : Part.BILLING + TRES] = names.tres(one.billing, 0.0)
    return [float(number) for number in row]


PLAIN = tuple(vector_of(SlurmSettings(), {}, lambda _kind, _name: NOBODY)[HEADER:])
"""What stands behind the parameters where no configuration was given."""
