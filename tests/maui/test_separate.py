"""The separate files of older Mauis: read beside a maui.cfg, checked with file and line, converted."""

from pathlib import Path

import pytest

from molokini.maui import Status, check, read_config, write_config
from molokini.maui.access import Members
from molokini.maui.limits import Target
from molokini.policies.maui.configuration.words import ListRule, TargetKind

FAIRSHARE = """
# the sample of the guide, in our words
SYSTEM PLIST=old PDEF=old QLIST=0 QDEF=0
USER:DEFAULT   FSTARGET=5.0-
USER:steve     QLIST=2-4,high QDEF=2
user:bob       FSFLAGS=ADVRES  # a comment
GROUP:staff    FSTARGET=10.0-
ACCOUNT:proj   PLIST=dev:old& PDEF=dev
CLASS:long     FSTARGET=20
QOS:3          FSTARGET=75.0
"""
MACHINE = """
node001 PARTITION=old SPEED=0.5
NODE:node002 PARTITION=dev FEATURES=fast,big
DEFAULT PRIORITY=3
"""


def written(
    folder: Path, main: str = "FSPOLICY DEDICATEDPS\n", fairshare: str = "", machine: str = ""
) -> Path:
    path = folder / "maui.cfg"
    path.write_text(main)
    for name, text in (("fs.cfg", fairshare), ("machine.cfg", machine)):
        if text:
            (folder / name).write_text(text)
    return path


def test_both_are_read_beside_a_configuration(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, fairshare=FAIRSHARE, machine=MACHINE))
    assert config.system.partitions == Members(("old",))
    assert (config.system.default_partition, config.system.default_qos) == ("old", "0")
    assert config.users["steve"].qos == Members(("2", "3", "4", "high"))
    assert config.users["bob"].flags == ("ADVRES",)
    assert config.accounts["proj"].partitions == Members(("dev", "old"), ListRule.ALL)
    assert config.users["DEFAULT"].target == Target(5, TargetKind.CEILING)
    assert config.classes["long"].target == Target(20)
    assert config.qos["3"].target == Target(75)
    assert (config.node["node001"].partition, config.node["node001"].speed) == ("old", 0.5)
    assert config.node["node002"].features == ("fast", "big")
    assert config.node["DEFAULT"].priority == 3


def test_the_configuration_goes_before_them(tmp_path: Path) -> None:
    main = "FSPOLICY DEDICATEDPS\nGROUPCFG[staff] FSTARGET=40\nNODECFG[node001] SPEED=2"
    config = read_config(written(tmp_path, main, FAIRSHARE, MACHINE))
    assert config.groups["staff"].target == Target(40)
    assert (config.node["node001"].speed, config.node["node001"].partition) == (2, "old")


def test_numbers_of_qoses_are_those_that_the_configuration_names(tmp_path: Path) -> None:
    main = "FSPOLICY DEDICATEDPS\nQOSNAME[2] high\nQOSPRIORITY[2] 100\nQOSNAME[3] low\n"
    config = read_config(written(tmp_path, main, FAIRSHARE))
    assert config.users["steve"].qos == Members(("high", "low", "4"))
    assert config.users["steve"].default_qos == "high"
    assert (config.qos["high"].priority, config.qos["low"].target) == (100, Target(75))


@pytest.mark.parametrize(
    ("fairshare", "machine", "file", "line", "cause"),
    [
        ("\nUSER:ann FSTARGT=5", "", "fs.cfg", 2, "FSTARGET"),
        ("ann FSTARGET=5", "", "fs.cfg", 1, "begin with USER:NAME"),
        ("USER: FSTARGET=5", "", "fs.cfg", 1, "begin with USER:NAME"),
        ("", "n1 SPEED=5\nn2 SPEED=500", "machine.cfg", 2, "500"),
        ("", "SPEED=5", "machine.cfg", 1, "name of a node"),
        ("", "n1 SPEED='5", "machine.cfg", 1, "not closed"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(
    fairshare: str, machine: str, file: str, line: int, cause: str, tmp_path: Path
) -> None:
    report = check(written(tmp_path, fairshare=fairshare, machine=machine))
    assert report.config is None
    [wrong] = [one for one in report.findings if one.status is Status.REFUSED]
    assert (Path(wrong.file).name, wrong.line) == (file, line)
    assert cause in wrong.text


def test_one_can_be_checked_alone(tmp_path: Path) -> None:
    written(tmp_path, "NONSENSE 1", "USER:ann QDEF=high", MACHINE)
    assert read_config(tmp_path / "fs.cfg").users["ann"].default_qos == "high"
    assert read_config(tmp_path / "machine.cfg").node["node001"].partition == "old"


def test_converted_they_are_one_file(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, fairshare=FAIRSHARE, machine=MACHINE))
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "maui.cfg").write_text(write_config(config))
    assert read_config(alone / "maui.cfg") == config


def test_a_folder_of_the_name_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "fs.cfg").mkdir()
    [wrong] = [one for one in check(path).findings if one.status is Status.REFUSED]
    assert Path(wrong.file).name == "fs.cfg"
