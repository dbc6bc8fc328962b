"""Licences that jobs hold now."""

import numpy as np

from molokini.model.requests import LICENSE_COUNT
from molokini.server.state.state import State


def licenses_used(state: State) -> dict[str, int]:
    """How many of each kind of the configuration jobs hold that run or are suspended."""
    known = state.site.licenses
    if not known:
        return {}
    t = state.tables
    running = t.queue.running[: t.queue.running_count]
    suspended = t.queue.suspended[: t.queue.suspended_count]
    held = t.components.licenses[t.jobs.components[np.concatenate([running, suspended])]]
    kinds, counts = np.where(held > 0, held // LICENSE_COUNT, -1), held % LICENSE_COUNT
    numbers = state.rows.names  # a query gives no name a number
    return {name: int(counts[kinds == numbers.get(name, -2)].sum()) for name in known}
