"""``bbot``."""

from __future__ import annotations

from molokini.compat.lsf.moving import OPTIONS, move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from molokini.compat.tool import Invocation

__all__ = ["OPTIONS", "run"]


def run(run: Invocation) -> int:
    """Move a job to one end of its user's jobs."""
    return move(run, top=False)
