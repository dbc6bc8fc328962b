"""What a live policy is made of: parameters as they are journalled, Maui's configuration among them.

The configuration in force is one more parameter, ``maui_config``: its whole text, so that a journal says by
what was decided, and a recovery needs no file.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from molokini.maui import MauiConfig, changed, check_text, read_config, write_config
from molokini.maui.bank import AccountRules, bank_of, rules_of
from molokini.maui.compiling import compiled
from molokini.maui.standing import KnownNode, standing
from molokini.model.banks import Bank
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.reservations import StandingReservation
from molokini.policies import charging_of, load_policy, policy_file, policy_names
from molokini.policies.maui.configured import Configured
from molokini.policies.maui.settings import MauiSettings
from molokini.policies.maui.words import CredentialType

POLICY = "maui"
MAUI_CONFIG = "maui_config"
LARGEST = 2**40
"""Processors that no machine has more of."""


def configuration_of(path: str | Path) -> str:
    """The text of the configuration in the file *path*, without what it includes and without keys.

    Raises BadFile for the first thing that is wrong in it.
    """
    return _written(read_config(path))


def configuration_in(text: str) -> str:
    """The configuration that *text* is, as it would be journalled. Raises BadFile for what is wrong in it."""
    return _written(_config(text))


def configured(name: str, parameters: Mapping[str, str]) -> Configured | None:
    """What the policy *name* is made of by the configuration among *parameters*; None where there is none.

    The other parameters go before what the configuration says. Raises BadInput.
    """
    text = parameters.get(MAUI_CONFIG)
    if text is None:
        return None
    if name != POLICY:
        raise BadValue("policy", name, f"{POLICY} where {MAUI_CONFIG} is given")
    given = {one: value for one, value in parameters.items() if one != MAUI_CONFIG}
    return Configured.of(_settings(text), given)


def policy_called(name: str, folder: Path | None, *, wired: bool = False) -> str:
    """What the policy *name* is called in the journal: its own name, or the whole path of its file.

    *wired*: somebody asks over the network, who may choose what is there but not name a file of his own.
    """
    folders = [folder] if folder is not None else []
    if wired and name not in policy_names(folders):
        raise UnknownName("policy", name, policy_names(folders))
    return str(Path(name).absolute()) if name.endswith(".py") else policy_file(name, folders)


def charging(name: str, parameters: Mapping[str, str]) -> tuple[int, float]:
    """What the policy has active jobs charged; (0, 1) for nothing, or where nobody knows any more."""
    try:
        made = configured(name, parameters)
        if made is None:
            return charging_of(name, parameters)
        declaration = load_policy(name).declaration
        return declaration.charged(declaration.vector(made.values))
    except BadInput:
        return 0, 1.0


def counts_processors(name: str) -> bool:
    """Whether the policy *name* refuses jobs that wish for nodes; no where nobody knows it any more."""
    try:
        return load_policy(name).declaration.counted_only
    except BadInput:
        return False


def check_parameters(name: str, parameters: Mapping[str, str], processors: int, nodes: int) -> None:
    """BadValue where the policy is to have what a live machine lacks.

    As long as no node has come, *processors* is 0, and the machine may become as large as any; but it will be
    one of nodes, which some parameters do not go with.
    """
    if name != POLICY:
        declared = load_policy(name).declaration
        declared.check_machine(declared.values(parameters), processors or LARGEST, max(nodes, 1))


def names(name: str, parameters: Mapping[str, str]) -> list[tuple[CredentialType, str]]:
    """The credentials of which the configuration says something, in one order."""
    try:
        made = configured(name, parameters)
    except BadInput:
        return []
    return made.names() if made is not None else []


def banking(name: str, parameters: Mapping[str, str]) -> tuple[Bank | None, AccountRules | None]:
    """The bank that the configuration asks for, and who has which account by it; None: it says nothing."""
    try:
        made = configured(name, parameters)
    except BadInput:
        return None, None
    if made is None:
        return None, None
    config = _config(parameters[MAUI_CONFIG])
    return bank_of(config), rules_of(config, made.account_of)


def understood(name: str, parameters: Mapping[str, str]) -> Configured | None:
    """What the policy is made of by its configuration; None without one, or where nobody knows any more."""
    try:
        return configured(name, parameters)
    except BadInput:
        return None


def services(name: str, parameters: Mapping[str, str]) -> dict[str, int]:
    """The place of each QoS of the configuration among those that the policy finds for jobs, by its name."""
    try:
        made = configured(name, parameters)
    except BadInput:
        return {}
    return made.qos_places() if made is not None else {}


def reserved(
    parameters: Mapping[str, str], processors: int, nodes: Sequence[KnownNode]
) -> list[StandingReservation]:
    """The standing reservations of the configuration among *parameters*, if there is one.

    Raises Misplaced for one that cannot be on these nodes (yet).
    """
    text = parameters.get(MAUI_CONFIG)
    return standing(_config(text), processors, nodes) if text is not None else []


def with_parameter(parameters: Mapping[str, str], name: str, value: str) -> dict[str, str]:
    """*parameters* with one line more in the configuration, as ``changeparam`` has it. Raises BadInput."""
    text = parameters.get(MAUI_CONFIG, "")
    return {**parameters, MAUI_CONFIG: _written(changed(_config(text), f"{name} {value}"))}


def _written(config: MauiConfig) -> str:
    # Keys of peers are nobody's business, and a journal keeps what it is given.
    return write_config(config.model_copy(update={"peers": {}}))


def _config(text: str) -> MauiConfig:
    return check_text(text, MAUI_CONFIG).checked()


@lru_cache(maxsize=8)
def _settings(text: str) -> MauiSettings:
    return compiled(_config(text))
