"""What a simulation computes for a policy from the workload at hand: the cutoffs of ``sita-u``."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from molokini.model.policy import Policy, Value
from molokini.queueing.assignment import cutoffs_of_jobs
from molokini.workloads.workload import Workload


def is_computed(policy: Policy, values: Mapping[str, Value]) -> bool:
    """Whether a parameter of *policy* is left to the workload."""
    return bool(policy.computed) and values.get(policy.computed) == ()


def computed_values(
    policy: Policy, values: Mapping[str, Value], workload: Workload, processors: int | None
) -> Mapping[str, Value]:
    """*values* with what is left to the workload; *processors* of the machine, where they are known."""
    if not is_computed(policy, values) or len(workload) < 2:
        return values
    hosts = values["hosts"]
    assert isinstance(hosts, int)
    machine = processors or workload.machine_processors or int(workload.processors.max())
    return {**values, policy.computed: _cutoffs(_Key(workload), hosts, max(1, machine // hosts))}


class _Key:
    """A workload by identity, so that what was computed for it is kept while it is the last one."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    def __hash__(self) -> int:
        return id(self.workload)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.workload is self.workload


@lru_cache(maxsize=2)
def _cutoffs(key: _Key, hosts: int, size: int) -> tuple[float, ...]:
    workload = key.workload
    fits = workload.processors <= size
    run_s = np.minimum(workload.run_s, workload.estimate_s)
    service_s = run_s * workload.processors / size
    span_s = float(workload.submit_s[-1] - workload.submit_s[0])
    return cutoffs_of_jobs(workload.estimate_s[fits], service_s[fits], run_s[fits], span_s, hosts)
