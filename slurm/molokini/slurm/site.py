"""Slurm's side of the site port: texts of configurations become sites (``model.site.Configurations``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.model.findings import Finding
from molokini.model.machine import Node
from molokini.model.resources import Resource
from molokini.model.site import Asked, Site
from molokini.policies.slurm.configuration.configured import Configured
from molokini.policies.slurm.configuration.settings import SlurmSettings
from molokini.policies.slurm.configuration.words import PartitionState
from molokini.slurm.accounting_rules import AllowedQos, SlurmAccounts
from molokini.slurm.conf_lines import Node as ConfiguredNode
from molokini.slurm.conf_lines import Partition
from molokini.slurm.conf_reading import Report, check, check_text
from molokini.slurm.model import SlurmConfig
from molokini.slurm.partition_words import check_asked, words_of
from molokini.slurm.policy_settings import gres_of, settings_of
from molokini.slurm.sources import lines_of, text_of
from molokini.slurm.writing import whole_text

_NAME = "slurm.conf"


@dataclass(frozen=True)
class SlurmSite(Configured):
    """What a configuration says, settings of the policy and all else."""

    config: SlurmConfig = field(default_factory=SlurmConfig)
    findings: tuple[Finding, ...] = ()
    """What was read, with the line of each parameter."""

    def account_rules(self) -> SlurmAccounts | None:
        return SlurmAccounts.of(self.config.accounting) if self.config.accounting.associations else None

    @property
    def overruns(self) -> bool:
        return any(self.overrun_s(name) > 0 for name in ("", *(one.name for one in self.config.partitions)))

    def overrun_s(self, queue: str) -> float:
        own = next((one.line.over_time_limit_s for one in self.config.partitions if one.name == queue), -1.0)
        return self.config.scheduling.over_time_limit_s if own < 0 else own

    def node(self, name: str) -> tuple[Sequence[str], str]:
        return self._features.get(name, ()), ""

    @cached_property
    def _features(self) -> Mapping[str, Sequence[str]]:
        return {one.name: one.line.features for one in self.config.nodes}

    def machine_nodes(self) -> Mapping[str, Node]:
        return {one.name: self._capacity(one) for one in self.config.nodes}

    def _capacity(self, one: ConfiguredNode) -> Node:
        """What jobs may have of a node; memory counts where it is consumed."""
        capacity = {Resource.PROCESSORS: float(one.line.usable_cpus)}
        if self.values["consumes_memory"] == "on":
            capacity[Resource.MEMORY_KB] = one.line.usable_mb * 1024.0
        held = gres_of(one)
        for place, name in enumerate(self.generic):
            if held.get(name):
                capacity[Resource(Resource.GENERIC_0 + place)] = held[name]
        return Node(capacity)

    @property
    def generic(self) -> tuple[str, ...]:
        return self.settings.generic

    def known_names(self) -> Mapping[str, Sequence[str]]:
        database = self.config.accounting
        return {
            "queue": sorted(
                (one.name for one in self.config.partitions),
                key=lambda name: name != self.config.default_partition,
            ),
            "account": database.accounts,
            "qos": [one.name for one in database.qos],
            "user": [one.user for one in database.associations if one.user],
            "license": [*self.licenses],
            "resource": [*self.generic],
        }

    def queue_nodes(self, queue: str) -> Sequence[str]:
        return next((one.nodes for one in self.config.partitions if one.name == queue), ())

    def queue_words(self, queue: str) -> Mapping[str, str]:
        found = self._partition(queue)
        return words_of(found, self.config) if found is not None else {}

    def queue_open(self, queue: str) -> tuple[bool, bool]:
        found = self._partition(queue)
        state = found.line.state if found is not None else "up"
        return state in ("up", "down"), state in ("up", "drain")

    @property
    def refuses(self) -> bool:
        return self._enforces_partitions or bool(self._enforced_qos)

    @property
    def _enforces_partitions(self) -> bool:
        return self.config.scheduling.enforce_limits != "no"

    @property
    def _enforced_qos(self) -> tuple[str, ...]:
        """The QOSes that there are, where AccountingStorageEnforce has jobs of others refused."""
        found = self.config.accounting.qos if self.config.enforcement.qos else ()
        return tuple(one.name for one in found)

    @cached_property
    def _allowed_qos(self) -> AllowedQos:
        return AllowedQos.by(self.config.accounting)

    def check_asked(self, asked: Asked) -> None:
        known = self._enforced_qos
        if asked.qos and known and asked.qos.lower() not in known:
            allowed = f"one of {', '.join(known)} (AccountingStorageEnforce=qos)"
            raise BadValue("qos", asked.qos, allowed)
        if asked.qos and known and asked.user:
            own = self._allowed_qos.of(asked.user, asked.account, (asked.queue, *asked.further_queues))
            if own is not None and asked.qos.lower() not in own:
                those = ", ".join(name for name in known if name in own) or "none at all"
                text = f"one that the association of {asked.user} has: {those} (AccountingStorageEnforce=qos)"
                raise BadValue("qos", asked.qos, text)
        if not self._enforces_partitions:
            return
        refusals, parts = list[BadInput](), (asked.queue, *asked.further_queues)
        for found in filter(None, map(self._partition, parts)):
            try:
                check_asked(found, asked)
            except BadInput as error:
                refusals.append(error)
        # ALL (or YES): each of its partitions must take it; ANY: one of them.
        if refusals and (self.config.scheduling.enforce_limits != "any" or len(refusals) == len(parts)):
            raise refusals[0]

    def _partition(self, name: str) -> Partition | None:
        return next((one for one in self.config.partitions if one.name == name), None)

    def assumptions(self) -> Mapping[str, str]:
        without = "without an association, so without shares and limits"
        if self.values["enforce_associations"] == "on":
            without = "without an association, which AccountingStorageEnforce asks for: they never start"
        return {
            "queue": f"taken as of {self.config.default_partition or 'the first partition'}",
            "account": without,
            "license": "not counted",
            "resource": "not counted",
            "qos": "taken as the default QOS of the association",
            "user": without,
        }

    @property
    def limits_from(self) -> str:
        return "DefaultTime, else MaxTime of the partition"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What its user should know, one line each: what of the files is without effect and may surprise."""
        return tuple(f"{one.parameter}: {one.note}" for one in self.findings if one.note)


def site_of(plain: Site, text: str, given: Mapping[str, str]) -> SlurmSite:
    """The site of the slurm.conf *text*, the lines of a dump behind it. Raises BadInput.

    It is of a live server, where the states of queues, which operators change, stand for those of partitions.
    """
    config, settings = _understood(text)
    opened = tuple(replace(one, state=PartitionState.UP) for one in settings.partitions)
    return _made(plain, config, replace(settings, partitions=opened), given)


def site_in(plain: Site, path: str | Path, given: Mapping[str, str], beside: Sequence[str] = ()) -> SlurmSite:
    """The site of the file *path*, with the database that the files *beside* it hold. Raises BadInput."""
    return _of_report(plain, check(str(path), beside), given)


def _of_report(plain: Site, report: Report, given: Mapping[str, str]) -> SlurmSite:
    config = report.checked()
    return replace(_made(plain, config, settings_of(config), given), findings=report.findings)


def _made(plain: Site, config: SlurmConfig, settings: SlurmSettings, given: Mapping[str, str]) -> SlurmSite:
    made = Configured.of(settings, given)
    return SlurmSite(plain.declaration, made.values, plain.plans, made.settings, config)


def configuration_of(path: str | Path, beside: Sequence[str] = ()) -> str:
    """The text of the file *path* with what it includes, and the database beside it. Raises BadFile."""
    config = check(str(path), beside).checked()
    return whole_text(_plain_lines(str(path), text_of(str(path))), config.accounting)


def configuration_in(text: str) -> str:
    """*text* as it would be journalled. Raises BadFile."""
    return _written(_NAME, text)


def _written(name: str, text: str) -> str:
    config = check_text(text, name).checked()
    return whole_text(_plain_lines(name, text), config.accounting)


def _plain_lines(name: str, text: str) -> list[str]:
    from molokini.slurm.dump import TITLE

    lines = []
    for line in lines_of(name, text=text):
        if isinstance(line, BadFile):
            raise line
        if not TITLE.match(line.text):
            lines.append(line.text)
    return lines


def changed(text: str, line: str) -> str:
    """*text* with one line more. Raises BadInput."""
    return configuration_in(f"{text}\n{line}\n")


@lru_cache(maxsize=8)
def _understood(text: str) -> tuple[SlurmConfig, SlurmSettings]:
    config = check_text(text, _NAME).checked()
    return config, settings_of(config)
