"""Where a policy that looks ahead finds what runs the engine for it.

Engines stand above policies, so no policy may import one: ``molokini.choosing`` is found by its name, as the
module is that makes sites of a policy's configurations.
"""

from functools import cache
from importlib import import_module
from typing import Any


@cache
def choosing(module: str) -> Any:
    """The module of ``molokini.choosing`` of this name."""
    return import_module(f"molokini.choosing.{module}")
