"""``bparams``: the parameters that tools ask for before they submit."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.site import Site
from molokini.compat.options import option

OPTIONS = (
    *USUAL,
    option("-a", text="all parameters, NAME = VALUE"),
    option("-l", text="all parameters, with what each says"),
)
_CHECKS_S = 1
"""The policy decides when something has happened, at once."""


def run(run: Invocation) -> int:
    """Show the parameters of the batch system."""
    given = given_to(run, OPTIONS, "")
    cluster = run.transport.call("ClusterService", "GetCluster", {})
    queues = run.transport.call("ClusterService", "ListQueues", {})["queues"]
    queue = queues[0]["name"] if queues else ""
    if not (given.flag("a") or given.flag("l")):
        run.say(f"Default Queues:  {queue}")
        run.say(f"MBD_SLEEP_TIME used for calculations:  {_CHECKS_S} seconds")
        run.say(f"Job Checking Interval:  {_CHECKS_S} seconds")
        run.say("Job Accepting Interval:  0 seconds")
        return 0
    settings = {
        "DEFAULT_QUEUE": queue,
        "JOB_ACCEPT_INTERVAL": "0",
        "MAX_JOB_ARRAY_SIZE": str(cluster.get("array_elements", 1000)),
        "MBD_SLEEP_TIME": str(_CHECKS_S),
        "RESOURCE_RESERVE_PER_TASK": Site(run.variables, run.transport.cluster, queue).settings[
            "RESOURCE_RESERVE_PER_TASK"
        ],
    }
    between = "\n    " if given.flag("l") else " = "
    for name, value in settings.items():
        run.say(f"{name}{between}{value}")
    return 0
