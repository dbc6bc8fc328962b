"""``btop``."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.lsf.moving import OPTIONS, move

__all__ = ["OPTIONS", "run"]


def run(run: Invocation) -> int:
    """Move a job to one end of its user's jobs."""
    return move(run, top=True)
