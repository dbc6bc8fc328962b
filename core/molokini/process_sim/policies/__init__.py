"""The table of local policies: one file here, one policy.

A local policy is one function, ``policy(world, hook, subject, value)``, which reads the world and calls
verbs. The engine calls it compiled or as plain Python; an agent's event loop can call the very same.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from molokini.process_sim.needs import Needs
from molokini.process_sim.tables import LocalPolicy

_OTHERWISE = {"local": "local", "1gs": "gang", "2dcs-tdm": "tdm", "2dcs-ps": "ps"}
"""Those whose files are not called as they are."""


def named_policies() -> Sequence[str]:
    """The policies that are called as their files, beside the nine and the two classes' schemes."""
    files = {path.stem for path in Path(__file__).parent.glob("*.py")} - {"__init__"}
    return sorted(name.replace("_", "-") for name in files - set(_OTHERWISE.values()))


def _module(scheme: str) -> ModuleType:
    return import_module(f"{__name__}.{_OTHERWISE.get(scheme, scheme.replace('-', '_'))}")


def local_policy(scheme: str) -> LocalPolicy:
    """The function of *scheme*."""
    found: LocalPolicy = _module(scheme).policy
    return found


def needs_of(scheme: str) -> Needs:
    """What the policy of *scheme* declares beside its function."""
    found: Needs = getattr(_module(scheme), "NEEDS", Needs())
    return found
