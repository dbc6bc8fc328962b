"""``lsadmin``: of its commands the one that tools ask, ``showconf lim``."""

from __future__ import annotations

import time

from molokini.compat._types import Invocation
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.site import Site
from molokini.compat.tool import Failed

OPTIONS = USUAL


def run(run: Invocation) -> int:
    """Show the parameters of the hosts."""
    given = given_to(run, OPTIONS, "showconf lim [HOST|all]", stops=True)
    if given.words[:2] != ["showconf", "lim"]:
        said = " ".join(given.words[:2]) or "no command"
        raise Failed(f"lsadmin: {said[:60]} is not supported: showconf lim is", 255)
    queues = run.transport.call("ClusterService", "ListQueues", {})["queues"]
    site = Site(run.variables, run.transport.cluster, queues[0]["name"] if queues else "")
    run.say(f"LIM configuration at {time.ctime()}")
    for name, value in site.settings.items():
        run.say(f"        {name} = {value}")
    return 0
