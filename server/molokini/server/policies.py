"""What a live policy is made of, by its name and by parameters as they are journalled.

The configuration in force is one more parameter: its whole text, so that a journal says by what was decided,
and a recovery needs no file.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.site import CONFIGURABLE, CONFIGURATION
from molokini.policies import load_policy, policy_file, policy_names

LARGEST = 2**40
"""Processors that no machine has more of."""


def configuration_of(name: str, path: str | Path, beside: Sequence[str] = ()) -> str:
    """The text of the configuration of the policy *name* in the file *path*, and in files *beside* it.

    Raises BadInput.
    """
    return load_policy(name).configurations.configuration_of(path, beside)


def configuration_in(name: str, text: str) -> str:
    """The configuration that *text* is, as it would be journalled. Raises BadInput."""
    return load_policy(name).configurations.configuration_in(text)


def policy_called(name: str, folder: Path | None, *, wired: bool = False) -> str:
    """What the policy *name* is called in the journal: its own name, or the whole path of its file.

    *wired*: a caller on the network asks, which may choose what is there but not name a file of its own.
    """
    folders = [folder] if folder is not None else []
    if wired and name not in policy_names(folders):
        raise UnknownName("policy", name, policy_names(folders))
    return str(Path(name).absolute()) if name.endswith(".py") else policy_file(name, folders)


def configurable(name: str) -> bool:
    """Whether the policy *name* has configurations; no where it is no longer known."""
    try:
        return bool(load_policy(name).declaration.configurations)
    except BadInput:
        return False


def check_parameters(name: str, parameters: Mapping[str, str], processors: int, nodes: int) -> None:
    """BadValue where the policy is to have what a live machine lacks.

    As long as no node has come, *processors* is 0, and the machine may become as large as any; but it will be
    one of nodes, which some parameters do not go with.
    """
    load_policy(name).site(parameters).check_machine(processors or LARGEST, max(nodes, 1))


def with_parameter(name: str, parameters: Mapping[str, str], line: str) -> dict[str, str]:
    """*parameters* of the policy *name* with one *line* more in its configuration. Raises BadInput."""
    if not configurable(name):
        raise BadValue("policy", name, f"{CONFIGURABLE}, which has a configuration")
    changed = load_policy(name).configurations.changed(parameters.get(CONFIGURATION, ""), line)
    return {**parameters, CONFIGURATION: changed}
