"""The kinds of credentials that a job has."""

from enum import IntEnum


class CredentialType(IntEnum):
    """What a credential may be; members are numbered as kernels index arrays. Maui's class is our queue."""

    USER = 0
    GROUP = 1
    ACCOUNT = 2
    QUEUE = 3
    QOS = 4
