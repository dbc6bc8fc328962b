"""The table of policies: one file here, one policy; a new file is found by its name alone.

A policy named ``easy-depth`` is in ``easy_depth.py``. A folder here holds a policy of many parts, or a
family: its ``POLICIES`` are several declarations, which share their functions. So are those of a file of
several names (``_ALSO_NAMED``). Files elsewhere, in a folder or given by path, are used as the files here.
"""

import importlib
import importlib.util
import inspect
import os
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import cast

from molokini.cycle.ports import FILE_MODULE, PolicyFunction
from molokini.model.errors import BadFile, BadInput, Conflict, UnknownName
from molokini.model.policy import Policy
from molokini.model.site import CONFIGURABLE, CONFIGURATION, PLAIN, Configurations, Site
from molokini.shared.introspection import PLAIN as NO_INSIGHT
from molokini.shared.introspection import PolicyReport


@dataclass(frozen=True)
class LoadedPolicy:
    """A policy's declaration and its functions, as plain Python."""

    declaration: Policy
    schedule: PolicyFunction
    begin: PolicyFunction | None
    origin: str
    insight: PolicyReport = NO_INSIGHT
    """What it tells beside its decisions."""
    from_file: bool = False
    """Whether it comes from a file, and not with Molokini."""

    @property
    def name(self) -> str:
        """The name that users type."""
        return self.declaration.name

    @property
    def configurations(self) -> Configurations:
        """What makes sites of its configurations. Raises Conflict where it has none."""
        if not self.declaration.configurations:
            raise Conflict(CONFIGURATION, f"policy {self.origin} has no such file; {CONFIGURABLE} has one")
        return cast(Configurations, importlib.import_module(self.declaration.configurations))

    @property
    def plain(self) -> Site:
        """What it is made of where its parameters are not understood."""
        return Site(self.declaration, plans=self.begin is not None)

    def site(self, parameters: Mapping[str, str]) -> Site:
        """What the policy is made of by *parameters*, which go before the configuration among them.

        Raises BadInput.
        """
        given = {name: text for name, text in parameters.items() if name != CONFIGURATION}
        if CONFIGURATION in parameters:
            return self.configurations.site_of(self.plain, parameters[CONFIGURATION], given)
        return replace(self.plain, values=self.declaration.values(given))


def policy_names(folders: Sequence[Path] = ()) -> list[str]:
    """Names of all policies: the shipped ones, and every ``.py`` file in *folders*."""
    dropped = [path.stem for folder in folders for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"]
    return sorted({*_shipped(), *(name.replace("_", "-") for name in dropped)})


def load_policy(name: str, folders: Sequence[Path] = ()) -> LoadedPolicy:
    """The policy called *name*, or in the file *name* where it ends in ``.py``.

    Raises UnknownName (with the nearest) or BadFile.
    """
    if name.endswith(".py"):
        return _from_file(Path(name))
    path = policy_file(name, folders)
    if path != name:
        return _from_file(Path(path))
    if name not in _shipped():
        raise UnknownName("policy", name, policy_names(folders))
    return _checked(importlib.import_module(f"{__name__}.{_shipped()[name]}"), name)


_ALSO_NAMED = {"conservative-worstfit": "conservative", "easy-worstfit": "easy", "fcfs-worstfit": "fcfs"}
"""Other names, and the file whose ``POLICIES`` declare each: the list of all names imports no file."""


def policy_file(name: str, folders: Sequence[Path]) -> str:
    """*name*, or the whole path of the file in one of *folders* that it names, which is valid anywhere."""
    for folder in folders:
        path = folder / f"{name.replace('-', '_')}.py"
        if path.is_file():
            return str(path.absolute())
    return name


def _shipped() -> dict[str, str]:
    """The module of each policy of this folder, by the policy's name."""
    # A server loads policies again and again; a file that came meanwhile has changed the folder's time.
    return _shipped_at(os.stat(__path__[0]).st_mtime_ns)


@lru_cache(maxsize=1)
def _shipped_at(_changed_ns: int) -> dict[str, str]:
    modules = [found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")]
    names = {name: module for module in modules for name in _family(module) or [module.replace("_", "-")]}
    return names | _ALSO_NAMED


def _family(module: str) -> dict[str, Policy]:
    """The declarations of the folder *module* by name; none for a file, or a folder that is one policy."""
    if not Path(__path__[0], module).is_dir():
        return {}
    declared = getattr(importlib.import_module(f"{__name__}.{module}"), "POLICIES", ())
    return {policy.name: policy for policy in declared}


def site_of(name: str, parameters: Mapping[str, str]) -> Site:
    """What the policy *name* is made of, as far as that is still known: it may have been decided long ago."""
    try:
        policy = load_policy(name)
    except BadInput:
        return PLAIN
    try:
        return policy.site(parameters)
    except BadInput:
        return policy.plain


_OLD_ROOM = "molokini.scheduling."
_MOVED = "molokini.scheduling is gone: import what a policy needs from molokini.policy (Policy, View, ...)"


def module_of(path: Path) -> ModuleType:
    """What the Python file *path* defines. Raises BadFile for whatever it does wrong on import."""
    if not path.is_file():
        raise BadFile(str(path), "there is no such policy file")
    # Under a name of its own, so that a dropped-in easy.py does not hide the shipped one.
    module_name = f"{FILE_MODULE}{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise BadFile(str(path), f"not Python: {error.msg}", error.lineno) from None
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{error.name}.".startswith(_OLD_ROOM):
            raise BadFile(str(path), _MOVED) from None
        # Any error that the file raises on import is its author's mistake: one line says which.
        raise BadFile(str(path), f"cannot be imported: {type(error).__name__}: {error}") from None
    return module


def _from_file(path: Path) -> LoadedPolicy:
    loaded = _checked(module_of(path), str(path))
    # Named after its file, whatever a copied declaration says: results must not bear another policy's name.
    declaration = replace(loaded.declaration, name=path.stem.replace("_", "-"))
    return replace(loaded, declaration=declaration, from_file=True)


def _checked(module: ModuleType, origin: str) -> LoadedPolicy:
    family = {policy.name: policy for policy in getattr(module, "POLICIES", ())}
    declaration = family.get(origin, getattr(module, "POLICY", None))
    schedule = getattr(module, "schedule", None)
    if not isinstance(declaration, Policy):
        raise BadFile(origin, "a policy file needs POLICY = Policy(...)")
    if not callable(schedule):
        raise BadFile(origin, "a policy file needs a function schedule(view, now)")
    begin = getattr(module, "begin", None)
    for name, function in (("schedule", schedule), ("begin", begin)):
        if function is not None and not _takes_two(function):
            raise BadFile(origin, f"{name} must be a function of two arguments, {name}(view, now)")
    return LoadedPolicy(declaration, schedule, begin, origin, getattr(module, "INSIGHT", NO_INSIGHT))


def _takes_two(function: object) -> bool:
    try:
        inspect.signature(function).bind(None, None)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
