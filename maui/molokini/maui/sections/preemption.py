"""Preemption."""

from molokini.maui.fields import Section, parameter
from molokini.maui.kinds import Word


class PreemptPolicy(Word):
    """How a job is preempted."""

    REQUEUE = "REQUEUE"
    SUSPEND = "SUSPEND"
    CHECKPOINT = "CHECKPOINT"
    CANCEL = "CANCEL"
    OVERCOMMIT = "OVERCOMMIT"


class Preemption(Section):
    """How a job makes room for another."""

    policy: PreemptPolicy = parameter(
        "PREEMPTPOLICY",
        PreemptPolicy.REQUEUE,
        "What happens to a job that is preempted.",
    )
