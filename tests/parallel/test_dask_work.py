"""What a worker of Dask needs to know of its own code."""

from pathlib import Path

from molokini.parallel.dask_work import SOURCES
from tests.architecture.imports import imports_of

CORE = Path(__file__).parents[2] / "core"

LOADED_BY_NAME = "molokini.choosing"
"""Policies that look ahead get it by its name, so no import tells of it."""


def test_all_code_that_decides_a_replay_is_in_its_key() -> None:
    """What the listed packages import of the core is listed itself, or rows of other code would be kept."""
    listed = set(SOURCES)
    needed = {
        ".".join(one.target.split(".")[:2])
        for one in imports_of(CORE)
        if one.within("molokini") and ".".join(one.importer.split(".")[:2]) in listed
    }
    assert needed <= listed
    assert LOADED_BY_NAME in listed
