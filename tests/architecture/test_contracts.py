"""Imports that must never exist, and the shape of the source tree."""

import ast
import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from molokini.clients.commands import COMMANDS
from tests.architecture.imports import broken, imports_of, kinds_named
from tests.architecture.layers import CLIENTS, CORE, MAUI, OTHERS, SERVER, SLURM, Layer

ROOT = Path(__file__).parents[2]
_NAMES = (
    *(
        "core",
        "maui",
        "slurm",
        "parallel",
        "experiments",
        "studies",
        "clients",
        "page",
        "server",
        "agents",
        "app",
    ),
    "proto",
)
ROOTS = [root for name in _NAMES if (root := ROOT / name).is_dir()]
LONGEST = 500


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name)
def test_no_layer_imports_what_is_not_in_its_row(root: Path) -> None:
    assert broken(root) == []


def test_every_package_of_the_core_has_a_row_and_none_looks_up() -> None:
    assert {path.name for path in (ROOT / "core" / "molokini").iterdir()} == {layer.name for layer in CORE}
    assert _looking_up(CORE) == []


def test_every_package_of_maui_has_a_row_and_none_looks_up() -> None:
    folders = {path.parent.name for path in (ROOT / "core/molokini/policies/maui").glob("*/__init__.py")}
    assert {f"policies.maui.{name}" for name in folders} == {layer.name for layer in MAUI}
    below = CORE[: [layer.name for layer in CORE].index("policies")]
    assert _looking_up((*below, *MAUI)) == []


def test_every_package_of_slurm_has_a_row_and_none_looks_up() -> None:
    folders = {path.parent.name for path in (ROOT / "core/molokini/policies/slurm").glob("*/__init__.py")}
    assert {f"policies.slurm.{name}" for name in folders} == {layer.name for layer in SLURM}
    below = CORE[: [layer.name for layer in CORE].index("policies")]
    assert _looking_up((*below, *SLURM)) == []


def _looking_up(layers: tuple[Layer, ...]) -> list[str]:
    """Layers, from below to above, whose row names one that comes later."""
    names = [layer.name for layer in layers]
    return [layer.name for place, layer in enumerate(layers) if set(layer.layers) - set(names[: place + 1])]


def _packages() -> set[str]:
    """Every package of the tree by its name below ``molokini``, such as ``server.state``."""
    homes = [root / "molokini" for root in ROOTS]
    return {
        ".".join(init.parent.relative_to(home).parts) for home in homes for init in home.rglob("__init__.py")
    }


def test_every_package_has_a_row_or_lies_in_one_that_has() -> None:
    rows = {layer.name for layer in (*CORE, *MAUI, *OTHERS, *SERVER, *CLIENTS)}
    packages = {name for name in _packages() if name.partition(".")[0] != "proto"}
    assert {name.partition(".")[0] for name in packages} <= rows
    assert {name for name in packages if name.startswith("server.") and name.count(".") == 1} <= rows


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name)
def test_no_packages_import_one_another_in_a_circle(root: Path) -> None:
    graph: dict[str, set[str]] = {}
    for one in imports_of(root):
        importer, target = _room_of(one.importer, root), _room_of(one.target, root)
        if target and importer != target:
            graph.setdefault(importer, set()).add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def _room_of(module: str, root: Path) -> str:
    """The package of *module*, or a loose module of a root that is itself one package; empty: elsewhere."""
    parts = module.split(".")[
        : 3 if root.name in ("server", "studies", "experiments", "maui", "slurm") else 2
    ]
    while parts and not (
        root.joinpath(*parts).is_dir() or root.joinpath(*parts).with_suffix(".py").is_file()
    ):
        parts.pop()
    return ".".join(parts) if len(parts) > 1 else ""


def test_a_circle_is_found(tmp_path: Path) -> None:
    for name, other in (("state", "turn"), ("turn", "state")):
        (tmp_path / "server/molokini/server" / name).mkdir(parents=True)
        path = tmp_path / f"server/molokini/server/{name}/bad.py"
        path.write_text(f"from molokini.server.{other}.bad import x\n", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match="state"):
        test_no_packages_import_one_another_in_a_circle(tmp_path / "server")


def test_no_module_name_stands_in_four_files() -> None:
    """A name that many files bear cannot be searched for. One batch command is one file in each system."""
    names = Counter(
        path.name
        for root in (*ROOTS, ROOT / "benchmarks", ROOT / "examples", ROOT / "tests")
        for path in root.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py", "conftest.py")
        and not path.stem.startswith("test_")
        and "compat" not in path.parts
    )
    assert {name: count for name, count in names.items() if count > 3} == {}


def test_the_glossary_has_every_package_and_every_group_of_commands() -> None:
    words = set(re.findall(r"^\| `?([\w /-]+?)`? \|", (ROOT / "docs/glossary.md").read_text("utf-8"), re.M))
    known = {part for word in words for part in (word, word.replace(" ", "_"), *word.split(" / "))}
    packages = {name.rpartition(".")[2] for name in _packages() if name.partition(".")[0] != "proto"}
    groups = {command.name.split()[0] for command in COMMANDS if " " in command.name}
    assert sorted((packages | groups) - known) == []


def test_a_row_says_nothing_that_no_file_needs() -> None:
    imports = [one for root in ROOTS for one in imports_of(root)]
    for layer in (*CORE, *MAUI, *OTHERS, *SERVER, *CLIENTS):
        own = [one for one in imports if f"{one.importer}.".startswith(f"molokini.{layer.name}.")]
        assert own, f"there is no layer {layer.name}"
        unused = [name for name in layer.libraries if not any(one.within(name) for one in own)]
        assert unused == [], layer.name


def test_there_is_something_to_look_at() -> None:
    imports = imports_of(ROOT / "core")
    assert len(imports) > 200
    assert {"molokini.policies.easy", "molokini.sim.engine"} <= {one.importer for one in imports}


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("sim/bad.py", "import time"),
        ("sim/bad.py", "def f():\n    from asyncio import sleep"),
        ("sim/bad.py", "from molokini.server import reactor"),
        ("model/bad.py", "import numpy as np"),
        ("model/bad.py", "from molokini.tables import transitions"),
        ("compiled/bad.py", "from molokini.tables.tables import Tables"),
        ("tables/bad.py", "from molokini.availability.placement import place"),
        ("availability/bad.py", "from molokini.cycle.verbs import start"),
        ("cycle/bad.py", "from molokini.shared import queues"),
        ("shared/bad.py", "from molokini.policies.easy import schedule"),
        ("accounting/bad.py", "import numpy"),
        ("accounting/bad.py", "from molokini.workloads.swf import read_swf"),
        ("workloads/bad.py", "from molokini.sim.replay import Replay"),
        ("sim/bad.py", "from molokini.metrics import summary"),
        ("workloads/bad.py", "from google.protobuf import message"),
        ("workloads/bad.py", "import matplotlib.pyplot"),
        ("process_sim/bad.py", "from molokini.tables.tables import Tables"),
        ("process_sim/bad.py", "from molokini.sim.agenda import Agenda"),
        ("sim/bad.py", "from molokini.process_sim.engine import run"),
        ("policies/bad.py", "from molokini.sim.agenda import Agenda"),
        ("policies/bad.py", "from molokini.policies.easy import schedule"),
        ("policies/bad.py", "from . import easy"),
        ("policies/bad.py", "import os"),
        ("policies/bad/part.py", "from molokini.policies.easy import schedule"),
        ("policies/maui/configuration/bad.py", "from molokini.policies.maui.knowledge.memory import mine"),
        ("policies/maui/knowledge/bad.py", "from molokini.policies.maui.nodes import sharing"),
        ("policies/maui/nodes/bad.py", "from molokini.policies.maui.selection import paying"),
        (
            "policies/maui/selection/bad.py",
            "from molokini.policies.maui.starting.free_slots import start_now",
        ),
        ("policies/maui/starting/bad.py", "from molokini.policies.maui.waking import waking"),
        ("policies/maui/waking/bad.py", "from molokini.policies.maui.iteration import iterate"),
        ("policies/maui/starting/bad.py", "from molokini.policies.maui.introspection import labels"),
        ("policies/maui/nodes/bad.py", "from molokini.policies.easy import schedule"),
        ("policies/maui/nodes/bad.py", "import os"),
        ("cycle/bad.py", "from ..sim import engine"),
        ("metrics/bad.py", "from molokini.clients import command"),
        ("reports/bad.py", "from molokini.policies import load_policy"),
        ("shared/bad.py", "from molokini.reports import report"),
        ("maui/bad.py", "import molokini.server.config"),
        ("maui/bad.py", "import molokini.sim"),
        ("maui/bad.py", "import numpy"),
        ("maui/bad.py", "import asyncio"),
        ("maui/bad.py", "import molokini.policies.easy"),
        ("parallel/bad.py", "from molokini.sim import replay"),
        ("experiments/bad.py", "from molokini.clients import command"),
        ("experiments/bad.py", "import molokini.server.config"),
        ("experiments/bad.py", "import molokini.maui"),
        ("experiments/bad.py", "from molokini.policies.maui.configuration.words import AccountOf"),
        ("experiments/bad.py", "import typer"),
        ("studies/bad.py", "from molokini.clients import command"),
        ("agents/bad.py", "import grpc"),
        ("agents/bad.py", "import numpy"),
        ("agents/grpc_link.py", "from molokini.server import server"),
        ("server/state/bad.py", "from molokini.server.turn.reactor import Reactor"),
        ("server/state/bad.py", "import pydantic"),
        ("server/turn/bad.py", "from molokini.proto.v1 import jobs_pb2"),
        ("server/journal/bad.py", "from molokini.server.state.state import State"),
        ("server/accounting/bad.py", "from molokini.proto.v1 import jobs_pb2"),
        ("server/accounting/bad.py", "from molokini.server.turn.reactor import Reactor"),
        ("server/link/bad.py", "from molokini.server.services.job_service import JobService"),
        ("server/services/bad.py", "import pydantic"),
        ("server/queries/bad.py", "from molokini.policies.maui.introspection.explaining import explained"),
        ("server/state/bad.py", "from molokini.maui.bank import bank_of"),
        ("server/bad.py", "from molokini.policies.maui.configuration.configured import Configured"),
        ("app/bad.py", "from molokini.policies.maui.configuration.settings import MauiSettings"),
        ("app/bad.py", "from molokini.maui import read_config"),
        ("server/security/bad.py", "from molokini.sim import replay"),
        ("client/bad.py", "from molokini.clients.show import grid"),
        ("client/bad.py", "import numpy"),
        ("clients/live/bad.py", "from molokini.reports import report"),
        ("clients/live/bad.py", "from molokini.maui import read_config"),
        ("clients/bad.py", "from molokini.maui import read_config"),
        ("clients/bad.py", "from molokini.server.state.state import State"),
        ("app/bad.py", "from molokini.studies import Study"),
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
        ("policies/good.py", "from molokini.cycle.verbs import start\nimport numpy as np"),
        ("policies/good/part.py", "from molokini.policies.good.other import something"),
        ("policies/maui/starting/good.py", "from molokini.policies.maui.nodes.holding import release"),
        ("policies/maui/good.py", "from molokini.policies.maui.waking.waking import wake"),
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


def test_few_of_the_server_speak_the_wire_s_language_and_one_touches_databases() -> None:
    speakers = {"services", "link", "translate", "queries"}
    for one in imports_of(ROOT / "server"):
        layer = one.importer.split(".")[2]
        # What is said of a method is no message.
        wire = one.within("molokini.proto") and not one.within("molokini.proto.rules")
        assert not wire or layer in speakers, one
        assert not one.within("sqlite3", "asyncpg", "sqlalchemy") or layer == "journal", one
        assert not one.within("molokini.sim") or layer == "queries", one
        assert not one.within("molokini.server.services") or layer in {"services", "server"}, one


def test_one_command_runs_studies() -> None:
    for root in ROOTS:
        for one in imports_of(root):
            if root.name != "studies" and one.within("molokini.studies"):
                assert one.importer == "molokini.clients.study", one


def test_the_policy_that_has_configurations_is_named_once() -> None:
    """Layers ask the site port. Maui's own layers, its commands and the study of its paper may speak of
    it."""
    own = (
        *("core/molokini/policies/maui/", "maui/", "studies/", "clients/molokini/clients/maui/"),
        "clients/molokini/clients/commands.py",
        # The extra of pip that brings what Maui's files need is called so, too.
        "core/molokini/model/extras.py",
        # Its commands are a batch system, as those of PBS are.
        "clients/molokini/compat/",
    )
    found = [
        name
        for root in ROOTS
        for path in sorted(root.rglob("*.py"))
        if not (name := path.relative_to(ROOT).as_posix()).startswith(own)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value == "maui"
    ]
    assert found == ["core/molokini/model/site.py"]


def test_engine_and_pass_name_no_kind_of_job() -> None:
    """They ask one call how long a placed job takes, so that a new kind leaves them as they are."""
    assert kinds_named(ROOT / "core") == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("sim/bad.py", "from molokini.applications.work import end_of"),
        ("cycle/bad.py", "from molokini.applications.kinds import JobKind"),
        ("sim/bad.py", "    divided: int"),
        ("sim/bad.py", "kind = _ALL_TO_ALL"),
        ("sim/bad.py", "# A job that communicates waits."),
        ("cycle/bad.py", '    """Give a waiting divisible job processors."""'),
        ("cycle/bad.py", "rule = OPR"),
    ],
)
def test_a_kind_of_job_that_is_named_is_found(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / "molokini" / file
    path.parent.mkdir(parents=True)
    path.write_text(line.strip() + "\n")
    assert len(kinds_named(tmp_path)) == 1


@pytest.mark.parametrize(
    "line", ["from molokini.applications.placed import COSTS", "workload = properties(border)"]
)
def test_the_call_and_other_words_are_let_pass(tmp_path: Path, line: str) -> None:
    path = tmp_path / "molokini" / "sim" / "good.py"
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n")
    assert kinds_named(tmp_path) == []


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
