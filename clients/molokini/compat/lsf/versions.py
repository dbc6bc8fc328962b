"""``-V``."""

from __future__ import annotations

VERSION = "IBM Spectrum LSF 10.1.0.0 (Molokini)"
"""By which tools tell what a command understands: that of the LSF whose options these are."""
