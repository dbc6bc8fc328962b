"""Man pages: one a command, with what help has, and nothing that troff stumbles over."""

import shutil
import subprocess
from pathlib import Path

import pytest

from molokini.clients.commands import COMMANDS, HEADINGS
from molokini.clients.described import described
from molokini.clients.manual import pages, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("man")
    assert write(made) == len(COMMANDS) + 1
    return made / "man1"


def test_each_command_has_a_page_with_all_its_options(folder: Path) -> None:
    for one in described():
        text = (folder / f"{'-'.join(('molokini', *one.words))}.1").read_text()
        for option in (*one.options, *one.positional):
            assert all(name.replace("-", "\\-") in text for name in option.names), option
            assert option.metavar.replace("-", "\\-") in text


def test_the_first_page_names_all_under_the_headings_of_help(folder: Path) -> None:
    text = (folder / "molokini.1").read_text()
    places = [text.index(f".SS {heading.replace('-', chr(92) + '-')}\n") for heading in HEADINGS.values()]
    assert places == sorted(places)
    for row in COMMANDS:
        name = "-".join(("molokini", *row.name.split())).replace("-", "\\-")
        assert f".BR {name} (1)\n" in text


def test_the_same_tree_makes_the_same_pages() -> None:
    assert dict(pages()) == dict(pages())


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_troff_takes_the_pages_without_a_warning(folder: Path) -> None:
    names = sorted(str(path) for path in folder.iterdir())
    done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", *names], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
