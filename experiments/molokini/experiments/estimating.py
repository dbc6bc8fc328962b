"""A log with estimates of run times that a model makes, and what these are like."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from molokini.experiments.asked import Settings
from molokini.experiments.choosing import settings
from molokini.experiments.parts import plain_values
from molokini.model.errors import UnknownName
from molokini.model.policy import Value, values_of
from molokini.model.text import plural
from molokini.workloads.estimates.table import MODELS, OWN_PARAMETERS, estimates
from molokini.workloads.filters import with_note
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Workload

POPULAR = 10
"""So many of the most common values are reported."""

_NAMES = {parameter.name for parameter in OWN_PARAMETERS}
_USED = {"rounded": ("most",), "tsafrir": ("most", "bins")} | {
    name: (name, "most") for name in ("f", "phi", "multiple")
}


def split_settings(given: Settings) -> tuple[dict[str, str], dict[str, str]]:
    """What of *given* belongs to models of estimates, and the rest."""
    wanted = settings(given)
    mine = {name: value for name, value in wanted.items() if name in _NAMES}
    return mine, {name: value for name, value in wanted.items() if name not in _NAMES}


def check_model(model: str) -> None:
    """UnknownName, with the nearest, for a model that there is not."""
    if model not in MODELS:
        raise UnknownName("model of estimates", model, MODELS)


def refuse_others(others: Mapping[str, str]) -> None:
    """Complain about settings that belong to nothing."""
    if others:
        raise UnknownName("parameter of models of estimates", min(others), _NAMES)


def with_model(
    log: Workload, model: str, given: Mapping[str, str], seed: int, only_missing: bool = False
) -> tuple[Workload, dict[str, Any]]:
    """*log* with estimates by *model*, a note in its header, and what they are like.

    *given* has values of the model's parameters; *only_missing* leaves estimates alone that jobs have.
    Raises BadInput.
    """
    check_model(model)
    values: Mapping[str, Value] = values_of("the model of estimates", OWN_PARAMETERS, given)
    values = {name: value for name, value in values.items() if name in _USED.get(model, ())}
    chosen = ~log.estimated if only_missing else np.ones(len(log), np.bool_)
    found: Floats = np.zeros(len(log))
    run_s = log.run_s[chosen]
    whole = bool((run_s == np.rint(run_s)).all())
    found[chosen] = estimates(model, values, Streams(seed), run_s, whole)
    values_text = "".join(f", {name}={value}" for name, value in values.items())
    note = (
        f"estimates of {plural(int(chosen.sum()), 'job')} made by molokini: {model}{values_text}, seed {seed}"
    )
    made = with_note(log.with_estimates(found), note)
    return made, {
        "model": model,
        "parameters": plain_values(values),
        "seed": seed,
        "jobs": len(made),
        **_described(made.run_s[chosen], made.estimate_s[chosen]),
    }


def _described(run_s: Floats, estimate_s: Floats) -> dict[str, Any]:
    times, counts = np.unique(estimate_s, return_counts=True)
    popular = np.argsort(-counts, kind="stable")[:POPULAR].tolist()
    there = estimate_s > 0
    accuracy = run_s[there] / estimate_s[there]
    return {
        "estimated": int(run_s.size),
        "distinct": int(times.size),
        "mean_accuracy": float(accuracy.mean()) if accuracy.size else None,
        "popular": [{"estimate_s": float(times[at]), "jobs": int(counts[at])} for at in popular],
    }
