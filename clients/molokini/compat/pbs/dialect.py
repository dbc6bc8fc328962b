"""PBS Pro or Torque: where the two differ, ``MOLOKINI_PBS_DIALECT`` says which is spoken; Pro unless set."""

from __future__ import annotations

from molokini.compat._types import Invocation, Mapping
from molokini.compat.tool import Failed

DIALECT = "MOLOKINI_PBS_DIALECT"
PRO, TORQUE = "pro", "torque"
PRO_VERSION, TORQUE_VERSION = "PBSPro_2022.1.0", "6.1.3"
"""Of which these commands take the options and print the layouts."""

KEEP_COMPLETED_S = 300.0
"""So long Torque lists a job that has completed."""


def torque(variables: Mapping[str, str]) -> bool:
    """Whether Torque is spoken. Raises Failed for a dialect that is none."""
    named = variables.get(DIALECT, "").strip().lower()
    if named in ("", PRO):
        return False
    if named == TORQUE:
        return True
    raise Failed(f"{DIALECT} {named[:40]!r}: must be {PRO} or {TORQUE}", 2)


def version(run: Invocation) -> None:
    """Print what ``--version`` does."""
    run.say(f"Version: {TORQUE_VERSION}" if torque(run.variables) else f"pbs_version = {PRO_VERSION}")
