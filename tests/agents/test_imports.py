"""An agent stays light: what it loads, and what it never may."""

import subprocess
import sys

from tests.kit.waiting import DEADLINE_S

OURS = ("server", "clients", "compiled", "tables", "availability", "cycle", "shared")
HEAVY = ("numpy", "numba", "pydantic", "sqlite3", *(f"molokini.{one}" for one in OURS))


def test_an_agent_loads_nothing_heavy() -> None:
    program = "import sys, molokini.agents.grpc_link; print(*sys.modules, sep='\\n')"
    path = [entry for entry in sys.path if entry]
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=DEADLINE_S,
    )
    loaded = found.stdout.split()
    assert "molokini.agents.session" in loaded
    assert [name for name in loaded if name.startswith(HEAVY)] == []
