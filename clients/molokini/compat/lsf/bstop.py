"""``bstop``."""

from __future__ import annotations

from molokini.compat.lsf.suspending import OPTIONS, asked, stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from molokini.compat.tool import Invocation

__all__ = ["OPTIONS", "run"]


def run(run: Invocation) -> int:
    """Stop jobs."""
    return asked(run, stop)
