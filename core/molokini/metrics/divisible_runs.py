"""One run of divisible loads: from parameters and a seed to counts of refused and late jobs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from molokini.model.errors import UnknownName
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.workloads.divisible_loads import delivered_load, nominal_load
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload

POLICY = "policy"
"""The parameter that names the policy."""


@dataclass(frozen=True)
class Outcome:
    """Counts of the jobs of one run."""

    jobs: int
    refused: Mapping[str, int]
    """How many were refused, by reason."""
    missed: int
    """Admitted jobs that ended after their deadlines: more than 0 is a bug."""
    mean_nodes: float
    """Nodes that an admitted job was given, on average; NaN where there is none."""
    nominal_load: float
    delivered_load: float

    @property
    def reject_ratio(self) -> float:
        """Task Reject Ratio: refused over all; NaN without jobs."""
        return sum(self.refused.values()) / self.jobs if self.jobs else float("nan")


def run(parameters: Mapping[str, object], seed: int) -> Outcome:
    """Make the workload of *parameters* and *seed*, replay it under ``parameters["policy"]``, and count.

    All other parameters, numbers or text, go to the workload ``divisible`` or to the policy, by their names.
    Equal arguments give an equal outcome in any process. Raises BadInput.
    """
    policy = load_policy(str(parameters[POLICY]))
    texts = {name: str(value) for name, value in parameters.items() if name != POLICY}
    model = generated("divisible")
    of_model = {parameter.name for parameter in model.parameters}
    of_policy = {parameter.name for parameter in policy.declaration.parameters}
    for name in texts.keys() - of_model - of_policy:
        raise UnknownName(f"parameter of divisible loads under {policy.name}", name, of_model | of_policy)
    values = model.values({name: text for name, text in texts.items() if name in of_model})
    chosen = policy.declaration.values({name: text for name, text in texts.items() if name in of_policy})
    workload = _workload(tuple(values.items()), seed)
    nodes = workload.machine_processors
    assert nodes is not None
    replay = Replay(workload, Machine.counted(nodes), policy, chosen)
    replay.run()
    return _outcome(replay, values)


@lru_cache(maxsize=2)
def _workload(values: tuple[tuple[str, Value], ...], seed: int) -> Workload:
    """The workload, kept for the next policy: to make the jobs takes longer than to replay them."""
    return generated("divisible").make(dict(values), seed)


def _outcome(replay: Replay, values: Mapping[str, Value]) -> Outcome:
    schedule = replay.schedule()
    workload, finished = replay.workload, schedule.finished
    assert workload.loads is not None
    late = schedule.end_s[finished] > (workload.submit_s + workload.loads.deadline_s)[finished]
    nodes = schedule.workload.processors[finished]
    return Outcome(
        jobs=len(workload),
        refused=schedule.refused,
        missed=int(np.count_nonzero(late)),
        mean_nodes=float(nodes.mean()) if nodes.size else float("nan"),
        nominal_load=nominal_load(values),
        delivered_load=delivered_load(values, workload),
    )
