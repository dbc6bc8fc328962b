"""``molokini bank``: what is asked of the server, and what is shown."""

from collections.abc import Callable

import pytest

from tests.clients.command_runs import Ran

Command = Callable[..., Ran]
MANY = "99999999999999999999"


def test_bookings_show_the_account_as_it_is_then(molokini: Command) -> None:
    shown = molokini("bank", "deposit", "physics", "500", "--reason", "the quarter").out.splitlines()
    assert [line.split()[:2] for line in shown] == [
        ["account", "physics"],
        ["balance", "500"],
        ["liens", "0"],
        ["available", "500"],
    ]
    assert molokini("bank", "withdraw", "physics", "100", "--json").json["balance"] == 400
    assert molokini("bank", "refund", "physics", "7", "--job", "3", "--json").json["balance"] == 407
    found = molokini("bank", "statement", "--json").json
    assert [(one["what"], one["amount"], one["job_id"]) for one in found["entries"]] == [
        ("deposit", 500, 0),
        ("withdrawal", 100, 0),
        ("refund", 7, 3),
    ]
    lines = molokini("bank", "statement", "physics").out.splitlines()
    assert lines[0].split()[:6] == ["sequence", "at", "account", "what", "amount", "balance"]
    assert "the quarter" in lines[1]
    assert lines[-1] == "older entries are left out"


@pytest.mark.parametrize(
    "words",
    [
        ("deposit", "physics"),
        ("withdraw", "physics", "much"),
        ("refund",),
        *(("deposit", "a", n) for n in ("0", MANY)),
        ("refund", "a", "1", "--job", MANY),
        ("statement", "--limit", MANY),
    ],
)
def test_what_is_no_booking_ends_with_2(molokini: Command, words: tuple[str, ...]) -> None:
    ran = molokini("bank", *words)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
