"""``make demo`` still makes what README.md shows."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from tests.clients.command_runs import ROOT, environment

PICTURES = ROOT / "docs" / "pictures"
README = (ROOT / "README.md").read_text(encoding="utf-8")
SMALL_BYTES = 200_000


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the demo prints, and its folder."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py"), str(folder)],
        env=environment(COLUMNS="120"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, folder


def test_each_picture_of_the_documents_is_shown_by_one_of_them() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = {
        name for page in pages for name in re.findall(r"pictures/([\w-]+\.png)\)", page.read_text("utf-8"))
    }
    assert {path.name for path in PICTURES.iterdir()} == shown


@pytest.mark.deep
def test_the_plots_of_the_readme_are_those_of_the_demo(demo: tuple[str, Path]) -> None:
    shown = re.findall(r"!\[[^]]+\]\(docs/pictures/([\w-]+\.png)\)", README)
    # What begins with "page" is a view in a browser, of `make pictures`.
    plots = [name for name in shown if not name.startswith("page")]
    assert plots == ["comparison.png", "easy.png"]
    for name in plots:
        kept, made = (matplotlib.image.imread(folder / name) for folder in (PICTURES, demo[1]))
        assert kept.shape == made.shape, name
        # Another version of matplotlib may draw a letter otherwise, and no bar.
        assert np.abs(kept - made).mean() < 0.01, name
        assert (PICTURES / name).stat().st_size < SMALL_BYTES


@pytest.mark.dear("what a newcomer runs, as it is")
@pytest.mark.deep
def test_the_table_of_the_readme_is_what_the_demo_prints(demo: tuple[str, Path]) -> None:
    table = re.findall(r"^ (?:fcfs|easy|conservative) .*%$", README, re.MULTILINE)
    assert len(table) == 3
    printed = [" ".join(line.split()) for line in demo[0].splitlines()]
    assert {" ".join(line.split()) for line in table} <= set(printed)
