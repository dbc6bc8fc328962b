"""``molokini config check`` of a slurm.conf: told from a maui.cfg by what stands in it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.clients.config_files import is_slurm_conf
from molokini.slurm.collecting import slurm_collect
from tests.clients.command_runs import ROOT, Ran
from tests.kit.slurm_files import CONF, DUMP, fake_slurm

Command = Callable[..., Ran]


def test_each_line_has_its_fate(molokini: Command, tmp_path: Path) -> None:
    path, dump = tmp_path / "slurm.conf", tmp_path / "dump"
    path.write_text(CONF)
    dump.write_text(DUMP)
    ran = molokini("config", "check", path, "--slurm-accounts", dump)
    assert (ran.code, ran.err) == (0, "")
    assert "SchedulerParameters bf_interval" in ran.out
    assert "0 refused" in ran.out
    assert "4 accounts, 4 rows of users, 0 QOSes" in ran.out


def test_json_and_the_exit_code(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text(f"{CONF}PriorityWeigthAge=1\n")
    ran = molokini("config", "check", path, "--json", "-")
    assert ran.code == 2
    assert ran.json["usable"] is False
    assert ran.json["counts"]["refused"] == 1
    assert ran.err.startswith(
        f"molokini: {path}:23: PriorityWeigthAge: no parameter named 'PriorityWeigthAge'"
    )


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a", "PartitionName=x Nodes=ALL\n", True),
        ("slurm.conf", "", True),
        ("b", "BACKFILLPOLICY FIRSTFIT\n", False),
        ("c.toml", "NodeName=x\n", False),
        ("d", "# parts\nInclude nodes.conf\ninclude /etc/slurm/partitions.conf\n", True),
        ("e", "INCLUDE=x\n", False),
    ],
)
def test_whose_a_file_is(tmp_path: Path, name: str, text: str, found: bool) -> None:
    (tmp_path / name).write_text(text)
    assert is_slurm_conf(str(tmp_path / name)) is found


def test_options_of_the_other_are_refused(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(CONF)
    ran = molokini("config", "check", path, "--nodes", "n1")
    assert ran.code == 2
    assert "--nodes is of a maui.cfg" in ran.err
    ran = molokini("config", "check", ROOT / "examples" / "maui.cfg", "--slurm-accounts", path)
    assert ran.code == 2
    assert "--slurm-accounts is of a slurm.conf" in ran.err


def test_the_slurm_conf_in_a_pack_is_checked_with_its_accounts(
    molokini: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_slurm(tmp_path, CONF)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    path = tmp_path / "site.tar.gz"
    slurm_collect.make(3, str(path), now=1_800_000_000.0)
    ran = molokini("config", "check", path)
    assert (ran.code, ran.err) == (0, "")
    assert "SchedulerParameters bf_interval" in ran.out
    assert f"{path}: slurm.conf: " in ran.out
    assert "molokini-site-" not in ran.out
    found = molokini("config", "check", path, "--json", "-").json
    assert {f"{path}: slurm.conf"} < {one["file"] for one in found["findings"]}
    assert all(one["file"].startswith(f"{path}: ") for one in found["findings"])


def test_a_pack_that_cannot_be_opened_is_told_in_one_line(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "site.tar.gz"
    path.write_bytes(b"nothing")
    ran = molokini("config", "check", path)
    assert ran.code == 2
    assert ran.err.startswith(f"molokini: {path}: the pack is cut short or damaged: copy it again")
