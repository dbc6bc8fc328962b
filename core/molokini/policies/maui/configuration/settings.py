"""Everything that an administrator can set about the policy ``maui``, typed, with the defaults of the guide.

``MauiSettings`` knows no file: a reader of maui.cfg fills it in, names of credentials as strings, and
``vector`` turns it into the numbers that the kernels read. 0 is no cap and no limit. Times are seconds unless
a name says otherwise. Where guide and source of Maui differ the guide is followed, but for the weights of
components, where 1 is the value that works.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue, UnknownName
from molokini.policies.maui.configuration.node_settings import NodeSettings
from molokini.policies.maui.configuration.parameters import PARAMETERS
from molokini.policies.maui.configuration.words import (
    Component,
    Factor,
    LimitKind,
    ListRule,
    QosFlag,
    TargetKind,
)
from molokini.tables.sizes import MOST_PARTITIONS

MOST_BUCKETS = 8
"""Buckets of reservations (RESERVATIONDEPTH[i])."""
MOST_QOS = 127
"""QoSes beside DEFAULT."""
_ELSEWHERE = ("reservation_depth", "node_allocation", "node_access")
"""Parameters that are fields of settings."""
_BOUNDED = ("fairshare_depth", "fairshare_interval_s", "fairshare_decay")
"""Parameters that kernels rely on the range of."""


@dataclass(frozen=True)
class Weight:
    """A weight, and the cap of what it multiplies (0: none)."""

    weight: float = 0.0
    cap: float = 0.0


@dataclass(frozen=True)
class Limit:
    """A throttling limit; 0 does not limit. One number in the file is both."""

    soft: float = 0.0
    hard: float = 0.0


@dataclass(frozen=True)
class Target:
    """A fairshare target: a percentage of what is delivered, or (absolute cap) a usage."""

    amount: float
    kind: TargetKind = TargetKind.TARGET


@dataclass(frozen=True)
class PairLimit:
    """A limit for each pair of this credential and one of another type: ``MAXPROC[USER:steve]=3``.

    *name* empty is each credential of that *type* by itself. ``MAXJOBPERUSER`` is
    ``PairLimit(LimitKind.JOBS, CredentialType.USER, limit)``.
    """

    kind: LimitKind
    type: CredentialType
    limit: Limit
    name: str = ""


@dataclass(frozen=True)
class Credential:
    """One line of USERCFG, GROUPCFG, ACCOUNTCFG or CLASSCFG; what it does not set comes from DEFAULT's."""

    priority: int = 0
    target: Target | None = None
    active: Mapping[LimitKind, Limit] = field(default_factory=dict)
    """MAXJOB, MAXPROC, MAXNODE, MAXPE, MAXPS, MAXWC, MAXMEM."""
    idle: Mapping[LimitKind, float] = field(default_factory=dict)
    """MAXIJOB and the like: hard limits of the jobs that are eligible at a time."""
    pairs: tuple[PairLimit, ...] = ()
    min_processors: float = 0.0
    """MINPROC: a job is blocked that would leave the credential with fewer active processors than this."""
    max_processors_per_job: int = 0
    max_nodes_per_job: int = 0
    min_processors_per_job: int = 0
    """MIN.PROC of a queue."""
    max_wall_time_s: float = 0.0
    """MAX.WCLIMIT of a queue."""
    default_wall_time_s: float = 0.0
    """DEFAULT.WCLIMIT of a queue: the estimate of its jobs that give none; 0: not set."""
    overrun_s: float | None = None
    """OVERRUN of a queue: how long its jobs may run past their limits; below 0: no bound; None: not set."""
    qos_default: str = ""
    """QDEF."""
    qos_list: tuple[str, ...] = ()
    """QLIST."""
    qos_rule: ListRule = ListRule.ADD
    partition_default: str = ""
    """PDEF: the partition that its jobs try first."""
    partition_list: tuple[str, ...] | None = None
    """PLIST; None: it does not restrict where its jobs may be; empty: in no partition."""
    partition_rule: ListRule = ListRule.ADD
    max_processors_per_node: int = 0
    """MAXPROCPERNODE: the most that one of its jobs has on one node; 0: any number."""
    job_flags: frozenset[QosFlag] = frozenset()
    """FLAGS: what its jobs may do or must, whatever their QoS."""
    queue_weight: float | None = None
    """A group may override the weight of its jobs' queues."""


@dataclass(frozen=True)
class Qos(Credential):
    """One line of QOSCFG."""

    flags: frozenset[QosFlag] = frozenset()
    queue_time_target_min: float = 0.0
    expansion_target: float = 0.0
    queue_time_weight: float = 0.0
    """QTWEIGHT, added to QUEUETIMEWEIGHT."""
    expansion_weight: float = 0.0
    """XFWEIGHT, added to XFACTORWEIGHT."""
    active_override: Mapping[LimitKind, Limit] = field(default_factory=dict)
    """OMAX...: in place of the limits of user, group, account and queue."""
    idle_override: Mapping[LimitKind, float] = field(default_factory=dict)
    """OMAXI..."""
    max_processors_per_job_override: int = 0
    """OMAXJPROC."""
    max_nodes_per_job_override: int = 0
    """OMAXJNODE."""


@dataclass(frozen=True)
class Bucket:
    """So many jobs of these QoSes have reservations; no names: every QoS."""

    depth: int = 1
    qos: tuple[str, ...] = ()


DEFAULT = "DEFAULT"
"""The name of the line that counts for all credentials without one."""


@dataclass(frozen=True)
class MauiSettings:
    """All of it. ``users``, ``groups``, ... are by name; the line DEFAULT counts for names without one."""

    chosen: Mapping[str, float] = field(default_factory=dict)
    """Parameters of ``Wanted`` by name, words by their numbers; what is not named has its default."""
    components: Mapping[Component, Weight] = field(default_factory=dict)
    """Weights and caps; what is not named here is as in *chosen*."""
    factors: Mapping[Factor, Weight] = field(default_factory=dict)
    buckets: tuple[Bucket, ...] = (Bucket(),)
    """Which jobs get a reservation; the first bucket that has a job's QoS counts."""
    users: Mapping[str, Credential] = field(default_factory=dict)
    groups: Mapping[str, Credential] = field(default_factory=dict)
    accounts: Mapping[str, Credential] = field(default_factory=dict)
    queues: Mapping[str, Credential] = field(default_factory=dict)
    qos: Mapping[str, Qos] = field(default_factory=dict)
    system: Credential = Credential()
    """SYSCFG: only its defaults and lists of QoSes and partitions count."""
    default_wall_time_s: float = 0.0
    """SYSTEMDEFAULTJOBWALLTIME: the same for jobs of queues that do not set it; 0: not set."""
    overrun_s: float = 0.0
    """JOBMAXOVERRUN: how long a job may run past its limit before it is ended; below 0: without limit."""
    nodes: NodeSettings = field(default_factory=NodeSettings)

    def __post_init__(self) -> None:
        known = {one.name: one for one in PARAMETERS if one.name not in _ELSEWHERE}
        for name, value in self.chosen.items():
            if name not in known:
                raise UnknownName("parameter of policy maui", name, known)
            if name in _BOUNDED and not known[name].low <= value <= known[name].high:
                raise BadValue(name, value, known[name].allowed)
        if len(self.buckets) > MOST_BUCKETS:
            raise BadValue("buckets", len(self.buckets), f"at most {MOST_BUCKETS} of them")
        if len(self.qos.keys() - {DEFAULT}) > MOST_QOS:
            raise BadValue("qos", len(self.qos), f"at most {MOST_QOS} of them beside {DEFAULT}")
        if len(self.partitions) > MOST_PARTITIONS:
            raise BadValue("partitions", len(self.partitions), f"at most {MOST_PARTITIONS} of them")

    @property
    def partitions(self) -> tuple[str, ...]:
        """Every partition that a line names, each once, DEFAULT first; none where no line is about them."""
        whose = [one for kind in CredentialType for one in self.credentials(kind).values()]
        said = [line.partition for line in self.nodes.lines.values()]
        for one in (*whose, self.system):
            said += [*(one.partition_list or ()), one.partition_default]
        listed = any(one.partition_list is not None for one in (*whose, self.system))
        named = sorted({name for name in said if name} - {DEFAULT})
        return (DEFAULT, *named) if listed or any(said) else ()

    def credentials(self, kind: CredentialType) -> Mapping[str, Credential]:
        """The lines of one type."""
        return (self.users, self.groups, self.accounts, self.queues, self.qos)[kind]

    def choosing(self, **chosen: float) -> "MauiSettings":
        """The same with these parameters of ``Wanted``."""
        return replace(self, chosen={**self.chosen, **chosen})

    @property
    def numbers(self) -> list[float]:
        """Every parameter of ``Wanted`` as a number."""
        chosen = {**self.chosen, "node_allocation": self.nodes.allocation, "node_access": self.nodes.access}
        chosen["reservation_depth"] = self.buckets[0].depth if self.buckets else 0
        chosen.setdefault("next_iteration_s", chosen.get("poll_s", 0.0))
        for one, weight in (*self.components.items(), *self.factors.items()):
            name = one.name.lower()
            chosen[f"{name}_weight"], chosen[f"{name}_cap"] = weight.weight, weight.cap
        return [chosen.get(one.name, one.encode(one.default)[0]) for one in PARAMETERS]
