"""A configuration in the making: values by path, where each stands, and what was found on the way."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from molokini.maui.findings import Finding, Report, Status
from molokini.maui.kinds import Kind
from molokini.maui.model import MauiConfig
from molokini.maui.parameters import Parameter, Path
from molokini.maui.rules import Trouble, troubles
from molokini.maui.unfit import Unfit
from molokini.model.errors import UnknownName

MOST_REFUSED = 1000
"""After so many refusals a file is some other file, and the rest of it is not read."""


@dataclass
class Draft:
    """Gathers values; ``report`` makes the configuration of them, or says why there is none."""

    values: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    _places: dict[Path, int] = field(default_factory=dict)
    """The finding that put the value of each path."""
    _refused: set[Path] = field(default_factory=set)
    _refusals: int = 0
    _hints: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """Whether so much was refused that reading on makes no sense."""
        return self._refusals >= MOST_REFUSED

    def unknown(self, at: Finding, kind: str, name: str, known: Iterable[str]) -> None:
        """Refuse *name*, which does not exist, and say which is nearest."""
        key = (kind, name)
        if key not in self._hints:
            self._hints[key] = str(UnknownName(kind, name[:80], known))
        self.refuse(at, self._hints[key])

    def refuse(self, at: Finding, cause: str, path: Path | None = None) -> None:
        """Note that what stands at *at* is refused."""
        self.findings.append(replace(at, status=Status.REFUSED, cause=cause))
        self._refusals += 1
        if path is not None:
            self._refused.add(path)

    def put(
        self,
        at: Finding,
        parameter: Parameter,
        path: Path,
        read: Callable[[Any], Any],
        value: Any,
        noted: Path | None = None,
    ) -> None:
        """Set *path* (of which *noted* is a part) to what *read* makes of *value*, or refuse it."""
        at = replace(at, meaning=parameter.meaning, value=shown(at.value))
        try:
            found = read(value)
        except (ValueError, TypeError) as error:
            self.refuse(at, refusal(value, parameter.kind, error), path)
            return
        self.set(path, found)
        status = Status.WITHOUT_EFFECT if parameter.without else Status.UNDERSTOOD
        remark = parameter.kind.remark(value, found) if isinstance(value, str) else ""
        self.note(noted or path, replace(at, status=status, cause=parameter.without, note=remark))

    def set(self, path: Path, value: Any) -> None:
        """Set *path*, whatever stands there."""
        table = self.values
        for part in path[:-1]:
            table = table.setdefault(part, {})
        table[path[-1]] = value

    def note(self, path: Path, finding: Finding) -> None:
        """Remember that *finding* put the value of *path*; an earlier one that did so gets a remark."""
        before = self._places.get(path)
        if before is not None:
            self._remark(before, f"set again in {_place(finding)}, which counts")
        self._places[path] = len(self.findings)
        self.findings.append(finding)

    def report(self, file: str, nodes: frozenset[str] | None = None) -> Report:
        """What was found, what does not go together included."""
        config = MauiConfig.model_validate(self.values)
        for trouble in troubles(config, nodes):
            if not self._refused.intersection(trouble.depends):
                self._tell(trouble, file)
        good = all(one.status is not Status.REFUSED for one in self.findings)
        return Report(file, tuple(self.findings), config if good else None)

    def _tell(self, trouble: Trouble, file: str) -> None:
        at = self._places.get(trouble.path)
        if at is None:
            # A value that a program gave, or that comes from before a change.
            if trouble.refused:
                name = ".".join(trouble.path)
                self.findings.append(Finding(file, None, name, "", Status.REFUSED, cause=trouble.cause))
        elif trouble.refused:
            one = self.findings[at]
            cause = f"{one.cause}; {trouble.cause}" if one.status is Status.REFUSED else trouble.cause
            self.findings[at] = replace(one, status=Status.REFUSED, cause=cause)
        elif trouble.idle:
            one = self.findings[at]
            if one.status is not Status.REFUSED:
                cause = "; ".join(dict.fromkeys(filter(None, [one.cause, trouble.cause])))
                self.findings[at] = replace(one, status=Status.WITHOUT_EFFECT, cause=cause)
        else:
            self._remark(at, trouble.cause)

    def _remark(self, at: int, note: str) -> None:
        old = self.findings[at].note
        self.findings[at] = replace(self.findings[at], note=f"{old}; {note}" if old else note)


def refusal(value: Any, kind: Kind, error: Exception) -> str:
    """Why *value* is refused."""
    more = f": {error}" if isinstance(error, Unfit) else ""
    return f"{shown(value)!r} is not allowed{more}; it must be {kind.allowed}"


def shown(value: Any) -> str:
    """*value* short enough for a line."""
    text = str(value)
    return text if len(text) <= 120 else text[:117] + "..."


def values_of(config: BaseModel) -> dict[str, Any]:
    """What *config* was given, as ``Draft.values``."""
    return {name: _value(getattr(config, name)) for name in sorted(config.model_fields_set)}


def _value(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return values_of(value)
    if isinstance(value, dict):
        return {name: _value(one) for name, one in value.items()}
    return value


def _place(finding: Finding) -> str:
    return f"line {finding.line}" if finding.line else finding.file
