"""The face of the client: which names it has, where they come from, and that they cost nothing until used."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import molokini.client
from tests.kit.waiting import DEADLINE_S

NAMES = {
    *("BlockingClient", "Client", "Patience", "Tls", "job_spec", "SubmitRefused", "Waited"),
    *("ServerError", "Unavailable", "NoAnswer", "Busy", "OverLimit", "NotFound", "NotSignedIn", "NotAllowed"),
    *("Refused", "NotNow", "HistoryGone", "NotSupported", "ServerFault", "MolokiniError", "BadInput"),
}


def test_exported_members() -> None:
    assert set(molokini.client.__all__) == NAMES == set(dir(molokini.client))
    for name in NAMES:
        one = getattr(molokini.client, name)
        assert one.__name__ == name
        assert one.__module__.startswith(("molokini.client.", "molokini.model.errors"))
        assert inspect.getdoc(one)


def test_every_class_of_the_page_is_there() -> None:
    page = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")
    errors = page.partition("### Errors")[2].partition("## In the shell")[0]
    named = set(re.findall(r"`([A-Z]\w+?)s?`", errors))
    assert {"MolokiniError", "BadInput", "ServerFault"} <= named <= NAMES
    for name in named:
        assert issubclass(getattr(molokini.client, name), molokini.client.MolokiniError)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(molokini.client.__file__).read_text(encoding="utf-8"))
    [checked] = [node for node in tree.body if isinstance(node, ast.If)]
    assert {
        alias.name for node in ast.walk(checked) if isinstance(node, ast.ImportFrom) for alias in node.names
    } == NAMES


def test_what_is_not_there_is_an_error_of_its_own() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Klient'"):
        _ = molokini.client.Klient


def test_the_face_alone_loads_nothing_heavy() -> None:
    path = [entry for entry in sys.path if entry]
    program = f"import sys; sys.path[:0] = {path!r}; import molokini.client; print(*sys.modules, sep='\\n')"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    heavy = ("grpc", "google.protobuf", "numpy", "pydantic", "asyncio")
    assert [name for name in found.stdout.split() if name.startswith(heavy)] == []
