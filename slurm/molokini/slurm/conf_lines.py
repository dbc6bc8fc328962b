"""Nodes and partitions of a ``slurm.conf``: what a line of each says."""

from dataclasses import dataclass

from molokini.slurm.declared import conf
from molokini.slurm.values import (
    HOSTS,
    LOWER_NAMES,
    MEMORY,
    MINUTES,
    NAMES,
    SWITCH,
    TEXT,
    WEIGHTS,
    Amounts,
    whole,
    word,
    words,
)

_DAEMON = "how daemons are reached; nothing is started here"
_BINDING = "cores and sockets are not told apart"


@dataclass(frozen=True, kw_only=True)
class NodeLine:
    """``NodeName=``: what each of its nodes has. Counts of 0 are not given."""

    cpus: int = conf("CPUs", whole(1, 65_533), 0, "CPUs of each node.", aliases=("Procs",))
    boards: int = conf("Boards", whole(1, 65_533), 0, "Boards of each node.")
    sockets: int = conf("Sockets", whole(1, 65_533), 0, "Sockets of each node.")
    sockets_per_board: int = conf("SocketsPerBoard", whole(1, 65_533), 0, "Sockets of each board.")
    cores: int = conf("CoresPerSocket", whole(1, 65_533), 0, "Cores of each socket.")
    threads: int = conf("ThreadsPerCore", whole(1, 65_533), 0, "Threads of each core.")
    memory_mb: float = conf("RealMemory", MEMORY, 1.0, "Memory of each node (MB).")
    tmp_mb: float = conf("TmpDisk", MEMORY, 0.0, "Temporary disk (MB).", without="disks are not allocated")
    weight: int = conf("Weight", whole(0, 2**32 - 2), 1, "Light nodes are taken first.")
    features: tuple[str, ...] = conf(
        "Features", NAMES, (), "What jobs may ask for by --constraint.", aliases=("Feature",)
    )
    gres: str = conf("Gres", TEXT, "", "Generic resources of each node.")
    core_spec: int = conf("CoreSpecCount", whole(0, 65_533), 0, "Cores that jobs do not get.")
    cpu_spec: str = conf(
        "CPUSpecList", TEXT, "", "CPUs that jobs do not get.", aliases=("CpuSpecList",), without=_BINDING
    )
    memory_spec_mb: float = conf("MemSpecLimit", MEMORY, 0.0, "Memory that jobs do not get (MB).")
    state: str = conf(
        "State",
        word(
            "UNKNOWN",
            "DOWN",
            "DRAIN",
            "FAIL",
            "CLOUD",
            "FUTURE",
            "IDLE",
            "FAILING",
            "UP",
            "EXTERNAL",
            "RESUME",
        ),
        "unknown",
        "Whether they are there.",
    )
    reason: str = conf("Reason", TEXT, "", "Why they are not.", without="a text for people")
    address: str = conf("NodeAddr", TEXT, "", "", without=_DAEMON)
    host: str = conf("NodeHostname", TEXT, "", "", without=_DAEMON)
    port: str = conf("Port", TEXT, "", "", without=_DAEMON)
    bcast: str = conf("BcastAddr", TEXT, "", "", without=_DAEMON)
    topology: str = conf("Topology", TEXT, "", "", without="nodes are not wired in a tree")
    cpu_bind: str = conf("CpuBind", TEXT, "", "", without=_BINDING)
    restrict: str = conf("RestrictedCoresPerGPU", TEXT, "", "", without=_BINDING)
    parameters: str = conf("Parameters", TEXT, "", "", without=_DAEMON)

    def cpus_together(self, by_cpu: bool) -> int:
        """How many CPUs of a node are allocated together: the threads of a core, where CPUs are threads.

        Under CR_CPU (*by_cpu*) they are where the line says which sockets or cores there are.
        """
        told = bool(self.cores or self.sockets or self.sockets_per_board)
        if (by_cpu and not told) or (told and self.cpus == self._sockets_in_all * (self.cores or 1)):
            return 1
        return self.threads or 1

    @property
    def _sockets_in_all(self) -> int:
        return self.sockets or (self.boards or 1) * (self.sockets_per_board or 1)

    @property
    def cpus_instead(self) -> int:
        """The CPUs that Slurm takes where CPUs is no number of sockets, cores or threads; 0: it is one."""
        if not (self.cores or self.threads):
            # Sockets alone are set to what CPUs says.
            return 0
        cores, threads = self.cores or 1, self.threads or 1
        told = bool(self.sockets or self.sockets_per_board or self.boards)
        sockets = self._sockets_in_all if told else max(1, self.cpus // (cores * threads))
        in_all = sockets * cores * threads
        return 0 if self.cpus in (0, sockets, sockets * cores, in_all) else in_all

    @property
    def usable_cpus(self) -> int:
        """CPUs of a node that jobs may have."""
        threads = self.threads or 1
        cpus = self.cpus_instead or self.cpus or self._sockets_in_all * (self.cores or 1) * threads
        return max(1, cpus - self.core_spec * threads)

    @property
    def usable_mb(self) -> float:
        """Memory of a node that jobs may have."""
        return max(0.0, self.memory_mb - self.memory_spec_mb)


_SHARING = "Whether jobs share nodes or CPUs: NO, EXCLUSIVE, YES[:n], FORCE[:n]."


@dataclass(frozen=True, kw_only=True)
class PartitionLine:
    """``PartitionName=``."""

    nodes: str = conf("Nodes", HOSTS, "", "Its nodes, or ALL, or node sets.")
    default: bool = conf("Default", SWITCH, False, "Where jobs without a partition go.")
    max_time_s: float = conf("MaxTime", MINUTES, float("inf"), "The longest time limit.")
    default_time_s: float = conf("DefaultTime", MINUTES, 0.0, "The limit of jobs that give none; 0: MaxTime.")
    min_nodes: int = conf("MinNodes", whole(0, 2**31), 0, "Nodes of a job, at least.")
    max_nodes: int = conf("MaxNodes", whole(0, 2**31, endless=True), -1, "Nodes of a job, at most.")
    max_cpus_per_node: int = conf(
        "MaxCPUsPerNode", whole(0, 2**31, endless=True), -1, "CPUs of a node for its jobs, at most."
    )
    max_cpus_per_socket: int = conf(
        "MaxCPUsPerSocket", whole(0, 2**31, endless=True), -1, "", without=_BINDING
    )
    max_mem_per_cpu_mb: float = conf("MaxMemPerCPU", MEMORY, 0.0, "Memory a CPU, at most (MB).")
    max_mem_per_node_mb: float = conf("MaxMemPerNode", MEMORY, 0.0, "Memory a node, at most (MB).")
    def_mem_per_cpu_mb: float = conf(
        "DefMemPerCPU", MEMORY, 0.0, "Memory of jobs that ask for none, a CPU (MB)."
    )
    def_mem_per_node_mb: float = conf("DefMemPerNode", MEMORY, 0.0, "The same, a node (MB).")
    allow_accounts: tuple[str, ...] = conf(
        "AllowAccounts", LOWER_NAMES, ("all",), "Accounts that may use it."
    )
    deny_accounts: tuple[str, ...] = conf(
        "DenyAccounts", LOWER_NAMES, (), "Accounts that may not, where none is allowed by name."
    )
    allow_qos: tuple[str, ...] = conf("AllowQos", LOWER_NAMES, ("all",), "QOSes that may use it.")
    deny_qos: tuple[str, ...] = conf(
        "DenyQos", LOWER_NAMES, (), "QOSes that may not, where none is allowed by name."
    )
    allow_groups: tuple[str, ...] = conf(
        "AllowGroups",
        NAMES,
        ("ALL",),
        "Groups that may use it.",
        without="a log has each user's first group alone",
    )
    state: str = conf(
        "State", word("UP", "DOWN", "DRAIN", "INACTIVE"), "up", "Whether jobs are taken and started."
    )
    tier: int = conf(
        "PriorityTier", whole(0, 65_533), 1, "Jobs of a higher tier go first, whatever their priorities."
    )
    job_factor: int = conf("PriorityJobFactor", whole(0, 65_533), 1, "The partition factor of its jobs.")
    preempt_mode: frozenset[str] = conf(
        "PreemptMode",
        words("OFF", "CANCEL", "REQUEUE", "SUSPEND", "GANG", "PRIORITY", "WITHIN"),
        frozenset(),
        "What becomes of its jobs that give way.",
    )
    grace_s: float = conf("GraceTime", whole(0, 2**31), 0, "Seconds that a job that gives way has left.")
    over_time_limit_s: float = conf(
        "OverTimeLimit", MINUTES, -1.0, "How long its jobs may run past their limits."
    )
    qos: str = conf("QOS", TEXT, "", "The QOS whose limits hold for all its jobs.")
    billing: Amounts = conf("TRESBillingWeights", WEIGHTS, (), "What usage counts.")
    sharing: str = conf("OverSubscribe", TEXT, "NO", _SHARING, aliases=("Shared",))
    exclusive: str = conf(
        "Exclusive",
        word("NO", "NODE", "USER", "MCS", "TOPO"),
        "no",
        "Whether its jobs have nodes for themselves.",
    )
    exclusive_user: bool = conf("ExclusiveUser", SWITCH, False, "Whether users have nodes for themselves.")
    lln: bool = conf("LLN", SWITCH, False, "Least loaded nodes first.")
    needs_reservation: bool = conf("ReqResv", SWITCH, False, "Only jobs with a reservation.")
    root_only: bool = conf("RootOnly", SWITCH, False, "Only jobs of root.")
    no_root: bool = conf("DisableRootJobs", SWITCH, False, "No jobs of root.")
    hidden: bool = conf("Hidden", SWITCH, False, "", without="what is listed changes no schedule")
    alternate: str = conf(
        "Alternate", TEXT, "", "Where jobs go while it is not up.", without="partitions stay as they are"
    )
    alloc_nodes: str = conf(
        "AllocNodes", TEXT, "", "", without="a log does not say where jobs were submitted"
    )
    cpu_bind: str = conf("CpuBind", TEXT, "", "", without=_BINDING)
    select: str = conf("SelectTypeParameters", TEXT, "", "", without="that of the cluster holds")
    job_defaults: str = conf(
        "JobDefaults", TEXT, "", "", without="GPUs bring no CPUs and no memory with them here"
    )
    power_down: str = conf("PowerDownOnIdle", TEXT, "", "", without="nodes are not powered down")
    resume_timeout: str = conf("ResumeTimeout", TEXT, "", "", without="nodes are not powered down")
    suspend_time: str = conf("SuspendTime", TEXT, "", "", without="nodes are not powered down")
    suspend_timeout: str = conf("SuspendTimeout", TEXT, "", "", without="nodes are not powered down")
    topology: str = conf("Topology", TEXT, "", "", without="nodes are not wired in a tree")


SHOWN_ALONE = frozenset(
    {
        *("totalcpus", "totalnodes", "tres", "resumetimeout", "suspendtimeout", "suspendtime", "arch"),
        *("cpualloc", "cpuefctv", "cputot", "cpuload", "availablefeatures", "activefeatures", "os"),
        *(
            "allocmem",
            "freemem",
            "owner",
            "mcs_label",
            "partitions",
            "boottime",
            "slurmdstarttime",
            "lastbusytime",
        ),
        *(
            "cfgtres",
            "alloctres",
            "capwatts",
            "currentwatts",
            "avewatts",
            "version",
            "resumeaftertime",
            "extsensorsjoules",
        ),
        *("nodesets", "gresused", "gresdrain", "comment", "extra", "instanceid", "instancetype"),
    }
)
"""Keys that ``scontrol show partition`` and ``show node`` write and no ``slurm.conf`` has, in lower case."""


@dataclass(frozen=True)
class Node:
    """One node."""

    name: str
    line: NodeLine


@dataclass(frozen=True)
class Partition:
    """One partition, with the names of its nodes in Slurm's order."""

    name: str
    line: PartitionLine
    nodes: tuple[str, ...]
