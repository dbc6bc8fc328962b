"""The bank that a configuration asks for, and which accounts its lines let a job have."""

import pytest

from molokini.maui import check_text
from molokini.maui.bank import NOBODY, allowed_accounts, bank_of, default_account, rules_of
from molokini.model.banks import UNLIMITED, Bank, Debit
from molokini.policies.maui.configuration.words import AccountOf

LEDGER = "AMCFG[bank] TYPE=FILE "


@pytest.mark.parametrize(
    ("text", "bank"),
    [
        ("", None),
        ("AMCFG[bank] TYPE=QBANK", None),
        (LEDGER, Bank(Debit.WALL, True, NOBODY, {}, UNLIMITED)),
        (LEDGER + "CHARGEPOLICY=DEBITALLCPU", Bank(Debit.CPU, False, NOBODY, {}, UNLIMITED)),
        (LEDGER + "CHARGEPOLICY=DEBITSUCCESSFULPE", Bank(Debit.EQUIVALENTS, True, NOBODY, {}, UNLIMITED)),
        (LEDGER + "FALLBACKACCOUNT=rest", Bank(Debit.WALL, True, "rest", {}, UNLIMITED)),
        (LEDGER + "\nACCOUNTCFG[a] ALLOCATION=9", Bank(Debit.WALL, True, "", {"a": 9}, 0)),
        (LEDGER + "\nACCOUNTCFG[DEFAULT] ALLOCATION=9", Bank(Debit.WALL, True, "", {}, 9)),
        (
            LEDGER + "\nAMCFG[other] TYPE=FILE CHARGEPOLICY=DEBITALLPE",
            Bank(Debit.WALL, True, NOBODY, {}, UNLIMITED),
        ),
    ],
)
def test_the_first_ledger_debits_as_its_line_says(text: str, bank: Bank | None) -> None:
    assert bank_of(check_text(text).checked()) == bank


LINES = """\
USERCFG[ann] ADEF=own ALIST=a,b
USERCFG[DEFAULT] ADEF=all
GROUPCFG[lab] ADEF=lab ALIST=b,c
GROUPCFG[strict] ALIST=b&
CLASSCFG[long] ADEF=long
CLASSCFG[alone] ALIST=x^
"""


@pytest.mark.parametrize(
    ("user", "group", "queue", "default", "allowed"),
    [
        ("ann", "lab", "long", "own", {"a", "b", "c", "own", "lab", "long"}),
        ("bob", "lab", "long", "all", {"b", "c", "all", "lab", "long"}),
        ("ann", "strict", "short", "own", {"b", "own"}),
        ("ann", "lab", "alone", "own", {"x"}),
        ("bob", "none", "none", "all", None),
    ],
)
def test_the_first_default_counts_and_lists_are_joined_unless_one_must_hold_or_stands_alone(
    user: str, group: str, queue: str, default: str, allowed: set[str] | None
) -> None:
    config = check_text(LINES).checked()
    rules = rules_of(config, AccountOf.NOBODY)
    assert rules is not None
    assert (rules.default(user, group, queue), rules.allowed(user, group, queue)) == (default, allowed)
    assert allowed_accounts(config, user, group, queue) == allowed


def test_without_lines_a_job_has_the_account_that_is_called_as_its_user_group_or_queue() -> None:
    config = check_text("USERCFG[ann] PRIORITY=1").checked()
    assert rules_of(config, AccountOf.NOBODY) is None
    named = [default_account(config, "u", "g", "q", of) for of in AccountOf]
    assert dict(zip(AccountOf, named, strict=True)) == {
        AccountOf.NOBODY: "",
        AccountOf.USER: "u",
        AccountOf.GROUP: "g",
        AccountOf.QUEUE: "q",
    }
