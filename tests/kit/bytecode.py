"""Make bytecode of modules and rewritten tests once ahead, in place of once by each worker at the same time.

pytest has no public way to rewrite without a run that collects all tests, which takes as long again; where a
later pytest works otherwise, the workers do it themselves.
"""

import compileall
from functools import cache
from pathlib import Path
from typing import Final

from _pytest.assertion import AssertionState, rewrite
from _pytest.assertion.rewrite import assertstate_key
from _pytest.config import Config, _prepareconfig

ROOT: Final = Path(__file__).parents[2]
PRODUCT: Final = (
    "core",
    "maui",
    "slurm",
    "parallel",
    "experiments",
    "studies",
    "clients",
    "proto",
    "page",
    "server",
)
MORE: Final = ("agents", "app", "examples", "tests/kit")


def compile_modules() -> None:
    """Bytecode of the product, and of what the tests share."""
    for folder in (*PRODUCT, *MORE):
        compileall.compile_dir(ROOT / folder, quiet=2)


def test_files() -> list[Path]:
    """Files that pytest rewrites, so that a failed assertion shows its values."""
    tests = ROOT / "tests"
    return sorted([*tests.rglob("test_*.py"), *tests.rglob("conftest.py")])


def rewrite_tests(paths: list[Path]) -> None:
    """Rewrite those among *paths* of which nothing valid is kept."""
    try:
        for path in paths:
            _rewrite(path, _config())
    except (AttributeError, ImportError, TypeError):
        return


def _rewrite(path: Path, config: Config) -> None:
    kept = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(path, kept) is None and rewrite.try_makedirs(kept.parent):
        source, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(config.stash[assertstate_key], code, source, kept)


@cache
def _config() -> Config:
    # Modules that are imported already are not rewritten, of which pytest warns.
    config = _prepareconfig(["-p", "no:cacheprovider", "-W", "ignore"])
    config.stash.setdefault(assertstate_key, AssertionState(config, "rewrite"))
    return config
