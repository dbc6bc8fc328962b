"""Imports that must never exist, and the shape of the source tree."""

from pathlib import Path

import pytest

from tests.architecture.imports import beside_maui, broken, imports_of

ROOT = Path(__file__).parents[2]
_NAMES = ("core", "maui", "parallel", "studies", "clients", "server", "agents", "app", "proto")
ROOTS = [root for name in _NAMES if (root := ROOT / name).is_dir()]
LONGEST = 500


def test_the_core_keeps_its_contracts() -> None:
    assert broken(ROOT / "core") == []


def test_there_is_something_to_look_at() -> None:
    imports = list(imports_of(ROOT / "core"))
    assert len(imports) > 200
    assert {"molokini.policies.easy", "molokini.sim.engine"} <= {one.importer for one in imports}


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("sim/bad.py", "import time"),
        ("sim/bad.py", "def f():\n    from asyncio import sleep"),
        ("sim/bad.py", "from molokini.server import reactor"),
        ("model/bad.py", "import numpy as np"),
        ("model/bad.py", "from molokini.scheduling import tables"),
        ("workloads/bad.py", "from google.protobuf import message"),
        ("workloads/bad.py", "import matplotlib.pyplot"),
        ("policies/bad.py", "from molokini.sim.agenda import Agenda"),
        ("policies/bad.py", "from molokini.policies.easy import schedule"),
        ("policies/bad.py", "from . import easy"),
        ("policies/bad.py", "import os"),
        ("policies/bad/part.py", "from molokini.policies.easy import schedule"),
        ("scheduling/bad.py", "from ..sim import engine"),
        ("metrics/bad.py", "from molokini.clients import command"),
    ],
)
def test_a_forbidden_import_is_found(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / "molokini" / file
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n")
    assert len(broken(tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("policies/good.py", "from molokini.scheduling.verbs import start\nimport numpy as np"),
        ("policies/good/part.py", "from molokini.policies.good.other import something"),
        ("pictures/good.py", "import matplotlib.pyplot"),
        ("model/good.py", "from enum import IntEnum\nfrom molokini.model.errors import BadValue"),
    ],
)
def test_an_allowed_import_is_let_pass(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / "molokini" / file
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n")
    assert broken(tmp_path) == []


def test_roots_other_than_app_do_not_know_each_other() -> None:
    apart = {"server", "agents", "clients"}
    for root in ROOTS:
        for one in imports_of(root):
            if root.name in apart:
                assert not one.within(*(f"molokini.{other}" for other in apart - {root.name})), one


def test_many_processes_know_nothing_of_what_they_are_for() -> None:
    for one in imports_of(ROOT / "parallel"):
        if one.within("molokini"):
            known = ("molokini.parallel", "molokini.model", "molokini.scheduling.ports")
            assert one.within(*known), one


def test_a_study_stands_on_the_core_and_one_command_runs_it() -> None:
    for root in ROOTS:
        for one in imports_of(root):
            if root.name == "studies" and one.within("molokini"):
                core = {f"molokini.{path.name}" for path in (ROOT / "core" / "molokini").iterdir()}
                assert one.within("molokini.studies", "molokini.parallel", *core), one
            elif one.within("molokini.studies"):
                assert one.importer == "molokini.clients.study", one


def test_the_configuration_of_maui_knows_the_core_and_pydantic_alone() -> None:
    assert beside_maui(ROOT / "maui") == []
    assert len(list(imports_of(ROOT / "maui"))) > 100


@pytest.mark.parametrize(
    "target", ["molokini.server.config", "molokini.sim", "numpy", "asyncio", "molokini.policies.easy"]
)
def test_what_the_configuration_of_maui_may_not_know_is_found(tmp_path: Path, target: str) -> None:
    path = tmp_path / "molokini" / "maui" / "bad.py"
    path.parent.mkdir(parents=True)
    path.write_text(f"import {target}\nimport re\nfrom molokini.model import errors\n")
    assert len(beside_maui(tmp_path)) == 1


def test_no_root_claims_the_namespace() -> None:
    """One ``__init__.py`` directly in a ``molokini`` folder would make the other roots vanish."""
    assert [root for root in ROOTS if (root / "molokini" / "__init__.py").exists()] == []
    assert all((root / "molokini").is_dir() for root in ROOTS)


def test_a_long_file_says_why() -> None:
    for root in [*ROOTS, ROOT / "tests"]:
        for path in root.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if text.count("\n") > LONGEST and "_pb2" not in path.name:
                assert "long because" in text.lower(), f"{path} is long and does not say why"
