"""The policies that tests of all policies run."""

from molokini.model.policy import Value
from molokini.policies import load_policy, policy_names

IN_ROWS = tuple(name for name in policy_names() if load_policy(name).declaration.in_rows)
"""Policies under which jobs share processors by taking turns in rows."""
IN_BLOCKS = tuple(name for name in IN_ROWS if load_policy(name).declaration.in_blocks)
"""Those whose machines must be a power of two."""
ALONE: dict[str, dict[str, Value]] = {
    **{name: {"slots" if name in IN_BLOCKS else "mpl": 1} for name in IN_ROWS},
    "sita-e": {"cutoffs": ()},
    **{name: {"hosts": 1} for name in ("least-work-left", "round-robin", "random", "migrate-by-age")},
}
"""Values with which every job has the processors for itself, and all of the machine may be one job's."""


PROMPT: dict[str, dict[str, Value]] = {
    "slurm": {
        "bf_interval_s": 0.0,
        "batch_sched_delay_s": 0.0,
        "completing_s": 0.0,
        "bf_resolution_s": 1.0,
        "requeue_delay_s": 0.0,
    }
}
"""Values of policies with timers of their own with which a job that can start does, whatever the second."""


def different_policies() -> list[str]:
    """Every policy by name, and of a family the first only.

    The members of a family are the same functions with other numbers; those of ``divisible`` differ in what
    they do with divisible loads, which has tests of its own, and not in what they do with other jobs.
    """
    found: dict[object, str] = {}
    for name in policy_names():
        found.setdefault(load_policy(name).schedule, name)
    return sorted(found.values())
