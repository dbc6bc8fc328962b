"""Imports of a source tree, read from its syntax, and those that break the table of layers.

Read with ``ast`` rather than imported: a namespace package in several roots has no single place to
import from, and a forbidden import is found whether its package is installed or not.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from molokini import applications
from molokini.applications.kinds import JobKind
from tests.architecture.layers import CALL, DEVICES, FAMILIES, KINDLESS, LAYERS, SPOKEN, Layer


@dataclass(frozen=True)
class Import:
    """One import: whose file, which line, what module (with the name taken from it)."""

    importer: str
    line: int
    target: str

    def within(self, *packages: str) -> bool:
        """Whether the target is one of *packages* or inside one."""
        return _within(self.target, *packages)


def _within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def module_of(path: Path, root: Path) -> str:
    """The dotted name of the module in *path*."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports_of(root: Path) -> tuple[Import, ...]:
    """Every import in every file below *root*, those inside functions too."""
    return tuple(_read(root))


def _read(root: Path) -> Iterator[Import]:
    for path in sorted(root.rglob("*.py")):
        importer = module_of(path, root)
        package = importer if path.name == "__init__.py" else importer.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(importer, node.lineno, alias.name)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    above = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join([*above, base] if base else above)
                for alias in node.names:
                    yield Import(importer, node.lineno, f"{base}.{alias.name}")


def broken(root: Path) -> list[str]:
    """The imports below *root* that the table of layers has not, one line each."""
    found = []
    for one in imports_of(root):
        layer = _room_of(one.importer)
        if layer is not None and not _may(layer, one):
            found.append(f"{one.importer}:{one.line} imports {one.target}: {layer.name} may not")
    return found


def kinds_named(root: Path) -> list[str]:
    """Lines below *root* in which a layer that has to know no kind of job names one, or imports its file."""
    words = "|".join(_kinds())
    named = re.compile(rf"(?<![a-z])({words})(?![a-z])|{'|'.join(SPOKEN)}", re.IGNORECASE)
    found = [
        f"{one.importer}:{one.line} imports {one.target}"
        for one in imports_of(root)
        if _within(one.importer, *(f"molokini.{layer}" for layer in KINDLESS))
        and one.within("molokini.applications")
        and not one.within(f"molokini.{CALL}")
    ]
    for layer in KINDLESS:
        for path in sorted((root / "molokini" / layer).rglob("*.py")):
            lines = path.read_text(encoding="utf-8").splitlines()
            found += [
                f"{layer}/{path.name}:{number} names {match[0]}"
                for number, line in enumerate(lines, 1)
                if (match := named.search(line))
            ]
    return found


def _kinds() -> list[str]:
    """What jobs may be, by the members of ``JobKind`` and the files with their closed forms."""
    folder = Path(applications.__file__).parent
    calls = {CALL.rpartition(".")[2], "kinds", "work", "rows", "__init__"}
    files = [path.stem for path in sorted(folder.glob("*.py")) if path.stem not in calls]
    return [*files, *(kind.name.lower() for kind in JobKind if kind is not JobKind.RIGID)]


def _room_of(module: str) -> Layer | None:
    """The row of *module*: that of the innermost folder which has one."""
    parts = module.split(".")[1:]
    names = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return next((LAYERS[name] for name in names if name in LAYERS), None)


def _may(layer: Layer, one: Import) -> bool:
    if one.within("molokini"):
        if layer.name == "policies" and one.within("molokini.policies"):
            # One file, one policy: a policy of many parts knows its own, and what loads them knows all.
            return one.importer == "molokini.policies" or one.within(_family(one.importer))
        families = {name for name in FAMILIES if one.within(f"molokini.{name}")} - {layer.family}
        return families <= set(layer.layers) and one.within(
            *(f"molokini.{name}" for name in (layer.name, *layer.layers))
        )
    if one.within(*layer.libraries):
        return True
    decides = layer.family is not None or (layer.name == "policies" and one.importer != "molokini.policies")
    if decides and not _harmless(one.target):
        return False
    return one.target.split(".")[0] in sys.stdlib_module_names and not one.within(*DEVICES)


def _family(importer: str) -> str:
    """The folder of a policy of many parts, which may know one another."""
    return ".".join(importer.split(".")[:3])


def _harmless(target: str) -> bool:
    """Of the standard library what a policy needs: it decides, and touches nothing else."""
    return _within(target, "math", "collections", "typing", "dataclasses", "enum", "functools", "itertools")
