"""``bstop``."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.lsf.suspending import OPTIONS, asked, stop

__all__ = ["OPTIONS", "run"]


def run(run: Invocation) -> int:
    """Stop jobs."""
    return asked(run, stop)
