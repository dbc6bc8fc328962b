"""The command and its small log: what both faces of a run promise is tested on both."""

from pathlib import Path

import pytest

from molokini.experiments import Result, simulate
from tests.clients.conftest import molokini as molokini
from tests.clients.conftest import small as small


@pytest.fixture
def small_run(small: Path) -> Result:
    """The small log under EASY."""
    return simulate(small, policy="easy")
