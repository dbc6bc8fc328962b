"""What ``molokini bank`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option

AccountOrAll = Annotated[str, argument(metavar="[ACCOUNT]", help="Account to show (default: all).")]


@dataclass(frozen=True, kw_only=True)
class BalanceArguments(JsonArguments):
    """``molokini bank balance``."""

    account: AccountOrAll = ""
    config: Annotated[bool, option(help="Print the balances as maui.cfg lines, for use in simulations.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class BookArguments(JsonArguments):
    """``molokini bank withdraw``."""

    account: Annotated[str, argument(metavar="ACCOUNT", help="Name of the account.")]
    amount: Annotated[int, argument(metavar="AMOUNT", help="Amount, in whole processor-seconds.")]
    reason: Annotated[str, option(metavar="TEXT", help="Reason, shown in statements.")] = ""


@dataclass(frozen=True, kw_only=True)
class DepositArguments(BookArguments):
    """``molokini bank deposit``."""

    new: Annotated[bool, option(help="Create the account if it does not exist.")] = False


@dataclass(frozen=True, kw_only=True)
class RefundArguments(BookArguments):
    """``molokini bank refund``."""

    job: Annotated[int, option(metavar="JOB", help="Job that the refund is for.")] = 0


@dataclass(frozen=True, kw_only=True)
class StatementArguments(JsonArguments):
    """``molokini bank statement``."""

    account: AccountOrAll = ""
    limit: Annotated[int, option(metavar="N", help="List at most the N latest entries (default: 1,000).")] = 0
