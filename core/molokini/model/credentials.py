"""The kinds of credentials that a job has."""

from enum import IntEnum


class CredentialType(IntEnum):
    """What a credential may be; members are numbered as kernels index arrays. Maui's class is our queue."""

    USER = 0
    GROUP = 1
    ACCOUNT = 2
    QUEUE = 3
    QOS = 4


def queues_in(name: str) -> tuple[str, ...]:
    """The queues that a job names by *name*, one or several: ``low,batch``. Each once, in the order given."""
    return tuple(dict.fromkeys(part for one in name.split(",") if (part := one.strip())))
