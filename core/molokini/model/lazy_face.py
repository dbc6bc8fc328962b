"""The face of a package: names that are imported from its modules when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_face(package: str, where: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of *package*, with the module inside it that has each name."""

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(where)
