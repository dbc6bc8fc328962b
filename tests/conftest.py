"""What holds for every test."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

from tests.kit.figures import Figures

# Whether something is compiled depends on the cache: standard error must not. The tests of it say otherwise.
os.environ.setdefault("MOLOKINI_QUIET", "1")

# Programs under test keep their bytecode as a user's do: without it each of them compiles all that it
# imports, and there are many.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What a shell starts in the background ignores Ctrl-C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says how busy the machine is.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Properties draw the same examples each time, so a green commit stays green; ``make explore`` draws others.
# A property that fails says so at once: making the example of a whole server small takes minutes, and a
# suite that is cut short meanwhile does not name it. ``--hypothesis-profile=small`` makes it small.
_AT_ONCE = [phase for phase in Phase if phase is not Phase.shrink]
settings.register_profile("same", parent=_PATIENT, derandomize=True, phases=_AT_ONCE)
settings.register_profile("small", parent=_PATIENT, derandomize=True)
settings.register_profile("anew", parent=_PATIENT, derandomize=False, print_blob=True)
settings.load_profile("same")

# Hypothesis draws constants of our modules as well, of those that happen to be loaded: the tests that a
# worker ran before would decide which examples come. There is no setting for it.
if hasattr(providers, "_get_local_constants"):
    _of_loaded_modules = providers._get_local_constants
    _NO_CONSTANTS = providers.GLOBAL_CONSTANTS.__class__()

    def _constants() -> object:
        """Those of loaded modules, where other examples are wanted each time."""
        profile = settings.default
        return _NO_CONSTANTS if profile is not None and profile.derandomize else _of_loaded_modules()

    providers._get_local_constants = _constants  # type: ignore[assignment]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the cost of each test is kept."""
    parser.addoption("--costs", type=Path, help="write what each test cost to this file, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Measure what the tests cost."""
    config.pluginmanager.register(Figures(config.getoption("--costs")), "figures")
