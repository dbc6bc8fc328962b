"""``-W name=value,...``: further attributes of a job."""

from __future__ import annotations

from molokini.compat._types import Any
from molokini.compat.pbs.depends import dependencies
from molokini.compat.pbs.listed import parts_of

_NAMES = ("depend", "group_list", "umask", "block", "sandbox", "stagein", "stageout", "run_count", "x")
_UMASK = 0o022


class Attributes:
    """What the options ``-W`` come to."""

    def __init__(self) -> None:
        self.spec: dict[str, Any] = {}
        """Fields of the JobSpec."""
        self.shown: dict[str, str] = {}
        """What no field has."""
        self.block = False
        """Whether qsub waits for the end of the job."""


def attributes(texts: list[str]) -> Attributes:
    """What *texts* say. ValueError, with why."""
    made = Attributes()
    for text in texts:
        for name, value in _pairs(text):
            _READ[name](made, value)
    return made


def _pairs(text: str) -> list[tuple[str, str]]:
    """Names and values; a comma within a value does not part it where no name and sign follow."""
    found: list[tuple[str, str]] = []
    for part in parts_of(text):
        name, equals, value = part.strip().partition("=")
        if not equals and name.startswith("group_list:"):
            name, equals, value = part.strip().partition(":")
        if name in _NAMES and equals:
            found.append((name, value))
        elif found and found[-1][0] in ("depend", "group_list", "x", "stagein", "stageout"):
            found[-1] = (found[-1][0], f"{found[-1][1]},{part}")
        else:
            raise ValueError(f"{part[:60]!r}: expected NAME=VALUE, where NAME is one of {', '.join(_NAMES)}")
    return found


def _depend(made: Attributes, value: str) -> None:
    made.spec["dependencies"] = [*made.spec.get("dependencies", ()), *dependencies(value)]


def _group(made: Attributes, value: str) -> None:
    made.spec["group"] = made.shown["group_list"] = value.split(",")[0].partition("@")[0]


def _umask(made: Attributes, value: str) -> None:
    try:
        same = int(value, 8) == _UMASK
    except ValueError:
        same = False
    if not same:
        raise ValueError(f"umask={value[:20]}: jobs run with {_UMASK:03o}; set another one in the script")


def _block(made: Attributes, value: str) -> None:
    if value.lower() not in ("true", "false", "t", "f", "y", "n", "1", "0"):
        raise ValueError("block: must be true or false")
    made.block = value.lower() in ("true", "t", "y", "1")


def _sandbox(made: Attributes, value: str) -> None:
    if value != "HOME":
        raise ValueError(f"sandbox={value[:20]} is not supported; HOME is")


def _none(name: str) -> Any:
    def read(made: Attributes, value: str) -> None:
        raise ValueError(f"{name} is not supported: jobs share the file system of their nodes")

    return read


def _run_count(made: Attributes, value: str) -> None:
    if value != "0":
        raise ValueError("run_count: must be 0, as a new job has not run yet")


def _extension(made: Attributes, value: str) -> None:
    made.shown["x"] = value


_READ = {
    "depend": _depend,
    "group_list": _group,
    "umask": _umask,
    "block": _block,
    "sandbox": _sandbox,
    "stagein": _none("stagein"),
    "stageout": _none("stageout"),
    "run_count": _run_count,
    "x": _extension,
}
