"""The studies there are: each folder of this package that has a file ``*_study.py`` is one."""

from importlib import import_module
from pathlib import Path

from molokini.model.errors import UnknownName
from molokini.studies.study import Study

_HERE = Path(__file__).parent


def names() -> list[str]:
    """The name of every study; that of its folder, with dashes."""
    return sorted(_modules())


def study_of(name: str) -> Study:
    """The study called *name*; UnknownName, with the nearest, where there is none."""
    modules = _modules()
    if name not in modules:
        raise UnknownName("study", name, names())
    found = import_module(modules[name]).STUDY
    assert isinstance(found, Study)
    return found


def _modules() -> dict[str, str]:
    """By the name of a study, the module that declares it."""
    return {
        path.parent.name.replace("_", "-"): f"molokini.studies.{path.parent.name}.{path.stem}"
        for path in _HERE.glob("*/*_study.py")
    }
