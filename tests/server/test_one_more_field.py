"""A field of a job and a figure of its end, declared by a line each in a copy of the tree, are everywhere.

The tests of the declarations run over what is declared now. This one declares something that there has never
been: what still had to be told of it in a second place would be missing.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.kit.waiting import DEADLINE_S

ROOT = Path(__file__).parents[2]
PROTO = "proto/molokini/proto/v1"
FIELD = 'cover: Annotated[str, Field("Colour of its cover", length=Length.SHORT)]'
FIGURE = (
    'pages_read: int = _figure(0, Figure("Pages that it read", "pages", "", sum, "the sum", measured=True))'
)
LINES = (
    ("core/molokini/model/job_specs.py", "class JobSpec(TypedDict, total=False):\n", f"    {FIELD}\n"),
    ("core/molokini/model/run_results.py", "    exit_code: int = ", f"    {FIGURE}\n"),
    (f"{PROTO}/jobs.proto", "message JobSpec {\n", "  // Colour of its cover.\n  string cover = 991;\n"),
    (f"{PROTO}/jobs.proto", "message Job {\n", "  // Pages that it read.\n  int64 pages_read = 992;\n"),
    (
        f"{PROTO}/agent_service.proto",
        "message Report {\n",
        "  // Pages that it read.\n  int64 pages_read = 993;\n",
    ),
)
"""In which file, at which text, what is added; the declarations, and the numbers of the wire."""

LIVE = """
import json, os, pathlib, subprocess, sys
from molokini.client import BlockingClient
from molokini.model import job_specs
from molokini.testing import cluster

MOLOKINI = "import sys; from molokini.clients.command import main; sys.exit(main())"

assert pathlib.Path(job_specs.__file__).is_relative_to(sys.argv[1]), job_specs.__file__
with cluster(nodes=1) as one:
    os.environ.update(one.environment)
    with BlockingClient.connect() as client:
        job = client.submit(script="true", estimate_s=60, cover="yellow")
        one.clock.advance(100)
        done = client.job(job)
    command = [sys.executable, "-c", MOLOKINI, "job", str(job), "--json", "-"]
    printed = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True)
    assert printed.returncode == 0, printed.stderr
    document = json.loads(printed.stdout)
print(json.dumps([done.spec.cover, done.pages_read, document["cover"], document["pages_read"]]))
"""
"""Through the Python client and a live server."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with both declared, and the wire made of its files."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip(f"the tree is not a git repository: {listed.stderr.strip()}")
    made = tmp_path_factory.mktemp("copy") / "tree"
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, made / name)
    for name, before, line in LINES:
        text = (made / name).read_text()
        assert text.count(before) == 1, (name, before)
        # A figure goes in front of the first one, a field behind the head of its message or record.
        new = f"{before}{line}" if before.endswith("\n") else f"{line}{before}"
        (made / name).write_text(text.replace(before, new))
    files = sorted(str(path.relative_to(made / "proto")) for path in (made / PROTO).glob("*.proto"))
    outputs = [f"--{kind}=proto" for kind in ("python_out", "pyi_out", "grpc_python_out")]
    ran = subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", "-I", "proto", *outputs, *files],
        cwd=made,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert ran.returncode == 0, ran.stderr
    return made


def run(copy: Path, *words: str) -> str:
    """What this Python prints with the code of *copy*, uncompiled."""
    settings = tomllib.loads((copy / "pyproject.toml").read_text())
    roots = settings["tool"]["hatch"]["build"]["dev-mode-dirs"]
    path = os.pathsep.join(str(copy / one) for one in ("", *roots))
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=10 * DEADLINE_S,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.deep
def test_it_is_kept_sent_and_shown(copy: Path) -> None:
    # Journal, snapshot, record of a past job, wire and the documents of the command.
    words = ("-q", "-p", "no:cacheprovider", "-k", "kept_and_shown or on_the_wire")
    said = run(copy, "-m", "pytest", "-rA", *words, "tests/server/test_declared_fields.py")
    for test in (
        "test_what_is_asked_is_kept_and_shown[cover]",
        "test_a_figure_of_an_end_is_kept_and_shown[pages_read]",
    ):
        assert f"PASSED tests/server/test_declared_fields.py::{test}" in said


@pytest.mark.deep
def test_the_python_client_and_a_live_server_know_it(copy: Path) -> None:
    assert json.loads(run(copy, "-c", LIVE, str(copy))) == ["yellow", 0, "yellow", 0]


@pytest.mark.deep
def test_it_stands_on_the_page_of_fields(copy: Path) -> None:
    page = run(copy, "-m", "molokini.model.field_pages")
    assert "| `cover` | `str` | Colour of its cover | `limits.text_characters` characters |" in page
    assert "| `pages_read` | `pages_read` | `int` | Pages that it read, pages | the sum |" in page
    # And nothing else is changed by it.
    before = (ROOT / "docs/job-fields.md").read_text().splitlines()
    assert len([line for line in page.splitlines() if line not in before]) == 2
