"""What each kind of fact makes of a state, and which fact a decision becomes; by subject.

They are imported here, so that ``table`` is filled before anything reads it.
"""

from molokini.server.state.effects import (
    banking,
    ending,
    entering,
    holding,
    machine,
    numbering,
    parts,
    reserving,
    running,
)

__all__ = [
    "banking",
    "ending",
    "entering",
    "holding",
    "machine",
    "numbering",
    "parts",
    "reserving",
    "running",
]
