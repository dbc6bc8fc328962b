"""``-V``, and the name of the cluster."""

from __future__ import annotations

from molokini.compat._types import Invocation

VERSION = "IBM Spectrum LSF 10.1.0.0 (Molokini)"
"""By which tools tell what a command understands: that of the LSF whose options these are."""


def tell(run: Invocation) -> int:
    """Say the version, on the stream of errors as LSF does."""
    run.complain(VERSION)
    return 0
