"""The table of local policies: one file here, one policy.

A local policy is one function, ``policy(world, hook, subject, value)``, which reads the world and calls
verbs. The engine calls it compiled or as plain Python; an agent's event loop can call the very same.
"""

from importlib import import_module

from molokini.process_sim.tables import LocalPolicy

_MODULES = {"local": "local", "1gs": "gang", "2dcs-tdm": "tdm", "2dcs-ps": "ps"}


def local_policy(scheme: str) -> LocalPolicy:
    """The function of *scheme*."""
    found: LocalPolicy = import_module(f"{__name__}.{_MODULES[scheme]}").policy
    return found
