"""How far apart results are by nothing but the phases of timers, which no log tells (``--seeds``)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from molokini.experiments.asked import Simulation
from molokini.experiments.choosing import Chosen, settings
from molokini.model.errors import BadInput, BadValue

PERIOD_OF = {"backfill_phase_s": "bf_interval_s", "priority_phase_s": "priority_calc_period_s"}
"""Phases that policies have as parameters, and the period within which each lies."""
MOST_SEEDS = 1000
_FIGURES = ("mean_wait_s", "within_interval", "kendall_tau")


def check_seeds(seeds: int) -> None:
    """BadValue where so many draws cannot be made."""
    if not 0 <= seeds <= MOST_SEEDS:
        raise BadValue("--seeds", seeds, f"from 0 to {MOST_SEEDS:,}")


def drawn(asked: Simulation, chosen: Chosen) -> list[Simulation]:
    """*asked* once for each seed, with phases of the timers of *chosen* that are drawn, each in its period.

    The draw of a seed depends on it and on ``--seed`` alone. BadInput where the policy has no such timers.
    """
    values = {one.name: one.default for one in chosen.policy.declaration.parameters} | dict(chosen.values)
    periods = {name: values.get(period) for name, period in PERIOD_OF.items() if name in values}
    lengths = {name: float(one) for name, one in periods.items() if isinstance(one, int | float) and one > 0}
    if not lengths:
        raise BadInput(
            f"--seeds draws phases of timers, and policy {chosen.policy.name} has none; leave it out"
        )
    return [
        replace(asked, seeds=0, set=_settings(asked, lengths, seed)) for seed in range(1, asked.seeds + 1)
    ]


def _settings(asked: Simulation, lengths: Mapping[str, float], seed: int) -> dict[str, object]:
    draw = np.random.default_rng([asked.seed, seed])
    phases = {name: round(float(draw.uniform(0.0, length)), 3) for name, length in lengths.items()}
    return {**settings(asked.set), **phases}


def phases_part(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What results say of replays that differ in their phases alone: each of them, and the band."""
    runs = [_run(one) for one in documents]
    band = {}
    for name in _FIGURES:
        found = [run[name] for run in runs if run.get(name) is not None]
        if found:
            band[name] = {"low": min(found), "high": max(found)}
    return {"seeds": len(runs), "band": band, "runs": runs}


def _run(document: Mapping[str, Any]) -> dict[str, Any]:
    values, near = document["policy"]["parameters"], document.get("fidelity")
    phases = {name: values[name] for name in PERIOD_OF if name in values}
    if near is None:
        return {**phases, "mean_wait_s": document["metrics"]["mean_wait_s"]}
    return {
        **phases,
        "mean_wait_s": near["mean_wait_s"]["simulated"],
        "within_interval": near["within_interval"]["share"],
        "kendall_tau": near["kendall_tau"],
    }
