"""SERVERMODE SIMULATION: what a maui.cfg says of Maui's own simulation, done by ``molokini simulate``."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from molokini.experiments.asked import RunOptions
from molokini.experiments.choosing import Chosen
from molokini.experiments.machines import machine_for
from molokini.experiments.maui_files import ConfiguredPolicy
from molokini.model.errors import BadInput
from molokini.model.machine import Machine
from molokini.model.site import CONFIGURABLE, Simulation
from molokini.policies import load_policy
from molokini.sim.stepping import Entering, Stepping, in_steps
from molokini.workloads.maui_nodes import machine_of, read_maui_nodes
from molokini.workloads.workload import Workload

_POLL = "poll_s"


@dataclass(frozen=True)
class MauiSimulation:
    """Steps of RMPOLLINTERVAL over the traces that a configuration names."""

    file: str
    said: Simulation
    stepping: Stepping

    @property
    def trace(self) -> str:
        """The file of jobs, beside the configuration unless it says otherwise."""
        return str(Path(self.file).parent / self.said.workload)

    @property
    def part(self) -> dict[str, Any]:
        """What results say of the steps."""
        stepping = self.stepping
        return {
            "step_s": stepping.step_s,
            "entering": str(stepping.entering),
            "depth": stepping.depth,
            "steps": stepping.steps,
        }

    @property
    def note(self) -> str:
        """One line: that time goes in steps, and when jobs enter."""
        stepping = self.stepping
        enter = "at their recorded times"
        if stepping.entering is Entering.JOBS:
            enter = f"so that {stepping.depth} wait"
        elif stepping.entering is Entering.PROCESSOR_SECONDS:
            enter = f"so that {stepping.depth} processor-seconds wait"
        return (
            f"{self.file}: SERVERMODE SIMULATION: steps of {stepping.step_s:g} s (RMPOLLINTERVAL), jobs "
            f"enter {enter} (SIMJOBSUBMISSIONPOLICY)"
        )

    def machine_for(self, log: Workload, asked: RunOptions) -> Machine:
        """The machine of the command's options, else of the resource trace, else of the log."""
        if asked.processors is not None or asked.nodes is not None:
            return machine_for(log, asked)
        path = Path(self.file).parent / self.said.resources
        if not path.exists() and log.machine_processors is not None:
            return machine_for(log, asked)
        nodes = read_maui_nodes(path)
        machine = machine_of(nodes[: self.said.node_count or None])
        if machine.processors < 1:
            raise BadInput(f"{path}: no node in it is AVAILABLE")
        return machine

    def workload(self, log: Workload) -> Workload:
        """The jobs, scaled as SIMWCSCALINGPERCENT says, on steps."""
        percent = self.said.scaling_percent
        if percent <= 0:
            raise BadInput(f"{self.file}: SIMWCSCALINGPERCENT is {percent:g}; it must be above 0")
        if percent != 100.0:
            scaled = np.maximum(1.0, log.run_s * percent / 100.0)
            log = replace(log, run_s=scaled, estimate_s=np.maximum(1.0, log.estimate_s * percent / 100.0))
        return in_steps(log, self.stepping)

    def policy(self, chosen: Chosen) -> Chosen:
        """The policy, which looks at every step."""
        assert isinstance(chosen, ConfiguredPolicy)
        values = {**chosen.values, _POLL: self.stepping.step_s}
        site = replace(chosen.site, values=values)
        return replace(chosen, values=values, site=site, step_s=self.stepping.step_s)


def simulation_of(policy: str, file: str | None) -> MauiSimulation | None:
    """The simulation that the configuration *file* asks for; None without a file, or under another policy."""
    if file is None or policy != CONFIGURABLE:
        return None
    loaded = load_policy(policy)
    said = loaded.configurations.site_in(loaded.plain, file, {}).simulation()
    if said is None:
        return None
    if said.step_s <= 0:
        raise BadInput(f"{file}: RMPOLLINTERVAL is {said.step_s:g}; simulated time needs steps above 0 s")
    stepping = Stepping(said.step_s, Entering(said.entering), said.depth, said.steps)
    return MauiSimulation(file, said, stepping)
