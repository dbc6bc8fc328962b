"""What must go together in a configuration: rules over several of its values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from molokini.availability.node_rules import SetPolicy
from molokini.maui.access import FOLLOWED_JOB_FLAGS, IDLE_QOS_FLAGS
from molokini.maui.fields import Section
from molokini.maui.limits import Target
from molokini.maui.model import DEFAULT, MauiConfig
from molokini.maui.needs import idle, unreachable
from molokini.maui.negative import ways_below_zero
from molokini.maui.parameters import Path
from molokini.maui.sections.credentials import ClassCredential, Credential
from molokini.maui.sections.managers import BankType, ChargePolicy
from molokini.maui.sections.preemption import PreemptPolicy
from molokini.maui.sections.standing import Period, Sharing, StandingReservation
from molokini.maui.times import write_duration
from molokini.maui.values import Day
from molokini.policies.maui.configuration.words import Charge, SetAttribute, Threshold

MOST_BUCKETS = 8
"""Buckets of reservations that can be held apart."""


@dataclass(frozen=True)
class Trouble:
    """A value at *path* that does not go with others."""

    path: Path
    cause: str
    refused: bool = True
    idle: bool = False
    """Not wrong, and without effect."""
    depends: tuple[Path, ...] = ()
    """Other values that the cause is about: where one of them was refused itself, nothing is to be said."""


def troubles(config: MauiConfig, nodes: frozenset[str] | None = None) -> Iterator[Trouble]:
    """Whatever in *config* does not go together; *nodes* are those that exist, where that is known."""
    yield from _targets(config)
    yield from _buckets(config)
    yield from _chunks(config)
    yield from _unused(config)
    yield from _needs(config)
    yield from _banks(config)
    yield from _flags(config)
    yield from _limits(config)
    yield from _rejected(config)
    yield from _features(config)
    yield from _partitions(config)
    if config.preemption.policy is PreemptPolicy.OVERCOMMIT:
        cause = (
            "OVERCOMMIT is not supported: more tasks than processors are never started; "
            "use SUSPEND, REQUEUE, CHECKPOINT or CANCEL"
        )
        yield Trouble(("preemption", "policy"), cause)
    yield from _qos_names(config)
    for name, one in config.standing.items():
        yield from _calendar(name, one)
        yield from _whole_machine(name, one)
        yield from _never_between(name, one)
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
    if config.fairshare.policy.metric is not Charge.NONE:
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
        yield _idle(("backfill", field), cause)


def _idle(path: Path, cause: str) -> Trouble:
    return Trouble(path, cause, refused=False, idle=True)


def _needs(config: MauiConfig) -> Iterator[Trouble]:
    """Settings that have an effect beside others alone, which are missing."""
    for path, cause in idle(config):
        yield _idle(path, cause)
    for path, cause in unreachable(config):
        for field in sorted(config.qos[path[1]].model_fields_set):
            inner = getattr(config.qos[path[1]], field)
            names = sorted(inner.model_fields_set) if isinstance(inner, Section) else []
            for place in [(*path, field, name) for name in names] or [(*path, field)]:
                yield _idle(place, cause)


def _unused(config: MauiConfig) -> Iterator[Trouble]:
    """Values that would count only beside another."""
    if config.reservations.threshold_value and config.reservations.threshold is Threshold.NONE:
        cause = "not looked at unless RESERVATIONTHRESHOLDTYPE says what it counts"
        yield _idle(("reservations", "threshold_value"), cause)
    elif not config.reservations.threshold_value and config.reservations.threshold in _REACHED_AT_ONCE:
        cause = "the threshold is 0 (RESERVATIONTHRESHOLDVALUE), above which nearly every job is at once"
        yield Trouble(("reservations", "threshold"), cause, refused=False)
    if config.node_sets.policy is not SetPolicy.NONE and config.node_sets.attribute is SetAttribute.NONE:
        yield _idle(("node_sets", "policy"), "there are no sets without NODESETATTRIBUTE")


_REACHED_AT_ONCE = (Threshold.QUEUE_TIME, Threshold.EXPANSION_FACTOR)


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


def _rejected(config: MauiConfig) -> Iterator[Trouble]:
    """Jobs that no machine, however idle, starts while their priority is negative."""
    way = next(ways_below_zero(config), "") if config.priority.reject_negative else ""
    if way:
        cause = f"keeps jobs from starting even on an idle machine while their priority is below 0: {way}"
        yield Trouble(("priority", "reject_negative"), cause, refused=False)


def _features(config: MauiConfig) -> Iterator[Trouble]:
    """Features that jobs are given and no node has."""
    known = {name for one in config.node.values() for name in (*one.features, *one.network)}
    wanted: list[tuple[Path, tuple[str, ...]]] = [
        *((("nodes", "qos_features", name), names) for name, names in config.nodes.qos_features.items()),
        *((("classes", name, "default_features"), c.default_features) for name, c in config.classes.items()),
    ]
    for path, names in wanted:
        if unknown := [name for name in names if name not in known]:
            cause = f"no NODECFG has FEATURES={','.join(unknown)}: no node suits these jobs"
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


_NOWHERE = "the reservation has no nodes, unless nodes report it themselves"


def _flags(config: MauiConfig) -> Iterator[Trouble]:
    """Flags that are known and do nothing."""
    for path, one in _credentials(config):
        if unused := [flag for flag in one.flags if flag.partition(":")[0] not in FOLLOWED_JOB_FLAGS]:
            yield _unfollowed((*path, "flags"), unused, one.flags)
        flags = getattr(one, "qos_flags", ())
        if unused := [flag for flag in flags if flag.partition(":")[0] in IDLE_QOS_FLAGS]:
            yield _unfollowed((*path, "qos_flags"), unused, flags)


def _unfollowed(path: Path, unused: Sequence[str], flags: Sequence[str]) -> Trouble:
    cause = f"nothing follows {', '.join(unused)}"
    return Trouble(path, cause, refused=False, idle=len(unused) == len(flags))


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
                yield _idle(("banks", name, field), "looked at under TYPE=FILE alone")
    for name, line in config.accounts.items():
        if line.allocation is not None and not asked:
            cause = "no bank keeps it; say AMCFG[bank] TYPE=FILE"
            yield _idle(("accounts", name, "allocation"), cause)


def _qos_names(config: MauiConfig) -> Iterator[Trouble]:
    known = {DEFAULT, "ALL", *config.qos}
    for index, names in config.reservations.qos.items():
        for name in names:
            if name not in known:
                cause = f"no other line defines QOS {name!r} is"
                yield Trouble(("reservations", "qos", index), cause, refused=False)
    for path, one in _credentials(config):
        if one.default_qos and one.default_qos not in known:
            cause = f"no other line defines QOS {one.default_qos!r} is"
            yield Trouble((*path, "default_qos"), cause, refused=False)
        unknown = [name for name in (one.qos.names if one.qos else ()) if name not in known]
        if unknown:
            cause = f"no other line defines QOS {unknown[0]!r} is"
            yield Trouble((*path, "qos"), cause, refused=False)


def _calendar(name: str, one: StandingReservation) -> Iterator[Trouble]:
    """Calendars of reservations that never occur."""
    path = ("standing", name)
    ends: tuple[Path, ...] = ((*path, "period"), (*path, "start_s"), (*path, "end_s"))
    given = one.model_fields_set
    period_s = one.period_s
    if one.depth == 0:
        yield Trouble((*path, "depth"), "a reservation without instances never occurs")
    if period_s is not None:
        unit = "day" if one.period is Period.DAY else "week"
        if one.start_s >= period_s:
            cause = f"starts after the end of the {unit} ({_period(period_s)})"
            yield Trouble((*path, "start_s"), cause, depends=ends)
        elif one.end_s is not None and one.end_s > period_s:
            cause = f"a {unit} ends at {_period(period_s)}; longer ranges need two reservations"
            yield Trouble((*path, "end_s"), cause, depends=ends)
    if one.end_s is not None and one.end_s <= one.start_s:
        cause = (
            f"never occurs: it ends at {write_duration(one.end_s)}, not after it begins at "
            f"{write_duration(one.start_s)}; a range over midnight needs two reservations"
        )
        yield Trouble((*path, "end_s"), cause, depends=ends)
    if "days" in given and one.period is not Period.DAY:
        yield _idle((*path, "days"), "looked at under PERIOD=DAY alone")


def _whole_machine(name: str, one: StandingReservation) -> Iterator[Trouble]:
    """A reservation of all that there is, for some alone, of which nothing says so."""
    placed = _PLACED & one.model_fields_set
    if name == DEFAULT or placed or one.access is Sharing.SHARED or not one.depth:
        return
    lists = [field for field in _ACCESS if getattr(one, field)]
    day_s = one.period_s
    ever = one.start_s == 0 and (one.end_s is None or one.end_s == day_s)
    always = ever and (one.period is not Period.DAY or len(one.days) == len(Day))
    when = "at all times: other jobs never start" if always else "while it lasts: other jobs wait"
    if not always and (free_s := _longest_between(one)):
        when += f", and those longer than {write_duration(free_s)} never start"
    cause = f"without HOSTLIST and TASKCOUNT it reserves the whole machine, {when}"
    for field in (lists or sorted(one.model_fields_set))[:1]:
        yield Trouble(("standing", name, field), cause, refused=False)


def _never_between(name: str, one: StandingReservation) -> Iterator[Trouble]:
    """How long a job may be that must have processors of a reservation that comes back, and has no access."""
    given = [field for field in ("period", "days", "start_s", "end_s") if field in one.model_fields_set]
    free_s = _longest_between(one)
    if name == DEFAULT or not given or not free_s or not one.depth or one.access is Sharing.SHARED:
        return
    if not _PLACED & one.model_fields_set:
        return
    cause = (
        f"jobs without access that need its processors and are longer than {write_duration(free_s)}, the "
        "longest time between two of its instances, never start"
    )
    yield Trouble(("standing", name, given[-1]), cause, refused=False)


def _longest_between(one: StandingReservation) -> int:
    """The longest time between two instances of one that comes back; 0: there is none."""
    period_s = one.period_s
    if period_s is None:
        return 0
    end_s = period_s if one.end_s is None else one.end_s
    daily = one.period is Period.DAY
    days = sorted(list(Day).index(day) for day in one.days) if daily else [0]
    around = [*days, days[0] + (len(Day) if daily else 1)] if days else []
    gaps = [(after - day) * period_s + one.start_s - end_s for day, after in pairwise(around)]
    return max(0, *gaps) if one.start_s < end_s <= period_s and gaps else 0


_PLACED = {"hosts", "task_count", "features", "partition"}
_ACCESS = ("users", "groups", "accounts", "classes", "qos")


def _period(period_s: int) -> str:
    """The end of a day or week as a clock has it."""
    return "24:00:00" if period_s == 86_400 else write_duration(period_s)


_EXPRESSION = re.compile(r"[][*+?^$().|\\{}]")


def _hosts(path: Path, hosts: tuple[str, ...], nodes: frozenset[str] | None) -> Iterator[Trouble]:
    unknown = []
    for host in hosts:
        expression = None
        if host not in (nodes or ()) and _EXPRESSION.search(host) and host.upper() != "ALL":
            try:
                expression = re.compile(host)
            except re.error as error:
                yield Trouble(path, f"{host!r} is not a valid regular expression: {error}")
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
