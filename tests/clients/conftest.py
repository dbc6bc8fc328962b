from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import Ran, here
from tests.core.workloads.builders import log, record


@pytest.fixture
def molokini(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command as a function: ``molokini("simulate", log, "--policy", "easy")``."""
    return lambda *arguments: here(capsys, *arguments)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A log of four jobs on four processors: 1 runs, 2 waits for all of it, 3 and 4 may pass."""
    jobs = [
        record(1, 0, 100, 3, requested_s=100, user=1, queue=1),
        record(2, 10, 50, 4, requested_s=60, user=2, queue=1),
        record(3, 20, 30, 1, requested_s=40, user=1, queue=2),
        record(4, 30, 500, 1, requested_s=200, user=2, queue=2),
    ]
    return log(tmp_path, "; Version: 2.2", "; MaxProcs: 4", *jobs, name="small.swf")
