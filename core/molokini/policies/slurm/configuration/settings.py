"""What a site's configuration says to the policy: plain data, which ``molokini.slurm`` fills in.

Times are seconds, memory is megabytes, ``NONE`` is a limit that is not set. TRES are named as in Slurm:
``cpu``, ``mem`` (MB), ``node``, ``billing``, and the names of ``SlurmSettings.generic``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from molokini.model.errors import BadValue
from molokini.model.policy import Value
from molokini.policies.slurm.configuration.words import PartitionState, PreemptMode, QosFlag, Sharing

MOST_PARTITIONS = 48
"""Partitions: a bit each, in a number that a float holds."""
MOST_GENERIC = 4
PARENT = -1
"""``Association.shares``: the word ``parent``."""
NO_FLAGS = QosFlag(0)
TresMap = Mapping[str, float]
"""A number for some TRES; those that it does not name are not limited, or do not count."""


@dataclass(frozen=True)
class Partition:
    """One PartitionName line."""

    name: str
    nodes: tuple[str, ...] | None = None
    """Names of its nodes, ranges expanded; None: ALL."""
    max_time_s: float = inf
    default_time_s: float = 0.0
    """0: none."""
    min_nodes: int = 0
    max_nodes: float = inf
    allow_accounts: tuple[str, ...] | None = None
    deny_accounts: tuple[str, ...] = ()
    allow_qos: tuple[str, ...] | None = None
    deny_qos: tuple[str, ...] = ()
    allow_groups: tuple[str, ...] | None = None
    state: PartitionState = PartitionState.UP
    priority_tier: int = 1
    priority_job_factor: int = 1
    preempt_mode: PreemptMode = PreemptMode.CLUSTER
    grace_s: float = 0.0
    qos: str = ""
    billing: TresMap = field(default_factory=dict)
    """TRESBillingWeights; empty: the CPUs are billed."""
    sharing: Sharing = Sharing.NO
    share_rows: int = 1
    least_loaded: bool = False
    requires_reservation: bool = False
    max_cpus_per_node: float = inf
    default_mem_per_cpu_mb: float = 0.0
    default_mem_per_node_mb: float = 0.0
    max_mem_per_cpu_mb: float = inf
    max_mem_per_node_mb: float = inf


@dataclass(frozen=True)
class Limits:
    """Limits of an association or a QOS (``sacctmgr``'s names in small letters); empty or inf: not set."""

    grp_tres: TresMap = field(default_factory=dict)
    grp_tres_mins: TresMap = field(default_factory=dict)
    grp_tres_run_mins: TresMap = field(default_factory=dict)
    grp_jobs: float = inf
    grp_submit: float = inf
    grp_wall_s: float = inf
    max_tres: TresMap = field(default_factory=dict)
    max_tres_per_node: TresMap = field(default_factory=dict)
    max_tres_mins: TresMap = field(default_factory=dict)
    max_wall_s: float = inf
    max_jobs: float = inf
    """MaxJobs of an association's user row, MaxJobsPU of a QOS."""
    max_submit: float = inf
    """MaxSubmit, MaxSubmitPU."""
    max_jobs_per_account: float = inf
    max_submit_per_account: float = inf
    grp_accrue: float = inf
    max_accrue: float = inf
    """MaxJobsAccrue, MaxJobsAccruePU."""
    max_accrue_per_account: float = inf
    max_tres_per_user: TresMap = field(default_factory=dict)
    max_tres_per_account: TresMap = field(default_factory=dict)
    max_tres_run_mins_per_user: TresMap = field(default_factory=dict)
    max_tres_run_mins_per_account: TresMap = field(default_factory=dict)
    min_tres: TresMap = field(default_factory=dict)
    min_priority: float = 0.0
    """MinPrioThreshold."""


@dataclass(frozen=True)
class Association:
    """A row of the tree: an account, or a user within an account (perhaps for one partition)."""

    account: str
    user: str = ""
    """Empty: the row is the account itself."""
    parent: str = ""
    """The account above; of a user's row empty (it is below ``account``), and of ``root``."""
    partition: str = ""
    shares: int = 1
    """Fairshare; ``PARENT``."""
    priority: float = 0.0
    usage_s: float = 0.0
    """Raw usage at the beginning: billed TRES times seconds (``sshare``'s RawUsage); of users' rows alone."""
    qos: tuple[str, ...] = ()
    """Empty: any."""
    default_qos: str = ""
    limits: Limits = Limits()


@dataclass(frozen=True)
class Qos:
    """One QOS."""

    name: str
    priority: float = 0.0
    flags: QosFlag = NO_FLAGS
    preempt: tuple[str, ...] = ()
    preempt_mode: PreemptMode = PreemptMode.CLUSTER
    preempt_exempt_s: float = -1.0
    """-1: the cluster's."""
    grace_s: float = 0.0
    usage_factor: float = 1.0
    limit_factor: float = 1.0
    usage_threshold: float = -1.0
    """-1: none."""
    limits: Limits = Limits()


@dataclass(frozen=True)
class NodeLine:
    """What is said of one node beside what the machine itself has."""

    name: str
    weight: float = 1.0
    index: int = -1
    """Its place in the order of nodes; -1: as it stands among the machine's nodes."""
    together: int = 0
    """CPUs that are allocated together, at most ``cpus_per_unit``; 0: as many as that."""


@dataclass(frozen=True)
class SlurmSettings:
    """All of it. The default is a configuration that says nothing."""

    chosen: Mapping[str, Value] = field(default_factory=dict)
    """Values of declared parameters (``parameters.PARAMETERS``), by name; those that are not here have their
    defaults."""
    partitions: tuple[Partition, ...] = ()
    """Empty: one partition of all nodes, for jobs of every queue."""
    default_partition: str = ""
    """For jobs without a queue, or of a queue that is no partition; empty: the first."""
    qos: tuple[Qos, ...] = ()
    default_qos: str = ""
    """Of jobs without one, whose association has none: ``normal`` where it is empty and there is one."""
    associations: tuple[Association, ...] = ()
    """Every account before what is below it; the first is ``root`` where there are any."""
    nodes: tuple[NodeLine, ...] = ()
    queues: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of queues in the log that are several partitions (``low,batch``), in the order given."""
    generic: tuple[str, ...] = ()
    """Names of the generic resources (``gres/gpu``), in the machine's order, ``MOST_GENERIC`` at most."""
    licenses: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.partitions) > MOST_PARTITIONS:
            raise BadValue("partitions", len(self.partitions), f"at most {MOST_PARTITIONS}")
        if len(self.generic) > MOST_GENERIC:
            raise BadValue("generic resources", len(self.generic), f"at most {MOST_GENERIC}")
        accounts: set[str] = set()
        for one in self.associations:
            above = one.account if one.user else one.parent
            if above and above not in accounts:
                raise BadValue("account", above, "an account that stands before what is below it")
            if not one.user:
                accounts.add(one.account)
