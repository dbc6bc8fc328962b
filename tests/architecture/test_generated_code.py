"""The .proto files say what each of their parts means, and the generated code is made of them as they are."""

import importlib
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from molokini.compat import repeating
from molokini.proto.repeating import written
from tests.kit.waiting import DEADLINE_S

PROTO = Path(__file__).parents[2] / "proto"
FILES = sorted(path.relative_to(PROTO) for path in PROTO.glob("molokini/proto/v1/*.proto"))
PART = re.compile(r"\s*(rpc \w+|(service|message|enum) \w+|.*\w = \d+;)")
"""A method, the head of a declaration, or a field or value by its number."""


def undocumented(text: str) -> list[str]:
    """Lines of a .proto file that declare something without a comment directly above."""
    lines = ["", *text.splitlines()]
    return [
        line.strip()
        for above, line in pairwise(lines)
        if PART.match(line) and not re.match(r"\s*// \S", above)
    ]


def parts_of(file: Any) -> int:
    """How many services, methods, messages, fields, enumerations and values a file has."""
    messages, enums = list(file.message_types_by_name.values()), list(file.enum_types_by_name.values())
    for message in messages:
        messages += [one for one in message.nested_types if not one.GetOptions().map_entry]
        enums += message.enum_types
    services = list(file.services_by_name.values())
    inside = [message.fields for message in messages] + [enum.values for enum in enums]
    inside += [service.methods for service in services]
    return len(messages) + len(enums) + len(services) + len(file.extensions_by_name) + sum(map(len, inside))


@pytest.mark.parametrize("path", FILES, ids=str)
def test_every_part_has_a_comment_of_its_own(path: Path) -> None:
    text = (PROTO / path).read_text()
    module = importlib.import_module(str(path.with_suffix("")).replace("/", ".") + "_pb2")
    # As many as the compiler knows of: no way of writing one escapes the search.
    assert len([line for line in text.splitlines() if PART.match(line)]) == parts_of(module.DESCRIPTOR)
    assert undocumented(text) == []
    # A description that hangs behind its field would be lost in generated documentation.
    assert [line for line in text.splitlines() if re.search(r"[;{].*//", line)] == []


def test_a_part_without_comment_is_found() -> None:
    good = "// A.\nmessage A {\n  // B.\n  int64 b = 1;\n"
    text = good + "  int64 c = 2;\n}\n\nmessage D {\n  //\n  int64 e = 1;\n}\n"
    assert undocumented(text) == ["int64 c = 2;", "message D {", "int64 e = 1;"]


def test_the_module_for_batch_commands_is_current() -> None:
    assert Path(str(repeating.__file__)).read_text() == written(), "make proto changes it"


def test_generating_again_changes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools")
    outputs = [f"--{kind}={tmp_path}" for kind in ("python_out", "pyi_out", "grpc_python_out")]
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(PROTO), *outputs, *map(str, FILES)]
    subprocess.run(command, cwd=PROTO, check=True, capture_output=True, timeout=DEADLINE_S)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.py*"))
    assert len(made) == 3 * len(FILES)
    for path in made:
        assert (tmp_path / path).read_text() == (PROTO / path).read_text(), f"make proto changes {path}"
