"""The command, as the tests of the other commands have it."""

from collections.abc import Callable

import pytest

from tests.clients.command_runs import Ran, here


@pytest.fixture
def molokini(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command as a function: ``molokini("study", name)``."""
    return lambda *arguments: here(capsys, *arguments)
