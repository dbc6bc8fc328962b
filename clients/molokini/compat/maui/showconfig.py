"""``showconfig``: the parameters in force, as a configuration would say them."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.options import option

OPTIONS = (HELP, option("-v", text="also every parameter of the policy with its value, given or not"))


def run(run: Invocation) -> int:
    """Print the configuration; under another policy than maui, the policy's parameters."""
    given = read(run, OPTIONS)
    at_most(run, given, 0)
    found = run.transport.call("ClusterService", "GetPolicy", {})
    run.say(f"# policy {found['name']}")
    for line in found.get("maui_config", "").splitlines():
        name, _, value = line.strip().partition(" ")
        if name:
            run.say(f"{name:<30} {value.strip()}")
    if given.flag("v") or not found.get("maui_config"):
        run.say("# parameters of the policy")
        for name, value in sorted(found.get("parameters", {}).items()):
            run.say(f"{name:<30} {value}")
    return 0
