"""The studies there are: each folder of this package that has a ``study.py`` is one."""

from importlib import import_module
from pathlib import Path

from molokini.model.errors import UnknownName
from molokini.studies.study import Study

_HERE = Path(__file__).parent


def names() -> list[str]:
    """The name of every study; that of its folder, with dashes."""
    return sorted(path.parent.name.replace("_", "-") for path in _HERE.glob("*/study.py"))


def study_of(name: str) -> Study:
    """The study called *name*; UnknownName, with the nearest, where there is none."""
    if name not in names():
        raise UnknownName("study", name, names())
    found = import_module(f"molokini.studies.{name.replace('-', '_')}.study").STUDY
    assert isinstance(found, Study)
    return found
