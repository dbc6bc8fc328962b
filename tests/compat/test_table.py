"""The page of all options, and the commands in a folder."""

import os
from pathlib import Path

import pytest

from molokini.clients.live.shim_files import write_shims
from molokini.compat.options import REFUSED, SUPPORTED
from molokini.compat.table import commands, options, page
from molokini.model.errors import Conflict

ROOT = Path(__file__).parents[2]
ALL = [(system, module) for system, names in commands().items() for module in dict.fromkeys(names.values())]


def test_the_page_is_that_of_the_tables() -> None:
    assert (ROOT / "docs" / "batch-commands.md").read_text() == page()


@pytest.mark.parametrize(("system", "module"), ALL)
def test_what_an_option_takes_is_shown_whole(system: str, module: str) -> None:
    for one in options(system, module):
        assert one.takes.count("[") == one.takes.count("]"), one.names


@pytest.mark.parametrize(("system", "module"), ALL)
def test_every_option_says_what_it_does_or_why_not(system: str, module: str) -> None:
    rows = options(system, module)
    names = [name for one in rows for name in one.names]
    assert len(set(names)) == len(names), "a name twice"
    for one in rows:
        assert one.help if one.becomes == SUPPORTED else one.why, one.names
        assert one.becomes != REFUSED or not one.help


def test_a_file_of_another_program_stays(tmp_path: Path) -> None:
    (tmp_path / "sbatch").write_text("#!/bin/sh\n")
    with pytest.raises(Conflict, match=r"sbatch is there already, and is none of ours"):
        write_shims(tmp_path, {"slurm": {"sbatch": "sbatch"}}, "")
    assert (tmp_path / "sbatch").read_text() == "#!/bin/sh\n"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "bin").write_text("")
    with pytest.raises(Conflict, match=r"bin is a file; the commands are written into a folder"):
        write_shims(tmp_path / "bin", {"slurm": {"sbatch": "sbatch"}}, "")


def test_commands_are_written_anew_over_ours(tmp_path: Path) -> None:
    for home in ("/a", "/b"):
        [path] = write_shims(tmp_path, {"slurm": {"sbatch": "sbatch"}}, home)
        assert repr(home) in path.read_text()
        assert os.access(path, os.X_OK)
    assert os.listdir(tmp_path) == ["sbatch"]
