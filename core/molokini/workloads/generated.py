"""Every model of a workload by name. A log is taken as ``NAME?key=value&...`` wherever a file is.

The model is in a module of its own, which is loaded when it is named: commands that read files load none.
"""

import importlib
from types import ModuleType

from molokini.model.errors import BadInput, UnknownName
from molokini.workloads.generator import Generated as Generated

_MODULES: dict[str, str] = {
    "lublin": "models.lublin",
    "downey": "models.downey",
    "feitelson96": "models.feitelson96",
    "jann": "models.jann",
    "o2k": "models.o2k",
    "uniform-log": "models.uniform_log",
    "zhang2001": "models.zhang2001",
    "heavy": "models.heavy",
    "benchmark": "synthetic",
    "hard": "synthetic",
    "das": "das",
    "divisible": "divisible_loads",
}
"""In which module of this room the model of each name is, in the order in which they are listed."""

_OF_FILES: dict[str, str] = {"jann": "models.jann", "fitted": "fitted"}
"""The same of models that a file describes: ``KIND:FILE?key=value``. Their module has ``from_file(path)``."""

NAMES: tuple[str, ...] = tuple(_MODULES)
"""The name of every model."""


def is_named(name: str) -> bool:
    """Whether *name* is that of a model, or of a kind of file that describes one, with its file."""
    kind, colon, _ = name.partition(":")
    return name in _MODULES or (bool(colon) and kind in _OF_FILES)


def generated(name: str) -> Generated:
    """The model called *name*; UnknownName says which is nearest."""
    kind, colon, file = name.partition(":")
    if colon and kind in _OF_FILES:
        if not file:
            raise BadInput(f"{name} names no file; say {kind}:FILE")
        return _module(_OF_FILES[kind]).from_file(file)  # type: ignore[no-any-return]
    if name not in _MODULES:
        raise UnknownName("generated workload", name, _MODULES)
    models: tuple[Generated, ...] = _module(_MODULES[name]).MODELS
    return next(model for model in models if model.name == name)


def all_generated() -> list[Generated]:
    """Every model, in the order of ``NAMES``."""
    return [generated(name) for name in NAMES]


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"molokini.workloads.{name}")
