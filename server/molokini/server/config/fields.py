"""Kinds of configuration keys: strict types, and for each key its meaning, its range, and when it may change.

Meaning and range are data: ``docs/configuration.md`` and the refusal of a wrong value are made of them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

from molokini.server.config.names import expanded, is_name

# TOML tells integers, numbers, texts and truth values apart, so a text that looks like a number is a mistake.
Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Flag = Annotated[bool, Strict()]
Text = Annotated[str, Strict()]


def _name(text: str) -> str:
    if not is_name(text):
        raise ValueError("no name")
    return text


def _pattern(text: str) -> str:
    expanded(text)
    return text


Name = Annotated[str, Strict(), AfterValidator(_name)]
Pattern = Annotated[str, Strict(), AfterValidator(_pattern)]

MOST = 2**53
"""Whole numbers above this are not exact as double numbers, which is what the tables hold."""

LONGEST_S = 1e9
"""Some 31 years: no duration in a configuration is longer."""


class Section(BaseModel):
    """A table of the configuration file: unknown keys are refused, nothing changes after it is read."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def entry(
    default: Any, meaning: str, allowed: str, *, reload: bool = False, path: bool = False, **limits: Any
) -> Any:
    """One key; *path* marks a file, looked for beside the configuration file where it is relative."""
    extra: JsonDict = {"allowed": allowed, "reload": reload, "path": path}
    if callable(default):
        return Field(default_factory=default, description=meaning, json_schema_extra=extra, **limits)
    return Field(default, description=meaning, json_schema_extra=extra, **limits)


def whole(default: int, meaning: str, least: int, most: int = MOST, *, reload: bool = False) -> Any:
    """A key with a whole number from *least* to *most*."""
    allowed = f"a whole number from {least:,} to {most:,}"
    return entry(default, meaning, allowed, reload=reload, ge=least, le=most)


def number(default: float, meaning: str, least: float, most: float, *, reload: bool = False) -> Any:
    """A key with a number from *least* to *most*."""
    return entry(default, meaning, f"a number from {least:,} to {most:,}", reload=reload, ge=least, le=most)


def flag(default: bool, meaning: str, *, reload: bool = False) -> Any:
    """A key that is true or false."""
    return entry(default, meaning, "true or false", reload=reload)


def file(default: Path | None, meaning: str, *, reload: bool = False) -> Any:
    """A key with the path of a file or folder."""
    return entry(default, meaning, "a path, as text", path=True, reload=reload)


def described(field: FieldInfo) -> Mapping[str, Any]:
    """What ``entry`` has kept about *field*."""
    extra = field.json_schema_extra
    return extra if isinstance(extra, dict) else {}
