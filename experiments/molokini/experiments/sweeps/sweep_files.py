"""A sweep as a TOML file: its keys are the arguments of ``molokini.experiments.sweep``."""

import os
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from molokini.experiments.asked import Grid
from molokini.experiments.calling import wrong_type
from molokini.experiments.models import spec_of
from molokini.model.errors import BadFile, UnknownName

_ELSEWHERE = ("workers", "executor", "output", "fresh", "by", "workload", "free_baseline", "strict")
"""What a file does not say: where a sweep runs and where it writes, and what a sweep has not."""
KEYS = tuple(field.name for field in fields(Grid) if field.name not in _ELSEWHERE)
_FILES = ("logs", "policies", "maui_config", "policy_dir", "reservations", "node_events")


def is_sweep_file(logs: object) -> bool:
    """Whether *logs* is the one file that says everything else, too."""
    return isinstance(logs, str | os.PathLike) and os.fspath(logs).endswith(".toml")


def with_file(asked: Grid) -> Grid:
    """*asked* with what its file says; what is given beside the file goes before it.

    Paths in the file are relative to its folder. Raises BadFile, UnknownName for a key that there is not.
    """
    if not is_sweep_file(asked.logs):
        return asked
    path = Path(os.fspath(asked.logs))  # type: ignore[arg-type]
    given = _read(path)
    for name in given:
        if name not in KEYS:
            raise UnknownName(f"axis or key of a sweep ({path})", name, KEYS)
    known = {field.name: field for field in fields(Grid)}
    for name, value in given.items():
        if wrong := wrong_type(known[name].type, value):
            raise BadFile(str(path), f"{name} must be {wrong}, not {value!r}")
    for name in _FILES:
        if name in given:
            given[name] = _placed(path, name, given[name])
    beside = {
        name: getattr(asked, name)
        for name, field in known.items()
        if name != "logs" and getattr(asked, name) != getattr(_NOTHING, name)
    }
    return replace(_NOTHING, **{**given, **beside})


_NOTHING = Grid()


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise BadFile(str(path), "is not text (UTF-8)") from None
    except tomllib.TOMLDecodeError as error:
        raise BadFile(str(path), f"is not TOML: {error}") from None


def _placed(path: Path, name: str, given: Any) -> Any:
    if isinstance(given, str):
        return _beside(path, name, given)
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise BadFile(str(path), f"{name} must be a text or a list of texts, not {given!r}")
    return [_beside(path, name, one) for one in given]


def _beside(path: Path, name: str, text: str) -> str:
    """A name of a file as one from here; names of models and of shipped policies as they are."""
    if name == "logs" and spec_of(text) is not None:
        return text
    if name == "policies" and not text.partition("?")[0].endswith(".py"):
        return text
    return str(path.parent / text)
