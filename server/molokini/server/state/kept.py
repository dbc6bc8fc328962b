"""Parts of a state as plain values: what snapshots and records of past jobs hold as JSON."""

from typing import Any, TypeAlias

Kept: TypeAlias = dict[str, Any]
"""Values by name; the class that has made it is the one that reads it."""
