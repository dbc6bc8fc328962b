"""What holds for every test."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

from tests.kit.depth import VARIABLE, Part, deep, mark_depths, part_of
from tests.kit.figures import Figures
from tests.kit.progress import Progress

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
    """Where the cost of each test is kept, which part of the deep suite runs, and a line a minute."""
    group = parser.getgroup("molokini's own tests")
    group.addoption("--costs", type=Path, help="write what each test cost to this file, as JSON")
    group.addoption(
        "--part", type=part_of, metavar="K/N", help="the K-th of N parts of the tests, such as 3/8"
    )
    group.addoption("--minutes", action="store_true", help="a line a minute in place of a letter a test")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Measure what the tests cost; say how far they are."""
    config.pluginmanager.register(Figures(config.getoption("--costs")), "figures")
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if config.getoption("--minutes") and terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(terminal), "progress")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Divide by depth and part; tests that wait begin first, on a worker of their own."""
    mark_depths(items)
    part: Part | None = config.getoption("--part")
    if part is not None:
        others = [item for item in items if not part.has(item.nodeid)]
        items[:] = [item for item in items if part.has(item.nodeid)]
        config.hook.pytest_deselected(items=others)
    if not deep():
        for item in items:
            if item.get_closest_marker("deep") is not None:
                item.add_marker(pytest.mark.skip(reason=f"deep: {VARIABLE}=1 runs it"))
    items.sort(key=_begins)


def _begins(item: pytest.Item) -> int:
    """What waits before what computes, the dearest of it first."""
    if item.get_closest_marker("waits") is not None:
        return 0
    return 1 if item.get_closest_marker("dear") is not None else 2
