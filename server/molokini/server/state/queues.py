"""Queues: limits, defaults, access, and the nodes that they may use."""

import re
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from molokini.model.errors import BadValue

MOST_PRIORITY = 2**20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue; limits of 0 do not limit."""

    name: str
    enabled: bool = True
    started: bool = True
    priority: int = 0
    nodes: tuple[str, ...] = ()
    """Names of its nodes; empty: all. Queues may share nodes."""
    max_processors: int = 0
    max_estimate_s: float = 0.0
    max_jobs: int = 0
    max_jobs_per_user: int = 0
    max_running_per_user: int = 0
    default_estimate_s: float = 3600.0
    default_processors: int = 1
    default_memory_kb: int = 0
    users: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """All of it, as a journalled fact holds it."""
        return asdict(self)

    @staticmethod
    def from_json(stored: dict[str, Any]) -> "Queue":
        """The queue of a journalled fact."""
        known = {one.name for one in fields(Queue)}
        given: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in stored.items() if name in known
        }
        return Queue(**given)

    def check(self) -> None:
        """BadValue where a field is out of its range."""
        if _NAME.fullmatch(self.name) is None:
            allowed = "1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit"
            raise BadValue("queue.name", self.name, allowed)
        if not -MOST_PRIORITY <= self.priority <= MOST_PRIORITY:
            raise BadValue("queue.priority", self.priority, f"from -{MOST_PRIORITY:,} to {MOST_PRIORITY:,}")
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int | float) and one.name != "priority" and not 0 <= value < 2**53:
                raise BadValue(f"queue.{one.name}", value, "zero or more")


DEFAULT = Queue("default")
"""The queue of a server whose configuration names none."""
