"""A machine and a policy that one configuration describes (``--slurm-conf``)."""

from dataclasses import dataclass, replace
from functools import cached_property

from molokini.experiments.asked import Settings, Texts, texts
from molokini.experiments.choosing import Chosen, settings
from molokini.experiments.maui_files import choose_configured
from molokini.model.errors import BadInput
from molokini.model.machine import Machine
from molokini.model.site import DESCRIBED, DESCRIPTION, Site
from molokini.model.specs import split_spec
from molokini.policies import load_policy

OPTION = f"--{DESCRIPTION.replace('_', '-')}"


@dataclass(frozen=True)
class Description:
    """The configurations that are given, and files that belong to each of them."""

    files: tuple[str, ...] = ()
    """One for each policy that they configure."""
    own: str | None = None
    """The one that stands beside the log: the policy has it where no other is named."""
    beside: tuple[str, ...] = ()

    @cached_property
    def site(self) -> Site | None:
        """What describes the machine: the one beside the log, else the first that is given."""
        file = self.own if self.own is not None else next(iter(self.files), None)
        if file is None:
            return None
        loaded = load_policy(DESCRIBED)
        return loaded.configurations.site_in(loaded.plain, file, {}, self.beside)

    @property
    def machine(self) -> Machine | None:
        """The machine that is described; None: none is, or not its nodes."""
        if self.site is None or not (nodes := self.site.machine_nodes()):
            return None
        machine = Machine.of_nodes([*nodes.values()], [*nodes], self.site.generic)
        features = tuple(tuple(self.site.node(name)[0]) for name in nodes)
        return replace(machine, features=features) if any(features) else machine

    def chosen(self, name: str, given: Settings) -> Chosen | None:
        """The policy *name* as it is configured; None: nothing here configures it."""
        if split_spec(name)[0] != DESCRIBED or self.site is None:
            return None
        own = settings(given) | split_spec(name)[1]
        file = self.own or next(iter(self.files), None)
        assert file is not None
        return choose_configured([file], own, DESCRIBED, self.beside)[0]

    def all_of(self, given: Settings) -> list[Chosen]:
        """The policy once for each of the files."""
        return list(choose_configured(self.files, given, DESCRIBED, self.beside))

    def refuse_beside(self) -> None:
        """Complain about files beside a configuration that is not there."""
        if self.beside and self.site is None:
            raise BadInput(f"{self.beside[0]} belongs to a configuration: give {OPTION} FILE")


def described(files: Texts | None, beside: Texts, own: str | None = None) -> Description:
    """The description of an option's values."""
    made = Description(() if files is None else texts(files), own, texts(beside))
    made.refuse_beside()
    return made


def parameters_of_description(given: Settings) -> tuple[dict[str, str], dict[str, str]]:
    """Of *given* what the configured policy has, and what it has not."""
    wanted = settings(given)
    known = {one.name for one in load_policy(DESCRIBED).declaration.parameters}
    mine = {name: value for name, value in wanted.items() if name in known}
    return mine, {name: value for name, value in wanted.items() if name not in known}
