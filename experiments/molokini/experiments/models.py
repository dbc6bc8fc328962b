"""``NAME?key=value&...`` as LOG and as ``--workload``: what makes the jobs, and whose each ``--set`` is."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molokini.experiments.asked import Log, Settings, Texts, texts
from molokini.experiments.choosing import Chosen, choose, settings
from molokini.experiments.maui_files import choose_several
from molokini.experiments.parts import plain_values
from molokini.model.errors import BadInput, BadValue, Conflict, UnknownName
from molokini.model.policy import Value
from molokini.model.specs import split_spec
from molokini.workloads.generated import Generated, generated, is_named
from molokini.workloads.workload import Workload

_OLD = "synthetic:"
"""Stood before the name of a model in former versions."""

_SEED = "seed"
"""Beside its parameters every model takes this one; without it ``--seed`` counts."""


@dataclass(frozen=True)
class ModelWithValues:
    """A model with the value of each of its parameters."""

    model: Generated
    values: Mapping[str, Value]
    spec: str
    """As it was asked for."""
    seed: int | None = None
    """The seed of its own that it was given, whatever ``--seed`` says."""

    def workload(self, seed: int, jobs: int | None = None) -> Workload:
        """The jobs of *seed*, the first *jobs* of them."""
        if jobs is not None and jobs < 1:
            raise BadValue("--jobs", jobs, "a whole number of 1 or more")
        made = self.model.make(self.values, seed if self.seed is None else self.seed)
        return made if jobs is None else made.take(slice(0, jobs))

    def part(self, workload: Workload) -> dict[str, Any]:
        """The model as results for machines tell it."""
        own = {} if self.seed is None else {_SEED: self.seed}
        return {
            "name": self.model.name,
            "parameters": {**plain_values(self.values), **own},
            **self.model.told(self.values, workload),
        }


def spec_of(log: Log | None, workload: str | None = None) -> str | None:
    """What names a model: *workload*, else *log* unless it is a file or holds the jobs themselves.

    A file goes before a model of the same name.
    """
    if workload is not None:
        return workload.removeprefix(_OLD)
    if not isinstance(log, str):
        return None
    if log.startswith(_OLD):
        return log.removeprefix(_OLD)
    name, question, _ = log.partition("?")
    if os.path.exists(log):
        return None
    plain = bool(question) and not {"/", "."} & set(name)
    return log if plain or is_named(name) else None


def made_of(spec: str, given: Settings = ()) -> ModelWithValues:
    """The model of *spec* (``NAME?key=value``) with its values, those of *given* where it brings none.

    Raises UnknownName for a name of *given* or of *spec* that it has not, with the nearest.
    """
    name, own = split_spec(spec)
    model = generated(name)
    seed = _whole(own.pop(_SEED)) if _SEED in own else None
    return ModelWithValues(model, model.values({**settings(given), **own}), spec, seed)


def choose_both(
    specs: Sequence[str],
    policies: Texts,
    given: Settings,
    folders: Sequence[Path],
    files: Texts = (),
) -> tuple[list[ModelWithValues], list[Chosen]]:
    """The models of *specs*, and *policies*, then the policy that each of *files* configures.

    Each takes of *given* what it has; a name that several have is given to all of them. Raises UnknownName,
    with the nearest, for one that none has.
    """
    wanted, models = settings(given), [generated(split_spec(spec)[0]) for spec in specs]
    refuse_configured(models, files)
    of_models = [{parameter.name for parameter in model.parameters} for model in models]
    any_model = set[str]().union(*of_models)
    theirs = {name: value for name, value in wanted.items() if name not in any_model}
    if not files and models:
        plain = choose(texts(policies), {}, folders)
        of_policies = set[str]().union(*(one.parameters for one in plain))
        for name in theirs.keys() - of_policies:
            model_names = ", ".join(model.name for model in models)
            which = f"policy {plain[0].policy.name}" if len(plain) == 1 else "these policies"
            raise UnknownName(
                f"parameter of workload {model_names} or {which}", name, any_model | of_policies
            )
        theirs = {name: value for name, value in wanted.items() if name in of_policies}
    made = [
        made_of(spec, {name: value for name, value in wanted.items() if name in names})
        for spec, names in zip(specs, of_models, strict=True)
    ]
    return made, choose_several(texts(policies), texts(files), theirs, folders)


def given_to(logs: Sequence[Log], given: Settings) -> list[dict[str, str]]:
    """Of *given* what each of *logs* takes, where it is a model.

    Raises UnknownName, with the nearest, for a name that none has, BadInput where all are files.
    """
    wanted = settings(given)
    specs = [spec_of(log) for log in logs]
    names = [set[str]() if spec is None else _names(spec) for spec in specs]
    if wanted and not any(specs):
        raise BadInput("--set gives values to a model (NAME?key=value), and these logs are files")
    known = set[str]().union(*names)
    for name in wanted:
        if name not in known:
            model_names = ", ".join(split_spec(spec)[0] for spec in specs if spec is not None)
            raise UnknownName(f"parameter of workload {model_names}", name, known)
    return [{name: value for name, value in wanted.items() if name in has} for has in names]


def _names(spec: str) -> set[str]:
    return {parameter.name for parameter in generated(split_spec(spec)[0]).parameters}


def refuse_configured(models: Sequence[Generated], files: Texts) -> None:
    """Complain where *files* configure a policy and jobs of *models* are not as those of logs are."""
    for model in models:
        if texts(files) and not model.rigid:
            raise BadInput(
                f"--maui-config goes with logs and with models of plain jobs; those of {model.name} are not"
            )


def check_source(log: Log | None, workload: str | None) -> None:
    """Complain unless there is one workload."""
    if (log is None) == (workload is None):
        raise BadInput("a workload is needed, and one: give a LOG, or --workload NAME")


def check_own_seeds(made: Sequence[ModelWithValues], seeds: int) -> None:
    """Complain where a model has a seed of its own, and *seeds* others are to be tried."""
    for one in made:
        if seeds and one.seed is not None:
            raise Conflict("--seeds", f"{one.spec} has a seed of its own; leave one of them out")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadValue(_SEED, text, "a whole number") from None
