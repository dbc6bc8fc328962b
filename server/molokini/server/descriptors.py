"""File descriptors: each connection takes one, and where none is left the kernel lets no new one in.

gRPC says nothing of that, and a caller sees only that no answer comes. So the server asks for as many as it
may have, looks every few seconds how many are used, and says so in its log before and when none is left.
"""

import asyncio
import logging
import os
import resource
from pathlib import Path

log = logging.getLogger("molokini.server.descriptors")

MOST = 65_536
LOOK_S = 2.0
SCARCE, PLENTY = 0.9, 0.8
"""Shares of the limit: from the first on the log has a warning, below the second that all is well again."""
_OPEN = Path("/proc/self/fd")


def ask_for_many() -> int:
    """Raise the limit of this process as far as it may be, up to MOST; the limit from now on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft


class Descriptors:
    """How many are used, and whether that was logged."""

    def __init__(self) -> None:
        self._told = 0.0
        """The share that was logged last; 0: all is well."""

    def look(self) -> None:
        """Look once, and log what is new."""
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if limit == resource.RLIM_INFINITY:
            return
        try:
            used = len(os.listdir(_OPEN))
        except FileNotFoundError:
            return
        except OSError:
            # To look takes one, too.
            used = limit
        self._tell(used, limit)

    def _tell(self, used: int, limit: int) -> None:
        share = used / limit
        if share < PLENTY and self._told:
            self._told = 0.0
            log.warning("file descriptor use is back to normal: %d of %d", used, limit)
        elif share >= 1.0 and self._told < 1.0:
            self._told = 1.0
            log.error("file descriptors: all %d are used, so no new caller can connect; %s", limit, _WAY)
        elif share >= SCARCE and not self._told:
            self._told = share
            log.warning("file descriptors: %d of %d are used; %s", used, limit, _WAY)


_WAY = "raise the limit (ulimit -n, LimitNOFILE) or find out which callers keep so many connections open"


async def watch_descriptors() -> None:
    """Look every few seconds until cancelled."""
    descriptors = Descriptors()
    while True:
        descriptors.look()
        await asyncio.sleep(LOOK_S)
