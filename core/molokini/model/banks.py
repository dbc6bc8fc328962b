"""Allocation management: what a bank charges jobs for, and how much its accounts begin with.

Amounts are whole processor-seconds, of processors or of processor equivalents: a part of one counts as one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

MOST_AMOUNT = 10**15
"""The most processor-seconds that an account may be given in all: 31 million processor-years."""
UNLIMITED = -1
"""In place of an amount: the account can always pay."""


class Debit(IntEnum):
    """What a job is charged for each second that it runs."""

    NOTHING = 0
    """There is no bank."""
    WALL = 1
    """Its processors."""
    CPU = 2
    """Its processors while it works, as fairshare counts utilized processor-seconds. Every job that a bank
    charges has its processors for itself, and so works all the time."""
    EQUIVALENTS = 3
    """Its processor equivalents (``tables.requests``)."""


class Booking(StrEnum):
    """How an amount is put into an account, or taken out, without a job."""

    OPENING = "opening"
    """What the configuration gives to an account that is new."""
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"
    REFUND = "refund"
    """Gives back what a job was charged."""


@dataclass(frozen=True)
class Bank:
    """One ledger, and the rule by which jobs are charged."""

    debit: Debit
    successful_only: bool = True
    """A job is charged only if it ended well, or reached its wall time limit."""
    fallback: str = ""
    """The account that pays where a job's own cannot, or where it has none."""
    openings: Mapping[str, int] = field(default_factory=dict)
    """How much accounts begin with, by name."""
    otherwise: int = 0
    """How much any other account begins with."""

    def opening(self, account: str) -> int:
        """How much *account* begins with; ``UNLIMITED`` where it can always pay."""
        return self.openings.get(account, self.otherwise)


@dataclass(frozen=True)
class Accounts:
    """Which account each job of a workload has, by the numbers that credentials have there."""

    numbers: Mapping[str, int]
    """The number of each account."""
    of: Mapping[tuple[int, int, int], int]
    """The account of jobs by the numbers of user, group and queue; other jobs have none."""
    bank: Bank | None = None
    jobs: Iterable[int] | None = None
    """The account of each job of the workload, an array, where its record says so; -1: by ``of``."""
