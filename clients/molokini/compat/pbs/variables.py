"""The variables of a job: where it comes from, and those that the command line sends with it."""

from __future__ import annotations

import os

from molokini.compat._types import Iterable, Mapping, ResourceRequest
from molokini.compat.pbs.listed import parts_of
from molokini.compat.submitting import environment

SYSTEM = "MOLOKINI_FLAVOUR"
PROCESSES = "MOLOKINI_PBS_PROCESSES"
"""Which lines the file of nodes has; the agent reads it."""
_ORIGIN = ("HOME", "LANG", "LOGNAME", "PATH", "MAIL", "SHELL", "TZ")


class NotSet(Exception):
    """The name of a variable to send that is not set."""


def of_job(
    variables: Mapping[str, str], everything: bool, named: Iterable[str], directory: str, queue: str
) -> dict[str, str]:
    """What the job is sent: ``PBS_O_...``, with *everything* the caller's, and those that *named* lists.

    Raises NotSet, or ValueError for a list that is none.
    """
    found = environment(variables) if everything else {}
    for text in named:
        for part in parts_of(text):
            name, equals, value = part.partition("=")
            if not name.strip():
                raise ValueError(f"{text[:60]!r} has an empty name")
            if not equals and name.strip() not in variables:
                raise NotSet(name.strip())
            found[name.strip()] = value if equals else variables[name.strip()]
    for name in _ORIGIN:
        if name in variables:
            found[f"PBS_O_{name}"] = variables[name]
    found["PBS_O_WORKDIR"] = directory
    found["PBS_O_SYSTEM"] = os.uname().sysname
    found["PBS_O_HOST"] = os.uname().nodename
    if queue:
        found["PBS_O_QUEUE"] = queue
    return environment(found)


def of_resources(wanted: ResourceRequest, torque: bool) -> dict[str, str]:
    """The variables that tell the job its resources, except those that only its node knows."""
    found = {SYSTEM: "pbs", PROCESSES: wanted.processes, "OMP_NUM_THREADS": str(wanted.threads)}
    if torque:
        del found["OMP_NUM_THREADS"]
    if wanted.estimate_s:
        found["PBS_WALLTIME"] = str(int(wanted.estimate_s))
    return found
