"""A bank in replays: which account jobs have, and what ``simulate`` tells of balances."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from molokini.experiments.maui_files import choose_configured
from molokini.experiments.replaying import replayed
from molokini.model.machine import Machine
from molokini.sim.replay import Options
from tests.clients.command_runs import Ran
from tests.kit.workloads import Job, workload_of

Command = Callable[..., Ran]
JOBS = [Job(0, 10, 1), Job(0, 10, 1, user=2), Job(0, 10, 1, user=3)]


def config(folder: Path, *lines: str) -> str:
    path = folder / "bank.cfg"
    path.write_text("\n".join(["AMCFG[bank] TYPE=FILE CHARGEPOLICY=DEBITALLWC", *lines]) + "\n")
    return str(path)


def ran(file: str, *given: str) -> list[bool]:
    """Which of the jobs have run."""
    chosen = choose_configured([file], given)[0]
    schedule = replayed(workload_of(JOBS), Machine.counted(8), chosen, Options(interpreted=True))
    return [bool(one) for one in ~np.isnan(schedule.start_s)]


@pytest.mark.parametrize(
    ("lines", "given", "expected"),
    [
        # Nothing is allocated: the bank records, as Maui's does.
        ("", (), [True, True, True]),
        ("[a] ALLOCATION=15", (), [False, False, False]),
        ("[a] ALLOCATION=15; USERCFG[1] ADEF=a; USERCFG[2] ADEF=a", (), [True, False, False]),
        ("[a] ALLOCATION=15; USERCFG[DEFAULT] ADEF=a; USERCFG[3] ADEF=b", (), [True, False, False]),
        ("[a] ALLOCATION=25; SYSCFG ADEF=a", (), [True, True, False]),
        ("[2] ALLOCATION=10", ("account_of=user",), [False, True, False]),
        ("[1] ALLOCATION=20", ("account_of=group",), [True, True, False]),
        ("[DEFAULT] ALLOCATION=10; ACCOUNTCFG[3] ALLOCATION=0", ("account_of=user",), [True, True, False]),
        ("[1] ALLOCATION=INFINITY", ("account_of=queue",), [True, True, True]),
    ],
)
def test_accounts_of_a_log(tmp_path: Path, lines: str, given: tuple[str, ...], expected: list[bool]) -> None:
    told = f"ACCOUNTCFG{lines}".split("; ") if lines else ()
    assert ran(config(tmp_path, *told), *given) == expected


def test_other_banks_are_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text("AMCFG[bank] TYPE=QBANK HOST=bank CHARGEPOLICY=DEBITALLWC\nACCOUNTCFG[a] ALLOCATION=0\n")
    assert ran(str(path)) == [True, True, True]


def test_results_tell_balances_and_who_could_not_pay(molokini: Command, small: Path, tmp_path: Path) -> None:
    file = config(tmp_path, "ACCOUNTCFG[poor] ALLOCATION=1", "SYSCFG ADEF=poor")
    done = molokini("simulate", small, "--policy", "maui", "--maui-config", file, "--json", "-")
    # Nobody could pay, so nothing ran: that is told as a failure, and the results are told all the same.
    assert (done.code, "started none of 4 jobs" in done.err) == (2, True), done.err
    bank = done.json["bank"]
    assert bank["jobs_unpaid"] == done.json["workload"]["jobs"]
    assert (bank["debit"], bank["successful_only"], bank["fallback_account"]) == ("wall", False, None)
    [account] = bank["accounts"]
    assert (account["account"], account["balance"], account["debited"]) == ("poor", 1, 0)
    shown = molokini("simulate", small, "--policy", "maui", "--maui-config", file)
    assert "never started: no account could pay" in shown.out


def test_a_stopped_simulation_tells_balances(molokini: Command, small: Path, tmp_path: Path) -> None:
    file = config(tmp_path, "ACCOUNTCFG[poor] ALLOCATION=1", "SYSCFG ADEF=poor")
    shown = ("--show", "balances:poor", "--show", "blocked")
    options = ("--maui-config", file, "--stop-at", "1e9", *shown)
    done = molokini("simulate", small, "--policy", "maui", *options, "--json", "-")
    assert done.code == 0, done.err
    [account] = done.json["reports"]["balances:poor"]["accounts"]
    assert account["available"] == 1
    [first, *_] = done.json["reports"]["blocked"]["jobs"]
    assert (first["state"], first["account"]) == ("held", "poor")
    assert first["reason"] == "deferred too often: no account could pay for it"
    again = config(tmp_path, "ACCOUNTCFG[poor] ALLOCATION=1", "SYSCFG ADEF=poor", "DEFERTIME 0")
    options = ("--maui-config", again, "--stop-at", "1e9", *shown)
    done = molokini("simulate", small, "--policy", "maui", *options, "--json", "-")
    [first, *_] = done.json["reports"]["blocked"]["jobs"]
    assert (first["rule"], first["account"]) == ("cannot-debit-account", "poor")


def test_what_is_said_of_banks_is_true(molokini: Command, tmp_path: Path) -> None:
    lines = ("AMCFG[old] TYPE=GOLD HOST=gold", "AMCFG[bank] FLUSHINTERVAL=3600 DEFERJOBONFAILURE=TRUE")
    done = molokini("config", "check", config(tmp_path, *lines), "--json", "-")
    found = {one["parameter"]: one for one in done.json["findings"]}
    assert found["AMCFG[bank] TYPE"]["status"] == "understood"
    assert found["AMCFG[bank] FLUSHINTERVAL"]["status"] == "without effect"
    assert found["AMCFG[bank] DEFERJOBONFAILURE"]["status"] == "without effect"
    assert "TYPE=FILE" in str(found["AMCFG[old] TYPE"])
