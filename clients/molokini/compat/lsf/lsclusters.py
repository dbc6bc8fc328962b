"""``lsclusters``."""

from __future__ import annotations

import os

from molokini.compat._types import Invocation
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.options import refused, without_effect

OPTIONS = (
    *USUAL,
    without_effect("-w", why="columns are never truncated"),
    without_effect("-a", why="there is one cluster"),
    refused("-l", why="there is only one cluster, and no further details"),
)


def run(run: Invocation) -> int:
    """List the one cluster."""
    given_to(run, OPTIONS, "[cluster ...]")
    found = run.transport.call("ClusterService", "GetCluster", {})
    run.say("CLUSTER_NAME    STATUS   MASTER_HOST           ADMIN    HOSTS  SERVERS")
    hosts = found.get("nodes", 0)
    master = os.uname().nodename
    run.say(f"{found.get('name', ''):<15} {'ok':<8} {master:<21} {'-':<8} {hosts:>5} {hosts:>8}")
    return 0
