"""``lsid``."""

from __future__ import annotations

import os

from molokini.compat._types import Invocation
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.versions import VERSION

OPTIONS = USUAL


def run(run: Invocation) -> int:
    """Say which cluster this is."""
    given_to(run, OPTIONS, "")
    name = run.transport.call("ClusterService", "GetCluster", {}).get("name", "")
    run.say(f"{VERSION}\n\nMy cluster name is {name}\nMy master name is {os.uname().nodename}")
    return 0
