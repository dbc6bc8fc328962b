"""Which account a job has that names none, and which accounts and QOSes it may have, by the associations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from molokini.slurm.database import Accounting, Association


@dataclass(frozen=True)
class SlurmAccounts:
    """Accounts of users (``model.site.AccountRules``)."""

    defaults: Mapping[str, str]
    """The default account of each user."""
    accounts: Mapping[str, frozenset[str]]
    """The accounts in which each user has a row."""

    @classmethod
    def of(cls, accounting: Accounting) -> "SlurmAccounts":
        """The rules of *accounting*; a user's first row counts where none is said to be the default."""
        defaults: dict[str, str] = {}
        accounts: dict[str, set[str]] = {}
        for one in accounting.associations:
            if not one.user:
                continue
            accounts.setdefault(one.user, set()).add(one.account)
            defaults.setdefault(one.user, one.account)
            if one.default_account:
                defaults[one.user] = one.default_account.lower()
        return cls(defaults, {user: frozenset(names) for user, names in accounts.items()})

    def default(self, user: str, group: str, queue: str) -> str:
        """The account of a job that names none; empty: the user has no association."""
        return self.defaults.get(user, "")

    def allowed(self, user: str, group: str, queue: str) -> frozenset[str] | None:
        """The accounts that a job of *user* may have; None: any, as nothing is known of the user."""
        return self.accounts.get(user)


@dataclass(frozen=True)
class AllowedQos:
    """The QOSes of users by their rows; those of a row are found out when a job asks for one."""

    accounting: Accounting
    rows: Mapping[tuple[str, str, str], Association]
    """By user, account and partition; the partition is empty in rows for all of them."""
    accounts: SlurmAccounts
    found: dict[tuple[str, str, str], set[str]] = field(default_factory=dict)

    @classmethod
    def by(cls, accounting: Accounting) -> "AllowedQos":
        """Those of *accounting*."""
        users = [one for one in accounting.associations if one.user]
        rows = {(one.user, one.account, one.partition): one for one in users}
        return cls(accounting, rows, SlurmAccounts.of(accounting))

    def of(self, user: str, account: str, queues: Sequence[str]) -> frozenset[str] | None:
        """The QOSes that a job of these may have in one of *queues*; None: any, as far as is known."""
        account = account.lower() or self.accounts.default(user, "", "")
        allowed = set[str]()
        for queue in queues:
            key = (user, account, queue)
            if key not in self.rows:
                key = (user, account, "")
            if key not in self.rows:
                return None
            if key not in self.found:
                known = {one.name for one in self.accounting.qos}
                self.found[key] = known.intersection(self.accounting.qos_of(self.rows[key]))
            if not self.found[key]:
                return None
            allowed |= self.found[key]
        return frozenset(allowed)
