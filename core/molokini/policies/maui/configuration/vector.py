"""``MauiSettings`` as the one vector of floats that the kernels read, by ``parameters`` and ``slots``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from molokini.compiled.structs import Floats
from molokini.model.credentials import CredentialType
from molokini.model.errors import UnknownName
from molokini.model.site import NodeNumberOf, NumberOf
from molokini.policies.maui.configuration.node_vector import (
    awaited,
    node_rows,
    put_features,
    put_of_all_nodes,
    set_numbers,
    unknown_nodes,
)
from molokini.policies.maui.configuration.parameters import DIRECTORY, HEADER, parameters
from molokini.policies.maui.configuration.settings import (
    DEFAULT,
    Bucket,
    Credential,
    Limit,
    MauiSettings,
    PairLimit,
    Qos,
)
from molokini.policies.maui.configuration.slots import KINDS, PAIR_ROW, QOS_BITS, QOS_WORDS, ROW, Column
from molokini.policies.maui.configuration.words import LimitKind, QosFlag

NOBODY = -1


@dataclass
class _Head:
    """The beginning of a vector, over which the names of ``parameters`` lie."""

    parameters: Floats


def vector_of(
    settings: MauiSettings, number_of: NumberOf, node_of: NodeNumberOf = unknown_nodes
) -> list[float]:
    """The vector of the policy ``maui`` for *settings*, in a run whose names have these numbers.

    Names without a line need no number: names that appear later in a live server have DEFAULT's line.
    *node_of* numbers the nodes that lines of NODECFG name.
    Raises UnknownName where a list names a QoS that does not exist.
    """
    qos, partitions = qos_places(settings.qos), settings.partitions
    head = _Head(np.array([*settings.numbers, *[0.0] * DIRECTORY], dtype=float))
    at, tables = parameters(head), list[float]()

    def append(rows: Sequence[Sequence[float]]) -> int:
        first = HEADER + DIRECTORY + len(tables)
        tables.extend(number for row in rows for number in row)
        return first

    buckets = [_bucket(bucket, qos) for bucket in settings.buckets or (Bucket(0),)]
    at.buckets, at.bucket_count = append(buckets), len(buckets)
    at.system = append([_row(settings.system, Credential(), NOBODY, qos, partitions)])
    pairs = list(_pairs(settings, number_of))
    at.pairs, at.pair_count = append(pairs), len(pairs)
    nodes = node_rows(settings.nodes, node_of, partitions)
    at.nodes, at.node_count = append(nodes), len(nodes)
    at.sets = append([set_numbers(settings.nodes)])
    at.partitions_awaited = awaited(settings.nodes, node_of, partitions)
    put_of_all_nodes(at, settings)
    for kind in CredentialType:
        rows = _rows(settings.credentials(kind), kind, number_of, qos, partitions)
        if kind in (CredentialType.QUEUE, CredentialType.QOS):
            named = _in_order(settings.credentials(kind), kind, number_of)
            put_features(rows, settings, kind, [DEFAULT, *named])
        at.credentials[2 * kind : 2 * kind + 2] = append(rows), len(rows)
    return [*head.parameters.tolist(), *tables]


def qos_places(lines: Mapping[str, Credential]) -> dict[str, int]:
    """The row of each QoS in the table of QoSes, by its name; DEFAULT's is the first."""
    return {name: row for row, name in enumerate([DEFAULT, *_named(lines)])}


def by_number(kind: CredentialType, name: str) -> int:
    """``NumberOf`` for logs, whose credentials are numbers: ``USERCFG[17]`` is user 17."""
    if kind is CredentialType.QOS:
        return NOBODY
    digits = name.removeprefix(kind.name.lower())
    if not digits.isascii() or not digits.isdecimal():
        raise UnknownName(f"{kind.name.lower()} of a log", name, ["a number"])
    return int(digits)


def _named(lines: Mapping[str, Credential]) -> list[str]:
    return sorted(lines.keys() - {DEFAULT})


def _rows(
    lines: Mapping[str, Credential],
    kind: CredentialType,
    number_of: NumberOf,
    qos: Mapping[str, int],
    partitions: Sequence[str],
) -> list[list[float]]:
    """DEFAULT's row, then the others: QoSes as they are numbered, the rest by the numbers of the run."""
    default = lines.get(DEFAULT, Qos() if kind is CredentialType.QOS else Credential())
    named = _in_order(lines, kind, number_of)
    rows = [_row(lines[name], default, number_of(kind, name), qos, partitions) for name in named]
    return [_row(default, default, NOBODY, qos, partitions), *rows]


def _in_order(lines: Mapping[str, Credential], kind: CredentialType, number_of: NumberOf) -> list[str]:
    """The names but DEFAULT, in the order of their rows."""
    named = _named(lines)
    # By name first: a name that is new to the run gets its number in that order.
    numbers = {name: number_of(kind, name) for name in named}
    return named if kind is CredentialType.QOS else sorted(named, key=numbers.__getitem__)


def _row(
    one: Credential, default: Credential, number: int, qos: Mapping[str, int], partitions: Sequence[str]
) -> list[float]:
    row = [0.0] * ROW
    target = one.target if one.target is not None and one.target.amount > 0 else default.target
    own_weight = one.queue_weight if one.queue_weight is not None else default.queue_weight
    row[Column.NUMBER] = number
    row[Column.PRIORITY] = one.priority or default.priority
    row[Column.TARGET] = target.amount if target else 0.0
    row[Column.TARGET_KIND] = target.kind if target else 0
    row[Column.MIN_PROCESSORS] = one.min_processors or default.min_processors
    row[Column.JOB_PROCESSORS] = one.max_processors_per_job or default.max_processors_per_job
    row[Column.JOB_NODES] = one.max_nodes_per_job or default.max_nodes_per_job
    row[Column.JOB_LEAST] = one.min_processors_per_job or default.min_processors_per_job
    row[Column.WALL_TIME_S] = one.max_wall_time_s or default.max_wall_time_s
    row[Column.QUEUE_WEIGHT] = own_weight or 0.0
    row[Column.HAS_QUEUE_WEIGHT] = own_weight is not None
    name = one.qos_default or default.qos_default
    row[Column.QOS_DEFAULT] = _place_of(name, qos) if name else NOBODY
    listing = one if one.qos_list else default
    row[Column.QOS_RULE] = listing.qos_rule
    row[Column.QOS_LIST : Column.QOS_LIST + QOS_WORDS] = _bits(listing.qos_list, qos)
    _put_partitions(row, one, default, partitions)
    _put_limits(row, Column.SOFT, Column.HARD, one.active, default.active)
    _put_idle(row, Column.IDLE, one.idle, default.idle)
    active = any(row[Column.SOFT : Column.IDLE]) or row[Column.MIN_PROCESSORS]
    ceilings = any(row[place] for place in _OF_EACH_JOB)
    limited = (1 if active else 0) | (2 if any(row[Column.IDLE : Column.LIMITED]) else 0)
    row[Column.PER_NODE] = one.max_processors_per_node or default.max_processors_per_node
    row[Column.JOB_FLAGS] = sum(1 << flag for flag in (one.job_flags or default.job_flags))
    row[Column.LIMITED] = limited | (16 if ceilings else 0) | _limited_by(one.job_flags or default.job_flags)
    if isinstance(one, Qos) and isinstance(default, Qos):
        _put_qos(row, one, default)
    return [float(number) for number in row]


_OF_EACH_JOB = (Column.JOB_PROCESSORS, Column.JOB_NODES, Column.WALL_TIME_S, Column.JOB_LEAST)
"""What the ceilings of single jobs are, checked when a job is first seen."""


def _put_qos(row: list[float], one: Qos, default: Qos) -> None:
    row[Column.FLAGS] = sum(1 << flag for flag in (one.flags or default.flags))
    row[Column.QUEUE_TIME_TARGET] = one.queue_time_target_min or default.queue_time_target_min
    row[Column.EXPANSION_TARGET] = one.expansion_target or default.expansion_target
    row[Column.QUEUE_TIME_WEIGHT] = one.queue_time_weight or default.queue_time_weight
    row[Column.EXPANSION_WEIGHT] = one.expansion_weight or default.expansion_weight
    _put_limits(row, Column.SOFT_OVERRIDE, Column.HARD_OVERRIDE, one.active_override, default.active_override)
    _put_idle(row, Column.IDLE_OVERRIDE, one.idle_override, default.idle_override)
    row[Column.JOB_PROCESSORS_OVERRIDE] = (
        one.max_processors_per_job_override or default.max_processors_per_job_override
    )
    overrides = 4 if any(row[Column.SOFT_OVERRIDE : Column.IDLE_OVERRIDE]) else 0
    overrides |= 8 if any(row[Column.IDLE_OVERRIDE : Column.JOB_PROCESSORS_OVERRIDE]) else 0
    flags = one.flags or default.flags
    row[Column.LIMITED] = int(row[Column.LIMITED]) | overrides | _limited_by(flags)
    row[Column.JOB_NODES_OVERRIDE] = one.max_nodes_per_job_override or default.max_nodes_per_job_override


_ASKED_FOR = {
    QosFlag.RESERVE_ALWAYS: 32,
    QosFlag.PREEMPTOR: 64,
    QosFlag.RESTART_PREEMPT: 64,
    QosFlag.NEXT_TO_RUN: 128,
    QosFlag.NO_QUEUE: 256,
}
"""Bits of ``Column.LIMITED`` for flags whose use anywhere a pass must know at once."""


def _limited_by(flags: frozenset[QosFlag]) -> int:
    return sum({bit for flag, bit in _ASKED_FOR.items() if flag in flags})


def _put_partitions(
    row: list[float], one: Credential, default: Credential, partitions: Sequence[str]
) -> None:
    listing = default if one.partition_list is None else one
    first = one.partition_default or default.partition_default
    # A default is a partition that may be used, as a QoS is.
    row[Column.PARTITION_LIST] = NOBODY
    if listing.partition_list is not None:
        listed = {*listing.partition_list, first} - {""}
        row[Column.PARTITION_LIST] = sum(1 << partitions.index(name) for name in listed)
    row[Column.PARTITION_RULE] = listing.partition_rule
    row[Column.PARTITION_DEFAULT] = partitions.index(first) if first else NOBODY


def _put_limits(
    row: list[float],
    soft: int,
    hard: int,
    own: Mapping[LimitKind, Limit],
    default: Mapping[LimitKind, Limit],
) -> None:
    for kind in LimitKind:
        mine, other = own.get(kind, Limit()), default.get(kind, Limit())
        row[soft + kind], row[hard + kind] = mine.soft or other.soft, mine.hard or other.hard


def _put_idle(
    row: list[float], place: int, own: Mapping[LimitKind, float], default: Mapping[LimitKind, float]
) -> None:
    for kind in LimitKind:
        row[place + kind] = own.get(kind, 0.0) or default.get(kind, 0.0)


def _place_of(name: str, qos: Mapping[str, int]) -> int:
    if name not in qos:
        raise UnknownName("QoS", name, qos)
    return qos[name]


def _bits(names: tuple[str, ...], qos: Mapping[str, int]) -> list[float]:
    words = [0] * QOS_WORDS
    for name in names:
        place = _place_of(name, qos)
        words[place // QOS_BITS] |= 1 << place % QOS_BITS
    return [float(word) for word in words]


def _bucket(bucket: Bucket, qos: Mapping[str, int]) -> list[float]:
    every = not bucket.qos or bucket.qos == ("ALL",)
    return [float(bucket.depth), *([float(2**QOS_BITS - 1)] * QOS_WORDS if every else _bits(bucket.qos, qos))]


def _pairs(settings: MauiSettings, number_of: NumberOf) -> Iterator[list[float]]:
    """Limits of pairs, a named pair before one of each, a named credential before DEFAULT."""
    found: list[list[float]] = []
    for kind in CredentialType:
        for name, one in settings.credentials(kind).items():
            number = NOBODY if name == DEFAULT else number_of(kind, name)
            found.extend(_pair(kind, number, pair, number_of) for pair in one.pairs)
    found.sort(key=lambda row: (row[1] < 0, row[3] < 0))
    yield from found


def _pair(kind: CredentialType, number: int, pair: PairLimit, number_of: NumberOf) -> list[float]:
    other = number_of(pair.type, pair.name) if pair.name else NOBODY
    row = [kind, number, pair.type, other, pair.kind, pair.limit.soft, pair.limit.hard]
    assert len(row) == PAIR_ROW
    assert pair.kind < KINDS
    return [float(value) for value in row]
