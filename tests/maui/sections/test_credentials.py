"""Parameters of credentials that have no effect say so; an empty list is not the same as no list."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.maui import MauiConfig, check_text, read_config, write_config, write_toml
from molokini.maui.access import Members
from molokini.maui.findings import Status


def test_defaults_of_classes_that_nothing_follows_are_said_to_have_no_effect() -> None:
    names = ("PROC=2", "NODE=2", "MEM=512", "DISK=10", "NODESET=ONEOF:FEATURE:a", "EXT=x", "GRES=g", "OS=aix")
    report = check_text("CLASSCFG[a] " + " ".join(f"DEFAULT.{one}" for one in names))
    assert report.config is not None
    assert [one.status for one in report.findings] == [Status.WITHOUT_EFFECT] * len(names)
    assert all(one.cause for one in report.findings)


@pytest.mark.parametrize("write", [write_config, write_toml])
def test_no_partition_by_default_comes_back(write: Callable[[MauiConfig], str], tmp_path: Path) -> None:
    text = "SYSCFG[base] PLIST=\nGROUPCFG[ops] PLIST=DEFAULT\n"
    config = check_text(text).checked()
    assert config.system.partitions == Members(())
    path = tmp_path / ("maui.toml" if write is write_toml else "maui.cfg")
    path.write_text(write(config))
    assert read_config(path) == config
    assert check_text("SYSCFG[base] QLIST=").findings[0].cause.startswith("the value is missing")
