"""``showconfig``: the parameters in force, as a configuration would say them."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.options import option

OPTIONS = (HELP, option("-v", text="also every parameter of the policy with its value, given or not"))


def run(run: Invocation) -> int:
    """Print the configuration, or what holds without one; under another policy its parameters."""
    given = read(run, OPTIONS)
    at_most(run, given, 0)
    found = run.transport.call("ClusterService", "GetPolicy", {})
    run.say(f"# policy {found['name']}")
    configured, called = found.get("maui_config", ""), found.get("called", {})
    if called and not configured:
        for name, value in sorted(
            found.get("parameters", {}).items(), key=lambda one: called.get(one[0], "")
        ):
            if name in called:
                run.say(f"{called[name] + '[0]':<30} {value.upper()}")
    for line in configured.splitlines():
        name, _, value = line.strip().partition(" ")
        if name:
            run.say(f"{name:<30} {value.strip()}")
    if given.flag("v") or not (configured or called):
        run.say("# parameters of the policy")
        for name, value in sorted(found.get("parameters", {}).items()):
            run.say(f"{name:<30} {value}")
    return 0
