"""The public faces and their page: ``make pages`` writes it.

All of the page but its beginning comes from docstrings; a test holds it to them.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any

FACES = ("molokini.policy", "molokini.experiments", "molokini.client", "molokini.testing")

_BEGINNING = """\
# The Python interface

Four packages are public:

| Package | For whom | Installed by |
|---|---|---|
| [`molokini.policy`](#molokinipolicy) | authors of policies ([policies.md](policies.md)) | `molokini[sim]` |
| [`molokini.experiments`](#molokiniexperiments) | researchers ([experiments.md](experiments.md)) \
| `molokini[sim]` |
| [`molokini.client`](#molokiniclient) | programs that talk to a live cluster ([client.md](client.md)) \
| `molokini[client]` |
| [`molokini.testing`](#molokinitesting) | tests of programs that submit jobs ([testing.md](testing.md)) \
| `molokini[server,agent]` |

**What is promised.** The names on this page, their parameters, and what they do and raise stay as they are
within a minor version: a program that runs with 0.1.0 runs with each 0.1.x. A change that breaks such a
program comes with a new minor version, and [CHANGELOG.md](../CHANGELOG.md) says there what to write in its
place. From 1.0 on, only a new major version may break one. What a policy may read of its view is in
[policies.md](policies.md), under the same promise.

**What is not.** Other modules below `molokini`, and names that begin with an underscore, may change with
every commit. Some pages show tools for research that are such modules (`molokini.workloads`,
`molokini.metrics`, `molokini.process_sim`, `molokini.maui`); a program that imports them should name the
exact version it was written for.

This page is made from docstrings: `make pages`.
"""


def page() -> str:
    """``docs/api.md``."""
    return "\n".join([_BEGINNING, *(line for face in FACES for line in _of_face(import_module(face)))])


def _of_face(face: ModuleType) -> Iterator[str]:
    yield f"## {face.__name__}\n"
    yield f"{_first_sentences(face)}\n"
    yield "| Name | What it is |"
    yield "|---|---|"
    names = {name: getattr(face, name) for name in face.__all__}
    for name, value in names.items():
        yield f"| `{name}{_parameters(value)}` | {_first_sentences(value, face, name)} |"
    yield ""
    for name, value in names.items():
        if rows := list(_methods(value)):
            yield from (f"### {name}\n", "| Method or property | What it does |", "|---|---|", *rows, "")


def _methods(kind: Any) -> Iterator[str]:
    """A row for each public method and property of a class that has some of its own."""
    if not _has_methods(kind):
        return
    for name in sorted(dir(kind)):
        value = inspect.getattr_static(kind, name)
        if name.startswith("_") or not _is_of_ours(kind, name) or not _is_method(value):
            continue
        # Bound as a caller finds it; a property by itself.
        seen = value.fget if isinstance(value, property) else getattr(kind, name)
        shown = "" if isinstance(value, property) else _parameters(seen)
        yield f"| `{name}{shown}` | {_first_sentences(seen)} |"


def _has_methods(kind: Any) -> bool:
    """Whether it is a class that callers use by its methods: no error, no enumeration."""
    plain = (BaseException, int, tuple)
    return inspect.isclass(kind) and not issubclass(kind, plain) and kind.__name__ not in _READ_BY_NAME


_READ_BY_NAME = (
    *("Tables", "Parameters", "Workspace", "PolicyReport", "Policy", "Parameter", "Tls", "Patience"),
    "BlockingClient",
)
"""Classes that are used by their fields, and the client that has the methods of ``Client``."""


def _is_method(value: Any) -> bool:
    return callable(value) or isinstance(value, property | classmethod | staticmethod)


def _is_of_ours(kind: type, name: str) -> bool:
    owner = next((base for base in kind.__mro__ if name in vars(base)), object)
    return owner.__module__.startswith("molokini.")


def _plain(value: Any) -> Any:
    """The function for which an object stands that is none, as the methods of the blocking client do."""
    return value if inspect.isroutine(value) else getattr(value, "__wrapped__", value)


def _parameters(value: Any) -> str:
    """The names of the parameters of a function, the first of many; nothing for what is no function."""
    value = _plain(value)
    if not (inspect.isfunction(value) or inspect.ismethod(value)):
        return ""
    shown, keywords = [], False
    for one in inspect.signature(value).parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not keywords:
            shown.append("*")
        keywords |= one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        stars = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
        shown.append(f"{stars}{one.name}")
    return f"({', '.join(shown if len(shown) <= _MOST else [*shown[:_FIRST], '...'])})"


_MOST, _FIRST = 12, 4


def _first_sentences(value: Any, face: ModuleType | None = None, name: str = "") -> str:
    """The first paragraph of the docstring, in one line."""
    value = _plain(value)
    text = inspect.getdoc(value) if callable(value) or inspect.ismodule(value) else None
    if face is not None and not (inspect.isclass(value) or inspect.isroutine(value)):
        text = _beside(_home_of(face, name), name)
    assert text, f"{name or value} has no docstring"
    return text.split("\n\n")[0].replace("\n", " ").replace("``", "`").replace("|", "\\|")


def _home_of(face: ModuleType, name: str) -> ModuleType:
    """The module that a face imports *name* from, for type checkers as for others."""
    for node in ast.walk(ast.parse(inspect.getsource(face))):
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return import_module(node.module or "")
    raise LookupError(f"{face.__name__} imports no {name}")


@cache
def _beside(module: ModuleType, name: str) -> str:
    """The string below the assignment of *name*, in *module* or in the one that it comes from."""
    body = ast.parse(inspect.getsource(module)).body
    for node, below in pairwise(body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        named = name in {getattr(target, "id", None) for target in targets}
        if named and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return inspect.cleandoc(str(below.value.value))
    for node in body:
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return _beside(import_module(node.module or ""), name)
    return ""


if __name__ == "__main__":
    sys.stdout.write(page())
