"""Specifications of accepted jobs as they are journalled and kept: canonical JSON, shared by like jobs."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.model.canonical import form_of, text_of
from molokini.model.job_specs import JobSpec


class SharedSpec:
    """What jobs agree in that differ in fields of their own alone, and what was found out of it.

    No code changes the specification: whatever is kept here stays right.
    """

    __slots__ = ("_forms", "columns", "request", "spec")

    def __init__(self, spec: JobSpec) -> None:
        self.spec = spec
        self.columns: Any = None
        """What a job has of it beside its text, for the next job that shares it."""
        self.request: Any = None
        """The request that it was read as."""
        self._forms: dict[tuple[str, ...], str] = {}

    def form(self, own: tuple[str, ...]) -> str:
        """Its text with a place for each field of *own*, as ``canonical.form_of``."""
        form = self._forms.get(own)
        if form is None:
            form = self._forms[own] = form_of(self.spec, own)
        return form


class WrittenSpec:
    """The specification of one job: its text, and what is shared. Jobs that agree in all may share it."""

    __slots__ = ("estimate_s", "name", "shared", "submission_key", "text")

    def __init__(self, spec: JobSpec) -> None:
        self.text = text_of(spec)
        self.shared = SharedSpec(spec)
        self.name = spec.get("name", "")
        self.estimate_s = spec.get("estimate_s", 0.0)
        self.submission_key = spec.get("submission_key", "")

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, WrittenSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"WrittenSpec({self.text})"


def written_together(
    shared: Sequence[WrittenSpec], texts: Sequence[str], own: Mapping[str, Sequence[Any]]
) -> list[WrittenSpec]:
    """Specifications by what each shares, their *texts*, and the columns of *own* fields."""
    made = []
    for bare, text in zip(shared, texts, strict=True):
        one = WrittenSpec.__new__(WrittenSpec)
        one.text, one.shared = text, bare.shared
        one.name, one.estimate_s, one.submission_key = bare.name, bare.estimate_s, bare.submission_key
        made.append(one)
    for name in ("estimate_s", "name", "submission_key"):
        if name in own:
            for one, value in zip(made, own[name], strict=True):
                setattr(one, name, value)
    return made
