"""Allocation management: the bank that AMCFG asks for, and which account a job has (ADEF, ALIST)."""

from collections.abc import Mapping
from dataclasses import dataclass

from molokini.maui.access import Members
from molokini.maui.model import DEFAULT, MauiConfig
from molokini.maui.sections.credentials import Credential
from molokini.maui.sections.managers import BankType, ChargePolicy
from molokini.model.banks import UNLIMITED, Bank, Debit
from molokini.policies.maui.configuration.words import AccountOf, ListRule

NOBODY = "(none)"
"""Pays for jobs without an account where the bank only records."""
_DEBITS = {"WC": Debit.WALL, "CPU": Debit.CPU, "PE": Debit.EQUIVALENTS}
_SUCCESSFUL = "DEBITSUCCESSFUL"


def bank_of(config: MauiConfig) -> Bank | None:
    """The ledger of our own that *config* asks for (TYPE=FILE), the first of several; None without.

    Where no account is given an ALLOCATION it records, as Maui's does: every account can pay.
    """
    one = next((bank for bank in config.banks.values() if bank.type is BankType.FILE), None)
    if one is None:
        return None
    policy = str(one.charge_policy or ChargePolicy.DEBITSUCCESSFULWC)
    successful = policy.startswith(_SUCCESSFUL)
    debit = _DEBITS[policy.removeprefix(_SUCCESSFUL).removeprefix("DEBITALL")]
    openings = {
        name: line.allocation for name, line in config.accounts.items() if line.allocation is not None
    }
    records = not openings
    otherwise = openings.pop(DEFAULT, UNLIMITED if records else 0)
    fallback = one.fallback_account or (NOBODY if records else "")
    return Bank(debit, successful, fallback, openings, otherwise)


@dataclass(frozen=True)
class AccountRules:
    """Which accounts jobs have and may have, by a configuration."""

    config: MauiConfig
    otherwise: AccountOf

    def default(self, user: str, group: str, queue: str) -> str:
        """The account of a job of these that names none; empty: none."""
        return default_account(self.config, user, group, queue, self.otherwise)

    def allowed(self, user: str, group: str, queue: str) -> frozenset[str] | None:
        """The accounts that a job of these may have; None: any."""
        return allowed_accounts(self.config, user, group, queue)


def rules_of(config: MauiConfig, otherwise: AccountOf) -> AccountRules | None:
    """The rules of *config*; None where it gives no job an account, and bounds no job's choice."""
    lines = (*config.users.values(), *config.groups.values(), *config.classes.values(), config.system)
    if otherwise is AccountOf.NOBODY and not any(one.accounts or one.default_account for one in lines):
        return None
    return AccountRules(config, otherwise)


def default_account(config: MauiConfig, user: str, group: str, queue: str, otherwise: AccountOf) -> str:
    """The account of a job that names none: the first ADEF of user, group, class and system; empty: none.

    *otherwise* says which name of the job it is where there is no ADEF.
    """
    told = (one.default_account for one in _mine(config, user, group, queue))
    names = {
        AccountOf.NOBODY: "",
        AccountOf.USER: user,
        AccountOf.GROUP: group,
        AccountOf.QUEUE: queue,
    }
    return next(filter(None, told), names[otherwise])


def allowed_accounts(config: MauiConfig, user: str, group: str, queue: str) -> frozenset[str] | None:
    """The accounts that a job of these may have, by ALIST and ADEF; None: any.

    Lists are joined; of those that end in & each must have it; of those that end in ^ the first counts alone.
    """
    mine = _mine(config, user, group, queue)
    lists = [one.accounts for one in mine if one.accounts is not None]
    alone = [one for one in lists if one.rule is ListRule.ALONE]
    if alone:
        lists = alone[:1]
    if not lists:
        return None
    names = {name for one in lists for name in one.names}
    if not alone:
        names |= {one.default_account for one in mine if one.default_account}
    for one in lists:
        if one.rule is ListRule.ALL:
            names &= _with_defaults(one, mine)
    return frozenset(names)


def _with_defaults(one: Members, mine: list[Credential]) -> set[str]:
    return {*one.names, *(line.default_account for line in mine if line.default_account)}


def _mine(config: MauiConfig, user: str, group: str, queue: str) -> list[Credential]:
    """The lines that speak for a job, in the order in which they are asked."""
    return [
        *_line(config.users, user),
        *_line(config.groups, group),
        *_line(config.classes, queue),
        config.system,
    ]


def _line(lines: Mapping[str, Credential], name: str) -> list[Credential]:
    """The line of *name*, with what it does not say from DEFAULT's."""
    own, default = lines.get(name), lines.get(DEFAULT)
    if own is None or default is None:
        return [one for one in (own, default) if one is not None]
    said = {
        field: getattr(own, field) or getattr(default, field) for field in ("accounts", "default_account")
    }
    return [own.model_copy(update=said)]
