"""Random streams by name: what draws one attribute of a workload leaves all others alone."""

import numpy as np

from molokini.model.errors import BadValue


class Streams:
    """A stream of random numbers for each name, from one seed.

    A stream depends on the seed and its name alone, not on which others there are or how much they have
    drawn. Philox is counted, so equal keys give equal numbers on every machine; what numpy makes of them
    (normal or gamma numbers) may change between its versions.
    """

    def __init__(self, seed: int) -> None:
        """*seed* is 0 or more; BadValue for one that is not."""
        if seed < 0:
            raise BadValue("seed", seed, "a whole number of 0 or more")
        self._seed = seed
        self._part = ""

    def under(self, part: str) -> "Streams":
        """Streams for a *part* that has names of its own: none of them is one of these."""
        found = Streams(self._seed)
        found._part = f"{self._part}{part}: "
        return found

    def of(self, name: str) -> np.random.Generator:
        """The stream called *name*, from its beginning."""
        key = np.random.SeedSequence(self._seed, spawn_key=tuple((self._part + name).encode()))
        return np.random.Generator(np.random.Philox(key))
