"""Which account a job has that names none, and which it may have, by the associations."""

from collections.abc import Mapping
from dataclasses import dataclass

from molokini.slurm.database import Accounting


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
