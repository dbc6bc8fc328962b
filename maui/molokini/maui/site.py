"""Maui's side of the site port: texts of configurations become sites (``model.site.Configurations``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from molokini.maui.bank import bank_of, rules_of
from molokini.maui.changing import changed as with_line
from molokini.maui.compiling import compiled
from molokini.maui.findings import Finding
from molokini.maui.model import MauiConfig
from molokini.maui.reading import check, check_text, read_config
from molokini.maui.sections.daemon import ServerMode
from molokini.maui.sections.simulation import Submission
from molokini.maui.standing import standing
from molokini.maui.writing import write_config
from molokini.model.banks import Bank
from molokini.model.errors import BadFile
from molokini.model.reservations import StandingReservation
from molokini.model.site import CONFIGURATION, AccountRules, KnownNode, Misplaced, Simulation, Site
from molokini.policies.maui.configuration.configured import Configured
from molokini.policies.maui.configuration.settings import MauiSettings

_ENTERING = {
    Submission.NORMAL: "normal",
    Submission.CONSTANTJOBDEPTH: "constant-job-depth",
    Submission.CONSTANTPSDEPTH: "constant-ps-depth",
}


@dataclass(frozen=True)
class MauiSite(Configured):
    """What a configuration says, settings of the policy and all else."""

    config: MauiConfig = field(default_factory=MauiConfig)
    findings: tuple[Finding, ...] = ()
    """What was read, with the line of each parameter, where it was a file."""

    def bank(self) -> Bank | None:
        return bank_of(self.config)

    def account_rules(self) -> AccountRules | None:
        return rules_of(self.config, self.account_of)

    def reservations(
        self, processors: int, nodes: Sequence[KnownNode], zone_s: float = 0.0
    ) -> list[StandingReservation]:
        return standing(self.config, processors, nodes, zone_s)

    def simulation(self) -> Simulation | None:
        if self.config.daemon.mode is not ServerMode.SIMULATION:
            return None
        said = self.config.simulation
        return Simulation(
            workload=said.workload,
            resources=said.resources,
            node_count=said.node_count,
            scaling_percent=said.scaling_percent,
            step_s=float(self.config.scheduling.poll_interval_s),
            entering=_ENTERING[said.submission],
            depth=said.initial_depth,
            steps=said.exit_iteration,
        )

    def line_of(self, error: Misplaced) -> int | None:
        """Where the attribute stands that *error* is about, or else where its reservation begins."""
        begin = f"SRCFG[{error.name.upper()}]"
        told = [one for one in self.findings if one.parameter.upper().startswith(begin)]
        exact = [one for one in told if one.parameter.upper().endswith(error.attribute)]
        place = exact[-1:] or told[:1]
        return place[0].line if place else None


def site_of(plain: Site, text: str, given: Mapping[str, str]) -> MauiSite:
    """The site of the maui.cfg *text*, parameters *given* on top. Raises BadInput."""
    return _made(plain, *_understood(text), given)


def site_in(plain: Site, path: str | Path, given: Mapping[str, str], beside: Sequence[str] = ()) -> MauiSite:
    """The site of the file *path*, parameters *given* on top. Raises BadInput."""
    _refuse_beside(beside)
    report = check(path)
    config = report.checked()
    return replace(_made(plain, config, compiled(config), given), findings=report.findings)


def _made(plain: Site, config: MauiConfig, settings: MauiSettings, given: Mapping[str, str]) -> MauiSite:
    made = Configured.of(settings, given)
    return MauiSite(plain.declaration, made.values, plain.plans, made.settings, config)


def _refuse_beside(beside: Sequence[str]) -> None:
    if beside:
        raise BadFile(beside[0], "a maui.cfg has no such files beside it")


def configuration_of(path: str | Path, beside: Sequence[str] = ()) -> str:
    """The text of the file *path*, without what it includes and without keys. Raises BadFile."""
    _refuse_beside(beside)
    return _written(read_config(path))


def configuration_in(text: str) -> str:
    """*text* as it would be journalled. Raises BadFile."""
    return _written(_config(text))


def changed(text: str, line: str) -> str:
    """*text* with one line more, as ``changeparam`` has it. Raises BadInput."""
    return _written(with_line(_config(text), line))


def _written(config: MauiConfig) -> str:
    # Keys of peers are secret, and a journal keeps what it is given.
    return write_config(config.model_copy(update={"peers": {}}))


def _config(text: str) -> MauiConfig:
    return check_text(text, CONFIGURATION).checked()


@lru_cache(maxsize=8)
def _understood(text: str) -> tuple[MauiConfig, MauiSettings]:
    config = _config(text)
    return config, compiled(config)
