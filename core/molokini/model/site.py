"""The site port: what a site's configuration adds to a policy.

Server, runs and reports know this port alone. A policy that has configurations names in its declaration the
module that makes sites of them; its texts, its words and its rules are that module's own.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

from molokini.model.banks import Bank
from molokini.model.credentials import CredentialType
from molokini.model.machine import Node
from molokini.model.policy import Policy, Rows, Value
from molokini.model.reservations import StandingReservation

CONFIGURABLE = "maui"
"""The policy that has configurations, for callers that name none, and for the refusal of others."""
CONFIGURATION = "maui_config"
"""The parameter that is the text of a configuration: journals of all releases have it under this name."""
DESCRIBED = "slurm"
"""The policy whose configuration describes the machine, too, and has files beside it."""
DESCRIPTION = "slurm_conf"
"""What results call such a configuration."""
FILES = {CONFIGURABLE: CONFIGURATION, DESCRIBED: DESCRIPTION}
"""What the option of a policy's configuration is called, and its part of results, by the policy's name."""

NumberOf = Callable[[CredentialType, str], int]
"""The number that the tables of a run have, or will have, for a credential by its name."""
NodeNumberOf = Callable[[str], int]
"""The number of a node by its name, from 0; ``NO_NODE`` or ``NOT_YET`` where there is none."""
LicenseNumberOf = Callable[[str], int]
"""The number that jobs of a run have for licences of a name; ``NO_LICENSE`` where none asks for them."""
KnownCredential = Callable[[CredentialType, str], bool]
"""Whether a run has a credential of this name."""
NO_NODE, NOT_YET = -1, -2
"""The node will never be there; it may still register."""
NO_LICENSE = -1


@dataclass(frozen=True)
class KnownNode:
    """A node that there is."""

    name: str
    processors: int
    features: frozenset[str] = frozenset()
    partition: str = "DEFAULT"


class Misplaced(ValueError):
    """A reservation that cannot be on the machine; *attribute* says why."""

    def __init__(self, name: str, attribute: str, cause: str) -> None:
        super().__init__(cause)
        self.name, self.attribute, self.cause = name, attribute, cause


@dataclass(frozen=True)
class Simulation:
    """How a configuration has its own traces simulated: time goes in steps."""

    workload: str
    """The file of jobs, beside the configuration unless it says otherwise."""
    resources: str
    """The file of nodes."""
    node_count: int
    """So many of its nodes; 0: all."""
    scaling_percent: float
    """Of run times and estimates."""
    step_s: float
    entering: str
    """How jobs enter: a member of ``sim.stepping.Entering``."""
    depth: int
    """Jobs, or processor-seconds, that wait at a time where jobs enter by that."""
    steps: int
    """The simulation ends after so many."""


@dataclass(frozen=True)
class Asked:
    """What a submission asks for, as far as rules of queues go."""

    queue: str
    account: str
    """Empty: none, as of the QOS."""
    qos: str
    estimate_s: float
    nodes: int
    """So many; 0: any number."""
    further_queues: tuple[str, ...] = ()
    """Others in which it may start."""
    user: str = ""
    """Empty: not known."""


class AccountRules(Protocol):
    """Which accounts jobs have and may have."""

    def default(self, user: str, group: str, queue: str) -> str:
        """The account of a job of these that names none; empty: none."""

    def allowed(self, user: str, group: str, queue: str) -> frozenset[str] | None:
        """The accounts that a job of these may have; None: any."""


_UNKNOWN = Policy("", "", "", "")


def no_licenses(_name: str) -> int:
    """``LicenseNumberOf`` of jobs that ask for none."""
    return NO_LICENSE


@dataclass(frozen=True)
class Site:
    """What a policy is made of. This one has no configuration: its methods add nothing to the parameters."""

    declaration: Policy = _UNKNOWN
    values: Mapping[str, Value] = field(default_factory=dict)
    """Of the declared parameters; none where they are no longer understood."""
    plans: bool = True
    """Whether the policy plans ahead; one that is no longer known did, perhaps."""

    chooses_queues: ClassVar[bool] = False
    """Whether the policy chooses a queue for jobs that name several; else a job is of the first of them."""
    by_number: ClassVar[bool] = False
    """Whether the vector holds numbers of credentials and nodes, which only a run can give."""

    def charged(self) -> tuple[int, float]:
        """What active jobs are charged, and for how long a window of usage is; (0, 1) for nothing."""
        if not self.values:
            return 0, 1.0
        return self.declaration.charged(self.declaration.vector(self.values))

    def rows(self) -> Rows:
        """The matrix in which jobs stand; of no rows where there is none."""
        if not self.values:
            return Rows()
        return self.declaration.rows(self.declaration.vector(self.values))

    def check_machine(self, processors: int, nodes: int) -> None:
        """BadValue where a parameter needs what a machine of so many processors and *nodes* lacks."""
        self.declaration.check_machine(self.values, processors, nodes)

    def vector(
        self, number_of: NumberOf, node_of: NodeNumberOf, license_of: LicenseNumberOf = no_licenses
    ) -> Sequence[float]:
        """The vector that the policy reads in a run whose names, nodes and licences have these numbers."""
        return self.declaration.vector(self.values)

    def names(self) -> Sequence[str]:
        """The credentials that the configuration names, in one order."""
        return ()

    def services(self) -> Mapping[str, int]:
        """The place of each QoS of the configuration among those that the policy finds for jobs."""
        return {}

    def with_queues(self, lists: Mapping[str, Sequence[str]]) -> "Site":
        """The same for a run in which each name of *lists* stands for several queues, which are given for it.

        A job of such a name starts in one of them, by a policy that chooses among queues.
        """
        return self

    def default_limit_s(self, queue: str) -> float:
        """The estimate of a job of *queue* that gives none; 0: the configuration sets none."""
        return 0.0

    @property
    def overruns(self) -> bool:
        """Whether any job may run past its limit."""
        return False

    def overrun_s(self, queue: str) -> float:
        """How long a job of *queue* may run past its limit; infinity: without limit."""
        return 0.0

    def bank(self) -> Bank | None:
        """The bank that charges jobs."""
        return None

    def account_rules(self) -> AccountRules | None:
        """The rules of accounts; None: each job has the account that it names, or none."""
        return None

    def reservations(
        self, processors: int, nodes: Sequence[KnownNode], zone_s: float = 0.0
    ) -> list[StandingReservation]:
        """The standing reservations; midnight is *zone_s* before that of the clock.

        Raises Misplaced for one that cannot be on these nodes (yet).
        """
        return []

    def simulation(self) -> Simulation | None:
        """The simulation that the configuration asks for."""
        return None

    def line_of(self, error: Misplaced) -> int | None:
        """The line of the configuration's file that *error* is about; None: not known."""
        return None

    def within(self, known: KnownCredential) -> tuple["Site", dict[CredentialType, list[str]]]:
        """The same without the users, groups and queues that a run does not have; and the names of these."""
        return self, {}

    @property
    def partitions(self) -> tuple[str, ...]:
        """The partitions that nodes are in, by their numbers; empty: there are none."""
        return ()

    def machine_nodes(self) -> Mapping[str, Node]:
        """The nodes that the configuration describes, by name in their order; empty: it describes none."""
        return {}

    @property
    def generic(self) -> tuple[str, ...]:
        """The generic resources that the policy counts, in the order of the machine's columns."""
        return ()

    @property
    def licenses(self) -> Mapping[str, int]:
        """How many licences of each name the policy counts; empty: it counts none."""
        return {}

    def known_names(self) -> Mapping[str, Sequence[str]]:
        """The names that a job may have, by kind: ``queue``, ``account``, ``qos``, ``user``, ``license``.

        Kinds that the configuration does not list are left out.
        """
        return {}

    def queue_nodes(self, queue: str) -> Sequence[str]:
        """The nodes to which the configuration keeps jobs of *queue*; empty: all."""
        return ()

    def queue_words(self, queue: str) -> Mapping[str, str]:
        """What the configuration says of *queue*, by its own words; empty: it does not describe queues."""
        return {}

    def queue_open(self, queue: str) -> tuple[bool, bool]:
        """Whether *queue* takes jobs, and whether these start, as a live server begins."""
        return True, True

    @property
    def refuses(self) -> bool:
        """Whether the configuration has jobs refused that its queues would never start."""
        return False

    def check_asked(self, asked: Asked) -> None:
        """BadInput where such a job may not even be submitted."""

    def assumptions(self) -> Mapping[str, str]:
        """What is assumed of jobs whose name of a kind is not among these, in words."""
        return {}

    def without_jobs(self, kinds: Collection[CredentialType]) -> str:
        """What becomes of names of these *kinds* that the configuration has and a run lacks, in words."""
        return "not used"

    @property
    def limits_from(self) -> str:
        """Which parameters give estimates to jobs that have none, in words."""
        return "DEFAULT.WCLIMIT, SYSTEMDEFAULTJOBWALLTIME"

    @property
    def remarks(self) -> Sequence[str]:
        """What the user of a run under the configuration should know, one line each."""
        return ()

    def node(self, name: str) -> tuple[Sequence[str], str]:
        """The features that the configuration gives to the node *name*, and its partition; empty: none."""
        return (), ""


PLAIN = Site()
"""No policy, or one that is no longer known."""


class Configurations(Protocol):
    """The module that a policy's declaration names: it makes sites of the texts of configurations."""

    def site_of(self, plain: Site, text: str, given: Mapping[str, str]) -> Site:
        """What the configuration *text* makes of the policy of *plain*, parameters *given* on top.

        Raises BadInput.
        """

    def site_in(
        self, plain: Site, path: str | Path, given: Mapping[str, str], beside: Sequence[str] = ()
    ) -> Site:
        """The same for the configuration in the file *path*, with files *beside* it that belong to it.

        Raises BadFile for the first mistake.
        """

    def configuration_of(self, path: str | Path, beside: Sequence[str] = ()) -> str:
        """The text of the configuration in the file *path*, without what it includes and without secrets.

        Raises BadFile for the first thing that is wrong in it, or in the files *beside* it.
        """

    def configuration_in(self, text: str) -> str:
        """The configuration that *text* is, as it would be journalled. Raises BadFile."""

    def changed(self, text: str, line: str) -> str:
        """The configuration *text* with one *line* more. Raises BadInput."""
