"""``bresume``."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.lsf.suspending import OPTIONS, asked, resume

__all__ = ["OPTIONS", "run"]


def run(run: Invocation) -> int:
    """Resume jobs."""
    return asked(run, resume)
