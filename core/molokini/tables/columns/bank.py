"""Columns of the bank."""

from molokini.compiled.structs import Floats, Ints
from molokini.tables.declared import Axis, Declared, Nature, per


class Bank(Declared):
    """The bank: accounts, one row each. All amounts are whole processor-seconds."""

    on: int
    """1: a job starts with a lien on an account, or not at all (``molokini.tables.bank_changes``)."""
    debit: int
    """What jobs are charged, one of ``model.banks.Debit``."""
    successful: int
    """1: only jobs that ended well, or reached their limits, are charged."""
    fallback: int
    """The account that pays where no other can; 0: none."""
    number: Ints = per(Axis.ACCOUNT)
    """The number of the account among credentials."""
    unlimited: Ints = per(Axis.ACCOUNT)
    """1: it can always pay."""
    balance: Ints = per(Axis.ACCOUNT)
    """Deposited and refunded, less what was debited."""
    lien: Ints = per(Axis.ACCOUNT)
    """Set aside for jobs."""
    deposited: Ints = per(Axis.ACCOUNT)
    """All deposits, less withdrawals."""
    debited: Ints = per(Axis.ACCOUNT)
    refunded: Ints = per(Axis.ACCOUNT)
    spare: Ints = per(Axis.ACCOUNT, nature=Nature.PASS)
    """The balance beside all liens, those of this pass included; holds for one pass only."""


class Liens(Declared):
    """What accounts have set aside for jobs, by row of the job."""

    count: int
    """Jobs for which an account has set something aside, or paid already."""
    account: Ints = per(Axis.JOB)
    """The account that pays for the job; 0: none does."""
    amount: Ints = per(Axis.JOB)
    billed: Ints = per(Axis.JOB)
    """What it has paid for the job so far."""
    price: Floats = per(Axis.JOB)
    """What a second of the job costs."""
