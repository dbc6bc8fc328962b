"""What was made of the same bytes lately, so that it is not made again: like jobs come by the thousand."""

from typing import Generic, TypeVar

T = TypeVar("T")

LARGE_BYTES = 4096
"""Longer keys are not kept: a script may be a mebibyte."""


class Recent(Generic[T]):
    """At most twice *most* values by bytes; what was asked for lately outlives what was not."""

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._young: dict[bytes, T] = {}
        self._old: dict[bytes, T] = {}

    def get(self, key: bytes) -> T | None:
        """What is kept under *key*."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.keep(key, found)
        return found

    def keep(self, key: bytes, value: T) -> None:
        """Keep *value* for a while, unless *key* is large."""
        if len(key) > LARGE_BYTES:
            return
        if len(self._young) >= self._most:
            self._old, self._young = self._young, {}
        self._young[key] = value
