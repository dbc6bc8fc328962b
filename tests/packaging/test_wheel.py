"""The wheel: what is in it and what is not, and that it works where it is installed."""

import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from hatch_build import for_index
from tests.clients.command_runs import ROOT
from tests.packaging.environments import LONGEST_S, Environment, build_wheel

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGES = {path.name for path in ROOT.glob("*/molokini/*/") if path.name != "__pycache__"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel alone, with what it needs taken from here; no tree of ours is on the path."""
    made = Environment(tmp_path_factory.mktemp("environment"))
    made.install("--no-deps", "--no-index", str(wheel))
    made.add_path(sysconfig.get_path("purelib"))
    return made


def test_the_wheel_is_pure_and_holds_the_product_alone(wheel: Path) -> None:
    assert wheel.name == f"molokini-{PROJECT['version']}-py3-none-any.whl"
    names = [name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in names} == {"molokini"}
    assert {name.split("/")[1] for name in names} == PACKAGES
    kinds = {Path(name).suffix for name in names if Path(name).name != "py.typed"}
    assert kinds == {".py", ".pyi", ".proto", ".toml", ".c", ".html", ".css", ".js", ".svg", ".md", ".json"}


def test_every_package_is_typed_and_the_namespace_claims_nothing(wheel: Path) -> None:
    typed = {name for name in ZipFile(wheel).namelist() if name.endswith("py.typed")}
    assert typed == {f"molokini/{package}/py.typed" for package in PACKAGES}


def test_licence_and_description_go_with_it(wheel: Path) -> None:
    with ZipFile(wheel) as files:
        [licence] = [name for name in files.namelist() if name.endswith("licenses/LICENSE")]
        assert files.read(licence) == (ROOT / "LICENSE").read_bytes()
        [about] = [name for name in files.namelist() if name.endswith(".dist-info/METADATA")]
        text = files.read(about).decode()
    assert "\nLicense-Expression: MIT\n" in text
    assert "# Molokini" in text
    assert re.findall(r"\]\((?!https?:)[^)]*\)", text) == []


def test_links_on_an_index_are_absolute_or_plain_text() -> None:
    text = "![a plot](docs/a.png) and [`live`](docs/live.md#x), [out](https://x.org), [here](#licence)"
    pages, pictures = "https://h/blob/v{version}/{path}", "https://h/raw/v{version}/{path}"
    assert for_index(text, pages, pictures, "1.0") == (
        "![a plot](https://h/raw/v1.0/docs/a.png) and [`live`](https://h/blob/v1.0/docs/live.md#x), "
        "[out](https://x.org), [here](#licence)"
    )
    assert for_index(text, "", "", "1.0") == "*a plot* and `live`, [out](https://x.org), [here](#licence)"


@pytest.mark.deep
def test_the_version_stands_in_one_place(installed: Environment) -> None:
    assert installed.run("molokini", "--version").out == f"molokini {PROJECT['version']}\n"
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert "version" not in citation


@pytest.mark.dear("the wheel is built, installed and compiles its own code")
@pytest.mark.deep
def test_what_was_installed_replays_a_workload(installed: Environment) -> None:
    words = ("simulate", "lublin?jobs=20", "--policy", "easy", "--json", "-")
    ran = installed.run("molokini", *words, NUMBA_DISABLE_JIT="1", MOLOKINI_QUIET="1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["workload"]["jobs"] == 20
    where = installed.run("python", "-c", "import molokini.sim; print(molokini.sim.__file__)").out
    assert where.startswith(str(installed.folder))


@pytest.mark.deep
def test_type_checkers_see_the_types(installed: Environment, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from molokini.client import job_spec\nreveal_type(job_spec)\n")
    words = ["-m", "mypy", "--strict", "--python-executable", str(installed.python), str(program)]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST_S
    )
    assert done.returncode == 0, done.stdout
    assert "jobs_pb2.JobSpec" in done.stdout
