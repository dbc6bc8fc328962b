"""Everything that an administrator can set about the policy ``maui``, typed, with the defaults of the guide.

``MauiSettings`` knows no file: a reader of maui.cfg fills it in, names of credentials as strings, and
``molokini.policies.maui.vector`` turns it into the numbers that the kernels read. 0 is no cap and no limit.
Times are seconds unless a name says otherwise. Where guide and source of Maui differ the guide is followed,
but for the weights of components, where 1 is the value that works.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue
from molokini.policies.maui.node_settings import NodeSettings
from molokini.policies.maui.wanted import MOST_WINDOWS
from molokini.policies.maui.words import (
    AccountOf,
    Accrual,
    BackfillMetric,
    BackfillOrder,
    BackfillPolicy,
    Charge,
    Component,
    Factor,
    LimitKind,
    ListRule,
    PreemptPolicy,
    QosFlag,
    ReservationPolicy,
    TargetKind,
    Threshold,
)
from molokini.tables.sizes import MOST_PARTITIONS

MOST_BUCKETS = 8
"""Buckets of reservations (RESERVATIONDEPTH[i])."""
MOST_QOS = 127
"""QoSes beside DEFAULT."""


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
    """OVERRUN of a queue: how long its jobs may run past their limits; below 0: for ever; None: not set."""
    qos_default: str = ""
    """QDEF."""
    qos_list: tuple[str, ...] = ()
    """QLIST."""
    qos_rule: ListRule = ListRule.ADD
    partition_default: str = ""
    """PDEF: the partition that its jobs try first."""
    partition_list: tuple[str, ...] = ()
    """PLIST; empty: it does not restrict where its jobs may be."""
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


@dataclass(frozen=True)
class Backfill:
    """How holes are filled (reference, section 3)."""

    policy: BackfillPolicy = BackfillPolicy.FIRSTFIT
    metric: BackfillMetric = BackfillMetric.PROCESSORS
    order: BackfillOrder = BackfillOrder.RANDOM
    depth: int = 0
    """Candidates of each window that are looked at; 0: all."""
    max_schedules: int = 10_000
    """Sets of jobs that GREEDY weighs at most."""
    chunk_duration_s: float = 0.0
    chunk_processors: int = 0


@dataclass(frozen=True)
class Reservations:
    """Which jobs get a reservation (reference, section 4)."""

    policy: ReservationPolicy = ReservationPolicy.CURRENT_HIGHEST
    buckets: tuple[Bucket, ...] = (Bucket(),)
    """The first that has a job's QoS counts."""
    threshold: Threshold = Threshold.NONE
    threshold_value: float = 0.0


@dataclass(frozen=True)
class Fairshare:
    """What is charged, and for how long it counts (paper, section 6; reference, section 7)."""

    charge: Charge = Charge.NONE
    ratio: bool = False
    """FSPOLICY with a trailing ``%``: deltas are 1 - percent / target."""
    interval_s: float = 86_400.0
    depth: int = 7
    """Windows that count, the present one included."""
    decay: float = 1.0


@dataclass(frozen=True)
class Ceilings:
    """What no single job may exceed; 0: no ceiling (reference, section 6)."""

    processors: int = 0
    """SYSTEMMAXPROCPERJOB."""
    processor_seconds: float = 0.0
    """SYSTEMMAXPROCSECONDPERJOB."""
    wall_time_s: float = 0.0
    """SYSTEMMAXJOBWALLTIME."""


@dataclass(frozen=True)
class Defer:
    """DEFERTIME, DEFERCOUNT (reference, section 12)."""

    time_s: float = 3600.0
    """0: never."""
    count: int = 24
    """More deferrals than this are a hold."""


COMPONENT_WEIGHTS: Mapping[Component, Weight] = {
    Component.SERVICE: Weight(1.0),
    Component.TARGET: Weight(1.0),
    Component.CREDENTIAL: Weight(1.0),
    Component.FAIRSHARE: Weight(1.0),
    Component.RESOURCE: Weight(1.0),
    Component.BYPASS: Weight(0.0),
}
FACTOR_WEIGHTS: Mapping[Factor, Weight] = {
    factor: Weight(1.0 if factor is Factor.QUEUE_TIME else 0.0) for factor in Factor
}
DEFAULT = "DEFAULT"
"""The name of the line that counts for all credentials without one."""


@dataclass(frozen=True)
class MauiSettings:
    """All of it. ``users``, ``groups``, ... are by name; the line DEFAULT counts for names without one."""

    components: Mapping[Component, Weight] = field(default_factory=dict)
    """What is not named here has the weight of ``COMPONENT_WEIGHTS``."""
    factors: Mapping[Factor, Weight] = field(default_factory=dict)
    """What is not named here has the weight of ``FACTOR_WEIGHTS``."""
    backfill: Backfill = Backfill()
    reservations: Reservations = Reservations()
    fairshare: Fairshare = Fairshare()
    ceilings: Ceilings = Ceilings()
    defer: Defer = Defer()
    users: Mapping[str, Credential] = field(default_factory=dict)
    groups: Mapping[str, Credential] = field(default_factory=dict)
    accounts: Mapping[str, Credential] = field(default_factory=dict)
    queues: Mapping[str, Credential] = field(default_factory=dict)
    qos: Mapping[str, Qos] = field(default_factory=dict)
    system: Credential = Credential()
    """SYSCFG: only its defaults and lists of QoSes and partitions count."""
    min_wall_time_s: float = 0.0
    """XFMINWCLIMIT; 0: none."""
    default_wall_time_s: float = 0.0
    """SYSTEMDEFAULTJOBWALLTIME: the same for jobs of queues that do not set it; 0: not set."""
    overrun_s: float = 0.0
    """JOBMAXOVERRUN: how long a job may run past its limit before it is ended; below 0: for ever."""
    accrual: Accrual = Accrual.QUEUE_POLICY
    use_system_queue_time: bool = False
    """USESYSTEMQUEUETIME, the older form: queue time counts from when nothing blocked the job."""
    negative_priority: bool = False
    """ENABLENEGJOBPRIORITY."""
    reject_negative: bool = False
    """REJECTNEGPRIOJOBS."""
    max_jobs_per_iteration: int = 0
    nodes: NodeSettings = field(default_factory=NodeSettings)
    preempt: PreemptPolicy = PreemptPolicy.REQUEUE
    account_of: AccountOf = AccountOf.NOBODY
    """Which credential's name is the account of a job that has none."""
    poll_s: float = 0.0
    """RMPOLLINTERVAL: an iteration at least so often; 0: only when something happens."""

    def __post_init__(self) -> None:
        if not 1 <= self.fairshare.depth <= MOST_WINDOWS:
            raise BadValue("fairshare.depth", self.fairshare.depth, f"from 1 to {MOST_WINDOWS}")
        if not self.fairshare.interval_s > 0:
            raise BadValue("fairshare.interval_s", self.fairshare.interval_s, "more than 0")
        if not 0 <= self.fairshare.decay <= 1:
            raise BadValue("fairshare.decay", self.fairshare.decay, "from 0 to 1")
        if len(self.reservations.buckets) > MOST_BUCKETS:
            raise BadValue(
                "reservations.buckets", len(self.reservations.buckets), f"at most {MOST_BUCKETS} of them"
            )
        if len(self.qos.keys() - {DEFAULT}) > MOST_QOS:
            raise BadValue("qos", len(self.qos), f"at most {MOST_QOS} of them beside {DEFAULT}")
        if len(self.partitions) > MOST_PARTITIONS:
            raise BadValue("partitions", len(self.partitions), f"at most {MOST_PARTITIONS} of them")

    @property
    def partitions(self) -> tuple[str, ...]:
        """Every partition that a line names, each once, DEFAULT first; none where no line names one."""
        whose = [one for kind in CredentialType for one in self.credentials(kind).values()]
        said = [line.partition for line in self.nodes.lines.values()]
        for one in (*whose, self.system):
            said += [*one.partition_list, one.partition_default]
        named = sorted({name for name in said if name} - {DEFAULT})
        return (DEFAULT, *named) if any(said) else ()

    def credentials(self, kind: CredentialType) -> Mapping[str, Credential]:
        """The lines of one type."""
        return (self.users, self.groups, self.accounts, self.queues, self.qos)[kind]

    def component(self, component: Component) -> Weight:
        """Weight and cap of *component*, its default included."""
        return self.components.get(component, COMPONENT_WEIGHTS[component])

    def factor(self, factor: Factor) -> Weight:
        """Weight and cap of *factor*, its default included."""
        return self.factors.get(factor, FACTOR_WEIGHTS[factor])
