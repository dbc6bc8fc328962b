"""The face of a package: names that are imported from its modules when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from molokini.model.extras import missing_extra


def lazy_face(
    package: str, where: Mapping[str, str], *, inside: str | None = None, extra: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of *package*, with the module inside it that has each name.

    *inside*: another package whose modules these are. A name that needs a package that is not installed
    raises ImportError, whose one line names *extra*, or else the extra that brings the package.
    """

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(f"{inside or package}.{where[name]}"), name)
        except ModuleNotFoundError as error:
            if (missing := missing_extra(error, f"{package}.{name}", extra)) is None:
                raise
            raise ImportError(str(missing), name=error.name) from None
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(where)
