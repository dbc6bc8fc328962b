"""The generated code is what the pinned generator makes of the .proto files."""

import subprocess
import sys
from pathlib import Path

import pytest

PROTO = Path(__file__).parents[2] / "proto"
FILES = sorted(path.relative_to(PROTO) for path in PROTO.glob("molokini/proto/v1/*.proto"))


def test_generating_again_changes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools")
    outputs = [f"--{kind}={tmp_path}" for kind in ("python_out", "pyi_out", "grpc_python_out")]
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(PROTO), *outputs, *map(str, FILES)]
    subprocess.run(command, cwd=PROTO, check=True, capture_output=True, timeout=60)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.py*"))
    assert len(made) == 3 * len(FILES)
    for path in made:
        assert (tmp_path / path).read_text() == (PROTO / path).read_text(), f"make proto changes {path}"
