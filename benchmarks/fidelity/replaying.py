"""Our replay of a recorded run: timers as the log tells them, and a band over what it does not tell.

Three rules, which an administrator can follow with ``simulate``:

- backfill has the phase of the second in which most of its recorded starts fall (``fidelity.timers``);
- the calculation of priorities has the phase with which most priorities are the recorded ones;
- in which part of a second the controller looks, no record of whole seconds tells: it is drawn.

How long the controller and the nodes take is in slurmctld's log, which the run ``logged`` was made with.
"""

from pathlib import Path
from typing import Any

from molokini.experiments import simulate

DRAWS = 20
MEASURED = {"tick_s": 1.013, "completing_s": 0.058}
"""The mean of 704 looks of the controller for queued passes, and the median of how much longer than their
``sleep`` 300 jobs had their nodes: it decides whether an end comes before a look or after it."""
_LEAST_SHARE = 0.5
_PHASES = 12
_PERIOD = "priority_calc_period_s"


def replayed(pack: Path, draws: int = DRAWS) -> dict[str, Any]:
    """The fidelity report of a *pack*, and of *draws* replays with other parts of a second as ``phases``."""
    done = _run(pack, {**known_phases(pack), **MEASURED}, draws)
    return {**done["fidelity"], "phases": done["phases"]}


def known_phases(pack: Path) -> dict[str, float]:
    """The phases that the log of a *pack* tells, by their parameters."""
    first = _run(pack, {"tick_phase_s": 0.5})
    backfill = first["fidelity"]["timers"]["backfill"]
    found = {}
    if backfill is not None and backfill["share"] >= _LEAST_SHARE:
        found["backfill_phase_s"] = backfill["phase_s"]
    period_s = float(first["policy"]["parameters"][_PERIOD])
    phases = [period_s * k / _PHASES for k in range(_PHASES)]
    found["priority_phase_s"] = max(phases, key=lambda phase_s: _equal(pack, found, phase_s))
    return found


def _equal(pack: Path, found: dict[str, float], phase_s: float) -> float:
    """The share of priorities that are the recorded ones, with this phase of their calculation."""
    done = _run(pack, {**found, "tick_phase_s": 0.5, "priority_phase_s": phase_s})
    return float(done["fidelity"]["priorities"]["equal_share"])


def _run(pack: Path, phases: dict[str, float], draws: int = 0) -> dict[str, Any]:
    return dict(simulate(str(pack), policy="slurm", set=dict(phases), seeds=draws).document)
