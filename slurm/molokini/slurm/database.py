"""What an accounting database says: associations with their shares and limits, and QOSes."""

from dataclasses import dataclass, field

from molokini.slurm.declared import conf
from molokini.slurm.values import (
    AMOUNTS,
    LONG_TIME,
    LOWER_NAMES,
    MINUTES,
    TEXT,
    Amounts,
    Kind,
    number,
    whole,
    word,
    words,
)

PARENT = -1
"""In the place of shares: those of the parent count."""
_COUNT = whole(0, 2**31, endless=True)
_MINUTES_OF = "TRES-minutes"


def _shares(text: str) -> int:
    return PARENT if text.strip().lower() in ("parent", str(2**31 - 1)) else int(text)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits that associations and QOSes both have. -1, infinity and no amount: no limit."""

    grp_tres: Amounts = conf("GrpTRES", AMOUNTS, (), "Allocated at a time by all jobs below.")
    grp_tres_mins: Amounts = conf("GrpTRESMins", AMOUNTS, (), f"Used by all jobs below, in {_MINUTES_OF}.")
    grp_tres_run_mins: Amounts = conf(
        "GrpTRESRunMins", AMOUNTS, (), f"Left to the running jobs below by their limits, in {_MINUTES_OF}."
    )
    grp_jobs: int = conf("GrpJobs", _COUNT, -1, "Running jobs below.")
    grp_submit: int = conf(
        "GrpSubmitJobs", _COUNT, -1, "Running and waiting jobs below.", aliases=("GrpSubmit",)
    )
    grp_wall_s: float = conf("GrpWall", MINUTES, float("inf"), "Wall time used below.")
    grp_jobs_accrue: int = conf("GrpJobsAccrue", _COUNT, -1, "Waiting jobs below that gain age.")
    max_tres: Amounts = conf("MaxTRESPerJob", AMOUNTS, (), "Of one job.", aliases=("MaxTRES", "MaxTRESPJ"))
    max_tres_per_node: Amounts = conf(
        "MaxTRESPerNode", AMOUNTS, (), "Of one job on a node.", aliases=("MaxTRESPN",)
    )
    max_tres_mins: Amounts = conf(
        "MaxTRESMinsPerJob",
        AMOUNTS,
        (),
        f"Of one job by its limit, in {_MINUTES_OF}.",
        aliases=("MaxTRESMins", "MaxTRESMinsPJ"),
    )
    max_wall_s: float = conf(
        "MaxWallDurationPerJob",
        MINUTES,
        float("inf"),
        "The time limit of one job.",
        aliases=("MaxWall", "MaxWallPJ"),
    )
    min_priority: int = conf(
        "MinPrioThreshold",
        _COUNT,
        -1,
        "Jobs of a lower priority get no plan.",
        aliases=("MinPrioThresh", "MinPrioThres"),
    )


@dataclass(frozen=True, kw_only=True)
class Association(Limits):
    """A row of the tree: an account, or a user in one (perhaps in one partition alone)."""

    account: str = conf("Account", TEXT, "", "")
    """In lower case."""
    user: str = conf("User", TEXT, "", "")
    """Empty: the row is of the account."""
    parent: str = ""
    """The account above; of a user's row its own account. Empty: the row of ``root``."""
    partition: str = conf("Partition", TEXT, "", "The partition that the row is for.")
    shares: int = conf(
        "Fairshare",
        Kind("a whole number, or parent", _shares),
        1,
        "Shares among the rows of one parent.",
        aliases=("Share", "Shares", "RawShares"),
    )
    priority: int = conf("Priority", whole(0, 2**31), 0, "The association factor of its jobs.")
    max_jobs: int = conf("MaxJobs", _COUNT, -1, "Running jobs of the row.")
    max_submit: int = conf("MaxSubmitJobs", _COUNT, -1, "Running and waiting jobs.", aliases=("MaxSubmit",))
    max_jobs_accrue: int = conf("MaxJobsAccrue", _COUNT, -1, "Waiting jobs that gain age.")
    qos: tuple[str, ...] = conf(
        "QOS", LOWER_NAMES, (), "The QOSes that its jobs may have.", aliases=("QosLevel",)
    )
    default_qos: str = conf(
        "DefaultQOS", TEXT, "", "That of jobs that name none.", aliases=("Def QOS", "DefQOS")
    )
    default_account: str = conf("DefaultAccount", TEXT, "", "That of the user's jobs that name none.")
    usage_s: float = 0.0
    """Usage at the beginning, in billed TRES-seconds (``sshare``)."""


_FLAGS = (
    *("DenyOnLimit", "EnforceUsageThreshold", "NoDecay", "NoReserve", "OverPartQOS", "PartitionMaxNodes"),
    *("PartitionMinNodes", "PartitionTimeLimit", "Relative", "RequiresReservation", "UsageFactorSafe"),
)


@dataclass(frozen=True, kw_only=True)
class Qos(Limits):
    """A quality of service."""

    name: str = ""
    """In lower case."""
    priority: int = conf("Priority", whole(0, 2**32 - 1), 0, "The QOS factor of its jobs.")
    grace_s: float = conf("GraceTime", LONG_TIME, 0.0, "What a job that gives way has left.")
    preempt: tuple[str, ...] = conf("Preempt", LOWER_NAMES, (), "The QOSes whose jobs give way to its jobs.")
    preempt_mode: str = conf(
        "PreemptMode",
        word("cluster", "cancel", "requeue", "suspend", "gang", "off", "within"),
        "cluster",
        "What becomes of its jobs that give way.",
    )
    exempt_s: float = conf("PreemptExemptTime", LONG_TIME, -1.0, "A job that has run for less is spared.")
    flags: frozenset[str] = conf("Flags", words(*_FLAGS, "NotSet"), frozenset(), "Variants.")
    usage_factor: float = conf("UsageFactor", number(0, 1e9), 1.0, "What its jobs' usage is multiplied by.")
    usage_threshold: float = conf(
        "UsageThreshold",
        number(0, 1),
        -1.0,
        "The fairshare factor that a job needs.",
        aliases=("UsageThres",),
    )
    limit_factor: float = conf("LimitFactor", number(0, 1e9), 1.0, "Multiplies limits of associations.")
    max_tres_user: Amounts = conf(
        "MaxTRESPerUser", AMOUNTS, (), "Allocated at a time by one user.", aliases=("MaxTRESPU",)
    )
    max_tres_account: Amounts = conf(
        "MaxTRESPerAccount", AMOUNTS, (), "The same, by one account.", aliases=("MaxTRESPA",)
    )
    max_jobs_user: int = conf(
        "MaxJobsPerUser", _COUNT, -1, "Running jobs of one user.", aliases=("MaxJobsPU", "MaxJobs")
    )
    max_jobs_account: int = conf(
        "MaxJobsPerAccount", _COUNT, -1, "Running jobs of one account.", aliases=("MaxJobsPA",)
    )
    max_submit_user: int = conf(
        "MaxSubmitJobsPerUser",
        _COUNT,
        -1,
        "Running and waiting jobs of one user.",
        aliases=("MaxSubmitPU", "MaxSubmitJobs", "MaxSubmit"),
    )
    max_submit_account: int = conf(
        "MaxSubmitJobsPerAccount", _COUNT, -1, "The same, of one account.", aliases=("MaxSubmitPA",)
    )
    max_run_mins_user: Amounts = conf("MaxTRESRunMinsPerUser", AMOUNTS, (), "", aliases=("MaxTRESRunMinsPU",))
    max_run_mins_account: Amounts = conf(
        "MaxTRESRunMinsPerAccount", AMOUNTS, (), "", aliases=("MaxTRESRunMinsPA",)
    )
    max_accrue_user: int = conf("MaxJobsAccruePerUser", _COUNT, -1, "", aliases=("MaxJobsAccruePU",))
    max_accrue_account: int = conf("MaxJobsAccruePerAccount", _COUNT, -1, "", aliases=("MaxJobsAccruePA",))
    min_tres: Amounts = conf(
        "MinTRESPerJob", AMOUNTS, (), "What a job must ask for.", aliases=("MinTRES", "MinTRESPJ")
    )


@dataclass(frozen=True)
class Accounting:
    """The associations of one cluster, in the order of the texts, and the QOSes."""

    cluster: str = ""
    associations: tuple[Association, ...] = ()
    qos: tuple[Qos, ...] = ()
    from_files: tuple[str, ...] = field(default=(), compare=False)
    """What was read."""

    @property
    def accounts(self) -> tuple[str, ...]:
        """The names of the accounts."""
        return tuple(dict.fromkeys(one.account for one in self.associations))

    def qos_of(self, row: Association) -> tuple[str, ...]:
        """The QOSes of a *row*: its list; where it has none, that of the account above; or that one, changed.

        ``+high`` adds to the list above, ``-high`` takes out of it, as sacctmgr dump writes them.
        """
        if row.qos and not any(name.startswith(("+", "-")) for name in row.qos):
            return row.qos
        above = row.account if row.user else row.parent
        found = next((one for one in self.associations if one.account == above and not one.user), None)
        names = [] if found is None else [*self.qos_of(found)]
        for name in row.qos:
            bare = name.lstrip("+-")
            names = [one for one in names if one != bare]
            if not name.startswith("-"):
                names.append(bare)
        return tuple(names)
