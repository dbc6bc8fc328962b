"""What differs between two configurations, and what of it a running server can take over."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from molokini.server.config.fields import described
from molokini.server.config.model import Config


@dataclass(frozen=True)
class Changes:
    """Dotted keys that differ: those that take effect at a reload, and those that wait for a restart."""

    reload: tuple[str, ...] = ()
    restart: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.reload or self.restart)


def changed(old: Config, new: Config) -> Changes:
    """The keys in which *new* differs from *old*; ``nodes`` and ``queues`` count as one key each."""
    differing = dict(_differing(old, new, ""))
    return Changes(
        tuple(name for name, reload in differing.items() if reload),
        tuple(name for name, reload in differing.items() if not reload),
    )


def _differing(old: BaseModel, new: BaseModel, above: str) -> Iterator[tuple[str, bool]]:
    for name, field in type(old).model_fields.items():
        before, after = getattr(old, name), getattr(new, name)
        if before == after:
            continue
        if isinstance(before, BaseModel):
            yield from _differing(before, after, f"{above}{name}.")
        else:
            yield above + name, _reloads(described(field).get("reload"), before, after)


def _reloads(told: Any, before: Any, after: Any) -> bool:
    """Repeated tables change at reload when all of their keys do."""
    if told is not None:
        return bool(told)
    one = next(iter((*before, *after)))
    return all(described(field)["reload"] for field in type(one).model_fields.values())
