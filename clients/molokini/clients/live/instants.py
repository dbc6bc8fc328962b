"""Instants that options give, on the cluster's clock."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from molokini.model.dates import Clock, check_instant, instant_of, is_number

if TYPE_CHECKING:
    from molokini.client.client import Client

Given = Mapping[str, tuple[str, str]]
"""By name: the option that gives an instant, and what it gives."""


def need_clock(given: Given) -> bool:
    """Whether the cluster's clock has to be asked; BadValue for what is no instant on any clock."""
    for option, text in given.values():
        check_instant(option, text)
    return not all(is_number(text) for _, text in given.values())


async def clock_of(client: "Client") -> Clock:
    """The cluster's clock; dates are in the time zone of this machine."""
    from molokini.proto.v1.cluster_service_pb2 import Clock as WireClock

    found = await client.clock()
    return Clock(found.now_s, 0.0 if found.kind == WireClock.REAL else None)


def placed(given: Given, clock: Clock) -> dict[str, float]:
    """The seconds of *clock*. Raises BadValue for a date where it knows none."""
    return {name: instant_of(option, text, clock) for name, (option, text) in given.items()}


async def asked(client: "Client", given: Given) -> dict[str, float]:
    """The same on the cluster's clock, which is asked only where it has to be."""
    return placed(given, await clock_of(client) if need_clock(given) else Clock())
