"""Configurations of a site as policies of a replay: ``--maui-config FILE``, ``--slurm-conf FILE``."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from molokini.experiments.asked import Settings
from molokini.experiments.asked_nodes import license_numbers
from molokini.experiments.choosing import FREE, Chosen, choose, settings
from molokini.experiments.machines import names_of
from molokini.experiments.maui_banks import accounts_in
from molokini.experiments.unfit_names import unfit
from molokini.model.banks import Accounts
from molokini.model.credentials import CredentialType, queues_in
from molokini.model.errors import BadFile, BadInput
from molokini.model.machine import Machine
from molokini.model.numbering import Numbering
from molokini.model.policy import Value
from molokini.model.reservations import StandingReservation, entry_of, renamed
from molokini.model.resources import Resource
from molokini.model.site import CONFIGURABLE, FILES, NO_LICENSE, NO_NODE, KnownNode, Misplaced, Site
from molokini.model.text import plural
from molokini.policies import load_policy
from molokini.reports.stopped import numbers_of
from molokini.sim.replay import Options
from molokini.workloads.arrivals import second_zero_s
from molokini.workloads.workload import Floats, Ints, Workload

NOBODY = -2
"""The number of a credential that no job has."""
_BY_NAME = {
    "user": CredentialType.USER,
    "group": CredentialType.GROUP,
    "account": CredentialType.ACCOUNT,
    "queue": CredentialType.QUEUE,
    "service": CredentialType.QOS,
}
_TIMER = "poll_s"


@dataclass(frozen=True)
class ConfiguredPolicy(Chosen):
    """A policy as a file configures it."""

    label: str
    """The file's name."""
    file: str
    site: Site
    other_nodes: int = NO_NODE
    """What nodes are that the file names and the machine has not: ``NOT_YET`` where they may come."""
    step_s: float = 0.0
    """Jobs end on multiples of it; 0: at any time."""

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.label + FREE * self.free

    def with_values(self, values: Mapping[str, Value]) -> "ConfiguredPolicy":
        """The same file with other values of the policy's parameters."""
        return replace(self, values=values, site=replace(self.site, values=values))

    def workload(self, workload: Workload) -> Workload:
        """*workload* with the estimates that the file gives to jobs that have none, and a number for each
        queue that jobs name among several.
        """
        made = workload.with_estimates(self.default_limits_s(workload))
        return made.with_queues(chain.from_iterable(_lists_in(made.names.get("queue", ())).values()))

    @property
    def licenses(self) -> Mapping[str, int]:
        """Those of the file."""
        return self.site.licenses

    def default_limits_s(self, workload: Workload) -> Floats:
        """The estimate that the file gives to each job; 0: the job has one, or the file says nothing."""
        if workload.loads is not None:
            return np.zeros(len(workload))
        limits_s = _by_queue(workload, self.site.default_limit_s)
        limits_s[workload.estimated] = 0.0
        return limits_s

    def overruns_s(self, workload: Workload) -> Floats | None:
        """How long each job may run past its estimate, by the file; None: none at all."""
        if not self.site.overruns or workload.loads is not None:
            return None
        overruns_s = _by_queue(workload, self.site.overrun_s)
        return np.ceil(overruns_s / self.step_s) * self.step_s if self.step_s else overruns_s

    def vector(self, workload: Workload, nodes: Sequence[str] = ()) -> Sequence[float]:
        """The whole vector of the policy in a replay of *workload* on nodes of these names."""
        return self.numbered(workload, nodes)[0]

    def numbered(
        self, workload: Workload, nodes: Sequence[str] = ()
    ) -> tuple[Sequence[float], dict[CredentialType, Numbering]]:
        """The vector, and the number of each credential by its name, those of the file's QoSes included."""
        numbers = numbers_of(workload)
        queues = numbers[CredentialType.QUEUE]
        lists = _lists_in(queues)
        known = workload.names.get("queue", ())
        for name in chain.from_iterable(lists.values()):
            if name in known:
                queues.setdefault(name, known.index(name))
        site = self.site.with_queues(lists)
        within, _ = site.within(lambda kind, name: name in numbers[kind])
        licenses = license_numbers(workload)
        places = {name: place for place, name in enumerate(nodes)}
        vector = within.vector(
            lambda kind, name: numbers[kind].of(name),
            lambda name: places.get(name, self.other_nodes),
            lambda name: licenses.get(name, NO_LICENSE),
        )
        self.accounts(workload, numbers[CredentialType.ACCOUNT])
        return vector, numbers

    def accounts(self, workload: Workload, numbers: Numbering) -> Accounts | None:
        """The accounts of the jobs of *workload*, and their bank; *numbers* are added to."""
        return accounts_in(self.site, workload, numbers)

    def options(self, options: Options, workload: Workload, machine: Machine) -> Options:
        """*options* with the vector of the policy, and the standing reservations of the file."""
        made, names = self.reservations(workload, machine), names_of(machine)
        vector, numbers = self.numbered(workload, names)
        return replace(
            options,
            parameters=vector,
            overruns_s=self.overruns_s(workload),
            accounts=self.accounts(workload, numbers[CredentialType.ACCOUNT]),
            services=services_of(self.site, workload),
            reservations=(*options.reservations, *made),
            node_names=names,
        )

    def reservations(self, workload: Workload, machine: Machine) -> list[StandingReservation]:
        """The standing reservations of the file, in the numbers of *workload*.

        Raises BadFile, with the line, for one that cannot be on *machine*.
        """
        names = names_of(machine)
        nodes = [
            KnownNode(name, int(node.capacity.get(Resource.PROCESSORS, 0)))
            for name, node in zip(names, machine.nodes, strict=True)
        ]
        try:
            made = self.site.reservations(machine.processors, nodes, second_zero_s(workload))
        except Misplaced as error:
            raise BadFile(self.file, f"SRCFG[{error.name}] {error}", self.site.line_of(error)) from None
        if not made:
            return []
        numbers = {**numbers_of(workload), CredentialType.QOS: self.site.services()}
        return [_numbered(one, numbers) for one in made]

    def part(self, workloads: Sequence[Workload]) -> dict[str, Any]:
        """What results say of the file: its name, and how many of its names no job has."""
        return {
            **super().part(workloads),
            FILES[self.policy.name]: {
                "file": self.file,
                "names_without_jobs": self.left_out(workloads),
                "jobs_with_default_limit": self._limited(workloads),
            },
        }

    def notes(self, workloads: Sequence[Workload]) -> list[str]:
        """One line about the names of the file that no job in *workloads* has, if there are any; and one
        about the jobs to which it gives an estimate.
        """
        lines = []
        if names := self._without_jobs(workloads):
            named = ", ".join(plural(len(gone), kind.name.lower()) for kind, gone in names.items())
            told = f"{named} named in the file, without jobs in this log"
            lines.append(f"{self.file}: {told}: {self.site.without_jobs(names)}")
        if limited := self._limited(workloads):
            who = f"{plural(limited, 'job')} without an estimate {'has' if limited == 1 else 'have'}"
            lines.append(f"{self.file}: {who} that of the file ({self.site.limits_from})")
        return [*lines, *unfit(self.site, workloads), *self.site.remarks]

    def _limited(self, workloads: Sequence[Workload]) -> int:
        """Jobs to which the file gives an estimate."""
        return sum(int((self.default_limits_s(workload) > 0).sum()) for workload in workloads)

    def left_out(self, workloads: Sequence[Workload]) -> dict[str, int]:
        """Users, groups and queues of the file, by type, of which no job of *workloads* is."""
        return {kind.name.lower(): len(gone) for kind, gone in self._without_jobs(workloads).items()}

    def _without_jobs(self, workloads: Sequence[Workload]) -> dict[CredentialType, list[str]]:
        numbers = [numbers_of(workload) for workload in workloads]
        _, names = self.site.within(lambda kind, name: any(name in known[kind] for known in numbers))
        return names


def services_of(site: Site, workload: Workload) -> Ints | None:
    """The place of the QoS of each job among those of *site*; None where no job has one."""
    known = site.services()
    if workload.recorded is None or not known:
        return None
    names = workload.names.get("qos", ())
    places = np.array([known.get(name, known.get(name.lower(), -1)) for name in names], dtype=np.int64)
    qos = workload.recorded.qos
    return np.where(qos > 0, places[np.maximum(qos, 0)], -1) if len(places) else None


def chosen_for(name: str, file: str | None, given: Settings, folders: Sequence[Path]) -> Chosen:
    """The policy *name*, as *file* configures it where one is given."""
    if file is None:
        return choose([name], given, folders)[0]
    check_configurable(name, file)
    return choose_configured([file], given)[0]


def check_configurable(name: str, file: str | None) -> None:
    """Complain where *file* would configure the policy *name*, which has no configurations."""
    if file is not None and name != CONFIGURABLE:
        reason = f"configures the policy {CONFIGURABLE}, not {name}; say --policy {CONFIGURABLE}"
        raise BadInput(f"--maui-config {reason}")


def choose_several(
    names: Sequence[str], files: Sequence[str], given: Settings, folders: Sequence[Path]
) -> list[Chosen]:
    """The policies *names*, then the policy that has configurations once for each of *files*.

    Each takes of *given* the parameters that it has. Raises UnknownName for one that none of them has.
    """
    if not files:
        return choose(names, given, folders)
    if not names:
        return list(choose_configured(files, given))
    known, wanted = {one.name for one in load_policy(CONFIGURABLE).declaration.parameters}, settings(given)
    others = {name: value for name, value in wanted.items() if name not in known}
    shared = {name: value for name, value in wanted.items() if name in known}
    first = choose(names, others, folders)
    theirs = set[str]().union(*(one.parameters for one in first))
    both = {name: value for name, value in shared.items() if name in theirs}
    return [*choose(names, {**others, **both}, folders), *choose_configured(files, shared)]


def choose_configured(
    files: Sequence[str], given: Settings, name: str = CONFIGURABLE, beside: Sequence[str] = ()
) -> list[ConfiguredPolicy]:
    """The policy *name* once for each of *files*, parameters of ``--set`` on top.

    Files *beside* belong to each of them. Raises BadFile for the first thing that is wrong in a file.
    """
    option = f"--{FILES[name].replace('_', '-')}"
    for file, times in Counter(files).items():
        if times > 1:
            raise BadInput(f"{option} {file}: the file is given {times} times")
    # Events wake the policy, and it finds the instants at which time alone changes which jobs may start; its
    # timer (RMPOLLINTERVAL) is for the live server, or asked for by name.
    timer = {_TIMER: "0"} if name == CONFIGURABLE else {}
    said, policy = settings(given), load_policy(name)
    wanted = {**timer, **said}
    names = Counter(Path(file).name for file in files)
    made = []
    for file in files:
        site = policy.configurations.site_in(policy.plain, file, wanted, beside)
        label = Path(file).name if names[Path(file).name] == 1 else file
        made.append(ConfiguredPolicy(policy, site.values, label, file, site, given=frozenset(said)))
    return made


def _lists_in(names: Iterable[str]) -> dict[str, Sequence[str]]:
    """The names that are lists of queues (``low,batch``), and the queues of each."""
    lists = ((name, queues_in(name)) for name in names)
    return {name: queues for name, queues in lists if len(queues) > 1}


def _by_queue(workload: Workload, said: Callable[[str], float]) -> Floats:
    """What is *said* of the queue of each job."""
    _, first, place = np.unique(workload.queue, return_index=True, return_inverse=True)
    of_queue = [said(workload.name_of("queue", int(row))) for row in first]
    return np.array(of_queue, dtype=np.float64)[place]


def _numbered(
    one: StandingReservation, numbers: Mapping[CredentialType, Mapping[str, int]]
) -> StandingReservation:
    """*one* with numbers of credentials in place of their names; a name without jobs gets ``NOBODY``."""

    def of(lists: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {
            kind: tuple(_number_of(kind, name, numbers) for name in names) for kind, names in lists.items()
        }

    terms = replace(one.terms, denied=of(one.terms.denied), required=of(one.terms.required))
    return replace(one, access=of(one.access), terms=terms)


def _number_of(kind: str, name: str, numbers: Mapping[CredentialType, Mapping[str, int]]) -> str:
    if kind not in _BY_NAME:
        return name
    own, _ = entry_of(name)
    return renamed(name, str(numbers[_BY_NAME[kind]].get(own, NOBODY)))
