"""What the cases of many studies begin with: jobs of a model, and a replay of jobs under a policy."""

from typing import Any

from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.studies.study import seed_for
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload


def jobs_of_model(model: str, study: str, seed: int, **given: Any) -> Workload:
    """The jobs that *model* draws for a seed of *study*, a parameter ``least-run`` given as *least_run*."""
    made = generated(model)
    named = {name.replace("_", "-"): str(value) for name, value in given.items()}
    return made.make(made.values(named), seed_for(study, seed) >> 1)


def replay_of(jobs: Workload, policy: str, **given: Value) -> Replay:
    """*jobs* on their machine, before the first of them, under *policy* with its defaults but for *given*."""
    loaded, counted = load_policy(policy), jobs.machine_processors
    if jobs.platform is None:
        assert counted is not None
    machine = Machine.counted(counted or 0) if jobs.platform is None else Machine.of_platform(jobs.platform)
    return Replay(jobs, machine, loaded, {**loaded.declaration.values({}), **given})
