"""The table of policies: one file here, one policy; a new file is found by its name alone.

A policy named ``easy-depth`` lives in ``easy_depth.py``. A folder here holds a policy of many parts, or a
family: its ``POLICIES`` are several declarations, which share their functions. Files outside, in a folder or
by path, are used as those here.
"""

import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from molokini.cycle.ports import FILE_MODULE, PolicyFunction
from molokini.model.errors import BadFile, BadInput, UnknownName
from molokini.model.policy import Policy


@dataclass(frozen=True)
class LoadedPolicy:
    """A policy's declaration and its functions, as plain Python."""

    declaration: Policy
    schedule: PolicyFunction
    begin: PolicyFunction | None
    origin: str
    from_file: bool = False
    """Whether it is not one of those that are shipped."""

    @property
    def name(self) -> str:
        """The name that users type."""
        return self.declaration.name


def policy_names(folders: Sequence[Path] = ()) -> list[str]:
    """Names of all policies: the shipped ones, and every ``.py`` file in *folders*."""
    shipped = [name for module in _modules() for name in _family(module) or [module]]
    dropped = [path.stem for folder in folders for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"]
    return sorted({name.replace("_", "-") for name in shipped + dropped})


def load_policy(name: str, folders: Sequence[Path] = ()) -> LoadedPolicy:
    """The policy called *name*, or in the file *name* where it ends in ``.py``.

    Raises UnknownName (with the nearest) or BadFile.
    """
    if name.endswith(".py"):
        return _from_file(Path(name))
    path = policy_file(name, folders)
    if path != name:
        return _from_file(Path(path))
    if name not in policy_names():
        raise UnknownName("policy", name, policy_names(folders))
    for module in _modules():
        if name in _family(module):
            return _checked(importlib.import_module(f"{__name__}.{module}"), name)
    return _checked(importlib.import_module(f"{__name__}.{name.replace('-', '_')}"), name)


def policy_file(name: str, folders: Sequence[Path]) -> str:
    """*name*, or the whole path of the file in one of *folders* that it stands for: a name for any place."""
    for folder in folders:
        path = folder / f"{name.replace('-', '_')}.py"
        if path.is_file():
            return str(path.absolute())
    return name


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]


def _family(module: str) -> dict[str, Policy]:
    """The declarations of the folder *module* by name; none for a file, or a folder that is one policy."""
    if not Path(__path__[0], module).is_dir():
        return {}
    declared = getattr(importlib.import_module(f"{__name__}.{module}"), "POLICIES", ())
    return {policy.name: policy for policy in declared}


def charging_of(name: str, parameters: Mapping[str, str]) -> tuple[int, float]:
    """What the policy *name* has active jobs charged; (0, 1) for nothing, or a policy that is no more."""
    try:
        declaration = load_policy(name).declaration
        return declaration.charged(declaration.vector(declaration.values(parameters)))
    except BadInput:
        return 0, 1.0


_OLD_ROOM = "molokini.scheduling."
_MOVED = (
    "molokini.scheduling has become molokini.compiled, tables, room, cycle and shared: import kernel from "
    "molokini.compiled.compilation, View from molokini.tables.tables and verbs from molokini.cycle.verbs"
)


def _from_file(path: Path) -> LoadedPolicy:
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
        # Whatever the file does on import is its author's mistake, and he wants one line about it.
        raise BadFile(str(path), f"cannot be imported: {type(error).__name__}: {error}") from None
    loaded = _checked(module, str(path))
    # Called as its file is, whatever a copied declaration says: results must not bear the name of another.
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
    return LoadedPolicy(declaration, schedule, begin, origin)


def _takes_two(function: object) -> bool:
    try:
        inspect.signature(function).bind(None, None)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
