"""``molokini config``: checks, conversions and the list of parameters, as a shell sees them."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import ROOT, Ran

Command = Callable[..., Ran]
EXAMPLE = ROOT / "examples" / "maui.cfg"
BAD = """\
BACKFILLPOLICY FIRSTFIT
NODEDOWNSTATEDELAYTIME 1:00:00
NOSUCH 1
USERCFG[ann] MAXJOB=4,3
"""


def test_each_parameter_is_told_of(molokini: Command) -> None:
    ran = molokini("config", "check", EXAMPLE)
    assert (ran.code, ran.err) == (0, "")
    assert "The order in which" not in ran.out
    assert "RESERVATIONDEPTH[0]" in ran.out
    assert "40 understood, 0 without effect, 0 refused" in ran.out


def test_all_that_is_refused_is_told_at_once(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text(BAD)
    ran = molokini("config", "check", path)
    assert ran.code == 2
    assert "1 understood, 1 without effect, 2 refused" in ran.out
    assert "No effect: nodes and where jobs are placed" in " ".join(ran.out.split())
    assert "soft limit 4 is above hard limit 3" in ran.out
    assert ran.err.startswith(f"molokini: {path}:3: NOSUCH: no parameter named 'NOSUCH'")
    assert "(and 1 more; 'molokini config check' lists them)" in ran.err
    assert ran.err.count("\n") == 1


def test_json(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text(BAD)
    ran = molokini("config", "check", path, "--json", "-")
    assert ran.code == 2
    found = ran.json
    assert next(iter(found.items())) == ("schema", "molokini.config-check/1")
    assert found["usable"] is False
    assert found["counts"] == {"understood": 1, "without effect": 1, "refused": 2}
    assert [(one["line"], one["status"]) for one in found["findings"]] == [
        (1, "understood"),
        (2, "without effect"),
        (3, "refused"),
        (4, "refused"),
    ]
    assert molokini("config", "check", EXAMPLE, "--json", "-").json["usable"] is True


def test_there_and_back(molokini: Command, tmp_path: Path) -> None:
    one, two, again = tmp_path / "maui.toml", tmp_path / "maui.cfg", tmp_path / "again.toml"
    assert molokini("config", "convert", EXAMPLE, one).code == 0
    assert molokini("config", "check", one).code == 0
    assert molokini("config", "convert", one, two).code == 0
    assert molokini("config", "convert", two, again).code == 0
    assert one.read_text() == again.read_text()
    assert "[users.DEFAULT.running]\nprocessors = [64, 128]\n" in one.read_text()


def test_no_file_is_written_for_a_bad_one(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text(BAD)
    target = tmp_path / "maui.toml"
    target.write_text("# older\n")
    ran = molokini("config", "convert", path, target)
    assert (ran.code, ran.out) == (2, "")
    assert target.read_text() == "# older\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["maui.cfg", "maui.toml"]
    ran = molokini("config", "convert", EXAMPLE, tmp_path / "none" / "maui.toml")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    ran = molokini("config", "convert", path, path)
    assert "that is the input, too" in ran.err


def test_keys_are_neither_shown_nor_written_for_all(molokini: Command, tmp_path: Path) -> None:
    path, target = tmp_path / "maui-private.cfg", tmp_path / "private.toml"
    path.write_text("CLIENTCFG[RM:base] CSKEY=hush CSALGO=DES\n")
    for arguments in (("check", path), ("convert", path, target), ("check", target)):
        ran = molokini("config", *arguments)
        assert ran.code == 0
        assert "hush" not in ran.out + ran.err
    assert "hush" in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.parametrize(("nodes", "code"), [(None, 0), ("n[01-20],io1", 0), ("n[01-08]", 2), ("n[9-1]", 2)])
def test_nodes_that_are_known(molokini: Command, tmp_path: Path, nodes: str | None, code: int) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text("SRCFG[night] HOSTLIST=n09,n10\n")
    ran = molokini("config", "check", path, *(() if nodes is None else ("--nodes", nodes)))
    assert ran.code == code
    if nodes == "n[01-08]":
        cause = "a reservation on unknown nodes: there is no node 'n09', 'n10'"
        assert f"{path}:1: SRCFG[night] HOSTLIST: {cause}" in ran.err


def test_parameters_are_listed(molokini: Command) -> None:
    found = molokini("config", "parameters", "--json", "-").json
    assert found["schema"] == "molokini.config-parameters/1"
    assert len(found["parameters"]) > 300
    one = molokini("config", "parameters", "backfillmetric")
    assert "SCHEDULINGCRITERIA" in one.out
    assert "QTTARGET" in molokini("config", "parameters", "QOSCFG").out
    ran = molokini("config", "parameters", "NOSUCH")
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_a_file_that_is_none(molokini: Command, tmp_path: Path) -> None:
    for name in ("gone.cfg", ""):
        ran = molokini("config", "check", tmp_path / name)
        assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_of_a_file_that_is_not_there_is_said_no_more_than_that(molokini: Command, tmp_path: Path) -> None:
    for missing in (tmp_path / "missing.cfg", tmp_path / "missing.toml", tmp_path):
        ran = molokini("config", "check", missing)
        assert (ran.code, ran.out) == (2, "")
        assert len(ran.err.splitlines()) == 1
