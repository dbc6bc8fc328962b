"""What ``molokini bank`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option

AccountOrAll = Annotated[str, argument(metavar="[ACCOUNT]", help="One account; all without.")]


@dataclass(frozen=True, kw_only=True)
class BalanceArguments(JsonArguments):
    """``molokini bank balance``."""

    account: AccountOrAll = ""
    config: Annotated[bool, option(help="As lines of a maui.cfg that give simulations these balances.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class BookArguments(JsonArguments):
    """``molokini bank withdraw``."""

    account: Annotated[str, argument(metavar="ACCOUNT", help="An account.")]
    amount: Annotated[int, argument(metavar="AMOUNT", help="Whole processor-seconds.")]
    reason: Annotated[str, option(metavar="TEXT", help="Why; it stands in statements.")] = ""


@dataclass(frozen=True, kw_only=True)
class DepositArguments(BookArguments):
    """``molokini bank deposit``."""

    new: Annotated[bool, option(help="The account may be one that there is not yet.")] = False


@dataclass(frozen=True, kw_only=True)
class RefundArguments(BookArguments):
    """``molokini bank refund``."""

    job: Annotated[int, option(metavar="JOB", help="Of which job the refund is.")] = 0


@dataclass(frozen=True, kw_only=True)
class StatementArguments(JsonArguments):
    """``molokini bank statement``."""

    account: AccountOrAll = ""
    limit: Annotated[int, option(metavar="N", help="So many entries at most, the latest; 1,000 without.")] = 0
