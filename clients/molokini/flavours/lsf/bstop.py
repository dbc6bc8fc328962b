"""``bstop``."""

from __future__ import annotations

from molokini.flavours.lsf.suspending import OPTIONS, asked, stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from molokini.flavours.tool import Run

__all__ = ["OPTIONS", "run"]


def run(run: Run) -> int:
    """Stop jobs."""
    return asked(run, stop)
