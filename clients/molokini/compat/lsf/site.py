"""Files of a site that some tools read, ``lsf.conf`` and ``lsb.params``, written from what the server says.

They are where LSF_ENVDIR says, else in the user's cache, a folder for each cluster.
"""

from __future__ import annotations

import os

from molokini.compat._types import Mapping
from molokini.compat.lsf.quantities import limit_unit


class Site:
    """The settings that tools ask for, of the cluster *cluster* with the default queue *queue*."""

    def __init__(self, variables: Mapping[str, str], cluster: str, queue: str) -> None:
        self.cluster, self.queue = cluster, queue
        self._unit = limit_unit(variables, "")
        self.folder = variables.get("LSF_ENVDIR", "") or os.path.join(
            _cache(variables), "molokini", "lsf", cluster
        )

    @property
    def settings(self) -> dict[str, str]:
        """Names and values, as ``badmin showconf`` shows them and ``lsf.conf`` has them."""
        return {
            "LSB_JOB_MEMLIMIT": "Y",
            "LSB_SHAREDIR": os.path.join(self.folder, "work"),
            "LSF_CONFDIR": self.folder,
            "RESOURCE_RESERVE_PER_TASK": "Y",
            # Without it -M is in KB and rusage[mem] in MB, as where LSF's own is not set.
            **({"LSF_UNIT_FOR_LIMITS": f"{self._unit}B"} if self._unit else {}),
        }

    def write(self) -> None:
        """Write the files that are not there, or of which ours has become old. Raises OSError."""
        params = os.path.join(self.folder, "lsbatch", self.cluster, "configdir", "lsb.params")
        _put(params, f"Begin Parameters\nDEFAULT_QUEUE = {self.queue}\nEnd Parameters\n")
        lines = [f"{name}={value}\n" for name, value in self.settings.items()]
        _put(os.path.join(self.folder, "lsf.conf"), "".join(lines))


_MARK = "# Written by Molokini.\n"


def _put(path: str, text: str) -> None:
    """Write a file whole or not at all; a file that another program has written stays as it is."""
    text = _MARK + text
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            present = file.read(1 << 20)
    except FileNotFoundError:
        present = _MARK
    if present == text or not present.startswith(_MARK):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    scratch = f"{path}.{os.getpid()}"
    with open(scratch, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(scratch, path)


def _cache(variables: Mapping[str, str]) -> str:
    return variables.get("XDG_CACHE_HOME", "") or os.path.join(os.path.expanduser("~"), ".cache")
