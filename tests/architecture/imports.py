"""Imports of a source tree, read from its syntax, and the contracts that they must keep.

Read with ``ast`` rather than imported: a namespace package in several roots has no single place to
import from, and a forbidden import is found whether its package is installed or not.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEVICES = ("grpc", "google.protobuf", "asyncio", "aiohttp", "pydantic", "sqlite3", "sqlalchemy")
SYSTEM = ("subprocess", "socket", "threading", "time")
OTHER_ROOTS = tuple(
    f"molokini.{root}"
    for root in ("maui", "parallel", "studies", "server", "agents", "clients", "app", "proto")
)
OUTSIDE_CORE = (*DEVICES, *SYSTEM, *OTHER_ROOTS, "tests", "benchmarks")
BELOW_POLICIES = ("molokini.model", "molokini.scheduling", "molokini.applications", "numpy", "numba")
BELOW_MAUI = (
    "molokini.maui",
    "molokini.model",
    "molokini.scheduling",
    "molokini.policies.maui",
    "pydantic",
    "pydantic_core",
)
BASICS = ("math", "collections", "typing", "dataclasses", "enum", "functools", "itertools")


@dataclass(frozen=True)
class Import:
    """One import: whose file, which line, what module (with the name taken from it)."""

    importer: str
    line: int
    target: str

    def within(self, *packages: str) -> bool:
        """Whether the target is one of *packages* or inside one."""
        return any(self.target == package or self.target.startswith(package + ".") for package in packages)


def module_of(path: Path, root: Path) -> str:
    """The dotted name of the module in *path*."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(root: Path) -> Iterator[Import]:
    """Every import in every file below *root*, those inside functions too."""
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
    """The core's contracts that the tree below *root* breaks, one line an import."""
    found = []
    for one in imports_of(root):
        area = one.importer.split(".")[1] if one.importer.startswith("molokini.") else ""
        cause = _cause(one, area)
        if cause:
            found.append(f"{one.importer}:{one.line} imports {one.target}: {cause}")
    return found


def beside_maui(root: Path) -> list[str]:
    """What the configuration of Maui below *root* imports beside what it may, one line an import."""
    return [
        f"{one.importer}:{one.line} imports {one.target}"
        for one in imports_of(root)
        if not one.within(*BELOW_MAUI) and (not _standard(one.target) or one.within(*DEVICES, *SYSTEM))
    ]


def _cause(one: Import, area: str) -> str | None:
    if one.within(*OUTSIDE_CORE):
        return "the core does no such thing and knows no other root"
    if one.within("matplotlib") and area != "pictures":
        return "pictures alone draw"
    if area == "model" and not one.within("molokini.model") and not _standard(one.target):
        return "the model needs the standard library only"
    if (
        area == "policies"
        and one.importer != "molokini.policies"
        and not one.within(*BELOW_POLICIES, *BASICS, _family(one.importer))
    ):
        return "a policy knows what is below it, and no other policy"
    if area == "scheduling" and one.within(
        *(f"molokini.{a}" for a in ("sim", "policies", "workloads", "metrics"))
    ):
        return "scheduling stands below those who use it"
    return None


def _family(importer: str) -> str:
    """The folder of a policy of many parts, which may know one another."""
    return ".".join(importer.split(".")[:3])


def _standard(target: str) -> bool:
    return target.split(".")[0] in sys.stdlib_module_names
