"""Settings of a configuration, and on top of them the declared parameters that were given beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from molokini.model.credentials import CredentialType
from molokini.model.errors import UnknownName
from molokini.model.policy import Kind, Parameter, Value
from molokini.model.site import KnownCredential, LicenseNumberOf, NodeNumberOf, NumberOf, Site, no_licenses
from molokini.policies.maui.configuration.node_settings import NodeLine
from molokini.policies.maui.configuration.node_vector import partition_of, unknown_nodes
from molokini.policies.maui.configuration.parameters import HEADER, PARAMETERS
from molokini.policies.maui.configuration.settings import DEFAULT, Credential, MauiSettings
from molokini.policies.maui.configuration.vector import qos_places, vector_of
from molokini.policies.maui.configuration.words import AccountOf

_DEPTH = "reservation_depth"
_LINES = {
    CredentialType.USER: "users",
    CredentialType.GROUP: "groups",
    CredentialType.ACCOUNT: "accounts",
    CredentialType.QUEUE: "queues",
    CredentialType.QOS: "qos",
}


@dataclass(frozen=True)
class Configured(Site):
    """What the policy is made of: settings of a file, and the value of each declared parameter.

    ``values`` are as the settings say, but for what was given beside them.
    """

    settings: MauiSettings = field(default_factory=MauiSettings)

    by_number: ClassVar[bool] = True

    @classmethod
    def of(cls, settings: MauiSettings, given: Mapping[str, str]) -> Self:
        """*settings* with the declared parameters *given* (in text) on top.

        Raises UnknownName for what is no parameter of the policy, BadValue for a value out of its range.
        """
        known = {parameter.name: parameter for parameter in PARAMETERS}
        for name in given:
            if name not in known:
                raise UnknownName("parameter of policy maui", name, known)
        told = {name: known[name].parse(text) for name, text in given.items()}
        if _DEPTH in told:
            settings = _with_depth(settings, int(str(told[_DEPTH])))
        return cls(values={**values_of(settings), **told}, settings=settings)

    def check_machine(self, processors: int, nodes: int) -> None:
        """None of its parameters needs anything of a machine."""

    def vector(
        self,
        number_of: NumberOf,
        node_of: NodeNumberOf = unknown_nodes,
        license_of: LicenseNumberOf = no_licenses,
    ) -> list[float]:
        """The vector of the policy in a run whose names, and whose nodes, have these numbers."""
        header = [number for one in PARAMETERS for number in one.encode(self.values[one.name])]
        return [*header, *vector_of(self.settings, number_of, node_of)[HEADER:]]

    @property
    def account_of(self) -> AccountOf:
        """Which credential's name is the account of a job that has none."""
        return AccountOf[str(self.values["account_of"]).upper()]

    def default_limit_s(self, queue: str) -> float:
        queues, nothing = self.settings.queues, Credential()
        said = (queues.get(name, nothing).default_wall_time_s for name in (queue, DEFAULT))
        return next(filter(None, said), self.settings.default_wall_time_s)

    def overrun_s(self, queue: str) -> float:
        queues, nothing = self.settings.queues, Credential()
        said = (queues.get(name, nothing).overrun_s for name in (queue, DEFAULT))
        found = next((one for one in said if one is not None), self.settings.overrun_s)
        return found if found >= 0 else float("inf")

    @property
    def overruns(self) -> bool:
        lines = self.settings.queues.values()
        return bool(self.settings.overrun_s or any(one.overrun_s for one in lines))

    def names(self) -> list[str]:
        """Every credential that the configuration names, by type, then by name."""
        found = {(kind, name) for kind in CredentialType for name in _named(self.settings, kind)}
        return [name for _, name in sorted(found) if name != DEFAULT]

    def services(self) -> dict[str, int]:
        return qos_places(self.settings.qos)

    @property
    def partitions(self) -> tuple[str, ...]:
        return self.settings.partitions

    def node(self, name: str) -> tuple[Sequence[str], str]:
        lines = self.settings.nodes.lines
        default = lines.get(DEFAULT, NodeLine())
        line = lines.get(name, default)
        partition = partition_of(line, default) if lines and self.partitions else ""
        return line.features or default.features, partition

    def within(self, known: KnownCredential) -> tuple["Configured", dict[CredentialType, list[str]]]:
        """Accounts and QoSes stay: rules of the configuration give them to jobs."""
        unknown = {
            kind: sorted(
                {name for name in _named(self.settings, kind) if name != DEFAULT and not known(kind, name)}
            )
            for kind in (CredentialType.USER, CredentialType.GROUP, CredentialType.QUEUE)
        }
        left = replace(
            self.settings,
            **{  # type: ignore[arg-type]
                field: {
                    name: _without_pairs(one, unknown)
                    for name, one in self.settings.credentials(kind).items()
                    if name not in unknown.get(kind, ())
                }
                for kind, field in _LINES.items()
            },
        )
        return replace(self, settings=left), {kind: names for kind, names in unknown.items() if names}


def values_of(settings: MauiSettings) -> dict[str, Value]:
    """The declared parameters as *settings* have them."""
    return {one.name: _decoded(one, x) for one, x in zip(PARAMETERS, settings.numbers, strict=True)}


def _decoded(parameter: Parameter, number: float) -> Value:
    if parameter.kind is Kind.CHOICE:
        return parameter.choices[int(number)]
    return int(number) if parameter.kind is Kind.INTEGER else number


def _with_depth(settings: MauiSettings, depth: int) -> MauiSettings:
    """RESERVATIONDEPTH without an index is the depth of the first bucket."""
    first, *others = settings.buckets
    return replace(settings, buckets=(replace(first, depth=depth), *others))


def _named(settings: MauiSettings, kind: CredentialType) -> list[str]:
    """Every credential of *kind* that the settings name."""
    pairs = [
        pair.name
        for whose in CredentialType
        for one in settings.credentials(whose).values()
        for pair in one.pairs
        if pair.type is kind and pair.name
    ]
    return [*settings.credentials(kind), *pairs]


def _without_pairs(one: Credential, unknown: Mapping[CredentialType, list[str]]) -> Credential:
    kept = tuple(pair for pair in one.pairs if pair.name not in unknown.get(pair.type, ()))
    return one if len(kept) == len(one.pairs) else replace(one, pairs=kept)
