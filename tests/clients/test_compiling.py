"""A first run says why it stands still; nothing of it is in a pipe or in the results."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.policies import policy_names
from tests.clients.command_runs import ROOT, Ran, shell, terminal

Command = Callable[..., Ran]
BEGUN = r"compiling new, this once: about \d+ s of processor time"
TOLD = re.compile(
    rf"(\r[-|/\\] {BEGUN} \(\d+ s so far\))+\rcompiled in (?P<took>\d+\.\d) s; the next run .*\n"
)
TOLD_IN_A_LOG = re.compile(
    rf"molokini: {BEGUN}\n"
    r"molokini: compiled in \d+\.\d s; the next run finds it in the cache\n"
)


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOLOKINI_QUIET", raising=False)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy that no cache holds: one that is shipped, in a file of its own."""
    made = tmp_path / "new.py"
    made.write_text((ROOT / "core/molokini/policies/fcfs.py").read_text())
    return made


def test_the_first_run_alone_says_that_it_compiles(small: Path, policy: Path, tmp_path: Path) -> None:
    arguments = ("simulate", small, "--policy", policy, "--json")
    first = terminal(80, *arguments, tmp_path / "r.json", streams=("stderr",))
    told = TOLD.search(first.out)
    assert told, first.out
    assert json.loads((tmp_path / "r.json").read_text())["run"]["elapsed_s"] < float(told["took"])
    assert "compil" not in first.err  # where standard output goes here
    again = terminal(80, *arguments, tmp_path / "r.json", streams=("stderr",))
    assert (again.code, "compil" in again.out) == (0, False)


@pytest.mark.deep
@pytest.mark.parametrize("asked", [("simulate",), ("compare", "--workers", 1)])
def test_a_log_holds_both_lines(small: Path, policy: Path, asked: tuple[object, ...]) -> None:
    ran = shell(*asked, small, "--policy", policy, "--json", "-")
    assert ran.code == 0
    assert TOLD_IN_A_LOG.fullmatch(ran.err), ran.err
    assert ran.json["schema"].startswith("molokini.")
    assert shell(*asked, small, "--policy", policy, "--json", "-").err == ""


@pytest.mark.deep
def test_nothing_is_said_where_that_is_wanted(small: Path, policy: Path) -> None:
    ran = shell("simulate", small, "--policy", policy, "--json", "-", MOLOKINI_QUIET="1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["metrics"]["finished_jobs"] == 4


@pytest.mark.deep
def test_other_words_in_a_policy_compile_nothing(small: Path, policy: Path) -> None:
    assert shell("simulate", small, "--policy", policy).err
    text = policy.read_text()
    policy.write_text(
        text.replace('summary="', 'summary="now in other words: ').replace('"""', '"""More.\n\n', 1)
    )
    assert shell("simulate", small, "--policy", policy).err == ""
    policy.write_text(text + "\n\nMORE = 1\n")
    assert "compiled in" in shell("simulate", small, "--policy", policy).err


@pytest.mark.deep
def test_a_policy_that_cannot_be_compiled_says_so(small: Path, policy: Path) -> None:
    head, body = policy.read_text().rsplit('"""\n', 1)
    policy.write_text(f'{head}"""\n    str(view).encode("ascii").hex()\n{body}')
    ran = terminal(80, "simulate", small, "--policy", policy, streams=("stderr",))
    assert ran.code == 0
    assert "compiled in" not in ran.out
    assert "\rthe policy runs as plain Python, slower: numba cannot compile it (tried for " in ran.out


@pytest.mark.deep
def test_a_policy_that_was_compiled_beforehand_starts_at_once(small: Path, policy: Path) -> None:
    ran = shell("compile", policy)
    *pieces, last = ran.out.splitlines()
    assert [line.partition(": ")[0] for line in pieces] == ["the simulator", "the live server", "new"]
    assert pieces[-1].endswith("s of processor time")
    assert (ran.code, last.endswith("; runs find them in the cache")) == (0, True)
    assert shell("simulate", small, "--policy", policy).err == ""
    assert shell("compile", policy).out.splitlines()[2] == "new: was in the cache"


@pytest.mark.deep
def test_compile_takes_all_shipped_policies_or_says_which_there_is_not() -> None:
    ran = shell("compile", NUMBA_DISABLE_JIT="1")
    assert ran.code == 0
    assert set(policy_names()) < {line.partition(": ")[0] for line in ran.out.splitlines()}
    wrong = shell("compile", "esay")
    assert (wrong.code, wrong.err) == (2, "molokini: no policy named 'esay'; did you mean 'easy'?\n")
