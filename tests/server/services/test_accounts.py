"""The bank over the wire: who may book what, statements, balances, and whose accounts are seen."""

from pathlib import Path

import pytest

from molokini.model.errors import MolokiniError
from molokini.proto.v1.cluster_service_pb2 import DEPOSIT, REFUND, WITHDRAWAL
from molokini.server.security.roles import Role
from tests.kit.serving import Served, served

ROOT, OPERATOR = ("root", Role.ADMINISTRATOR), ("otto", Role.OPERATOR)


def configured(folder: Path) -> str:
    path = folder / "bank.cfg"
    path.write_text(
        "DEFERTIME 0\nAMCFG[bank] TYPE=FILE CHARGEPOLICY=DEBITALLWC\nACCOUNTCFG[physics] ALLOCATION=1000\n"
        "ACCOUNTCFG[chem] ALLOCATION=10\nUSERCFG[bob] ADEF=chem ALIST=chem\n"
    )
    return str(path)


async def paid(one: Served) -> int:
    """Ann runs a job on the account of physics."""
    async with one.client() as ann, one.client(*ROOT) as root:
        job = await ann.submit(processors=4, estimate_s=20, account="physics", outcome={"run_s": 10})
        await root.advance(50)
        return int(job)


async def test_bookings_change_balances_and_stand_in_the_statement(tmp_path: Path) -> None:
    async with served(tmp_path, "maui", policy__maui_config=configured(tmp_path)) as one:
        job = await paid(one)
        async with one.client(*ROOT) as root:
            account = await root.book("physics", DEPOSIT, 500, reason="the quarter")
            assert (account.balance, account.deposited, account.debited) == (1460, 1500, 40)
            account = await root.book("physics", WITHDRAWAL, 60)
            assert account.balance == 1400
            account = await root.book("physics", REFUND, 40, job=job)
            assert (account.balance, account.refunded) == (1440, 40)
            found = await root.statement("physics")
            assert [
                (line.what, line.amount, line.balance, line.job_id, line.by) for line in found.entries
            ] == [
                ("opening", 1000, 1000, 0, "configuration"),
                ("debit", 40, 960, job, ""),
                ("deposit", 500, 1460, 0, "root"),
                ("withdrawal", 60, 1400, 0, "root"),
                ("refund", 40, 1440, job, "root"),
            ]
            with pytest.raises(MolokiniError, match="no account named 'nope'; known: chem, physics"):
                await root.statement("nope")
            latest = await root.statement(limit=1)
            assert ([line.what for line in latest.entries], latest.truncated) == (["refund"], True)
            assert not (await root.statement()).truncated
            one.core.state.ledger.forgotten += 1
            assert (await root.statement()).truncated, "older ones are not kept"
            report = await root.report("balances", account="physics")
            assert [line["available"] for line in report["accounts"]] == [1440]
            blocked = await root.submit(processors=16, estimate_s=100, account="physics")
            why = await root.explain(blocked)
            assert (why.rule, why.limit, why.value) == ("cannot-debit-account", 1440, 1600)
            assert why.what_would_help[0] == "a deposit of 160 processor-seconds"
            line = await root.report("job", job=str(blocked))
            assert line["bank"] == {
                "account": "physics",
                "available": 1440,
                "fallback_account": None,
                "wanted": 1600,
                "lien": 0,
            }


async def test_refunds_are_an_operators_and_money_is_an_administrators(tmp_path: Path) -> None:
    async with served(tmp_path, "maui", policy__maui_config=configured(tmp_path)) as one:
        await paid(one)
        async with one.client() as ann, one.client(*OPERATOR) as otto:
            for booking in (DEPOSIT, WITHDRAWAL, REFUND):
                with pytest.raises(MolokiniError, match="role"):
                    await ann.book("physics", booking, 1)
            for booking in (DEPOSIT, WITHDRAWAL):
                with pytest.raises(MolokiniError, match="needs the role administrator"):
                    await otto.book("physics", booking, 1)
            assert (await otto.book("physics", REFUND, 1)).balance == 961
            with pytest.raises(MolokiniError, match="limit"):
                await ann.statement(limit=-1)
            with pytest.raises(MolokiniError, match="physic"):
                await otto.book("physic", REFUND, 1)


async def test_where_jobs_are_private_users_see_their_own_accounts(tmp_path: Path) -> None:
    async with served(
        tmp_path, "maui", policy__maui_config=configured(tmp_path), security__privacy=True
    ) as one:
        await paid(one)
        async with one.client("bob") as bob, one.client() as ann, one.client(*OPERATOR) as otto:
            assert [line["account"] for line in (await bob.report("balances"))["accounts"]] == ["chem"]
            assert {line.account for line in (await bob.statement()).entries} == {"chem"}
            for hidden in ("physics", "nope"):
                with pytest.raises(MolokiniError, match=f"no account named '{hidden}'; known: chem$"):
                    await bob.statement(hidden)
            assert (await ann.report("balances"))["accounts"] == []
            await ann.submit(processors=1, estimate_s=20, account="physics", outcome={"run_s": 10})
            assert [line["account"] for line in (await ann.report("balances"))["accounts"]] == ["physics"]
            assert len((await otto.report("balances"))["accounts"]) == 2
