"""``changeparam``: changes a parameter until the configuration is read again."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, read

OPTIONS = (HELP,)


def run(run: Invocation) -> int:
    """Change one parameter."""
    given = read(run, OPTIONS, "PARAMETER VALUE ...")
    if len(given.words) < 2:
        raise no("changeparam wants a parameter and a value")
    name, *values = given.words
    asked = {"name": name, "value": " ".join(values)}
    run.transport.call("ClusterService", "ChangeMauiParameter", asked)
    run.say("parameters changed")
    return 0
