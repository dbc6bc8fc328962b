"""What must go together in a configuration: rules over several of its values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from molokini.maui.access import FOLLOWED_JOB_FLAGS, IDLE_QOS_FLAGS
from molokini.maui.limits import Target
from molokini.maui.model import DEFAULT, MauiConfig
from molokini.maui.parameters import Path
from molokini.maui.sections.backfill import BackfillPolicy
from molokini.maui.sections.credentials import ClassCredential, Credential
from molokini.maui.sections.managers import BankType, ChargePolicy
from molokini.maui.sections.nodes import Allocation, SetAttribute, SetPolicy
from molokini.maui.sections.preemption import PreemptPolicy
from molokini.maui.sections.reservations import Threshold
from molokini.maui.sections.standing import Period, StandingReservation
from molokini.maui.times import write_duration
from molokini.maui.values import FairshareMetric

MOST_BUCKETS = 8
"""Buckets of reservations that can be held apart."""


@dataclass(frozen=True)
class Trouble:
    """A value at *path* that does not go with others."""

    path: Path
    cause: str
    refused: bool = True
    depends: tuple[Path, ...] = ()
    """Other values that the cause is about: where one of them was refused itself, nothing is to be said."""


def troubles(config: MauiConfig, nodes: frozenset[str] | None = None) -> Iterator[Trouble]:
    """Whatever in *config* does not go together; *nodes* are those that exist, where that is known."""
    yield from _targets(config)
    yield from _buckets(config)
    yield from _chunks(config)
    yield from _unused(config)
    yield from _banks(config)
    yield from _flags(config)
    yield from _limits(config)
    yield from _features(config)
    yield from _partitions(config)
    if config.preemption.policy is PreemptPolicy.OVERCOMMIT:
        cause = "no more runs than there are processors; use SUSPEND, REQUEUE, CHECKPOINT or CANCEL"
        yield Trouble(("preemption", "policy"), cause)
    yield from _qos_names(config)
    for name, one in config.standing.items():
        yield from _calendar(name, one)
        yield from _hosts(("standing", name, "hosts"), one.hosts, nodes)
    if nodes is not None:
        for name in config.node:
            if name not in nodes and name != DEFAULT:
                for field in sorted(config.node[name].model_fields_set):
                    yield Trouble(("node", name, field), f"there is no node {name!r}")


def _credentials(config: MauiConfig) -> Iterator[tuple[Path, Credential]]:
    for type_ in ("users", "groups", "accounts", "classes", "qos"):
        for name, one in getattr(config, type_).items():
            yield (type_, name), one
    yield ("system",), config.system


def _targets(config: MauiConfig) -> Iterator[Trouble]:
    if config.fairshare.policy.metric is not FairshareMetric.NONE:
        return
    for path, one in _credentials(config):
        if isinstance(one.target, Target) and one.target.value:
            yield Trouble(
                (*path, "target"),
                "a fairshare target without a fairshare policy; set FSPOLICY, such as FSPOLICY DEDICATEDPS",
                depends=(("fairshare", "policy"),),
            )


def _buckets(config: MauiConfig) -> Iterator[Trouble]:
    for field in ("depth", "qos"):
        for index in getattr(config.reservations, field):
            if not (index.isascii() and index.isdecimal()) or int(index) >= MOST_BUCKETS:
                yield Trouble(
                    ("reservations", field, index), f"buckets are numbered from 0 to {MOST_BUCKETS - 1}"
                )


def _chunks(config: MauiConfig) -> Iterator[Trouble]:
    backfill = config.backfill
    if bool(backfill.chunk_size) != bool(backfill.chunk_duration_s):
        field = "chunk_size" if backfill.chunk_size else "chunk_duration_s"
        cause = "nothing is kept unless both BFCHUNKSIZE and BFCHUNKDURATION are above 0"
        yield Trouble(("backfill", field), cause, refused=False)
    elif backfill.chunk_size and backfill.policy is not BackfillPolicy.FIRSTFIT:
        for field in ("chunk_size", "chunk_duration_s"):
            yield Trouble(("backfill", field), "only FIRSTFIT keeps processors", refused=False)


def _unused(config: MauiConfig) -> Iterator[Trouble]:
    """Values that would count only beside another."""
    if config.reservations.threshold_value and config.reservations.threshold is Threshold.NONE:
        cause = "not looked at unless RESERVATIONTHRESHOLDTYPE says what it counts"
        yield Trouble(("reservations", "threshold_value"), cause, refused=False)
    if config.node_sets.policy is not SetPolicy.NONE and config.node_sets.attribute is SetAttribute.NONE:
        yield Trouble(("node_sets", "policy"), "there are no sets without NODESETATTRIBUTE", refused=False)
    if config.nodes.allocation is not Allocation.PRIORITY:
        for name, one in config.node.items():
            if one.priority_function:
                cause = "not looked at unless NODEALLOCATIONPOLICY is PRIORITY"
                yield Trouble(("node", name, "priority_function"), cause, refused=False)


def _limits(config: MauiConfig) -> Iterator[Trouble]:
    """Classes of which every job is refused that gives no wall time."""
    of_all = config.classes.get(DEFAULT, ClassCredential())
    for name, one in config.classes.items():
        given_s = one.default_wall_time_s or of_all.default_wall_time_s
        longest_s = one.longest_wall_time_s or of_all.longest_wall_time_s
        if given_s and longest_s and given_s > longest_s:
            field = "default_wall_time_s" if one.default_wall_time_s else "longest_wall_time_s"
            cause = (
                f"jobs that ask for no wall time are refused: they get {write_duration(given_s)} "
                f"(DEFAULT.WCLIMIT), and MAX.WCLIMIT is {write_duration(longest_s)}"
            )
            yield Trouble(("classes", name, field), cause, refused=False)


def _features(config: MauiConfig) -> Iterator[Trouble]:
    """Features that jobs are given and no node has."""
    known = {name for one in config.node.values() for name in (*one.features, *one.network)}
    wanted: list[tuple[Path, tuple[str, ...]]] = [
        *((("nodes", "qos_features", name), names) for name, names in config.nodes.qos_features.items()),
        *((("classes", name, "default_features"), c.default_features) for name, c in config.classes.items()),
    ]
    for path, names in wanted:
        if unknown := [name for name in names if name not in known]:
            cause = f"no NODECFG has FEATURES={','.join(unknown)}: no node is one for these jobs"
            yield Trouble(path, cause, refused=False)
    for name, one in config.standing.items():
        if unknown := [feature for feature in one.features if feature not in known]:
            cause = f"no NODECFG has FEATURES={','.join(unknown)}: {_NOWHERE}"
            yield Trouble(("standing", name, "features"), cause, refused=False)


def _partitions(config: MauiConfig) -> Iterator[Trouble]:
    """Reservations in partitions in which no node is said to be."""
    known = {DEFAULT, *(one.partition for one in config.node.values())}
    for name, one in config.standing.items():
        if one.partition is not None and one.partition not in known:
            cause = f"no NODECFG has PARTITION={one.partition}: {_NOWHERE}"
            yield Trouble(("standing", name, "partition"), cause, refused=False)


_NOWHERE = "the reservation is nowhere, unless nodes say so themselves"


def _flags(config: MauiConfig) -> Iterator[Trouble]:
    """Flags that are known and do nothing."""
    for path, one in _credentials(config):
        if idle := [flag for flag in one.flags if flag.partition(":")[0] not in FOLLOWED_JOB_FLAGS]:
            cause = f"nothing follows {', '.join(idle)}"
            yield Trouble((*path, "flags"), cause, refused=False)
        idle = [flag for flag in getattr(one, "qos_flags", ()) if flag.partition(":")[0] in IDLE_QOS_FLAGS]
        if idle:
            yield Trouble((*path, "qos_flags"), f"nothing follows {', '.join(idle)}", refused=False)


def _banks(config: MauiConfig) -> Iterator[Trouble]:
    """Banks that are not asked, and what is measured otherwise than the words say."""
    asked = [name for name, one in config.banks.items() if one.type is BankType.FILE]
    for name, one in config.banks.items():
        if one.type not in (None, BankType.FILE, BankType.NONE):
            cause = "no bank outside is asked, as if every account could pay; TYPE=FILE keeps accounts"
            yield Trouble(("banks", name, "type"), cause, refused=False)
        elif name in asked[1:]:
            cause = f"one bank is asked, and that is {asked[0]!r}"
            yield Trouble(("banks", name, "type"), cause, refused=False)
        if one.charge_policy in (ChargePolicy.DEBITALLCPU, ChargePolicy.DEBITSUCCESSFULCPU):
            cause = "how busy jobs keep their processors is not measured: charged as wall time, ...WC"
            yield Trouble(("banks", name, "charge_policy"), cause, refused=False)
        for field in ("charge_policy", "fallback_account"):
            if name not in asked[:1] and getattr(one, field):
                yield Trouble(("banks", name, field), "looked at under TYPE=FILE alone", refused=False)
    for name, line in config.accounts.items():
        if line.allocation is not None and not asked:
            cause = "no bank keeps it; say AMCFG[bank] TYPE=FILE"
            yield Trouble(("accounts", name, "allocation"), cause, refused=False)


def _qos_names(config: MauiConfig) -> Iterator[Trouble]:
    known = {DEFAULT, "ALL", *config.qos}
    for index, names in config.reservations.qos.items():
        for name in names:
            if name not in known:
                cause = f"nothing else says what QOS {name!r} is"
                yield Trouble(("reservations", "qos", index), cause, refused=False)
    for path, one in _credentials(config):
        if one.default_qos and one.default_qos not in known:
            cause = f"nothing else says what QOS {one.default_qos!r} is"
            yield Trouble((*path, "default_qos"), cause, refused=False)
        unknown = [name for name in (one.qos.names if one.qos else ()) if name not in known]
        if unknown:
            cause = f"nothing else says what QOS {unknown[0]!r} is"
            yield Trouble((*path, "qos"), cause, refused=False)


def _calendar(name: str, one: StandingReservation) -> Iterator[Trouble]:
    """Calendars that never match."""
    path = ("standing", name)
    ends: tuple[Path, ...] = ((*path, "period"), (*path, "start_s"), (*path, "end_s"))
    given = one.model_fields_set
    period_s = one.period_s
    if one.depth == 0:
        yield Trouble((*path, "depth"), "a reservation of which no instance exists never matches")
    if period_s is not None:
        unit = "day" if one.period is Period.DAY else "week"
        if one.start_s >= period_s:
            cause = f"never matches: a {unit} has {write_duration(period_s)}, and it would begin after that"
            yield Trouble((*path, "start_s"), cause, depends=ends)
        elif one.end_s is not None and one.end_s > period_s:
            cause = f"a {unit} ends at {write_duration(period_s)}; longer ranges need two reservations"
            yield Trouble((*path, "end_s"), cause, depends=ends)
    if one.end_s is not None and one.end_s <= one.start_s:
        cause = (
            f"never matches: it ends at {write_duration(one.end_s)}, not after it begins at "
            f"{write_duration(one.start_s)}; a range over midnight needs two reservations"
        )
        yield Trouble((*path, "end_s"), cause, depends=ends)
    if "days" in given and one.period is not Period.DAY:
        yield Trouble((*path, "days"), "looked at under PERIOD=DAY alone", refused=False)


_EXPRESSION = re.compile(r"[][*+?^$().|\\{}]")


def _hosts(path: Path, hosts: tuple[str, ...], nodes: frozenset[str] | None) -> Iterator[Trouble]:
    unknown = []
    for host in hosts:
        expression = None
        if host not in (nodes or ()) and _EXPRESSION.search(host) and host.upper() != "ALL":
            try:
                expression = re.compile(host)
            except re.error as error:
                yield Trouble(path, f"{host!r} is no regular expression: {error}")
                continue
        if nodes is None or host in nodes or host.upper() == "ALL":
            continue
        if expression is None or not any(expression.fullmatch(node) for node in nodes):
            unknown.append(repr(host))
    if unknown:
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        listed = ", ".join(unknown[:_SHOWN])
        yield Trouble(path, f"a reservation on unknown nodes: there is no node {listed}{more}")


_SHOWN = 5
"""Unknown nodes that a message names."""
