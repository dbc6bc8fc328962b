"""How far apart results are by nothing but the phases of timers, which no log tells (``--seeds``)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np

from molokini.experiments.asked import Simulation
from molokini.experiments.choosing import Chosen, settings
from molokini.model.errors import BadInput, BadValue
from molokini.model.policy import Value

PERIOD_OF: Mapping[str, str | float] = {
    "backfill_phase_s": "bf_interval_s",
    "priority_phase_s": "priority_calc_period_s",
    "tick_phase_s": 1.0,
}
"""Phases that policies have as parameters, and the period within which each lies: a parameter, or seconds."""
MOST_SEEDS = 1000
NEAR_FIGURES = ("within_interval", "kendall_tau")
"""How near a replay comes to its log, where the log records starts."""
_FIGURES = ("mean_wait_s", *NEAR_FIGURES)


def check_seeds(seeds: int) -> None:
    """BadValue where so many draws cannot be made."""
    if not 0 <= seeds <= MOST_SEEDS:
        raise BadValue("--seeds", seeds, f"from 0 to {MOST_SEEDS:,}")


def lengths_of(chosen: Chosen) -> dict[str, float]:
    """The period in which each phase of the timers of *chosen* lies; empty: it has no such timers."""
    values = {one.name: one.default for one in chosen.policy.declaration.parameters} | dict(chosen.values)
    periods = {
        name: values.get(period) if isinstance(period, str) else period
        for name, period in PERIOD_OF.items()
        if name in values
    }
    return {name: float(one) for name, one in periods.items() if isinstance(one, int | float) and one > 0}


def drawn(asked: Simulation, chosen: Chosen) -> list[Simulation]:
    """*asked* once for each seed, with phases of the timers of *chosen* that are drawn, each in its period.

    A phase that is set is known, and stays. The draw of a seed depends on it and on ``--seed`` alone.
    BadInput where the policy has no such timers, or all of their phases are set.
    """
    if not lengths_of(chosen):
        raise BadInput(
            f"--seeds draws phases of timers, and policy {chosen.policy.name} has none; leave it out"
        )
    check_unset([chosen])
    return [
        replace(asked, seeds=0, set={**settings(asked.set), **draw(chosen, asked.seed, seed)})
        for seed in range(1, asked.seeds + 1)
    ]


def unset_phases(chosen: Chosen) -> list[str]:
    """The phases of the timers of *chosen* that its user has not given, which are drawn."""
    return [name for name in lengths_of(chosen) if name not in chosen.given]


def check_unset(policies: Sequence[Chosen]) -> None:
    """BadInput where all phases of the timers of *policies* are set, so that none can be drawn."""
    if not any(map(unset_phases, policies)):
        name = min(name for one in policies for name in lengths_of(one))
        raise BadInput(f"--seeds draws phases of timers, and all of them are set; leave out {name}")


def with_phases(chosen: Chosen, first_seed: int, seed: int) -> Chosen:
    """*chosen* with phases that are drawn: the same share of each period under every policy."""
    values: dict[str, Value] = {**chosen.values, **draw(chosen, first_seed, seed)}
    return chosen.with_values(values)


def draw(chosen: Chosen, first_seed: int, seed: int) -> dict[str, float]:
    """A value for each phase of *chosen* that is not set, drawn by ``--seed`` and the number of the draw.

    The draw of one phase is the same whichever others are set.
    """
    made, unset = np.random.default_rng([first_seed, seed]), unset_phases(chosen)
    values = {name: float(made.uniform(0.0, length)) for name, length in lengths_of(chosen).items()}
    return {name: round(value, 3) for name, value in values.items() if name in unset}


def phases_part(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What results say of replays that differ in their phases alone: each of them, and the band."""
    runs = [_run(one) for one in documents]
    return {"seeds": len(runs), "band": band_of(runs, _FIGURES), "runs": runs}


def band_of(runs: Sequence[Mapping[str, Any]], figures: Sequence[str]) -> dict[str, dict[str, float]]:
    """The least, the mean and the most of each of *figures* over *runs*; one that no run has is left out."""
    found = {}
    for name in figures:
        values = [run[name] for run in runs if run.get(name) is not None]
        if values:
            found[name] = {"low": min(values), "mean": fmean(values), "high": max(values)}
    return found


def phases_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """The phases among the values of parameters."""
    return {name: values[name] for name in PERIOD_OF if name in values}


def _run(document: Mapping[str, Any]) -> dict[str, Any]:
    phases, near = phases_in(document["policy"]["parameters"]), document.get("fidelity")
    if near is None:
        return {**phases, "mean_wait_s": document["metrics"]["mean_wait_s"]}
    return {**phases, "mean_wait_s": near["mean_wait_s"]["simulated"], **near_figures(near)}


def near_figures(near: Mapping[str, Any]) -> dict[str, Any]:
    """Of how near a replay comes to its log, what has a band."""
    return {
        "within_interval": near["within_interval"]["share"],
        "kendall_tau": near["kendall_tau"],
        "equal_priorities": near["priorities"] and near["priorities"]["equal_share"],
    }
