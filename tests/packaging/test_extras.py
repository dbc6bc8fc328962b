"""Without an extra, one line says which; where several are needed, it names all of them at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.waiting import DEADLINE_S
from tests.torture.real_processes import ROOTS

PROGRAM = """\
import sys
for name in {missing!r}:
    sys.modules[name] = None  # as if it were not installed
{then}
"""


Done = subprocess.CompletedProcess[str]


def without(missing: tuple[str, ...], then: str, cwd: Path | None = None) -> Done:
    """Run the program *then* where the packages *missing* cannot be imported."""
    text = PROGRAM.format(missing=missing, then=then)
    path = f"import sys; sys.path[:0] = {ROOTS.split(':')!r}\n"
    words = [sys.executable, "-c", path + text]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=DEADLINE_S)


def command(*words: str) -> str:
    return f"from molokini.clients.command import run; sys.exit(run({list(words)!r}))"


# All but pydantic, which newer versions of typer bring.
NOTHING = ("numpy", "numba", "scipy", "grpc", "google", "psutil", "aiohttp", "cryptography", "jwt")
AGENT = ("--server", "localhost:7077", "--nodes", "1")


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize(
    ("words", "missing", "line"),
    [
        (("simulate", "lublin?jobs=5", "--policy", "easy"), NOTHING, "{}[sim]'"),
        (("jobs",), NOTHING, "protobuf; install it with: {}[client]'"),
        (("up",), NOTHING, "{}[server,agent]'"),
        (("up", "--mode", "process"), ("grpc_health",), "grpc_health; install it with: {}[server,agent]'"),
        (("serve",), NOTHING, "{}[server]'"),
        (("agent", *AGENT), NOTHING, "{}[agent]'"),
    ],
)
def test_a_command_names_the_extra(
    words: tuple[str, ...], missing: tuple[str, ...], line: str, tmp_path: Path
) -> None:
    done = without(missing, command(*words), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"molokini: molokini {words[0]} needs ")
    assert done.stderr.endswith(line.format("pip install 'molokini") + "\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("face", "name", "extra"),
    [
        ("policy", "View", "sim"),
        ("experiments", "simulate", "sim"),
        ("client", "BlockingClient", "client"),
        ("testing", "cluster", "server,agent"),
    ],
)
def test_a_face_names_the_extra(face: str, name: str, extra: str) -> None:
    done = without(NOTHING, f"from molokini.{face} import {name}")
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"ImportError: molokini.{face}.{name} needs ")
    assert line.endswith(f"; install it with: pip install 'molokini[{extra}]'")
    assert "During handling" not in done.stderr


def test_a_module_of_ours_that_is_missing_is_no_extra() -> None:
    done = without(("molokini.experiments.simulating",), "from molokini.experiments import simulate")
    assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError: import of molokini.experiments")
