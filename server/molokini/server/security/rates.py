"""How often: a bucket of calls for every name, filled at a rate, on a clock that never goes back."""

from collections.abc import Callable

MOST_NAMES = 20_000
"""Buckets kept; the least recently used go first, and have mostly been full again."""


class Rates:
    """Lets each name through *rate* times a second in the long run, and *burst* times after a rest."""

    def __init__(self, rate: float, burst: float, monotonic: Callable[[], float]) -> None:
        self.rate, self.burst = rate, max(burst, 1.0)
        self._monotonic = monotonic
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, name: str) -> float:
        """Count one call of *name*: 0.0 lets it through, else seconds until one would be."""
        now = self._monotonic()
        buckets = self._buckets
        level, before = buckets.pop(name, (self.burst, now))
        level = min(self.burst, level + (now - before) * self.rate)
        if level < 1.0:
            buckets[name] = (level, now)
            return (1.0 - level) / self.rate
        buckets[name] = (level - 1.0, now)
        if len(buckets) > MOST_NAMES:
            del buckets[next(iter(buckets))]
        return 0.0

    def change(self, rate: float, burst: float) -> None:
        """Go on with other limits."""
        self.rate, self.burst = rate, max(burst, 1.0)
