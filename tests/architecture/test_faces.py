"""The four public faces: their names, their page, and that examples and plain policies keep to them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import molokini.policies
import molokini.policy
from molokini.policies import load_policy
from tests.architecture.faces import FACES, page
from tests.clients.command_runs import ROOT, environment

POLICY = {
    *("Parameter", "Policy", "Value", "Refusal", "Rule", "JobState", "NEVER", "View", "PolicyReport"),
    *("Choice", "Numbers", "Parameters", "SomeFloats", "SomeInts", "Workspace", "parameter", "several"),
    *("RecordFloats", "RecordInts", "inner", "kernel", "seldom"),
    *("because", "cancel", "checkpoint", "refuse", "requeue", "reserve", "resume", "resume_shared"),
    *("set_rows", "set_share", "share_all"),
    *("start", "start_in_rows", "start_shared", "suspend", "wake_at"),
    *("blocked", "held_back", "remaining_s", "sort_running", "explain_blocked", "start_by_estimate"),
    *("earliest", "fits", "plan", "profile_of_running", "start_in_order"),
}
NAMES = {
    "molokini.policy": POLICY,
    "molokini.experiments": {
        *("Comparison", "Result", "Swept", "Workload", "capacity", "compare", "simulate", "sweep"),
        *("Dask", "InProcess", "Processes"),
    },
    "molokini.client": {
        *("BlockingClient", "Client", "Patience", "Tls", "job_spec", "SubmitRefused", "Waited"),
        *("MolokiniError", "BadInput", "Busy", "HistoryGone", "NoAnswer", "NotAllowed", "NotFound", "NotNow"),
        *("NotSignedIn", "NotSupported", "OverLimit", "Refused", "ServerError", "ServerFault", "Unavailable"),
    },
    "molokini.testing": {"Cluster", "Faults", "Outcomes", "cluster"},
}

PLAIN = sorted(Path(molokini.policies.__file__).parent.glob("[a-z]*.py"))

APART = {
    "docs/coallocation.md": "a measure of saturation, for a study",
    "docs/divisible.md": "a closed experiment, for a study",
    "docs/maui.md": "configurations of Maui read and written by a program",
    "docs/workloads.md": "distributions that a program draws from",
    "examples/README.md": "how the example's log was cut out of the whole one",
    "examples/coscheduling/first_job_first.py": "a local policy of the process-level engine",
}
"""Pages and examples that show tools for research beside the faces; docs/api.md promises nothing of them."""


def test_the_names_of_the_faces() -> None:
    """A name that goes or comes is a change of the interface: CHANGELOG.md has to say it."""
    assert {face: set(import_module(face).__all__) for face in FACES} == NAMES
    for face, names in NAMES.items():
        assert dir(import_module(face)) == sorted(names)


@pytest.mark.parametrize("face", FACES)
def test_type_checkers_see_the_same_names_from_the_same_places(face: str) -> None:
    module = import_module(face)
    seen: dict[str, object] = {}
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            seen |= {one.name: getattr(import_module(str(node.module)), one.name) for one in node.names}
    assert {name: seen[name] for name in NAMES[face]} == {name: getattr(module, name) for name in NAMES[face]}


def test_the_page_is_current() -> None:
    """``python -m tests.architecture.faces > docs/api.md`` makes it so."""
    assert (ROOT / "docs" / "api.md").read_text(encoding="utf-8") == page()


def test_a_face_alone_loads_nothing_heavy() -> None:
    code = (
        f"import sys; {'; '.join(f'import {face}' for face in FACES[:3])}; "
        "print(*(m for m in ('numpy', 'numba', 'grpc', 'google.protobuf', 'matplotlib') if m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(PYTHONPATH=f"{environment()['PYTHONPATH']}:{ROOT / 'proto'}"),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_a_plain_policy_takes_from_the_face_what_the_face_has(path: Path) -> None:
    elsewhere = [
        f"{module}.{name}"
        for module, name in _imports(path.read_text(encoding="utf-8"))
        if module != "molokini.policy"
        and getattr(import_module(module), name, None) is getattr(molokini.policy, name, _NOTHING)
    ]
    assert elsewhere == []


_NOTHING = object()


def test_most_plain_policies_need_the_face_alone() -> None:
    alone = [
        path.stem
        for path in PLAIN
        if {module for module, _ in _imports(path.read_text(encoding="utf-8"))} == {"molokini.policy"}
    ]
    assert {"firstfit", "ljf", "ps", "sita_e", "sjf"} <= set(alone)


def _shown() -> Iterator[tuple[str, str]]:
    """Each Python text that users are shown: a page's name, or an example's, and the text."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")]
    for path in pages:
        for text in re.findall(r"```(?:python|pycon)\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
            yield path.relative_to(ROOT).as_posix(), re.sub(r"^(>>> |\.\.\. )", "", text, flags=re.MULTILINE)
    for path in (ROOT / "examples").rglob("*.py"):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_examples_and_pages_keep_to_the_faces() -> None:
    beside = {name: module for name, text in _shown() for module, _ in _imports(text) if module not in FACES}
    assert beside.keys() == APART.keys(), beside


def _imports(text: str) -> list[tuple[str, str]]:
    """What *text* imports of ours: module and name. Read line by line: pages show pieces, too."""
    found = re.findall(r"^\s*from (molokini[\w.]*) import (\([^)]*\)|[^\n]*)", text, re.MULTILINE)
    whole = re.findall(r"^\s*import (molokini[\w.]*)", text, re.MULTILINE)
    names = [
        (module, name)
        for module, said in found
        for name in re.findall(r"(\w+)(?: as \w+)?", re.sub(r" as \w+", "", said))
    ]
    return [*names, *((module, "") for module in whole)]


def test_imports_are_found() -> None:
    text = "from molokini.a.b import (\n    c,\n    d as e,\n)\nimport molokini.f\nimport numpy\n"
    assert _imports(text) == [("molokini.a.b", "c"), ("molokini.a.b", "d"), ("molokini.f", "")]


def test_a_name_that_the_face_has_not_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from molokini.policy import strat\n")
    with pytest.raises(Exception, match=r"mine\.py: cannot be imported: ImportError: .*'strat'"):
        load_policy(str(path))
