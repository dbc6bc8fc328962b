"""Settings of a configuration, and on top of them the declared parameters that were given beside it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from molokini.model.credentials import CredentialType, queues_in
from molokini.model.errors import UnknownName
from molokini.model.site import KnownCredential, LicenseNumberOf, NodeNumberOf, NumberOf, Site, no_licenses
from molokini.policies.slurm.configuration.parameters import PARAMETERS
from molokini.policies.slurm.configuration.settings import SlurmSettings
from molokini.policies.slurm.configuration.vector import unknown_nodes, vector_of


@dataclass(frozen=True)
class Configured(Site):
    """What the policy is made of: settings of a file, and the value of each declared parameter.

    ``values`` are as the settings say, but for what was given beside them.
    """

    settings: SlurmSettings = field(default_factory=SlurmSettings)

    by_number: ClassVar[bool] = True
    chooses_queues: ClassVar[bool] = True

    @classmethod
    def of(cls, settings: SlurmSettings, given: Mapping[str, str]) -> Self:
        """*settings* with the declared parameters *given* (in text) on top.

        Raises UnknownName for what is no parameter of the policy, BadValue for a value out of its range.
        """
        known = {parameter.name: parameter for parameter in PARAMETERS}
        for name in [*given, *settings.chosen]:
            if name not in known:
                raise UnknownName("parameter of policy slurm", name, known)
        told = {name: known[name].parse(text) for name, text in given.items()}
        defaults = {one.name: one.default for one in PARAMETERS}
        return cls(values={**defaults, **settings.chosen, **told}, settings=settings)

    def check_machine(self, processors: int, nodes: int) -> None:
        """None of its parameters needs anything of a machine."""

    def vector(
        self,
        number_of: NumberOf,
        node_of: NodeNumberOf = unknown_nodes,
        license_of: LicenseNumberOf = no_licenses,
    ) -> list[float]:
        """The vector of the policy in a run whose names, nodes and licences have these numbers."""
        return vector_of(self.settings, self.values, number_of, node_of, license_of)

    @property
    def licenses(self) -> Mapping[str, int]:
        """Those of the cluster."""
        return self.settings.licenses

    def names(self) -> Sequence[str]:
        """Every credential that the configuration names, by type, then by name; then licences."""
        found = {
            *((CredentialType.QUEUE, one.name) for one in self.settings.partitions),
            *((CredentialType.QUEUE, name) for name in self.settings.queues),
            *((CredentialType.ACCOUNT, one.account) for one in self.settings.associations),
            *((CredentialType.USER, one.user) for one in self.settings.associations if one.user),
        }
        return [*(name for _, name in sorted(found)), *sorted(self.settings.licenses)]

    def services(self) -> dict[str, int]:
        """The place of each QOS."""
        return {one.name: place for place, one in enumerate(self.settings.qos)}

    def with_queues(self, lists: Mapping[str, Sequence[str]]) -> Self:
        """With each list of partitions that jobs ask for, without names that are no partition's.

        A list of no partition at all is left out: its jobs are of the default partition.
        """
        known = {one.name for one in self.settings.partitions}
        found = {name: tuple(one for one in parts if one in known) for name, parts in lists.items()}
        queues = {name: parts for name, parts in found.items() if parts}
        return replace(self, settings=replace(self.settings, queues=queues)) if queues else self

    def default_limit_s(self, queue: str) -> float:
        """DefaultTime of the partition, else its MaxTime; 0 where it has neither.

        Of a list of partitions it is that of the first that there is.
        """
        found = {one.name: one for one in self.settings.partitions}
        named = (name for name in queues_in(queue) if name in found)
        one = found.get(next(named, self.settings.default_partition))
        if one is None:
            return 0.0
        limit_s = one.default_time_s or one.max_time_s
        return limit_s if limit_s < float("inf") else 0.0

    def within(self, known: KnownCredential) -> tuple["Configured", dict[CredentialType, list[str]]]:
        """All of it: shares of users without jobs count in the tree."""
        users = {one.user for one in self.settings.associations if one.user}
        queues = {one.name for one in self.settings.partitions}
        unknown = {
            kind: sorted(name for name in names if not known(kind, name))
            for kind, names in ((CredentialType.USER, users), (CredentialType.QUEUE, queues))
        }
        return replace(self), {kind: names for kind, names in unknown.items() if names}

    def without_jobs(self, kinds: Collection[CredentialType]) -> str:
        """Users have their part in the shares of their account, whether or not they have jobs."""
        if CredentialType.USER not in kinds:
            return super().without_jobs(kinds)
        others = "; the rest is not used" if len(kinds) > 1 else ""
        return f"shares of users count in the tree all the same{others}"
